"""The proxy's configuration before two real servers: sockets, a killed server, long links, large files."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import string
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.ui.hosting.served import LONGEST_S, Server, ask, free_port, serving, until

TEMPLATE = Path(__file__).parents[3] / "deploy" / "nginx" / "default.conf.template"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
RERUN = BackMsg(rerun_script={"query_string": ""}).SerializeToString()


class Proxied(NamedTuple):
    """Two servers, by their ports, behind nginx."""

    port: int
    servers: dict[int, Server]


def configuration(folder: Path, port: int, servers: list[int]) -> str:
    """Return the template filled in, in what the nginx image has around it."""
    filled = string.Template(TEMPLATE.read_text(encoding="utf-8")).safe_substitute(
        LISTEN=f"127.0.0.1:{port}",
        SERVER_NAME="localhost",
        AISIM_SERVER_1=f"127.0.0.1:{servers[0]}",
        AISIM_SERVER_2=f"127.0.0.1:{servers[1]}",
    )
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if hasattr(os, "getuid") and os.getuid() == 0 else ""
    return (
        f"{user} daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary}\n{filled}\n}}"
    )


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    if NGINX is None:
        pytest.skip("nginx is not installed here")  # `make test` installs it where it may
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    with serving() as (first, first_server), serving() as (second, second_server):
        (folder / "nginx.conf").write_text(configuration(folder, port, [first, second]), encoding="utf-8")
        with subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")]) as nginx:
            try:
                until(lambda: ask(port, "/livez")[0] == 200)
                yield Proxied(port, {first: first_server, second: second_server})
            finally:
                nginx.terminate()
                nginx.wait(timeout=LONGEST_S)


def route_of_a_visitor(port: int) -> str:
    """Open the first page as a browser does, and return the cookie that it gets."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_S)) as asking:
        asking.request("GET", "/", headers={"Host": "localhost", "Accept": "text/html"})
        answer = asking.getresponse()
        assert answer.status == 200
        found = re.search(r"aisim_route=(\w+)", answer.headers["Set-Cookie"])
        answer.read()
    assert found is not None
    return f"aisim_route={found[1]}"


def run_ends(port: int, cookie: str) -> None:
    """Run the app in a session through the proxy, to its end."""
    url = f"ws://127.0.0.1:{port}/_stcore/stream"
    with connect(url, additional_headers={"Cookie": cookie}, max_size=None) as visitor:
        visitor.send(RERUN)
        while True:
            told = visitor.recv(timeout=LONGEST_S)
            assert isinstance(told, bytes)
            if ForwardMsg.FromString(told).WhichOneof("type") == "script_finished":
                return


def sessions(port: int) -> float:
    found = re.search(r"^aisim_rerun_seconds_count (\S+)", ask(port, "/metrics")[1], re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_a_visitor_stays_with_one_server_and_many_are_spread(proxied: Proxied) -> None:
    mine = route_of_a_visitor(proxied.port)
    before = {port: sessions(port) for port in proxied.servers}
    for _ in range(2):
        run_ends(proxied.port, mine)
    after = {port: sessions(port) for port in proxied.servers}
    assert sorted(after[port] - before[port] for port in after) == [0, 2]
    for number in range(8):  # 2^-7 that eight of them meet at one
        run_ends(proxied.port, f"aisim_route={number}")
    assert all(sessions(port) > after[port] for port in proxied.servers)


def test_a_long_link_passes_and_metrics_do_not(proxied: Proxied) -> None:
    assert ask(proxied.port, f"/deployments?s={'A' * 30_000}")[0] == 200
    assert ask(proxied.port, "/metrics")[0] == 404


def test_a_file_that_is_too_large_is_a_sentence(proxied: Proxied) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", proxied.port, timeout=LONGEST_S)) as asking:
        asking.putrequest("PUT", "/_stcore/upload_file/a/b")
        asking.putheader("Content-Length", str(200 * 1024 * 1024))
        asking.endheaders()
        answer = asking.getresponse()
        assert answer.status == 413
        assert b"At most 100 MB can be sent" in answer.read()


def test_a_killed_server_is_not_noticed_by_who_loads_again(proxied: Proxied) -> None:
    """The last test here: it kills the servers, one after the other."""
    mine = route_of_a_visitor(proxied.port)
    before = {port: sessions(port) for port in proxied.servers}
    run_ends(proxied.port, mine)
    served_by = next(port for port in proxied.servers if sessions(port) > before[port])
    proxied.servers[served_by].kill()
    proxied.servers[served_by].wait(timeout=LONGEST_S)
    assert ask(proxied.port, "/deployments", Cookie=mine)[0] == 200
    run_ends(proxied.port, mine)
    for server in proxied.servers.values():
        server.kill()
        server.wait(timeout=LONGEST_S)
    status, page = ask(proxied.port, "/deployments", Cookie=mine)
    assert status == 502
    assert "Back in a moment" in page
