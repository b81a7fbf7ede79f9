"""Security headers, on every answer of the server."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

INLINE_SCRIPT = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)


def script_hashes(page: str) -> list[str]:
    """Return what lets just the inline scripts of a page run, whatever else were written into it.

    Examples
    --------
    >>> script_hashes('<script src="a.js"></script><script>go()</script>')
    ["'sha256-5KYv+PUboo5h+0+YAtGRPbwv5d/QxzHslP4YGnUaxRw='"]
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE_SCRIPT.findall(page))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


def security_headers(page: str, frame_ancestors: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the headers for an app whose pages are all this one.

    Nothing is loaded from, or sent to, another machine. Styles stay inline: Streamlit's and Plotly's
    frontends write theirs as they draw. Plotly's decoders are WebAssembly.
    """
    embedding = " ".join(("'self'", *frame_ancestors))
    policy = (
        "default-src 'self'",
        f"script-src 'self' 'wasm-unsafe-eval' {' '.join(script_hashes(page))}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        f"frame-ancestors {embedding}",
    )
    found = (
        ("Content-Security-Policy", "; ".join(policy)),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
    )
    # it knows no list of origins, and browsers that read frame-ancestors leave it aside
    return found if frame_ancestors else (*found, ("X-Frame-Options", "SAMEORIGIN"))


class SecurityHeaders:
    """Add the headers to every answer."""

    def __init__(self, app: ASGIApp, headers: Sequence[tuple[str, str]]) -> None:
        self.app, self.headers = app, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back with the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in self.headers:
                    found.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)
