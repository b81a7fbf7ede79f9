"""The app as a server runs it: Streamlit's, behind the layers of `hosting`, and pages that connect at once.

Streamlit's frontend, opened at `/deployments`, looks for the server beneath that path first: two errors in
the console and half a second lost (4.05 s against 3.50 on a busy machine). No option says otherwise, so a
page is told where its server is.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse
from starlette.routing import Route
from streamlit import config
from streamlit.runtime import Runtime, RuntimeState

import aisim_ui.charts.ttft_bars
import aisim_ui.sidebar  # noqa: F401 - what a page needs is loaded before the first visitor comes
from aisim_ui import jobs
from aisim_ui.hosting.gate import Gate
from aisim_ui.hosting.headers import SecurityHeaders, security_headers
from aisim_ui.hosting.metrics import Metrics
from aisim_ui.hosting.request_log import RequestLog
from aisim_ui.hosting.sessions import Sessions
from aisim_ui.hosting.settings import Settings
from aisim_ui.hosting.static import CompressedStatic
from aisim_ui.hosting.style import STYLE
from aisim_ui.jobs.carry import Processes
from aisim_ui.jobs.turns import Turns
from aisim_ui.navigation import HOME, PAGES

if TYPE_CHECKING:
    from starlette.requests import Request

# the folder of the page's own address, so that it is right behind a proxy's prefix too
SERVER_HERE = "<script>window.__streamlit = { BACKEND_BASE_URL: new URL('.', window.location).href }</script>"
# what Streamlit answers beside pages, by the first part of the path
STREAMLITS = {"_stcore", "media", "component", "static", "favicon.png", "manifest.json", "index.html"}
NOT_READY = (RuntimeState.INITIAL, RuntimeState.STOPPING, RuntimeState.STOPPED)
OURS = {"livez", "readyz", "metrics"}


@cache
def _index() -> str:
    html = (files("streamlit") / "static" / "index.html").read_text(encoding="utf-8")
    return html.replace("<head>", f"<head>{SERVER_HERE}{STYLE}", 1)


async def _page(_: Request) -> HTMLResponse:
    return HTMLResponse(_index(), headers={"Cache-Control": "no-cache"})


async def _alive(_: Request) -> PlainTextResponse:
    """Answer as long as the process does at all."""
    return PlainTextResponse("ok")


async def _ready(_: Request) -> JSONResponse:
    """Answer whether visitors may be sent here: not before the first, and no longer once it stops."""
    runtime = Runtime.instance() if Runtime.exists() else None
    ready = runtime is not None and runtime.state not in NOT_READY
    return JSONResponse({"ready": ready}, 200 if ready else 503)


def route_of(path: str, base_path: str = "") -> str | None:
    """Return the route of a path without what stands behind it, None where there is none.

    Examples
    --------
    >>> route_of("/deployments"), route_of("/media/1a2b.csv"), route_of("/wp-admin")
    ('/deployments', '/media', None)
    """
    parts = [part for part in path.split("/") if part]
    base = [part for part in base_path.split("/") if part]
    if parts[: len(base)] != base:
        return None
    rest = parts[len(base) :]
    pages = {str(entry["url_path"]) for entry in PAGES}
    if not rest or (len(rest) == 1 and rest[0] in pages | OURS):
        return "/" + "".join(rest)
    return f"/{rest[0]}" if rest[0] in STREAMLITS else None


def app(settings: Settings) -> st.App:
    """Return the app for an ASGI server; heavy work goes into processes where a system has them."""
    if os.name == "posix":
        jobs.settle(jobs.Place(Turns(settings.jobs_at_once), Processes(settings.job_s, settings.job_mb)))
    # Python collects by itself what is garbage; to do it after each run too holds all visitors up
    config.set_option("runner.postScriptGC", False)
    config.set_option("server.maxUploadSize", settings.upload_mb)
    config.set_option("server.maxWidgetStateSize", settings.message_mb)
    config.set_option("server.baseUrlPath", settings.path)
    config.set_option("server.corsAllowedOrigins", list(settings.allowed_origins))
    metrics, base = Metrics(settings), f"/{settings.path}" if settings.path else ""
    pages = [
        Route(f"{base}/{entry['url_path']}", _page, methods=["GET"])
        for entry in PAGES
        if not entry.get("default")
    ]
    first = [Route(f"{base}/", _page, methods=["GET"])]
    ours = [
        Route(f"{base}/livez", _alive),
        Route(f"{base}/readyz", _ready),
        Route(f"{base}/metrics", metrics.answer),
    ]
    layers = [
        Middleware(
            RequestLog,
            metrics=metrics,
            route=lambda path: route_of(path, settings.path) or "none",
            written=settings.log_requests,
        ),
        Middleware(SecurityHeaders, headers=security_headers(_index(), settings.frame_ancestors)),
        Middleware(
            Gate, settings=settings, known_path=lambda path: route_of(path, settings.path) is not None
        ),
        Middleware(Sessions, settings=settings, metrics=metrics),
        Middleware(CompressedStatic, base_path=settings.path),
    ]
    return st.App(HOME / "app.py", routes=[*first, *pages, *ours], middleware=layers)
