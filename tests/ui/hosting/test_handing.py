"""Several processes behind one address: a visitor stays with one, and the address outlives each of them."""

from __future__ import annotations

import re
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from aisim_ui.hosting.handing import process_of
from tests.ui.hosting.served import LONGEST_S, Server, ask, serving, until

RERUN = BackMsg(rerun_script={"query_string": ""}).SerializeToString()


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[int, Server]]:
    with serving(AISIM_PROCESSES="2", AISIM_STOP_S="1") as found:
        yield found


def cookie_of(port: int, cookie: str = "") -> tuple[str, str]:
    """Open a page as a browser does; return the process that it is told, and whether the connection stays."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)) as asking:
        asking.request("GET", "/", headers={"Accept": "text/html", "Cookie": cookie})
        answer = asking.getresponse()
        assert answer.status == 200
        answer.read()
        found = re.search(r"aisim_process=(\d)", answer.headers.get("Set-Cookie", ""))
        return (found[1] if found else ""), answer.headers.get("Connection", "")


def pid_of(port: int, process: int) -> str:
    said = ask(port, f"/metrics?process={process}")[1]
    found = re.search(r"^process_start_time_seconds (\S+)$", said, re.MULTILINE)
    assert found is not None
    return found[1]


def test_a_head_goes_where_its_cookie_says_else_by_turns_else_by_address() -> None:
    named = b"GET /_stcore/stream HTTP/1.1\r\nHost: a\r\nCookie: x=1; aisim_process=2; y=3\r\n\r\n"
    assert process_of(named, "192.0.2.1", 4, 0) == 2
    assert process_of(named, "192.0.2.1", 2, 0) in (0, 1)  # one that isn't there any more
    page = b"GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html,*/*\r\n\r\n"
    assert [process_of(page, "192.0.2.1", 3, turn) for turn in range(4)] == [0, 1, 2, 0]
    bare = b"GET /media/a.csv HTTP/1.1\r\nHost: a\r\n\r\n"
    assert len({process_of(bare, "192.0.2.1", 8, turn) for turn in range(9)}) == 1
    assert len({process_of(bare, f"192.0.2.{number}", 8, 0) for number in range(60)}) == 8


def test_a_visitor_is_told_a_process_and_stays_there(shared: tuple[int, Server]) -> None:
    port, _ = shared
    told = [cookie_of(port)[0] for _ in range(4)]
    assert set(told) == {"0", "1"}
    assert cookie_of(port, "aisim_process=1") == ("", "")  # it knows
    before = [sessions(port, process) for process in (0, 1)]
    headers = {"Cookie": "aisim_process=1"}
    with connect(f"ws://127.0.0.1:{port}/_stcore/stream", additional_headers=headers) as visitor:
        visitor.send(RERUN)
        until(lambda: sessions(port, 1) == before[1] + 1)
        assert sessions(port, 0) == before[0]


def sessions(port: int, process: int) -> float:
    found = re.search(r"^aisim_sessions (\S+)$", ask(port, f"/metrics?process={process}")[1], re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_a_proxys_connection_carries_one_visitor(shared: tuple[int, Server]) -> None:
    with closing(HTTPConnection("127.0.0.1", shared[0], timeout=LONGEST_S)) as asking:
        asking.request("GET", "/livez", headers={"X-Forwarded-For": "192.0.2.7"})
        assert asking.getresponse().headers["Connection"] == "close"


def test_a_killed_process_is_started_again_and_the_address_stops_as_one(shared: tuple[int, Server]) -> None:
    port, server = shared
    import psutil

    first = pid_of(port, 0)
    started = [
        child
        for child in psutil.Process(server.pid).children()
        if "aisim_ui.hosting.handed" in child.cmdline()
    ]
    assert len(started) == 2
    headers = {"Cookie": "aisim_process=0"}
    with connect(f"ws://127.0.0.1:{port}/_stcore/stream", additional_headers=headers) as visitor:
        next(child for child in started if child.cmdline()[-2] == "0").kill()
        with pytest.raises(ConnectionClosed):
            visitor.recv(timeout=LONGEST_S)
    assert pid_of(port, 1)  # the other goes on
    until(lambda: ask(port, "/readyz", Cookie="aisim_process=0")[0] == 200)
    assert pid_of(port, 0) != first
    # a client that asks nothing doesn't keep it from ending
    with socket.create_connection(("127.0.0.1", port)):
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=LONGEST_S)
        assert time.monotonic() - began < 10.0
    assert server.returncode == 0
