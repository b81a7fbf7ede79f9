"""What the server adds to Streamlit's answers, without a browser."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from aisim_ui.navigation import PAGES
from aisim_ui.server import HEADERS, SecurityHeaders, page_routes


async def framed(_: Request) -> PlainTextResponse:
    return PlainTextResponse("", headers={"X-Frame-Options": "DENY"})


APP = Starlette(routes=[*page_routes(), Route("/framed", framed)], middleware=[Middleware(SecurityHeaders)])


def get(path: str) -> tuple[int, Headers, str]:
    """Ask the app for a path, as a server does."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"s=abc", "headers": []}
    asyncio.run(APP({**scope, "root_path": ""}, receive, send))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), body.decode()


@pytest.mark.parametrize("path", ["/deployments", "/no-such-page"])
def test_every_answer_has_each_header_once(path: str) -> None:
    _, headers, _ = get(path)
    for name, value in HEADERS:
        assert headers.getlist(name) == [value]


def test_a_header_that_is_there_stays() -> None:
    assert get("/framed")[1].getlist("X-Frame-Options") == ["DENY"]


@pytest.mark.parametrize("path", [entry["url_path"] for entry in PAGES if not entry.get("default")])
def test_a_page_is_told_where_its_server_is_before_it_starts(path: str) -> None:
    status, headers, body = get(f"/{path}")
    assert status == 200
    assert headers["Cache-Control"] == "no-cache"
    assert 0 < body.index("BACKEND_BASE_URL") < body.index('type="module"')
