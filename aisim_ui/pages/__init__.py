"""One question a page: what each is called, and where it lies.

They lie here and not in a `pages/` beside app.py: Streamlit runs a file of that folder alone, without app.py,
when a fresh server is first asked for its address.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Any

_HERE = Path(__file__).parent


def _page(file: str, title: str, icon: str, **more: Any) -> MappingProxyType[str, Any]:
    entry = {"page": _HERE / f"{file}.py", "title": title, "icon": f":material/{icon}:", "url_path": file}
    return MappingProxyType({**entry, **more})


PAGES = (
    _page("handoff", "Handoff", "swap_horiz", default=True),
    _page("model", "Model", "memory"),
    _page("deployments", "Deployments", "dns"),
    _page("solve", "Solve", "calculate"),
    _page("explore", "Explore", "travel_explore"),
    _page("traffic", "Traffic", "traffic"),
    _page("calibrate", "Calibrate", "straighten"),
    _page("evidence", "Evidence", "fact_check"),
    _page("method", "Method", "functions"),
)
FIRST = next(entry for entry in PAGES if entry.get("default"))
