"""What Streamlit's own styles fall short of, for those who see little or are made ill by motion."""

from __future__ import annotations

# Captions are Streamlit's text at 60%, badges and links in them too: contrasts of 2.4 to 4.2, where 4.5 is
# the least (WCAG 2.2 AA). White on a primary colour that is itself read as text on a dark page can't be both.
STYLE = """<style>
[data-testid="stCaptionContainer"] { opacity: 1 !important;
  color: color-mix(in srgb, currentColor 78%, transparent) !important; }
[data-testid="stBaseButton-primary"], [data-testid="stMultiSelectTagsContainer"] [data-tag] {
  background-color: #2F6296 !important; color: #FFFFFF !important; }
[data-testid="stBaseButton-primary"]:hover { filter: brightness(1.15); }
[data-testid="stMultiSelect"] input { min-width: 24px; }
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation-duration: 0.01ms !important; transition-duration: 0.01ms !important;
    scroll-behavior: auto !important; }
}
</style>"""
