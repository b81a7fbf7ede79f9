"""Many planners at once: real websocket sessions that move a slider every two seconds, ours and the floor.

Both servers run side by side and take turns. `--sessions 20 --seconds 20 --processes 1,2` are the defaults; a
share of one processor core that each server and its processes took stands beside the times.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit_visitor import ROOT, connected, elements, moved, page_hash, points, rerun, served
from websockets.asyncio.client import ClientConnection, connect

APP, FLOOR = ROOT / "app.py", ROOT / "tests" / "benchmarks" / "floor_app.py"
EVERY_S = 2.0
GENEROUS = {"AISIM_MOST_SESSIONS": "1000", "AISIM_CONNECTIONS_PER_ADDRESS": "1000", "AISIM_LOG_REQUESTS": "0"}


async def run(
    visitor: ClientConnection, page: str = "", widget: WidgetState | None = None, name: str = ""
) -> list[ForwardMsg]:
    """Run the page as `streamlit_visitor.rerun` does, without holding other visitors up."""
    message = BackMsg()
    message.rerun_script.page_script_hash = page
    message.rerun_script.page_name = name
    if widget is not None:
        message.rerun_script.widget_states.widgets.append(widget)
    await visitor.send(message.SerializeToString())
    sent = []
    while not (sent and sent[-1].WhichOneof("type") == "script_finished" and sent[-1].script_finished < 2):
        sent.append(ForwardMsg.FromString(await visitor.recv()))  # type: ignore[arg-type]
    return sent


async def planner(port: int, number: int, label: str, start: str, until: list[float]) -> list[float]:
    """Move one's slider every two seconds; return the time of each move [ms]."""
    headers = {"Cookie": f"aisim_process={number % 2}"}
    url = f"ws://127.0.0.1:{port}/_stcore/stream"
    async with connect(url, max_size=None, additional_headers=headers, open_timeout=60) as visitor:
        first = await run(visitor, name=start)
        slider = next(s for s in elements(first, "slider") if s.label.startswith(label))
        page, low, high = page_hash(first), int(slider.min), int(slider.max)
        await asyncio.sleep(until[0] - time.perf_counter() + EVERY_S * (number % 20) / 20)
        taken, position, next_s = [], low + number % (high - low), time.perf_counter()
        while time.perf_counter() < until[1]:
            position = low + 1 + (position + 1 - low) % (high - low - 1)
            begin = time.perf_counter()
            await run(visitor, page, moved(slider, position))
            taken.append((time.perf_counter() - begin) * 1000)
            next_s += EVERY_S
            await asyncio.sleep(max(next_s - time.perf_counter(), 0))
        return taken


def spent_s(port: int) -> tuple[float, float]:
    """Return the processor time [s] and the memory [MB] of what serves a port, with its processes."""
    pids = {
        one.pid
        for one in psutil.net_connections("tcp")
        if one.laddr and one.laddr.port == port and one.status == psutil.CONN_LISTEN
    }
    tree = [
        each for pid in pids if pid for one in [psutil.Process(pid)] for each in [one, *one.children(True)]
    ]
    return (
        sum(sum(one.cpu_times()[:2]) for one in tree),
        sum(one.memory_info().rss for one in tree) / 1e6,
    )


async def crowd(
    port: int, sessions: int, seconds: float, label: str, start: str
) -> tuple[list[float], float, float]:
    """Return the times of all moves [ms], processor time a move [ms] and memory a session [MB]."""
    before_mb = spent_s(port)[1]
    begin = time.perf_counter() + 3.0 + sessions * 0.15
    until = [begin, begin + seconds]
    going = [asyncio.create_task(planner(port, number, label, start, until)) for number in range(sessions)]
    await asyncio.sleep(begin - time.perf_counter())
    cpu_before = spent_s(port)[0]
    taken = [ms for each in await asyncio.gather(*going) for ms in each]
    cpu_after, after_mb = spent_s(port)
    return taken, (cpu_after - cpu_before) * 1000 / len(taken), (after_mb - before_mb) / sessions


def main() -> int:
    """Measure, and print a line a server."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sessions", default="20")
    asked.add_argument("--seconds", type=float, default=20.0)
    asked.add_argument("--processes", default="1,2")
    given = asked.parse_args()
    with served(APP, GENEROUS) as port, connected(port) as visitor:
        first = rerun(visitor, page_name="handoff")
        floor = {"FLOOR_POINTS": str(points(first) or 100)}
    cases: list[tuple[str, Path, dict[str, str], str, str]] = [("floor", FLOOR, floor, "Factor", "")]
    cases += [
        (f"ours, {count} processes", APP, {**GENEROUS, "AISIM_PROCESSES": count}, "Bandwidth", "handoff")
        for count in given.processes.split(",")
    ]
    for sessions in map(int, given.sessions.split(",")):
        for name, script, environment, label, start in cases:
            with served(script, environment) as port, connected(port) as visitor:
                rerun(visitor, page_name=start)
                taken, cpu_ms, mb = asyncio.run(crowd(port, sessions, given.seconds, label, start))
            quantiles = statistics.quantiles(taken, n=20)
            print(
                f"{name:20} {sessions:4} sessions: {len(taken) / given.seconds:6.1f} moves/s, p50 "
                f"{quantiles[9]:6.0f} ms, p95 {quantiles[18]:6.0f} ms, {cpu_ms:5.0f} ms of processor a move, "
                f"{mb:4.1f} MB a session",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
