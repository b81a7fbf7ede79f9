"""An edit of one cell of twenty deployments against the floor app with as many points, over the websocket.

Each edit is a value that was never asked before, so nothing of its row is remembered. Both servers run side
by side and take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack

from app_latency import APP, FLOOR, mover, report
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit_visitor import connected, elements, page_hash, points, rerun, served

from aisim_model.scenario import Scenario
from aisim_model.scenario.presets import appended
from aisim_ui.share import PARAMETER, packed

ROWS, MOVES, WARM_UP = 20, 100, 10
PAGE, CELL = "deployments", "nics_per_gpu"


def twenty_rows() -> Scenario:
    """Return the worked example with rows of their own added until there are twenty."""
    scenario = Scenario()
    while len(scenario.deployments) < ROWS:
        scenario = appended(scenario, scenario.selected)
        scenario = scenario.with_row(scenario.selected_id, nics_per_gpu=len(scenario.deployments) / 100)
    return scenario


def editor(stack: ExitStack, query: str) -> Callable[[], float]:
    """Serve the app and return a function that edits one cell and returns the time of the rerun [ms]."""
    server = stack.enter_context(connected(stack.enter_context(served(APP, {}))))
    first = rerun(server, page_name=PAGE, query=query)
    page = page_hash(first)
    table = next(one for one in elements(first, "dataframe") if CELL in one.columns)
    edits = iter(range(1, 1_000_000))

    def edit() -> float:
        cell = {"edited_rows": {str(ROWS // 2): {CELL: 1 + next(edits) / 10_000}}}
        state = WidgetState(
            id=table.id, string_value=json.dumps(cell | {"added_rows": [], "deleted_rows": []})
        )
        start = time.perf_counter()
        sent = rerun(server, page, state, query=query)
        elapsed_ms = (time.perf_counter() - start) * 1000
        if elements(sent, "exception") or not elements(sent, "plotly_chart"):
            raise RuntimeError("the page drew no charts after its cell was edited")
        return elapsed_ms

    return edit


def main() -> int:
    """Measure, print and return the exit status."""
    query = f"{PARAMETER}={packed(twenty_rows())}"
    with served(APP, {}) as port, connected(port) as server:
        floor_points = {"FLOOR_POINTS": str(points(rerun(server, page_name=PAGE, query=query)))}
    with ExitStack() as stack:
        moves = [editor(stack, query), mover(stack, FLOOR, floor_points, "Factor")]
        taken = [[move() for move in moves] for _ in range(WARM_UP + MOVES)][WARM_UP:]
    ours, floor = zip(*taken, strict=True)
    return 0 if report("edit, median", statistics.median(ours), statistics.median(floor), "ms", 1.5) else 1


if __name__ == "__main__":
    sys.exit(main())
