"""The line a request leaves, and what isn't in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from aisim_ui.hosting.metrics import Metrics
from aisim_ui.hosting.request_log import RequestLog
from aisim_ui.hosting.settings import Settings
from aisim_ui.server import route_of
from tests.ui.hosting.asked import connect, get

SETTINGS = Settings()


async def inside(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/media":
        raise RuntimeError
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "bytes": b"12345"})
    else:
        await PlainTextResponse("inside")(scope, receive, send)


def log(written: bool = True) -> RequestLog:
    return RequestLog(inside, Metrics(SETTINGS), lambda path: route_of(path) or "none", written)


def test_a_line_has_the_route_and_nothing_that_was_entered(capsys: pytest.CaptureFixture[str]) -> None:
    get(log(), "/deployments")
    get(log(), "/secret\x1b[31m/path")
    connect(log())
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["method"], line["route"], line["status"], line["bytes"]) for line in lines] == [
        ("GET", "/deployments", 200, 6),
        ("GET", "none", 200, 6),
        ("WEBSOCKET", "/_stcore", 101, 5),
    ]
    assert all(
        "abc" not in str(line) and "secret" not in str(line) for line in lines
    )  # the query is a scenario


def test_health_is_not_written_and_neither_is_anything_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    get(log(), "/livez")
    get(log(written=False), "/deployments")
    assert capsys.readouterr().out == ""


def test_a_request_that_fails_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError):
        get(log(), "/media")
    assert json.loads(capsys.readouterr().out)["status"] == 500
