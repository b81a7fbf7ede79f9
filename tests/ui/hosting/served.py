"""A real server of the app on loopback, for tests that ask it as a visitor does."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

LONGEST_S = 60.0
Server = subprocess.Popen[str]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def serving(**environment: str) -> Iterator[tuple[int, Server]]:
    """Serve the app on a free port with settings; stop it at the end."""
    port = free_port()
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("AISIM", "STREAM"))
    }
    with subprocess.Popen(
        [sys.executable, "-m", "aisim_ui.serve"],
        env={**inherited, "PORT": str(port), "AISIM_LOG_REQUESTS": "false", **environment},
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            assert f":{port}" in server.stdout.readline()
            until(lambda: ask(port, "/readyz")[0] == 200)
            yield port, server
        finally:
            server.kill()


def until(holds: object) -> None:
    """Wait until something holds."""
    assert callable(holds)
    give_up = time.monotonic() + LONGEST_S
    while not holds():
        assert time.monotonic() < give_up
        time.sleep(0.05)


def ask(port: int, path: str, **headers: str) -> tuple[int, str]:
    """Return status and body of an answer; status 0 where there is none."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)
    try:
        asking.request("GET", path, headers=headers)
        answer = asking.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except OSError:
        return 0, ""
    finally:
        asking.close()
