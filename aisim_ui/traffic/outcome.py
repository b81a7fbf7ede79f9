"""The outcome of one deployment's replay, and what the page shows of it, each worked out once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from aisim_model.replay import Progress, ReplayResult
from aisim_model.replay.verdict import Verdict, verdict
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.traces import Trace
from aisim_model.traffic.figures import WithinSlos, within_slos
from aisim_model.traffic.scenario_replay import row_outcome
from aisim_model.units import MS_PER_S
from aisim_ui.traffic import tables
from aisim_ui.traffic.time import over_time


@dataclass(frozen=True, eq=False)
class ReplayOutcome:
    """A finished replay.

    Parameters
    ----------
    result : ReplayResult
        Its records.
    notes : tuple of str
        What of the row a replay simplifies.
    rows_left_out : int
        Faulty rows of the trace that are in no record [-].
    """

    result: ReplayResult
    notes: tuple[str, ...] = ()
    rows_left_out: int = 0

    def __len__(self) -> int:
        return len(self.result)

    @cached_property
    def verdict(self) -> Verdict:
        """Which resource the slowest requests waited for."""
        return verdict(self.result)

    @property
    def loads(self) -> dict[str, float]:
        """What each resource is asked for over what it can do."""
        return self.verdict.offered_load

    @cached_property
    def percentiles(self) -> pd.DataFrame:
        """As `tables.percentiles`."""
        return tables.percentiles(self.result)

    @cached_property
    def ttft_curve(self) -> pd.DataFrame:
        """As `tables.cumulative`, of TTFT."""
        return tables.cumulative(self.result, "ttft_ms")

    @cached_property
    def handoff_curve(self) -> pd.DataFrame:
        """As `tables.cumulative`, of the handoff."""
        return tables.cumulative(self.result, "handoff_ms")

    @cached_property
    def waits(self) -> pd.DataFrame:
        """As `tables.waits_by_percentile`."""
        return tables.waits_by_percentile(self.result)

    @cached_property
    def slowest(self) -> pd.DataFrame:
        """As `tables.slowest`."""
        return tables.slowest(self.result)

    @cached_property
    def over_time(self) -> pd.DataFrame:
        """As `traffic_time.over_time`."""
        return over_time(self.result)

    @property
    def slowest_at_s(self) -> float:
        """When the prompt of the slowest request begins to be computed [s]."""
        columns = self.result.columns
        starts = columns["start_ms" if self.result.config.aggregated else "prefill_start_ms"]
        ttft = columns["ttft_ms"]
        if not np.isfinite(ttft).any():
            return 0.0
        return float(starts[int(np.nanargmax(ttft))]) / MS_PER_S

    def told(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return a table with the faulty rows that are in none of it, for its export."""
        return table.assign(rows_left_out=self.rows_left_out)

    def within(self, slo: Workload) -> WithinSlos:
        """Count the requests that meet both service levels, on TTFT and on their mean inter-token latency."""
        return within_slos(self.result, slo.ttft_slo_ms, slo.itl_slo_ms)


RowReplay = tuple[Deployment, ReplayOutcome]


def replayed(
    scenario: Scenario, row: Deployment, trace: Trace, rows_left_out: int, progress: Progress
) -> ReplayOutcome | str:
    """Replay a trace on a row, here or in a process; a text says why the row can't carry it."""
    found = row_outcome(scenario, row, trace, progress)
    if found.result is None:
        return found.refused or "It was refused."
    return ReplayOutcome(found.result, found.notes, rows_left_out)


def side_by_side(replays: Iterable[RowReplay], part: Callable[[ReplayOutcome], pd.DataFrame]) -> pd.DataFrame:
    """Put a small table of each deployment into one, with the row it is of."""
    parts = [
        outcome.told(part(outcome)).assign(deployment_id=row.id, deployment=row.name, color=row.color)
        for row, outcome in replays
    ]
    table = pd.concat(parts, ignore_index=True)
    first = ["deployment_id", "deployment"]
    return table[[*first, *(name for name in table if name not in first)]]
