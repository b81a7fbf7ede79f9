"""The outcome of a replay: one record a request, in columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aisim_model.errors import InputError
from aisim_model.replay.compiled import Floats, Records
from aisim_model.replay.config import ReplayConfig
from aisim_model.replay.layout import CANCELLED
from aisim_model.replay.state import Core
from aisim_model.traces.trace import Trace
from aisim_model.ttft_parts import PART_NAMES

if TYPE_CHECKING:
    import pandas as pd

Column = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class ReplayResult:
    """One record a request, in columns, and what the workers did.

    Parameters
    ----------
    trace, config : Trace, ReplayConfig
        What was replayed, and on what.
    columns : mapping of str to array
        A value for each request in order of arrival, in a closed loop when a place in flight was free. Times
        are in ms after the first arrival, NaN where a request never got there. The names of the reference
        tables hold: ``transfer_end_ms`` is when the destination is activated, ``wire_end_ms`` when the wire
        is done.
    prefill_busy_ms, decode_busy_ms : array of float64
        Time that each worker spent in passes [ms]; of aggregated workers the second is empty.
    prompts_bytes : float
        Bytes of all full prompts on the links [B]; NaN where they are unknown.

    Examples
    --------
    See `replay`.
    """

    trace: Trace
    config: ReplayConfig
    columns: Mapping[str, Column]
    prefill_busy_ms: Floats
    decode_busy_ms: Floats
    prompts_bytes: float

    def column(self, name: str) -> Column:
        """Return one column by name.

        Raises
        ------
        InputError
            For a name that this replay has no column of.
        """
        if name not in self.columns:
            raise InputError("column", name, f"must be one of {', '.join(self.columns)}")
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.trace)

    @property
    def completed(self) -> npt.NDArray[np.bool_]:
        """Which requests ran to their end."""
        return np.asarray(self.columns["status"] == "completed")

    @property
    def end_ms(self) -> float:
        """When the last token left [ms]."""
        last = self.columns["last_token_ms"]
        return float(np.nanmax(last)) if np.isfinite(last).any() else self.trace.span_ms

    def to_frame(self) -> pd.DataFrame:
        """Return the records as a table, a row a request."""
        import pandas as pd

        return pd.DataFrame(dict(self.columns))


def _parts(requests: Records, config: ReplayConfig) -> dict[str, Floats]:
    """Return the parts of each TTFT [ms]."""
    from_prefill = config.first_token_from == "prefill" or config.aggregated
    source_first = config.order == "source_first"
    nothing = np.zeros(len(requests))
    queue_from = requests.arrival if source_first or config.aggregated else requests.granted
    parts = {
        "queue_ms": requests.prefill_start - queue_from,
        "prefill_ms": requests.held - requests.prefill_start,
    }
    if from_prefill:
        after = dict.fromkeys(PART_NAMES[2:], nothing)
        if not (source_first or config.aggregated):
            after["reservation_ms"] = requests.granted - requests.arrival
        return parts | after
    asked = requests.asked if source_first else requests.arrival
    # from here on one step follows the other; what is orchestrated lies between held and the next of them
    ready = requests.asked if source_first else requests.link_asked
    parts["orchestration_ms"] = ready - requests.held
    parts["reservation_ms"] = requests.granted - asked
    parts["link_queue_ms"] = requests.link_start - requests.link_asked
    parts["transfer_ms"] = requests.wire_end - requests.link_start
    parts["activation_ms"] = requests.activated - requests.wire_end
    parts["decode_step_ms"] = requests.first - requests.activated
    return parts


def timed_bytes(tokens: Column, config: ReplayConfig) -> Floats:
    """Return the bytes by which transfers of so many tokens are timed [B]; NaN where they are unknown."""
    if config.kv_bytes_per_token is None:
        return np.full(len(tokens), np.nan)
    moved = tokens * config.kv_bytes_per_token + config.state_bytes
    for window in config.windows:
        moved = moved + window.bytes_per_token * np.minimum(tokens, window.window_tokens)
    return np.asarray(moved, dtype=np.float64)


def _handoff_columns(requests: Records, config: ReplayConfig) -> dict[str, Column]:
    """Return what only a split deployment has."""
    asked = np.isfinite(requests.link_asked)
    return {
        "source_held_ms": requests.held,
        "destination_reserved_ms": requests.granted,
        "link_start_ms": requests.link_start,
        "wire_end_ms": requests.wire_end,
        "transfer_end_ms": requests.activated,
        "handoff_ms": requests.activated - requests.held,
        "transfer_alone_ms": requests.alone,
        "prefill_reused_tokens": requests.prefill_hit,
        "destination_reused_tokens": requests.decode_hit,
        "tokens_moved": requests.moved,
        "bytes_moved": np.where(asked, timed_bytes(requests.moved, config), np.nan),
        "second_token_ms": requests.second,
    }


def result_of(trace: Trace, config: ReplayConfig, core: Core) -> ReplayResult:
    """Read the outcome from the records of a finished replay."""
    requests, workers = core.requests, core.workers
    if config.concurrency is not None:
        trace = replace(trace, arrival_ms=requests.arrival)
    names = requests.dtype.names
    columns: dict[str, Column] = {
        "row": np.arange(len(trace)),
        "source_row": trace.source_rows,
        "arrival_ms": trace.arrival_ms,
        "input_length": trace.input_tokens,
        "output_length": trace.output_tokens,
        "status": np.where(requests.stage == CANCELLED, "cancelled", "completed"),
    }
    start = {"prefill_start_ms": requests.prefill_start}
    if config.aggregated:
        columns |= {"worker": requests.prefill_worker, "start_ms": requests.prefill_start}
        columns["reused_tokens"] = requests.prefill_hit
    else:
        columns |= {
            "prefill_worker": requests.prefill_worker,
            "decode_worker": requests.decode_worker,
        } | start
        columns |= _handoff_columns(requests, config)
    columns |= {
        "first_token_ms": requests.first,
        "last_token_ms": requests.last,
        "cancelled_ms": requests.cancelled,
        "preemptions": requests.preemptions if "preemptions" in names else np.zeros(len(trace), np.int64),
        "ttft_ms": requests.first - requests.arrival,
    }
    columns |= _parts(requests, config)
    columns["itl_ms"] = _mean_gap(requests)
    split = int(core.settings[0].prefill_workers) or len(workers)
    busy = np.ascontiguousarray(workers.busy_ms)
    owned = {name: np.ascontiguousarray(values) for name, values in columns.items()}
    prompts_bytes = float(timed_bytes(trace.input_tokens, config).sum())
    return ReplayResult(trace, config, MappingProxyType(owned), busy[:split], busy[split:], prompts_bytes)


def _mean_gap(requests: Records) -> Floats:
    """Return the mean time between the tokens of each request [ms]; NaN where there is one token only."""
    gaps = requests.output - 1
    spent = requests["last"] - requests["first"]
    mean: Floats = np.divide(spent, gaps, out=np.full(len(requests), np.nan), where=gaps > 0)
    return mean
