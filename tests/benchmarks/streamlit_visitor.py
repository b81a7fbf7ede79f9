"""A visitor of a Streamlit app without a browser: starts the server, speaks its websocket, moves a slider."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).parents[2]
LONGEST_S = 60.0


@contextmanager
def served(script: Path, environment: Mapping[str, str]) -> Iterator[int]:
    """Serve our app as `make run` does, another as Streamlit does; give its port, and stop it at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = script == ROOT / "app.py"
    command = (
        [sys.executable, "-m", "aisim_ui.serve"]
        if own
        else [sys.executable, "-m", "streamlit", "run", str(script)]
    )
    env = {**os.environ, **environment, "PORT" if own else "STREAMLIT_SERVER_PORT": str(port)}
    server = subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield port
    finally:
        server.terminate()
        server.wait(timeout=LONGEST_S)


@contextmanager
def connected(port: int) -> Iterator[ClientConnection]:
    """Connect as soon as the server listens."""
    give_up = time.monotonic() + LONGEST_S
    while True:
        try:
            socket_ = connect(f"ws://127.0.0.1:{port}/_stcore/stream", max_size=None)
            break
        except (OSError, WebSocketException):
            if time.monotonic() > give_up:
                raise
            time.sleep(0.01)
    with socket_:
        yield socket_


def rerun(
    server: ClientConnection,
    page_hash: str = "",
    widget: WidgetState | None = None,
    *,
    page_name: str = "",
    query: str = "",
) -> list[ForwardMsg]:
    """Run the page, with one widget moved, and return what the server sent until the run ended."""
    message = BackMsg()
    message.rerun_script.page_script_hash = page_hash
    message.rerun_script.page_name = page_name
    message.rerun_script.query_string = query
    if widget is not None:
        message.rerun_script.widget_states.widgets.append(widget)
    server.send(message.SerializeToString())
    sent = []
    while not (
        sent and sent[-1].WhichOneof("type") == "script_finished" and sent[-1].script_finished in (0, 1)
    ):
        received = ForwardMsg()
        received.ParseFromString(server.recv(timeout=LONGEST_S))
        sent.append(received)
    return sent


def elements(sent: list[ForwardMsg], kind: str) -> list[Any]:
    """Return the elements of a kind, such as `slider`, in the order of the page."""
    new = [one.delta.new_element for one in sent if one.WhichOneof("type") == "delta"]
    return [getattr(element, kind) for element in new if element.WhichOneof("type") == kind]


def page_hash(sent: list[ForwardMsg]) -> str:
    """Return the name by which the server knows the page that ran."""
    pages = [one.navigation.page_script_hash for one in sent if one.WhichOneof("type") == "navigation"]
    started = [one.new_session.page_script_hash for one in sent if one.WhichOneof("type") == "new_session"]
    return str((pages or started)[-1])


def moved(slider: Any, position: int) -> WidgetState:
    """Return the state of a slider at a position: an option of a select slider, else a number."""
    state = WidgetState(id=slider.id)
    if slider.options:
        state.string_array_value.data.append(slider.options[position])
    else:
        state.double_array_value.data.append(position)
    return state


def points(sent: list[ForwardMsg]) -> int:
    """Return how many points all charts of a page have."""
    figures = [json.loads(chart.spec) for chart in elements(sent, "plotly_chart")]
    return sum(_length(trace.get("x", ())) for figure in figures for trace in figure["data"])


def _length(values: Any) -> int:
    if isinstance(values, dict):  # a typed array: base64 of its bytes, and a type such as "f8"
        return len(base64.b64decode(values["bdata"])) // int(values["dtype"][-1])
    return len(values)
