"""A real server on loopback: what it answers, under a flood, and as it stops."""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets import Origin
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.ui.hosting.served import LONGEST_S, ask, serving

RERUN = BackMsg(rerun_script={"query_string": ""}).SerializeToString()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving() as (found, _):
        yield found


def test_another_host_gets_neither_page_nor_socket(port: int) -> None:
    evil = {"Host": "evil.example", "Origin": "http://evil.example"}
    assert ask(port, "/", **evil)[0] == 421
    assert ask(port, "/_stcore/health", **evil)[0] == 421
    to = socket.create_connection(("127.0.0.1", port))
    with pytest.raises(InvalidStatus) as refused:
        connect("ws://evil.example/_stcore/stream", sock=to, origin=Origin("http://evil.example"))
    assert refused.value.response.status_code == 403


def test_liveness_readiness_metrics_and_unknown_paths(port: int) -> None:
    assert ask(port, "/livez") == (200, "ok")
    assert ask(port, "/readyz") == (200, '{"ready":true}')
    assert "process_resident_memory_bytes" in ask(port, "/metrics")[1]
    assert ask(port, "/wp-admin/setup.php")[0] == 404


def test_ten_thousand_messages_keep_nobody_else_waiting(port: int) -> None:
    def flood() -> None:
        with connect(f"ws://127.0.0.1:{port}/_stcore/stream", max_size=None) as visitor:
            try:
                for _ in range(10_000):
                    visitor.send(RERUN)
                    if ended.is_set():
                        return
            except ConnectionClosed:
                pass

    ended = threading.Event()
    flooding = threading.Thread(target=flood, daemon=True)
    flooding.start()
    try:
        for _ in range(20):
            assert ask(port, "/_stcore/health")[0] == 200
            time.sleep(0.05)
        assert flooding.is_alive()  # it is the visitor who floods that waits
    finally:
        ended.set()


def test_it_stops_in_its_time_though_a_download_stalls() -> None:
    with (
        serving(AISIM_STOP_S="1") as (port, server),
        socket.create_connection(("127.0.0.1", port)) as stalled,
    ):
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.sendall(b"GET /static/js/ HTTP/1.1\r\nHost: localhost\r\n")  # and never the rest
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=LONGEST_S)
