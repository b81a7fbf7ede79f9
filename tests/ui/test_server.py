"""What the server adds to Streamlit's answers, without a browser."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request

from aisim_ui.navigation import PAGES
from aisim_ui.server import _page, _ready, route_of


def test_a_page_is_told_where_its_server_is_before_it_starts() -> None:
    answer = asyncio.run(_page(Request({"type": "http"})))
    body = bytes(answer.body).decode()
    assert answer.headers["Cache-Control"] == "no-cache"
    assert 0 < body.index("BACKEND_BASE_URL") < body.index('type="module"')


def test_it_is_not_ready_before_streamlit_runs() -> None:
    assert asyncio.run(_ready(Request({"type": "http"}))).status_code == 503


@pytest.mark.parametrize(
    ("path", "base", "route"),
    [
        *(
            (f"/{entry['url_path']}", "", f"/{entry['url_path']}")
            for entry in PAGES
            if not entry.get("default")
        ),
        ("/", "", "/"),
        ("/readyz", "", "/readyz"),
        ("/_stcore/upload_file/a/b", "", "/_stcore"),
        ("/deployments/more", "", None),
        ("/nothing", "", None),
        ("/planner/deployments", "planner", "/deployments"),
        ("/planner", "planner", "/"),
        ("/deployments", "planner", None),
    ],
)
def test_a_path_has_a_route_or_none(path: str, base: str, route: str | None) -> None:
    assert route_of(path, base) == route
