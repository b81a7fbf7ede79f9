"""Who comes in."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from aisim_ui.hosting.gate import MOST_ADDRESSES, Bucket, Gate
from aisim_ui.hosting.settings import Settings
from tests.ui.hosting.asked import connect, get


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def inside(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
    else:
        await PlainTextResponse("inside")(scope, receive, send)


def gate(clock: Clock | None = None, **settings: str) -> Gate:
    return Gate(inside, Settings.from_environment(settings), {"/"}.__contains__, clock or Clock())


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
def test_another_host_is_refused_on_every_route(accept: str) -> None:
    for path in ("/", "/unknown"):
        answer = get(gate(), path, host="evil.example", accept=accept)
        assert answer.status == 421
        assert b"Not this server" in answer.body
    assert connect(gate(), host="evil.example") == [
        {"type": "websocket.close", "code": 1008, "reason": "Not this server"}
    ]
    assert connect(gate()) == [{"type": "websocket.accept"}]


def test_an_unknown_path_is_404() -> None:
    assert get(gate(), "/wp-admin").status == 404
    assert get(gate(), "/").body == b"inside"


def test_an_address_that_asks_too_fast_waits_and_others_do_not() -> None:
    clock = Clock()
    app = gate(clock, AISIM_REQUESTS_PER_S="2")
    # two a second, five seconds' worth at once
    assert [get(app, "/").status for _ in range(12)] == [200] * 10 + [429] * 2
    assert get(app, "/").headers["Retry-After"] == "1"
    assert get(app, "/", client="192.0.2.2").status == 200
    clock.now = 0.5
    assert [get(app, "/").status for _ in range(2)] == [200, 429]


def test_addresses_are_forgotten_so_that_many_take_no_room() -> None:
    app = gate()
    for number in range(MOST_ADDRESSES + 1):
        app._wait_s(str(number))
    assert len(app.buckets) == MOST_ADDRESSES // 2 + 1
    assert "0" not in app.buckets
    assert str(MOST_ADDRESSES) in app.buckets


def test_a_bucket_fills_again_no_higher_than_its_burst() -> None:
    bucket = Bucket(10.0, 0.0)
    assert bucket.wait_s(1000.0) == 0.0
    assert bucket.left == 49.0
