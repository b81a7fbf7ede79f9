"""The Handoff page against a floor app of one slider and one chart of as many points, over the websocket.

Both servers run side by side and take turns, so that a busy machine slows both. Times are the server's: from
the moved slider until the run has ended and all its messages are here.
"""

from __future__ import annotations

import compileall
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

from streamlit_visitor import (
    ROOT,
    connected,
    elements,
    moved,
    page_hash,
    points,
    rerun,
    served,
)

APP, FLOOR = ROOT / "app.py", ROOT / "tests" / "benchmarks" / "floor_app.py"
SLIDER = "Bandwidth"
MOVES, WARM_UP, STARTS = 100, 10, 9


def first_page_s(script: Path, environment: dict[str, str]) -> float:
    """Return the time from the start of a fresh server until its first page has run [s]."""
    start = time.perf_counter()
    with served(script, environment) as port, connected(port) as server:
        rerun(server)
        return time.perf_counter() - start


def mover(stack: ExitStack, script: Path, environment: dict[str, str], label: str) -> Callable[[], float]:
    """Serve a script and return a function that moves its slider and returns the time of the rerun [ms]."""
    server = stack.enter_context(connected(stack.enter_context(served(script, environment))))
    first = rerun(server)
    page, slider = page_hash(first), next(s for s in elements(first, "slider") if s.label.startswith(label))
    low, high = int(slider.min), int(slider.max)
    positions = cycle(range(low + 1, high))

    def move() -> float:
        state = moved(slider, next(positions))
        start = time.perf_counter()
        sent = rerun(server, page, state)
        elapsed_ms = (time.perf_counter() - start) * 1000
        if elements(sent, "exception") or not elements(sent, "plotly_chart"):
            said = [error.message for error in elements(sent, "exception")]
            raise RuntimeError(f"{script.name} drew no chart after its slider was moved: {said}")
        return elapsed_ms

    return move


def report(name: str, ours: float, floor: float, unit: str, bound: float) -> bool:
    """Print one ratio beside its bound, and return whether it holds."""
    ratio = ours / floor
    verdict = "ok" if ratio <= bound else "OVER"
    print(
        f"{name:22} {ours:8.2f} {unit} / floor {floor:8.2f} {unit} = {ratio:.2f} (at most {bound}) {verdict}"
    )
    return ratio <= bound


def main() -> int:
    """Measure, print and return the exit status."""
    for package in ("aisim_model", "aisim_ui"):
        compileall.compile_dir(ROOT / package, quiet=1)  # as installing leaves both ours and Streamlit's own
    with served(APP, {}) as port, connected(port) as server:
        floor_points = {"FLOOR_POINTS": str(points(rerun(server)))}
    with ExitStack() as stack:
        moves = [mover(stack, APP, {}, SLIDER), mover(stack, FLOOR, floor_points, "Factor")]
        taken = [[move() for move in moves] for _ in range(WARM_UP + MOVES)][WARM_UP:]
    ours, floor = zip(*taken, strict=True)
    p95 = [statistics.quantiles(times, n=20)[-1] for times in (ours, floor)]
    with_table = {**floor_points, "FLOOR_TABLE": "1"}
    starts = [
        (first_page_s(APP, {}), first_page_s(FLOOR, floor_points), first_page_s(FLOOR, with_table))
        for _ in range(STARTS)
    ]
    ours_s, floor_s, table_s = (statistics.median(each) for each in zip(*starts, strict=True))
    held = [
        report("rerun, median", statistics.median(ours), statistics.median(floor), "ms", 1.5),
        report("rerun, 95th percentile", p95[0], p95[1], "ms", 2.5),
        report("start to first page", ours_s, table_s, "s", 1.3),  # the floor shows a table, as our page does
    ]
    print(f"{'':22} beside a floor without its table, {floor_s:.2f} s: {ours_s / floor_s:.2f}")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
