"""A trace on the rows of a scenario, as its traffic says: one outcome a row, refused or not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from aisim_model.errors import InputError, sentences
from aisim_model.replay import Progress, ReplayResult
from aisim_model.scenario import Deployment, Scenario
from aisim_model.scenario.traffic import Traffic
from aisim_model.traces import Trace, slice_warning
from aisim_model.traffic.figures import ReplayFigures, replay_figures, within_slos
from aisim_model.traffic.row_replay import replay_notes, replay_row
from aisim_model.units import MS_PER_S


@dataclass(frozen=True)
class RowOutcome:
    """What came of a trace on one row.

    Parameters
    ----------
    row : Deployment
        The row.
    result : ReplayResult or None
        Its records; None where the row was refused.
    figures : ReplayFigures or None
        What the replay found; None where the row was refused.
    notes : tuple of str
        What the replay simplifies or leaves out.
    refused : str or None
        Why the row can't carry the trace at all, a sentence.
    """

    row: Deployment
    result: ReplayResult | None = None
    figures: ReplayFigures | None = None
    notes: tuple[str, ...] = ()
    refused: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the outcome as plain values."""
        named = {"deployment_id": self.row.id, "deployment": self.row.name}
        if self.figures is None:
            return {**named, "refused": self.refused}
        return {**named, **self.figures.record(), "notes": list(self.notes)}


def asked_trace(trace: Trace, traffic: Traffic) -> tuple[Trace, tuple[str, ...]]:
    """Return the window of a trace that traffic asks for at its rate, and a warning where it is a slice.

    Raises
    ------
    InputError
        For a window without arrivals.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0, 1000.0, 5000.0]), np.array([10, 20, 30]), np.array([1, 1, 1]))
    >>> asked_trace(trace, Traffic(window_start_s=1.0, rate_factor=2.0))[0].arrival_ms
    array([   0., 2000.])
    """
    taken = trace
    if traffic.window_start_s > 0.0 or traffic.window_end_s is not None:
        start_ms = traffic.window_start_s * MS_PER_S
        after_all = max(trace.span_ms, start_ms) + 1.0
        end_ms = after_all if traffic.window_end_s is None else traffic.window_end_s * MS_PER_S
        taken = trace.window(start_ms, end_ms)
    warning = slice_warning(trace, taken)
    return taken.scaled_rate(traffic.rate_factor), (warning,) if warning else ()


def replay_scenario(
    scenario: Scenario, trace: Trace, progress: Progress | None = None
) -> Iterator[RowOutcome]:
    """Replay a trace on each of the rows that a scenario's traffic names, all of them where it names none.

    Parameters
    ----------
    scenario : Scenario
        Rows, model, and how transfers share links.
    trace : Trace
        From `asked_trace`.
    progress : Progress, optional
        To watch and stop a replay from another thread.

    Raises
    ------
    InputError
        Where traffic names a row that the scenario doesn't have.
    ReplayStoppedError
        Where `progress` asked for it.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0]), np.array([12_000]), np.array([340]))
    >>> example = Scenario()
    >>> outcomes = replay_scenario(example.changed(traffic=Traffic(deployment_ids=("split-400g",))), trace)
    >>> [round(outcome.figures.transfer_ms.mean, 2) for outcome in outcomes]
    [15.73]
    """
    for row in asked_rows(scenario):
        yield row_outcome(scenario, row, trace, progress)


def asked_rows(scenario: Scenario) -> list[Deployment]:
    """Return the rows that a scenario's traffic names, all where it names none.

    Raises
    ------
    InputError
        Where it names one that the scenario doesn't have.
    """
    known = [row.id for row in scenario.deployments]
    asked = known if scenario.traffic.deployment_ids is None else scenario.traffic.deployment_ids
    for row_id in asked:
        if row_id not in known:
            problem = f"must be rows of the scenario: {', '.join(known)}"
            raise InputError("deployment_ids", row_id, problem, "Name one of them.")
    return [scenario.row(row_id) for row_id in asked]


def row_outcome(
    scenario: Scenario, row: Deployment, trace: Trace, progress: Progress | None = None
) -> RowOutcome:
    """Replay a trace on one row; a row that can't carry it says why.

    Parameters
    ----------
    scenario, trace, progress
        As in `replay_scenario`.
    row : Deployment
        The row.

    Examples
    --------
    >>> import numpy as np
    >>> small = Scenario().selected.changed(gpu="l40s", prefill_tp=1, decode_tp=1)
    >>> trace = Trace(np.array([0.0]), np.array([12_000]), np.array([340]))
    >>> print(row_outcome(Scenario(), small, trace).refused)  # doctest: +ELLIPSIS
    deployment = 'Split, 400G NIC per GPU': has no room for a KV block of 16 tokens beside the weights...
    """
    traffic, workload = scenario.traffic, scenario.workload
    try:
        result = replay_row(
            workload,
            row,
            trace,
            level=traffic.level,
            contention=traffic.contention,
            scope=traffic.scope,
            prefix_caching=traffic.prefix_caching,
            concurrency=traffic.concurrency,
            progress=progress,
        )
        notes = replay_notes(workload, row, trace, prefix_caching=traffic.prefix_caching)
    except InputError as error:
        return RowOutcome(row, refused=str(error))
    except ValidationError as error:  # numbers of a row that no replay takes
        return RowOutcome(row, refused=" ".join(sentences(error)))
    met = within_slos(result, workload.ttft_slo_ms, workload.itl_slo_ms)
    figures = replay_figures(result, met)
    return RowOutcome(row, result, figures, notes)
