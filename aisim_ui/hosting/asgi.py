"""What the server's layers share: reading a request's scope, and answering one in short."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} · AISim handoff planner</title>
<style>
:root {{ color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }}
main {{ max-width: 36rem; margin: 18vh auto 0; padding: 0 1.5rem; }}
h1 {{ font-size: 1.4rem; }}
</style></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"""


def header(scope: Scope, name: str) -> str:
    """Return a header of a request, empty where it has none."""
    return Headers(scope=scope).get(name, "")


def address(scope: Scope) -> str:
    """Return the visitor's address, empty where none is known."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def wants_page(scope: Scope) -> bool:
    """Return whether a request is a browser's, for a page."""
    return scope["method"] == "GET" and "text/html" in header(scope, "accept")


def said(scope: Scope, status: int, title: str, text: str, **headers: str) -> Response:
    """Return an answer in a sentence, as a page where a browser asks for one."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if wants_page(scope):
        page = PAGE.format(title=html.escape(title), text=html.escape(text))
        return HTMLResponse(page, status, headers=named)
    return PlainTextResponse(f"{title}. {text}\n", status, headers=named)


async def refuse(
    scope: Scope, receive: Receive, send: Send, status: int, title: str, text: str, **headers: str
) -> None:
    """Answer a request in a sentence, or close a socket before it opens."""
    if scope["type"] == "websocket":
        await receive()
        await send(
            {"type": "websocket.close", "code": 1013 if status in (429, 503) else 1008, "reason": title}
        )
        return
    await said(scope, status, title, text, **headers)(scope, receive, send)
