"""The charts of sweeps: what they draw of a table worked by hand, and that Plotly takes them."""

from __future__ import annotations

import base64
import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_ui.charts.axes import log_axis, round_values
from aisim_ui.charts.best_map import best_map
from aisim_ui.charts.heatmap import contour, heatmap
from aisim_ui.charts.maps import MapFrame
from aisim_ui.charts.needed_lines import needed_lines
from aisim_ui.charts.sweep_curves import sweep_curves
from aisim_ui.explore.needed import needed_bandwidth
from aisim_ui.explore.picture import best, curves, idle_fields, thinned
from aisim_ui.explore.result import result
from aisim_ui.sentences.explore import cliffs, sentence, short
from aisim_ui.theme import SURFACES, Mode, faded, row_color
from aisim_ui.words import milliseconds

MODES: tuple[Mode, ...] = ("light", "dark")
ACROSS, UP = [1.0, 10.0, 100.0], [1.0, 2.0]
GRID = pd.DataFrame([[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]], index=UP, columns=ACROSS)
AXES, LOG = ("Prompt [tokens]", "Bandwidth [GB/s]"), (True, False)


def validated(figure: go.Figure) -> dict:
    """Return a figure as JSON has it, after Plotly's own check of every property."""
    data = figure.to_plotly_json()
    go.Figure(data)
    return data


def array(packed: dict[str, str]) -> np.ndarray:
    """Return an array as it travels to the browser."""
    shape = [int(size) for size in packed.get("shape", "-1").split(",")]
    return np.frombuffer(base64.b64decode(packed["bdata"]), dtype=packed["dtype"]).reshape(shape)


@pytest.mark.parametrize("mode", MODES)
def test_curves(mode: Mode) -> None:
    table = pd.DataFrame(
        {
            "deployment_id": ["a"] * 4,
            "deployment": ["<b>A</b>"] * 4,
            "series": ["row", "row", "other mode", "other mode"],
            "label": ["", "", "whole prompt", "whole prompt"],
            "x": [1, 10, 1, 10],
            "value": [1.0, math.nan, 0.0, 3.0],
        }
    )
    args = ({"a": 2}, "a", AXES[0], "TTFT", "ms", (True, True), (2000.0, "SLO 2 s"), mode)
    found = validated(sweep_curves(table, *args))
    assert [line["name"] for line in found["data"]] == [
        "&lt;b&gt;A&lt;/b&gt;",
        "&lt;b&gt;A&lt;/b&gt;: whole prompt",
    ]
    assert [line["y"] for line in found["data"]] == [[1.0, None], [None, 3.0]]  # no NaN, no 0 on a log axis
    assert found["data"][0]["line"]["color"] == row_color(2)
    assert found["layout"]["annotations"][0]["y"] == math.log10(2000)
    assert found["layout"]["yaxis"]["title"]["text"] == "TTFT [ms], log"


@pytest.mark.parametrize("mode", MODES)
def test_heatmap_has_a_line_where_a_level_is_crossed(mode: Mode) -> None:
    lines = [(GRID, 50.0, "SLO"), (GRID / 1000, 0.01, "1% of TTFT")]
    found = validated(heatmap(MapFrame("TTFT", AXES, LOG, (10.0, 1.5), mode), GRID, lines, milliseconds))
    assert [trace["type"] for trace in found["data"]] == ["heatmap", *["contour"] * 4, *["scatter"] * 2]
    np.testing.assert_allclose(array(found["data"][0]["z"]), np.log10(GRID), rtol=1e-6)
    clicked = found["data"][5]
    assert array(clicked["x"]).tolist() == ACROSS * 2
    assert clicked["text"] == ["1 ms", "10 ms", "100 ms", "2 ms", "20 ms", "200 ms"]
    assert found["layout"]["xaxis"]["range"] == [0.0, 2.0]
    assert found["layout"]["yaxis"]["range"] == [1.0, 2.0]


def test_no_line_where_no_level_is_crossed() -> None:
    assert contour(GRID, 1000.0, "SLO", "#000000") == []
    assert contour(GRID, 0.5, "SLO", "#000000") == []
    assert contour(GRID * math.nan, 50.0, "SLO", "#000000") == []


def test_heatmap_of_nothing_known() -> None:
    nothing = GRID * math.nan
    over = MapFrame("TTFT", AXES, LOG, None, "light")
    validated(heatmap(over, nothing, [(nothing, 1.0, "SLO")] * 2, milliseconds))


def test_round_values_of_a_narrow_range() -> None:
    assert round_values(2.31, 2.33) == [10**2.31, 10**2.33]


@pytest.mark.parametrize("mode", MODES)
def test_best_map_is_pale_where_the_slo_is_missed(mode: Mode) -> None:
    place = pd.DataFrame([[0, 0, 1], [0, 1, -1]], index=UP, columns=ACROSS)
    meets = pd.DataFrame([[True, True, False], [True, True, False]], index=UP, columns=ACROSS)
    rows = [("A", 1), ("B", 2)]
    found = validated(best_map(MapFrame("Best", AXES, LOG, None, mode), place, meets, rows))
    names = [trace["name"] for trace in found["data"][1:4]]
    assert names == ["A", "B, misses the SLO", "B"]
    colors = [trace["marker"]["color"] for trace in found["data"][1:4]]
    assert colors == [row_color(1), faded(row_color(2), 0.35, mode), row_color(2)]
    np.testing.assert_array_equal(array(found["data"][0]["z"]), [[0, 0, 1], [0, 2, np.nan]])
    assert array(found["data"][4]["customdata"]).tolist() == [0, 0, 1, 0, 1, -1]
    assert found["data"][4]["text"][-1] == "none fits and sends"


def test_best_is_the_least_and_the_first_of_equals() -> None:
    picture = thinned(result(Scenario(), ("prompt_tokens=1000,20000", "bandwidth_gb_s=-1,1,100")))
    place = best(picture, "handoff_ms", [1, 2, 3])
    assert place.to_numpy().tolist() == [[-1, -1], [2, 2], [2, 2]]  # fp8 sends half; nothing is sent at -1
    assert best(picture, "handoff_ms", [1, 3]).to_numpy().tolist()[1:] == [[1, 1], [1, 1]]
    assert (place.index.tolist(), place.columns.tolist()) == ([-1, 1, 100], [1000, 20000])


def test_thinning_keeps_the_models_values() -> None:
    found = result(Scenario(), ("prompt_tokens=1:1000:lin:500", "bandwidth_gb_s=1:100:log:100"))
    picture = thinned(found)
    grid = picture.of("ttft_ms", 1)
    assert grid.shape == (60, 60)
    assert grid.iloc[-1, 0] == found.grids["ttft_ms"][1, 0, -1]
    assert (grid.columns[0], grid.columns[-1], grid.index[-1]) == (1, 1000, 100)


def test_curves_have_both_modes_and_the_band_of_the_selected_row() -> None:
    scenario = Scenario().with_workload(decode_cached_tokens=6000)
    table = curves(result(scenario, ("prompt_tokens=12000,24000",)), scenario, "handoff_ms")
    lines = {key: line["value"].tolist() for key, line in table.groupby(["deployment_id", "series"])}
    # 12,000 x 262,144 B at 200 GB/s = 15.73 ms; without 6,000 of them, in blocks of 16: half
    assert lines["split-400g", "row"][0] == pytest.approx(15.72864)
    assert lines["split-400g", "other mode"][0] == pytest.approx(15.72864 / 2)
    low = lines.get(("split-400g", "measured low"))
    assert low is None or low[0] > 15.73
    assert ("split-fp8", "other mode") not in lines


def test_needed_bandwidth_by_hand() -> None:
    # 8,192 tokens x 327,680 B within 10 ms: 268.4 GB/s
    workload = Workload(model_id="llama-3.1-70b", prompt_tokens=8192)
    table = needed_bandwidth(workload, Deployment(id="a", name="a"))
    one = table.query("measure == 'handoff' and at_most_ms == 10 and prompt_tokens == 8192")
    assert one["needed_gb_s"].item() == pytest.approx(268.4354560)
    assert one["reads"].item() == "you need 270 GB/s at 8k tokens for a handoff of 10 ms"


def test_needed_lines_have_a_gap_where_none_is_enough() -> None:
    scenario = Scenario()
    table = needed_bandwidth(scenario.workload, scenario.selected)
    for mode in MODES:
        found = validated(needed_lines(table, "<i>", 200.0, 12_000, mode))
        slo = found["data"][3]
        assert slo["name"] == "TTFT of 2 s (SLO)"
        assert slo["line"]["color"] == SURFACES[mode].slo
        assert slo["y"][-1] is None
        assert slo["text"][-1] == "no bandwidth is enough at 256k tokens for TTFT of 2 s"
        assert "&lt;i&gt;" in found["layout"]["title"]["text"]
    validated(needed_lines(table, "a", -1.0, 12_000, "light"))


def test_cliffs_are_the_last_prompts_that_meet_the_slo() -> None:
    scenario = Scenario()
    here, anywhere = cliffs(scenario.workload, scenario.selected)
    assert here < anywhere
    for bandwidth, last in ((200.0, here), (1e6, anywhere - 1)):
        found = result(scenario, (f"prompt_tokens={last},{last + 2}", f"bandwidth_gb_s={bandwidth}"))
        at, beyond = found.grids["ttft_ms"][1, :, 0]
        assert at <= 2000 < beyond


def test_the_answer_where_there_is_no_cliff() -> None:
    free = {"prefill_model": "fixed", "prefill_pass_ms": 0, "decode_model": "fixed", "decode_step_ms": 0}
    row = Deployment.model_validate({"id": "a", "name": "a*b", **free})
    none = Workload(kv_bytes_per_token=0)
    assert sentence(none, row) == "**a\\*b** meets the SLO of 2 s at any prompt."
    assert "hands nothing over" in sentence(Workload(), row.changed(kind="aggregated"))
    no_bytes = sentence(none, Deployment(id="a", name="a"))
    assert no_bytes.endswith("up to **32,990 tokens**. Beyond 32,990 tokens no bandwidth is enough.")
    slow = row.changed(prefill_pass_ms=3000.0)
    assert "at any prompt, over any link" in sentence(Workload(), slow)
    assert "misses the SLO" in sentence(Workload(), Deployment(id="a", name="a", bandwidth_gb_s=1e-5))


def test_tokens_as_one_says_them() -> None:
    assert [short(n) for n in (1, 999, 1000, 1024, 12_500, 32_768, 131_072, 2_000_000)] == [
        "1",
        "999",
        "1k",
        "1k",
        "12.5k",
        "32k",
        "128k",
        "2M",
    ]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([128, 131_072], ["1,000", "10k", "100k"]),  # three decades: one tick each
        ([18.9, 75.5], ["20", "50"]),  # within a decade: 1, 2 and 5 of it
        ([0.54, 0.92], ["0.54", "0.92"]),  # no two of those inside: both ends
        ([0.54, 0.61, 5.4], ["1", "2", "5"]),
        ([-1.0, 0.0, math.nan, None], ["1", "2", "5", "10"]),  # nothing has a logarithm
    ],
)
def test_a_log_axis_has_at_least_two_ticks(values: list[float], ticks: list[str]) -> None:
    assert log_axis("x", values)["ticktext"] == ticks


def test_a_row_that_hands_nothing_over_is_no_line_of_handoffs() -> None:
    scenario = Scenario()
    table = curves(result(scenario, ("prompt_tokens=1000:16000:log:9",)), scenario, "handoff_ms")
    colors = {row.id: row.color for row in scenario.deployments}
    found = sweep_curves(
        table, colors, "split-400g", "Prompt [tokens]", "Handoff", "ms", (True, True), None, "light"
    )
    assert "Aggregated 2 x TP4" not in {trace["name"] for trace in validated(found)["data"]}


def test_a_share_reads_in_percent() -> None:
    scenario = Scenario()
    table = curves(result(scenario, ("prompt_tokens=1000:16000:log:9",)), scenario, "handoff_share")
    colors = {row.id: row.color for row in scenario.deployments}
    axes = ("Prompt [tokens]", "Handoff's share of TTFT", "")
    found = validated(sweep_curves(table, colors, "split-400g", *axes, (True, False), None, "light"))
    assert found["layout"]["yaxis"]["tickformat"] == ".3~p"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MFU", "TTFT over MFU"),
        ("KV bytes per token", "TTFT over KV bytes per token"),
        ("Start-up", "TTFT over start-up"),
    ],
)
def test_a_fields_name_within_a_title(name: str, said: str) -> None:
    scenario = Scenario()
    table = curves(result(scenario, ("prompt_tokens=1000,16000",)), scenario, "ttft_ms")
    colors = {row.id: row.color for row in scenario.deployments}
    found = sweep_curves(
        table, colors, "split-400g", name, "TTFT", "ms", (True, True), (2000.0, "SLO"), "light"
    )
    assert found.layout.title.text == said
    assert "2,000" in found.layout.yaxis.ticktext  # the SLO is in sight, so the ticks reach it


def test_a_field_that_changes_nothing_is_named() -> None:
    # the reference link has no start-up; a calibrated one has
    scenario = Scenario()
    vary = ("prompt_tokens=1000,16000", "alpha_ms=0,10")
    assert idle_fields(result(scenario, vary), "ttft_ms") == ["alpha_ms"]
    fitted = scenario.with_row("split-fp8", link_model="calibrated")
    assert idle_fields(result(fitted, vary), "ttft_ms") == []
    assert idle_fields(result(scenario, ("mfu=0.2,0.8",)), "handoff_ms") == ["mfu"]
