"""NVIDIA's measured operators, tabulated in a thread of the server while pages go on."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait

import streamlit as st

from aisim_model.errors import InputError
from aisim_model.passes.aiconfigurator import PACKAGE, VERSION, Operators
from aisim_model.passes.operator_pass import is_tabulated, operators_of, tables_of
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.workers import decode_worker, prefill_worker
from aisim_model.scenario import Scenario

POLL_SECONDS = 0.5
SOON_SECONDS = 0.3  # of a system whose database is loaded: no line is worth flashing up
MODEL = "aiconfigurator"

_thread = ThreadPoolExecutor(1, thread_name_prefix="operators")
_asked: dict[Operators, Future[tuple[float, ...]]] = {}


def wait_for_tables(scenario: Scenario) -> None:
    """Stop the page with a line of progress until the tables of rows that are timed by them are there."""
    workers = [
        worker
        for row in scenario.deployments
        if MODEL in (row.prefill_model, row.decode_model)
        for worker in _workers(scenario, row.id)
    ]
    if pending(workers):
        _progress(tuple(workers))
        st.stop()


def tabulate_for_rivals(x: ResolvedRow) -> None:
    """Have a row's tables made, and say that its rival isn't there yet; or why it never will be."""
    try:
        workers = [operators_of(prefill_worker(x)), operators_of(decode_worker(x))]
    except InputError as error:
        st.caption(f"{MODEL} isn't among them: {error.field} {error.value!r} {error.problem}.")
        return
    if pending(workers):
        _progress(tuple(workers))
    for problem in {str(found) for worker in workers if (found := _problem(worker))}:
        st.caption(f"{MODEL} isn't among them: {problem}")


def pending(workers: Iterable[Operators]) -> bool:
    """Have what isn't tabulated made in the thread, and return whether that still goes on after a moment."""
    for worker in workers:
        if not is_tabulated(worker) and worker not in _asked:
            _asked[worker] = _thread.submit(tables_of, worker)
    going = [_asked[worker] for worker in workers if worker in _asked]
    return bool(going) and bool(wait(going, SOON_SECONDS).not_done)


def _problem(worker: Operators) -> BaseException | None:
    one = _asked.get(worker)
    return one.exception() if one is not None and one.done() else None


def _workers(scenario: Scenario, row_id: str) -> list[Operators]:
    row = next(row for row in scenario.deployments if row.id == row_id)
    try:
        x = resolve(scenario.workload, row)
        return [operators_of(prefill_worker(x)), operators_of(decode_worker(x))]
    except InputError:
        return []  # the page says it where it asks for the row


@st.fragment(run_every=POLL_SECONDS)
def _progress(workers: tuple[Operators, ...]) -> None:
    if not pending(workers):
        st.rerun()
        return
    names = ", ".join(dict.fromkeys(f"{one.model} on {one.system} in {one.backend}" for one in workers))
    st.progress(
        0.5, text=f"Tabulating the measured operators of {PACKAGE} {VERSION} for {names}: some seconds"
    )
