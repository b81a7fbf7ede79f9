"""Charts of the Deployments and Solve pages: pure, valid for Plotly, and true to their tables."""

from __future__ import annotations

from typing import get_args

import plotly.graph_objects as go
import pytest

from aisim_model import catalog
from aisim_model.compare.sensitivity import tornado as moved_inputs
from aisim_model.compare.table import compare, table
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Scenario
from aisim_ui.charts.difference_bars import difference_bars
from aisim_ui.charts.kv_curve import kv_curve
from aisim_ui.charts.load_curve import load_curve
from aisim_ui.charts.tornado import tornado
from aisim_ui.model.kv_table import curves, has_windows
from aisim_ui.solve.load_curves import over_arrivals
from aisim_ui.theme import Mode

EXAMPLE = Scenario()
MODES = get_args(Mode)


def valid(figure: go.Figure) -> go.Figure:
    """Let Plotly check what the page's way of making a figure leaves out."""
    return go.Figure(figure.to_dict())


@pytest.mark.parametrize("mode", MODES)
def test_a_tornado_spans_each_range_about_ttft_now(mode: Mode) -> None:
    moved = moved_inputs(resolve(EXAMPLE.workload, EXAMPLE.selected))
    low, high = valid(tornado(moved, "A <b>", 1, mode)).data
    first = moved.iloc[0]
    assert low.base + low.x[0] == pytest.approx(first["low_ttft_ms"])
    assert high.base + high.x[0] == pytest.approx(first["high_ttft_ms"])
    assert tornado(moved, "A <b>", 1, mode).layout.title.text == "What moves TTFT: A &lt;b&gt;"


def test_a_tornado_of_nothing_is_empty() -> None:
    moved = moved_inputs(resolve(EXAMPLE.workload, EXAMPLE.selected)).head(0)
    assert len(valid(tornado(moved, "A", 0, "light")).data[0].y or ()) == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_row_that_doesnt_fit_says_so_in_place_of_a_bar(mode: Mode) -> None:
    bad = EXAMPLE.with_workload(model_id="llama-3.1-70b").with_row("split-400g", prefill_tp=1, decode_tp=7)
    cut = bad.with_row("split-tcp", bandwidth_gb_s=0.0)
    found = table(cut, compare(cut))
    figure = valid(difference_bars(found, [0, 1, 2, 3, 4], "Base", mode))
    (bars,) = figure.data
    assert (bars.x[1], bars.x[4]) == (None, None)
    # a bar of no length shows no text of its own
    assert {one.y: one.text for one in figure.layout.annotations} == {
        "aggregated": "the same",
        "split-400g": "doesn't fit its GPUs",
        "split-tcp": "no delay is known",
    }


def test_a_difference_of_seconds_has_no_exponent() -> None:
    slow = EXAMPLE.with_row("split-tcp", bandwidth_gb_s=0.75)
    found = table(slow, compare(slow))
    (bars,) = difference_bars(found, [0, 1, 2, 3, 4], "Base", "light").data
    # 3,145,728,000 B over 0.75 GB/s is 4,194.3 ms, and a decode step of 7.2
    assert bars.text[4] == "+4,200 ms"


def test_ranges_of_a_tornado_have_their_units() -> None:
    moved = moved_inputs(resolve(EXAMPLE.workload, EXAMPLE.selected))
    labels = tornado(moved, "A", 1, "light").layout.yaxis.ticktext
    assert labels[0] == "Prompt<br><sub>6,000 to 24,000 tokens</sub>"
    assert "Bandwidth<br><sub>100 to 200 GB/s</sub>" in labels


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("column", ["ttft_ms", "itl_ms"])
def test_curves_of_load_rise_to_where_a_row_is_nearly_full(column: str, mode: Mode) -> None:
    loads = over_arrivals(EXAMPLE.workload, EXAMPLE.deployments[:2])
    figure = valid(load_curve(loads, column, 25.0, mode))
    assert [line.name for line in figure.data] == ["Aggregated 2 x TP4", "Split, 400G NIC per GPU"]
    for line in figure.data:
        assert list(line.y) == sorted(line.y)
    assert figure.layout.shapes[0].y0 == 25.0


def test_a_row_that_carries_nothing_has_no_curve() -> None:
    cut = EXAMPLE.with_row("split-tcp", bandwidth_gb_s=0.0)
    assert over_arrivals(cut.workload, (cut.row("split-tcp"),)).empty


def test_a_kv_dtype_keeps_its_colour_whichever_is_chosen_and_windows_or_not() -> None:
    layouts = [catalog.model(name).spec().kv for name in ("qwen3-32b", "gpt-oss-20b")]
    assert [has_windows(layout) for layout in layouts] == [False, True]
    found = {
        line.name: line.line.color
        for layout in layouts
        for chosen in ("bf16", "fp8")
        for line in valid(kv_curve(curves(layout, chosen), "A", 8_192, "light")).data
        if "full" not in line.name
    }
    assert (found["bf16"], found["fp8"], found["nvfp4"]) == ("#4477AA", "#228833", "#EE7733")
