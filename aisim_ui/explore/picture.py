"""Parts of a sweep as tables to draw: curves of one field, maps of two, and which is best where."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from aisim_model.scenario import Deployment, Scenario
from aisim_model.sweep import Sweep, values
from aisim_ui.explore.result import NAMES, SweepGrids, some
from aisim_ui.modes import other_mode

ACROSS = 60


def curves(found: SweepGrids, scenario: Scenario, quantity: str) -> pd.DataFrame:
    """Lay out one field's curves: a line a deployment; of the selected one both modes, and its band.

    Returns
    -------
    DataFrame
        `deployment_id`, `deployment`, `series` ("row", "measured low", "other mode"), `label`, `x`, `value`.
    """
    sweep = found.sweep
    (axis,) = sweep.axes
    places = some(axis.size, ACROSS)
    x = axis.at(0, axis.size)[places]
    lines = []
    for row, line in zip(scenario.deployments, found.grids[quantity], strict=True):
        lines.append(_line(row, "row", "", x, line[places]))
        if row.id == scenario.selected_id and row.split:
            lines += [
                _line(row, series, label, x, more[places])
                for series, label, more in _beside(sweep, row, quantity)
            ]
    return pd.concat(lines, ignore_index=True)


def _line(row: Deployment, series: str, label: str, x: np.ndarray, line: np.ndarray) -> pd.DataFrame:
    names = {"deployment_id": row.id, "deployment": row.name, "series": series, "label": label}
    return pd.DataFrame({**names, "x": x, "value": line})


def _beside(sweep: Sweep, row: Deployment, quantity: str) -> list[tuple[str, str, np.ndarray]]:
    """Work out the selected row at its link's lowest measured bandwidth, and in the other mode."""
    found = []
    if not sweep.looked_up:
        case = sweep.case(sweep.scenario.deployments.index(row))
        columns = case.columns(sweep.open_mesh((slice(0, sweep.mesh[0]),)))
        if (low := columns.x.measured_low_gb_s) is not None:
            slow = replace(columns, x=replace(columns.x, bandwidth_gb_s=low))
            line = np.broadcast_to(getattr(slow, quantity), sweep.shape)
            found.append(("measured low", "lowest bandwidth reached", line))
    mode, label = other_mode(row.timing_mode)
    other = sweep.scenario.changed(
        deployments=(row.changed(timing_mode=mode),), selected_id=row.id, baseline_id=row.id
    )
    found.append(("other mode", label, values(Sweep(other, sweep.axes), [quantity])[quantity][0]))
    return found


def idle_fields(found: SweepGrids, quantity: str) -> list[str]:
    """Name the fields along the axes that change nothing of a quantity, in no deployment."""
    grids, idle = found.grids[quantity], []
    for along, one in enumerate(found.sweep.axes, start=1):
        first = grids.take([0], axis=along)
        same = (grids == first) | (np.isnan(grids) & np.isnan(first))
        if one.size > 1 and same.all():
            idle.append(one.field)
    return idle


@dataclass(frozen=True)
class Map:
    """Grids of two fields, thinned: the first field's values across, the second's up."""

    across: np.ndarray
    up: np.ndarray
    grids: dict[str, np.ndarray]

    def of(self, quantity: str, position: int) -> pd.DataFrame:
        """Return a deployment's grid, a line a value of the second field."""
        return pd.DataFrame(self.grids[quantity][position], index=self.up, columns=self.across)


def thinned(found: SweepGrids) -> Map:
    """Thin a sweep of two fields out; both ends of each stay."""
    first, second = (some(axis.size, ACROSS) for axis in found.sweep.axes)
    across, up = (axis.at(0, axis.size) for axis in found.sweep.axes)
    grids = {name: found.grids[name][:, first][:, :, second].transpose(0, 2, 1) for name in NAMES}
    return Map(across[first], up[second], grids)


def best(picture: Map, quantity: str, rows: list[int]) -> pd.DataFrame:
    """Find which of some deployments has the least of a quantity at each point; the first of equals.

    Returns
    -------
    DataFrame
        Places among the scenario's deployments, -1 where none has a value.
    """
    grids = picture.grids[quantity][rows]
    known = ~np.isnan(grids) & ~np.isnan(picture.grids["ttft_ms"][rows])  # no TTFT where a row doesn't fit
    place = np.array(rows)[np.where(known, grids, np.inf).argmin(axis=0)]
    return pd.DataFrame(np.where(known.any(axis=0), place, -1), index=picture.up, columns=picture.across)


def best_table(
    place: pd.DataFrame, meets: pd.DataFrame, names: list[str], fields: tuple[str, ...]
) -> pd.DataFrame:
    """Lay out which deployment is best where, one row a point.

    Parameters
    ----------
    place : DataFrame
        As `best` returns it.
    meets : DataFrame
        Whether the best meets the SLO on TTFT.
    names : list of str
        The scenario's deployments.
    fields : tuple of str
        Fields across and up.
    """
    across, up = np.meshgrid(place.columns, place.index)
    found = [names[at] if at >= 0 else "" for at in place.to_numpy().ravel()]
    return pd.DataFrame(
        {
            fields[0]: across.ravel(),
            fields[1]: up.ravel(),
            "best_deployment": found,
            "meets_ttft_slo": meets.to_numpy().ravel(),
        }
    )
