"""A clicked point of a chart becomes the scenario."""

from __future__ import annotations

from collections.abc import Callable

from aisim_model.scenario import Scenario
from aisim_model.sweep.axes import field_kind
from aisim_model.sweep.changed import changed
from aisim_ui.frame import Point
from aisim_ui.state import attempt


def go_to(fields: tuple[str, ...], row_of: Callable[[Point], str]) -> Callable[[Point], None]:
    """Return what a click on a point of a chart does.

    Parameters
    ----------
    fields : tuple of str
        Fields along the chart's axes.
    row_of : callable
        Tells the id of a clicked point's deployment.
    """

    def go(point: Point) -> None:
        here = {name: point[along] for name, along in zip(fields, "xy", strict=False)}
        attempt("explore.point", "", lambda scenario: at_point(scenario, row_of(point), here))

    return go


def at_point(scenario: Scenario, row_id: str, values: dict[str, float]) -> Scenario:
    """Return the scenario with a deployment selected and some fields at a point's values.

    Examples
    --------
    >>> there = at_point(Scenario(), "split-fp8", {"prompt_tokens": 4096.0, "bandwidth_gb_s": 25.0})
    >>> there.selected_id, there.workload.prompt_tokens, there.selected.bandwidth_gb_s
    ('split-fp8', 4096, 25.0)
    """
    exact = {name: round(value) if field_kind(name) == "whole" else value for name, value in values.items()}
    workload, row = changed(scenario.workload, scenario.row(row_id), exact)
    rows = tuple(row if one.id == row_id else one for one in scenario.deployments)
    return scenario.changed(workload=workload, deployments=rows, selected_id=row_id)
