"""The closed loops of the silicon rows by NVIDIA's measured operators, asked row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from aisim_model.errors import InputError
from aisim_model.evidence.silicon.closed_loop import Load, tpot_ms, ttft_ms
from aisim_model.evidence.silicon.rivals import Asked, Column, Predicted
from aisim_model.evidence.silicon.rows import SiliconRow
from aisim_model.passes.aiconfigurator import (
    Operators,
    OperatorTimes,
    operator_times,
    operators,
    why_not_installed,
)
from aisim_model.passes.constants import client_constants


def ask_operators(rows: Sequence[SiliconRow], sequences: Column) -> Asked:
    """Predict rows by aiconfigurator-core.

    Parameters
    ----------
    rows : sequence of SiliconRow
        The rows.
    sequences : array of float64
        Sequences that decode on a worker, one number a row [-].

    Returns
    -------
    Asked
        Means, NaN where it has no operators; 5 ms a row, and 1 to 3 s for the first of a GPU and engine.

    Examples
    --------
    >>> ask_operators((), np.array([])).left_out
    {}
    """
    tpot, ttft = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    if reason := why_not_installed():
        return Asked(Predicted(tpot, ttft), {f"aiconfigurator: {reason}": len(rows)})
    left_out = Counter[str]()
    # rows of one worker one after the other, those of one system too: few of its tables are kept
    places = sorted(range(len(rows)), key=lambda place: (rows[place].worker, rows[place].experts))
    for place in places:
        row = rows[place]
        try:
            times = operator_times(_operators(row))
            tpot[place], ttft[place] = _means(row, times, float(sequences[place]))
        except InputError as error:
            left_out[f"aiconfigurator: {error.value} {error.problem}"] += 1
        except Exception as error:  # an operator that is missing at this size alone
            left_out[
                f"aiconfigurator: {row.worker.model_id} on {row.worker.gpu_id}: {type(error).__name__}"
            ] += 1
    return Asked(Predicted(tpot, ttft), dict(left_out))


def _operators(row: SiliconRow) -> Operators:
    worker = row.worker
    return operators(
        worker.model_id,
        worker.gpu_id,
        worker.engine,
        worker.precision,
        worker.tensor_parallel,
        worker.data_parallel,
        row.experts,
    )


def _means(row: SiliconRow, times: OperatorTimes, sequences: float) -> tuple[float, float]:
    """Return mean TPOT and TTFT of a row by the formulas of the closed loop [ms]."""
    groups = row.worker.data_parallel
    context = row.prompt_tokens + row.output_tokens / 2.0

    def run_pass(new: float, _attended: float, _cached: float, running: float, _context: float) -> float:
        each = float(running) / groups
        if new == 0.0:
            return times.step_ms(each, context)
        if each == 0.0:
            return times.prompt_ms(int(new))
        return times.mixed_ms(int(new), each, context)

    load = Load(row.prompt_tokens, row.output_tokens, row.concurrency, row.aggregated)
    tpot = float(tpot_ms(run_pass, load, sequences))
    if not row.aggregated:
        return tpot, np.nan
    client = client_constants(row.worker.engine)
    return tpot, float(ttft_ms(run_pass, load, row.most_sequences, client))
