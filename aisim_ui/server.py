"""The app as a server runs it: Streamlit's, with security headers, and pages that connect at once.

Streamlit sends no security headers. And its frontend, opened at `/deployments`, looks for the server beneath
that path first: two errors in the console and half a second lost (4.05 s against 3.50 on a busy machine). No
option says otherwise, so a page is told where its server is.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route

import aisim_ui.charts.ttft_bars
import aisim_ui.sidebar  # noqa: F401 - what a page needs is loaded before the first visitor comes
from aisim_ui.navigation import HOME, PAGES

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Nothing is loaded from, or sent to, another machine. Streamlit's frontend styles and starts itself inline.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
HEADERS = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "SAMEORIGIN"),
    ("Referrer-Policy", "no-referrer"),
    ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
)
# the folder of the page's own address, so that it is right behind a proxy's prefix too
SERVER_HERE = "<script>window.__streamlit = { BACKEND_BASE_URL: new URL('.', window.location).href }</script>"


class SecurityHeaders:
    """Add the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS:
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)


@cache
def _index() -> str:
    html = (files("streamlit") / "static" / "index.html").read_text(encoding="utf-8")
    return html.replace("<head>", f"<head>{SERVER_HERE}", 1)


async def _page(_: Request) -> HTMLResponse:
    return HTMLResponse(_index(), headers={"Cache-Control": "no-cache"})


def page_routes() -> list[Route]:
    """Return a route for each page's address, served as Streamlit does and told where its server is."""
    return [
        Route(f"/{entry['url_path']}", _page, methods=["GET"]) for entry in PAGES if not entry.get("default")
    ]


def app() -> st.App:
    """Return the app for an ASGI server."""
    return st.App(HOME / "app.py", routes=page_routes(), middleware=[Middleware(SecurityHeaders)])
