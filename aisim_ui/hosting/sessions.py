"""Sessions of visitors: how many there are, how fast each may ask, and what none may ask for."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import TYPE_CHECKING

from streamlit.proto.BackMsg_pb2 import BackMsg

from aisim_ui.hosting.asgi import address, refuse, wants_page
from aisim_ui.hosting.gate import Bucket

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from aisim_ui.hosting.metrics import Metrics
    from aisim_ui.hosting.settings import Settings

# what a page of ours sends; a message that would empty everyone's caches or stop the server is dropped
ANSWERED = {"rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request"}
SPARE = (
    2  # sockets beyond the pages let in: a page that is loaded again connects before its old socket is gone
)


class Sessions:
    """Let in as many sessions as there is room for, and hold each to its rate."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self.app, self.settings, self.metrics = app, settings, metrics
        self.by_address: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say that all places are taken."""
        most, there = self.settings.most_sessions, self.by_address.total()
        if scope["type"] == "websocket":
            mine = self.by_address[address(scope)]
            if there >= most + SPARE or mine >= self.settings.connections_per_address:
                await refuse(scope, receive, send, 503, "All places are taken", "")
                return
            await self._session(scope, receive, send)
        elif scope["type"] == "http" and wants_page(scope) and there >= most:
            text = f"{most} planners are at work here, as many as this server takes. Try again in a minute."
            await refuse(scope, receive, send, 503, "All places are taken", text, Retry_After="60")
        else:
            await self.app(scope, receive, send)

    async def _session(self, scope: Scope, receive: Receive, send: Send) -> None:
        bucket = Bucket(self.settings.messages_per_s, time.monotonic())

        async def paced() -> Message:
            """Return the next message that is answered; a socket that isn't read makes its visitor wait."""
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                if (wait_s := bucket.wait_s(time.monotonic())) > 0.0:
                    await asyncio.sleep(wait_s)
                kind = _kind(message.get("bytes") or b"")
                if kind in ANSWERED or kind is None:  # what is no message Streamlit refuses itself
                    if kind == "rerun_script":
                        self.metrics.rerun_asked(scope)
                    return message

        async def timed(message: Message) -> None:
            if message["type"] == "websocket.send":
                self.metrics.sent(scope, message.get("bytes") or b"")
            await send(message)

        visitor = address(scope)
        self.by_address[visitor] += 1
        self.metrics.sessions.set(self.by_address.total())
        try:
            await self.app(scope, paced, timed)
        finally:
            self.by_address[visitor] -= 1
            if not self.by_address[visitor]:
                del self.by_address[visitor]
            self.metrics.sessions.set(self.by_address.total())
            self.metrics.left(scope)


def _kind(content: bytes) -> str | None:
    """Return what a message asks for, None where it is none."""
    try:
        return BackMsg.FromString(content).WhichOneof("type")
    except Exception:  # whatever protobuf raises on bytes that aren't its own
        return None
