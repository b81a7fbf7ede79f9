"""Streamlit's own scripts and styles, compressed once and kept: 10 MB to a first chart as Streamlit has them.

It is 2.7 MB by Brotli, which browsers take over TLS and from this machine, and 3.1 MB by gzip.

Their names hold a hash of what is in them, so that browsers keep them for good.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import brotli
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from streamlit import file_util

from aisim_ui.hosting.asgi import header

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

KINDS = {".js": "text/javascript", ".css": "text/css"}
FOLDER = Path(file_util.get_static_dir()).resolve()
SMALLEST_BYTES = 1000
# the best first; a higher quality of Brotli saves a tenth more and takes 9 s for the largest
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "br": lambda content: brotli.compress(content, quality=9),
    "gzip": lambda content: gzip.compress(content, 9, mtime=0),
}


@lru_cache(maxsize=1024)  # all of them are some 300 files
def compressed(path: str, encoding: str) -> bytes | None:
    """Return a script or a style compressed, None where there is none or it isn't worth it."""
    file = (FOLDER / path).resolve()
    if not file.is_relative_to(FOLDER / "static") or file.suffix not in KINDS or not file.is_file():
        return None
    content = file.read_bytes()
    return COMPRESS[encoding](content) if len(content) >= SMALLEST_BYTES else None


class CompressedStatic:
    """Answer scripts and styles compressed, where the browser takes that."""

    def __init__(self, app: ASGIApp, base_path: str) -> None:
        self.app, self.prefix = app, f"/{base_path}/" if base_path else "/"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on."""
        if (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and scope["path"].startswith(f"{self.prefix}static/")
        ):
            path, taken = scope["path"].removeprefix(self.prefix), header(scope, "accept-encoding")
            encoding = next((name for name in COMPRESS if name in taken), None)
            if encoding and (found := await run_in_threadpool(compressed, path, encoding)):
                headers = {
                    "Content-Encoding": encoding,
                    "Vary": "Accept-Encoding",
                    "Cache-Control": "public, max-age=31536000, immutable",
                }
                kind = KINDS[Path(path).suffix]
                await Response(found, headers=headers, media_type=kind)(scope, receive, send)
                return
        await self.app(scope, receive, send)
