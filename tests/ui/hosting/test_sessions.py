"""Sessions: places, pace, and messages that are dropped."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from aisim_ui.hosting.metrics import Metrics
from aisim_ui.hosting.sessions import SPARE, Sessions
from aisim_ui.hosting.settings import Settings
from tests.ui.hosting.asked import connect, get

RERUN = BackMsg(rerun_script={"query_string": "s=1"}).SerializeToString()
STOP = BackMsg(stop_script=True).SerializeToString()
ENDED = ForwardMsg(script_finished=0).SerializeToString()


class Inside:
    """An app that keeps what it is told, and says that each run has ended."""

    def __init__(self) -> None:
        self.seen: list[bytes] = []
        self.held: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await PlainTextResponse("inside")(scope, receive, send)
            return
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            self.seen.append(message["bytes"])
            await send({"type": "websocket.send", "bytes": ENDED})


def sessions(inside: Inside, **settings: str) -> Sessions:
    found = Settings.from_environment({"AISIM_METRICS_FROM": "192.0.2.9", **settings})
    return Sessions(inside, found, Metrics(found))


@pytest.mark.parametrize(
    "dropped",
    [
        BackMsg(clear_cache=True),
        BackMsg(set_run_on_save=True),
        BackMsg(load_git_info=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(debug_disconnect_websocket=True),
    ],
)
def test_messages_that_would_touch_others_are_dropped(dropped: BackMsg) -> None:
    inside = Inside()
    connect(sessions(inside), [dropped.SerializeToString(), RERUN, STOP])
    assert inside.seen == [RERUN, STOP]


def test_what_is_no_message_is_left_to_streamlit() -> None:
    inside = Inside()
    connect(sessions(inside), [b"\xff\xff"])
    assert inside.seen == [b"\xff\xff"]


def test_messages_beyond_the_pace_wait_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def asleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("aisim_ui.hosting.sessions.asyncio.sleep", asleep)
    inside = Inside()
    connect(sessions(inside, AISIM_MESSAGES_PER_S="2"), [RERUN] * 14)
    # two a second, five seconds' worth at once: ten pass, the next waits half a second, and so on
    assert len(inside.seen) == 14
    assert waits == pytest.approx([0.5, 1.0, 1.5, 2.0], abs=0.1)


def test_all_places_taken_is_a_page_and_a_closed_socket() -> None:
    app = sessions(Inside(), AISIM_MOST_SESSIONS="2")
    app.by_address.update({"192.0.2.3": 2})
    page = get(app, "/", accept="text/html")
    assert page.status == 503
    assert page.headers["Retry-After"] == "60"
    assert b"2 planners are at work here" in page.body
    assert get(app, "/_stcore/health").status == 200  # whoever watches the server is no visitor
    app.by_address.update({"192.0.2.3": SPARE})
    assert connect(app)[0]["type"] == "websocket.close"


def test_one_address_takes_no_more_than_its_places() -> None:
    app = sessions(Inside(), AISIM_CONNECTIONS_PER_ADDRESS="3")
    app.by_address.update({"192.0.2.1": 3})
    assert connect(app)[0]["type"] == "websocket.close"
    assert connect(app, client="192.0.2.2")[0]["type"] == "websocket.accept"


def test_sessions_and_runs_are_counted_and_shown_to_those_who_may() -> None:
    app = sessions(Inside())
    connect(app, [RERUN, STOP, RERUN])
    assert not app.by_address
    read = get(route(app.metrics), "/metrics", client="192.0.2.9")
    assert b"aisim_sessions 0.0" in read.body
    assert b"aisim_rerun_seconds_count 2.0" in read.body
    assert b"aisim_jobs 0.0" in read.body
    assert get(route(app.metrics), "/metrics").status == 403


def route(metrics: Metrics) -> Any:
    from starlette.routing import Route

    return Route("/metrics", metrics.answer)
