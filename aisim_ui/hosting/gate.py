"""Who comes in: hosts, paths and rates of requests, on every route."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from aisim_ui.hosting.asgi import address, header, refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from aisim_ui.hosting.settings import Settings

BURST_S = 5.0
MOST_ADDRESSES = 10_000


class Bucket:
    """A rate with so many seconds' worth at once.

    Examples
    --------
    >>> bucket = Bucket(2.0, now=0.0)
    >>> [bucket.wait_s(0.0) for _ in range(11)][-2:]
    [0.0, 0.5]
    """

    def __init__(self, per_s: float, now: float) -> None:
        self.per_s, self.left, self.at = per_s, max(per_s * BURST_S, 1.0), now

    def wait_s(self, now: float) -> float:
        """Take one, and return how long it has to wait for that [s]."""
        self.left = min(self.left + (now - self.at) * self.per_s, max(self.per_s * BURST_S, 1.0)) - 1.0
        self.at = now
        return -self.left / self.per_s if self.left < 0.0 else 0.0

    def give_back(self) -> None:
        """Return the one that was taken last."""
        self.left += 1.0


class Gate:
    """Refuse other hosts, unknown paths, and addresses that ask too fast."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        known_path: Callable[[str], bool],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app, self.settings, self.known_path, self.clock = app, settings, known_path, clock
        self.buckets: dict[str, Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say why not."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if not self.settings.allows_host(header(scope, "host")):
            text = "This server isn't known under that name. AISIM_ALLOWED_HOSTS says which names it has."
            await refuse(scope, receive, send, 421, "Not this server", text)
        elif (wait_s := self._wait_s(address(scope))) > 0.0:
            text = "Too many requests come from your address. Try again in a moment."
            await refuse(scope, receive, send, 429, "Too fast", text, Retry_After=str(int(wait_s) + 1))
        elif scope["type"] == "http" and not self.known_path(scope["path"]):
            await refuse(scope, receive, send, 404, "No such page", "Begin at the app's first page.")
        else:
            await self.app(scope, receive, send)

    def _wait_s(self, asked_from: str) -> float:
        now = self.clock()
        if (bucket := self.buckets.get(asked_from)) is None:
            if len(self.buckets) >= MOST_ADDRESSES:  # the longest unseen have their burst again anyway
                for name in sorted(self.buckets, key=lambda name: self.buckets[name].at)[
                    : MOST_ADDRESSES // 2
                ]:
                    del self.buckets[name]
            bucket = self.buckets[asked_from] = Bucket(self.settings.requests_per_s, now)
        wait_s = bucket.wait_s(now)
        if wait_s > 0.0:
            bucket.give_back()  # what is refused costs nothing
        return wait_s
