"""A server process of several behind one address: it takes connections that it is handed."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

import uvicorn
from starlette.datastructures import MutableHeaders

from aisim_ui.hosting.asgi import header, wants_page
from aisim_ui.hosting.handing import COOKIE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class StayHere:
    """Have a visitor come back to this process, and let no connection carry two visitors."""

    def __init__(self, app: ASGIApp, number: int) -> None:
        self.app, self.number = app, str(number)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the cookie."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        named = wants_page(scope) and _cookie(header(scope, "cookie")) != self.number
        proxied = bool(header(scope, "x-forwarded-for"))

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if named:
                    headers.append("Set-Cookie", f"{COOKIE}={self.number}; Path=/; HttpOnly; SameSite=Lax")
                if proxied:  # a proxy's connections carry whoever comes next
                    headers["Connection"] = "close"
            await send(message)

        await self.app(scope, receive, with_cookie)


def _cookie(cookies: str) -> str:
    try:
        found = SimpleCookie(cookies).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


class HandedServer(uvicorn.Server):
    """A server of connections that come by a channel; it ends with that."""

    def __init__(self, config: uvicorn.Config, channel: socket.socket) -> None:
        super().__init__(config)
        self.channel = channel

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections."""
        await super().startup(sockets=[])
        self.channel.setblocking(False)
        self._taken: set[asyncio.Task[object]] = set()
        asyncio.get_running_loop().add_reader(self.channel.fileno(), self._take)

    def _take(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            told, handed, _, _ = socket.recv_fds(self.channel, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            told, handed = b"", []
        if not told:  # whoever hands them out has gone
            loop.remove_reader(self.channel.fileno())
            self.should_exit = True
        for number in handed:
            connection = socket.socket(fileno=number)
            connection.setblocking(False)
            taking = loop.create_task(loop.connect_accepted_socket(self._protocol, connection))
            self._taken.add(taking)
            taking.add_done_callback(self._forget)

    def _forget(self, taken: asyncio.Task[object]) -> None:
        self._taken.discard(taken)
        if not taken.cancelled():
            taken.exception()  # a visitor who has gone already

    def _protocol(self) -> asyncio.Protocol:
        # as `uvicorn.Server.startup` makes it for what it accepts itself
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )


def main() -> None:
    """Serve what comes by the channel of this number."""
    from aisim_ui.hosting.settings import Settings
    from aisim_ui.serve import configured

    channel, number, of = (int(argument) for argument in sys.argv[1:4])
    settings = Settings.from_environment(os.environ)
    own = settings.model_copy(update={"most_sessions": -(-settings.most_sessions // of)})
    HandedServer(configured(own, lambda app: StayHere(app, number)), socket.socket(fileno=channel)).run(
        sockets=[]
    )


if __name__ == "__main__":
    main()
