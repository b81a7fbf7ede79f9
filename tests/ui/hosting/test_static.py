"""Streamlit's scripts and styles, compressed."""

from __future__ import annotations

import gzip
from typing import Any

import brotli
import pytest
from starlette.responses import PlainTextResponse

from aisim_ui.hosting.static import FOLDER, CompressedStatic, compressed
from tests.ui.hosting.asked import get

SCRIPT = next(file for file in (FOLDER / "static" / "js").glob("index.*.js") if file.stat().st_size > 10_000)
PATH = SCRIPT.relative_to(FOLDER).as_posix()


async def inside(scope: Any, receive: Any, send: Any) -> None:
    await PlainTextResponse("inside")(scope, receive, send)


@pytest.mark.parametrize("base", ["", "planner"])
@pytest.mark.parametrize(
    ("taken", "unpack"), [("gzip, deflate, br, zstd", brotli.decompress), ("gzip, deflate", gzip.decompress)]
)
def test_a_script_comes_compressed_to_who_takes_it(base: str, taken: str, unpack: Any) -> None:
    app = CompressedStatic(inside, base)
    path = f"/{base}/{PATH}".replace("//", "/")
    found = get(app, path, accept_encoding=taken)
    assert unpack(found.body) == SCRIPT.read_bytes()
    assert len(found.body) < SCRIPT.stat().st_size / 2
    assert found.headers["Content-Type"].startswith("text/javascript")
    assert "immutable" in found.headers["Cache-Control"]
    assert get(app, path).body == b"inside"


@pytest.mark.parametrize(
    "path",
    [
        "static/none.js",
        "static/../index.html",
        "static/../../web/cli.py",
        "static/js",
        "index.html",
        "../x.js",
    ],
)
def test_nothing_else_is_read(path: str) -> None:
    assert compressed(path, "gzip") is None
