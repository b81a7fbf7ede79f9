"""Headers of every answer, and which scripts may run."""

from __future__ import annotations

import base64
import hashlib

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from aisim_ui.hosting.headers import SecurityHeaders, script_hashes, security_headers
from tests.ui.hosting.asked import get

PAGE = '<script>one()</script><script type="module" src="b.js"></script><script id="x">two()\n</script>'


async def framed(_: Request) -> PlainTextResponse:
    return PlainTextResponse("", headers={"X-Frame-Options": "DENY"})


def app(*frame_ancestors: str) -> Starlette:
    headers = security_headers(PAGE, frame_ancestors)
    return Starlette(
        routes=[Route("/framed", framed)], middleware=[Middleware(SecurityHeaders, headers=headers)]
    )


def test_only_the_inline_scripts_of_the_page_may_run() -> None:
    digests = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in (b"one()", b"two()\n")]
    assert script_hashes(PAGE) == [f"'sha256-{digest}'" for digest in digests]
    policy = dict(security_headers(PAGE, ()))["Content-Security-Policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert scripts == f"script-src 'self' 'wasm-unsafe-eval' 'sha256-{digests[0]}' 'sha256-{digests[1]}'"


@pytest.mark.parametrize("path", ["/framed", "/no-such-page"])
def test_every_answer_has_each_header_once(path: str) -> None:
    headers = get(app(), path).headers
    for name, _ in security_headers(PAGE, ()):
        assert len(headers.getlist(name)) == 1


def test_a_header_that_is_there_stays() -> None:
    assert get(app(), "/framed").headers["X-Frame-Options"] == "DENY"


def test_other_sites_may_embed_it_where_they_are_named() -> None:
    headers = get(app("https://a.example", "https://b.example"), "/no-such-page").headers
    assert "frame-ancestors 'self' https://a.example https://b.example" in headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in headers
