"""Asking a layer of the server as Uvicorn does, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: Headers
    body: bytes


def scope_of(path: str, kind: str = "http", client: str = "192.0.2.1", **headers: str) -> dict[str, Any]:
    raw = {"host": "localhost:8501", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {
        "type": kind,
        "method": "GET",
        "path": path,
        "root_path": "",
        "query_string": b"s=abc",
        "client": (client, 1234),
        "headers": [(name.encode(), value.encode()) for name, value in raw.items()],
    }


def get(app: ASGIApp, path: str, **scope: str) -> Answer:
    """Ask for a path."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope_of(path, **scope), receive, send))
    body = b"".join(message.get("body", b"") for message in sent[1:])
    return Answer(sent[0]["status"], Headers(raw=sent[0]["headers"]), body)


def connect(app: ASGIApp, messages: Sequence[bytes] = (), **scope: str) -> list[Any]:
    """Open a socket, send messages, go; return what came back."""
    sent: list[Any] = []
    given = iter(
        [
            {"type": "websocket.connect"},
            *({"type": "websocket.receive", "bytes": message} for message in messages),
            {"type": "websocket.disconnect", "code": 1001},
        ]
    )

    async def receive() -> dict[str, Any]:
        return next(given)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app(scope_of("/_stcore/stream", "websocket", **scope), receive, send))
    return sent
