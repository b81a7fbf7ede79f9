"""One line of JSON a request: what was answered, how fast, and nothing that a visitor entered."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from aisim_ui.hosting.metrics import Metrics

QUIET = {"/_stcore/health", "/livez", "/readyz", "/metrics"}  # asked for every few seconds by machines


class RequestLog:
    """Count every request, and write it down where that is asked for."""

    def __init__(self, app: ASGIApp, metrics: Metrics, route: Callable[[str], str], written: bool) -> None:
        self.app, self.metrics, self.route, self.written = app, metrics, route, written

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note how it went."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        began, status, sent_bytes = time.perf_counter(), 0, 0

        async def watched(message: Message) -> None:
            nonlocal status, sent_bytes
            kind = message["type"]
            if kind == "http.response.start":
                status = message["status"]
            elif kind == "websocket.accept":
                status = 101
            elif kind == "websocket.close" and not status:
                status = 403
            sent_bytes += len(message.get("body") or message.get("bytes") or b"")
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            seconds = time.perf_counter() - began
            # a path may be anything: what is no route of ours is written as one word
            route = self.route(scope["path"])
            self.metrics.requests.labels(route, str(status or 500)).inc()
            if scope["type"] == "http":
                self.metrics.request_s.labels(route).observe(seconds)
            if self.written and scope["path"] not in QUIET:
                line = {
                    "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                    "method": scope["method"] if scope["type"] == "http" else "WEBSOCKET",
                    "route": route,
                    "status": status or 500,
                    "ms": round(seconds * 1000, 1),
                    "bytes": sent_bytes,
                }
                print(json.dumps(line), file=sys.stdout, flush=True)
