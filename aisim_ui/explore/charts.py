"""The charts of the Explore page, of one field or of two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from aisim_model.row.resolved import resolve
from aisim_model.scenario import Scenario
from aisim_model.scenario.explore import Explore
from aisim_ui.charts.best_map import best_map
from aisim_ui.charts.heatmap import heatmap
from aisim_ui.charts.maps import MapFrame
from aisim_ui.charts.sweep_curves import sweep_curves
from aisim_ui.explore.picture import best, best_table, curves, thinned
from aisim_ui.explore.point import go_to
from aisim_ui.explore.result import SweepGrids, csv_of
from aisim_ui.explore.view import looked
from aisim_ui.fields import title
from aisim_ui.frame import chart, mark_of, mode
from aisim_ui.inputs import toggle
from aisim_ui.place import Place
from aisim_ui.sentences.explore import QUANTITIES
from aisim_ui.words import label, milliseconds, percent


def one_field(found: SweepGrids, scenario: Scenario, view: Explore) -> None:
    """Draw curves."""
    share = view.quantity == "handoff_share"
    slo = scenario.workload.ttft_slo_ms
    limit = {
        "ttft_ms": (slo, f"SLO {milliseconds(slo)}"),
        "handoff_share": (view.share, f"{percent(view.share)} of TTFT"),
    }.get(view.quantity)
    figure = sweep_curves(
        curves(found, scenario, view.quantity),
        {row.id: row.color for row in scenario.deployments},
        scenario.selected_id,
        title(view.x),
        QUANTITIES[view.quantity],
        "" if share else "ms",
        (view.ends(view.x).scale == "log", not share),
        limit,
        mode(),
    )
    pick = go_to(view.fields, lambda point: str(mark_of(point)))
    chart(figure, partial(csv_of, found.sweep), "explore.curves", pick, every_point(found))


def two_fields(found: SweepGrids, scenario: Scenario, view: Explore) -> None:
    """Draw a map of the selected row, and one of which row is best."""
    picture = thinned(found)
    ids = [row.id for row in scenario.deployments]
    selected = ids.index(scenario.selected_id)
    slo, row = scenario.workload.ttft_slo_ms, scenario.selected
    lines = [
        (picture.of("ttft_ms", selected), slo, f"TTFT of {milliseconds(slo)} (SLO)"),
        (picture.of("handoff_share", selected), view.share, f"handoff {percent(view.share)} of TTFT"),
    ]
    name = QUANTITIES[view.quantity]
    over = MapFrame(
        title=f"{name}: {label(row.name)}",
        axes=(title(view.x), title(view.fields[1])),
        log=(view.ends(view.x).scale == "log", view.ends(view.fields[1]).scale == "log"),
        here=standing(scenario, view),
        mode=mode(),
    )
    text: Callable[[float], str] = percent if view.quantity == "handoff_share" else milliseconds
    left, right = st.columns(2)
    with left:
        figure = heatmap(over, picture.of(view.quantity, selected), lines, text)
        pick = go_to(view.fields, lambda point: scenario.selected_id)
        chart(figure, partial(csv_of, found.sweep), "explore.map", pick, every_point(found))
    rivals = [at for at, one in enumerate(scenario.deployments) if one.split or view.aggregated]
    with right:
        if rivals:
            best_at = best(picture, view.quantity, rivals)
            ttft = picture.grids["ttft_ms"]
            at = np.clip(best_at.to_numpy(), 0, None)[np.newaxis]
            meets = (best_at >= 0) & (np.take_along_axis(ttft, at, axis=0)[0] <= slo)
            least = replace(over, title=f"Least {name.replace('Handoff', 'handoff')}: which deployment")
            rows = [(one.name, one.color) for one in scenario.deployments]
            pick = go_to(view.fields, lambda point: ids[int(mark_of(point))])
            table = best_table(best_at, meets, [one.name for one in scenario.deployments], view.fields)
            chart(best_map(least, best_at, meets, rows), table, "explore.best", pick)
        aggregated = Place("explore.aggregated")
        toggle(aggregated, "explore", looked(aggregated.put))


def standing(scenario: Scenario, view: Explore) -> tuple[float, float] | None:
    """Return where the selected row stands on a map; None where it isn't on it."""
    x = resolve(scenario.workload, scenario.selected)
    values = []
    for name in view.fields:
        value = x.unique.per_token_bytes if name == "kv_bytes_per_token" else getattr(x, name)
        low, high, _ = view.ends(name)
        if value is None or not low <= value <= high:
            return None
        values.append(float(value))
    return values[0], values[1]


def every_point(found: SweepGrids) -> str:
    """Say what the CSV of a sweep holds; the picture shows a part of it."""
    return f"All {found.sweep.points:,} points"
