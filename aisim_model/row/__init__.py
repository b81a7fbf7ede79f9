"""One deployment row, one chain: resolved, does it fit, its TTFT, its load, its cost."""
