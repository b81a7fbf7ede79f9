"""Charts as data: valid figures, a row's colour and id on its mark, units, nothing that JSON lacks."""

from __future__ import annotations

import json
import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from aisim_model.compare.table import compare, table
from aisim_model.scenario import Deployment, Scenario
from aisim_ui.charts.delay_curve import delay_curve
from aisim_ui.charts.difference_bars import difference_bars
from aisim_ui.charts.mode_bar import chart_config
from aisim_ui.charts.silicon import silicon_errors, silicon_scatter
from aisim_ui.charts.ttft_bars import ttft_bars
from aisim_ui.evidence.silicon import by_field, every_row, shown_rows
from aisim_ui.handoff.curves import LONGEST, POINTS, SHORTEST, delay_over_prompt
from aisim_ui.theme import ROW_COLORS, SURFACES, Mode, faded, row_color, template

MODES: tuple[Mode, ...] = ("light", "dark")
NO_DELAY = Scenario().with_row("split-400g", bandwidth_gb_s=0).with_row("split-tcp", name="<b>x</b> & y")


def drawn(scenario: Scenario, mode: Mode = "light") -> dict[str, go.Figure]:
    found = table(scenario, compare(scenario))
    slots = [row.color for row in scenario.deployments]
    by_id = {row.id: row.color for row in scenario.deployments}
    workload = scenario.workload
    return {
        "bars": ttft_bars(found, slots, scenario.selected_id, workload.ttft_slo_ms, mode),
        "difference": difference_bars(found, slots, scenario.baseline.name, mode),
        "curve": delay_curve(
            delay_over_prompt(scenario), by_id, scenario.selected_id, workload.prompt_tokens, mode
        ),
    }


def spec(figure: go.Figure) -> dict[str, Any]:
    """Return a figure as a browser gets it, checked to be one and to be JSON."""
    found: dict[str, Any] = json.loads(figure.to_json(), parse_constant=pytest.fail)
    go.Figure(found)  # validates every name and value in it
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scenario", [Scenario(), NO_DELAY], ids=["example", "no delay"])
@pytest.mark.parametrize("name", ["bars", "difference", "curve"])
def test_a_chart_is_valid_and_says_what_in_which_unit(scenario: Scenario, mode: Mode, name: str) -> None:
    layout = spec(drawn(scenario, mode)[name])["layout"]
    assert layout["title"]["text"]
    assert "ms" in layout["xaxis"]["title"]["text"] + layout["yaxis"].get("title", {}).get("text", "")
    assert layout["template"]["layout"]["paper_bgcolor"] == SURFACES[mode].background


def test_bars_carry_the_rows_ids_in_order() -> None:
    ids = [row.id for row in Scenario().deployments]
    for trace in spec(drawn(Scenario())["bars"])["data"]:
        if "customdata" in trace:
            assert trace["customdata"] == trace["y"] == ids


def test_bars_stack_to_the_ttft() -> None:
    found = table(Scenario(), compare(Scenario()))
    traces = [
        one for one in spec(drawn(Scenario())["bars"])["data"] if one["type"] == "bar" and "customdata" in one
    ]
    for at, ttft_ms in enumerate(found["ttft_ms"]):
        assert math.fsum(trace["x"][at] or 0 for trace in traces) == pytest.approx(ttft_ms)


def test_the_slo_has_its_line_and_its_label() -> None:
    layout = spec(drawn(Scenario())["bars"])["layout"]
    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"]] == [(2000, 2000)]
    assert layout["annotations"][0]["text"] == "SLO 2,000 ms"


def test_an_slo_far_beyond_leaves_the_bars_their_room_and_is_named() -> None:
    # a prompt of 128 tokens takes tens of ms on every row, at the lowest bandwidth reached 64 ms
    layout = spec(drawn(Scenario().with_workload(prompt_tokens=128))["bars"])["layout"]
    assert layout["annotations"][0]["text"] == "SLO 2,000 ms →"
    assert 40 < layout["xaxis"]["range"][1] < 500
    assert "shapes" not in layout


def test_the_selected_row_is_marked_and_no_other() -> None:
    labels = spec(drawn(Scenario())["bars"])["layout"]["yaxis"]["ticktext"]
    assert [label for label in labels if "◂" in label] == ["<b>Split, 400G NIC per GPU ◂</b>"]


def test_the_band_of_what_was_reached_ends_at_the_slowest() -> None:
    found = table(Scenario(), compare(Scenario())).set_index("deployment_id")
    (marks,) = [one for one in spec(drawn(Scenario())["bars"])["data"] if one.get("mode") == "markers"]
    slow = dict(zip(marks["y"], marks["x"], strict=True))
    assert slow["split-400g"] is None
    # all but the handoff as it is, the handoff at 1 GB/s
    assert slow["split-tcp"] == pytest.approx(found["ttft_ms"]["split-tcp"] - 251.65824 + 3145.728)


def test_a_row_without_a_time_keeps_its_place_and_says_why() -> None:
    # DeepSeek-V3 in bf16 is 671e9 x 2 B: four H200 don't hold it
    bars = spec(drawn(Scenario().with_workload(model_id="deepseek-v3"))["bars"])["data"]
    (said,) = [one for one in bars if one.get("mode") == "text"]
    assert said["y"] == [row.id for row in Scenario().deployments]
    assert said["text"] == [" doesn't fit its GPUs"] * 5


def test_a_row_keeps_its_colour_in_every_chart_and_order() -> None:
    scenario = Scenario()
    turned = scenario.changed(deployments=scenario.deployments[::-1])
    for one in (scenario, turned):
        charts = drawn(one)
        (transfer,) = [
            t for t in spec(charts["bars"])["data"] if t["name"] == "Transfer" and "customdata" in t
        ]
        difference = spec(charts["difference"])["data"][0]
        for row_id, color in (("split-400g", "#4477AA"), ("split-tcp", "#CC3311")):
            assert transfer["marker"]["color"][transfer["y"].index(row_id)] == color
            assert difference["marker"]["color"][difference["y"].index(row_id)] == color
        lines = {line["name"]: line["line"]["color"] for line in spec(charts["curve"])["data"]}
        assert lines["Split, 400G NIC per GPU"] == "#4477AA"
        assert lines["Split, one 100G TCP"] == "#CC3311"


def test_names_from_outside_are_text_in_every_chart() -> None:
    for figure in drawn(NO_DELAY.changed(baseline_id="split-tcp")).values():
        text = json.dumps(spec(figure), ensure_ascii=False)
        assert "<b>x</b>" not in text
        assert "&lt;b&gt;x&lt;/b&gt; &amp; y" in text


def test_a_row_without_a_delay_says_so() -> None:
    figure = spec(drawn(NO_DELAY)["difference"])
    (bars,) = figure["data"]
    assert bars["x"][bars["y"].index("split-400g")] is None
    assert ("split-400g", "no delay is known") in [
        (one["y"], one["text"]) for one in figure["layout"]["annotations"]
    ]


def test_rows_of_the_same_delays_share_a_striped_line() -> None:
    lines = {line["name"]: line["line"]["dash"] for line in spec(drawn(Scenario())["curve"])["data"]}
    # both links are 12.5 GB/s nominal: the second is drawn over the first, half of it left open
    assert lines["Split, one 100G RoCE"] == "solid"
    assert lines["Split, one 100G TCP"] == "10px,10px"
    assert lines["Split, 400G NIC per GPU: only what decode lacks"] == "dash"
    third = Scenario().with_row("split-fp8", bandwidth_gb_s=6.25)
    (fp8, roce, tcp) = [
        line["line"]["dash"] for line in spec(drawn(third)["curve"])["data"] if line["line"]["dash"] != "dash"
    ][1:]
    # half the bytes over half the bandwidth: three lines in one, a third of each in sight
    assert (fp8, roce, tcp) == ("solid", "20px,10px", "10px,20px")


def test_a_delay_of_nothing_is_a_gap_on_a_log_axis() -> None:
    held = Scenario().with_workload(decode_cached_tokens=12_000)
    (missing,) = [
        one for one in spec(drawn(held)["curve"])["data"] if one["name"].endswith("only what decode lacks")
    ]
    assert missing["x"][0] == 128  # of which decode holds all, in whole blocks of 16
    assert missing["y"][0] is None
    assert missing["y"][-1] > 0


def test_a_long_name_leaves_a_chart_its_room() -> None:
    long = Scenario().with_row("split-tcp", name="W" * 60)
    for name, figure in drawn(long).items():
        text = json.dumps(spec(figure), ensure_ascii=False)
        assert "W" * 29 not in text, name
        assert f"{'W' * 28}<br>{'W' * 27}…" in text, name


def test_the_legend_of_parts_is_in_the_order_of_the_bar() -> None:
    bars = spec(drawn(Scenario())["bars"])
    named = [one["name"] for one in bars["data"] if one.get("showlegend") is not False]
    assert named == ["Prefill", "Transfer", "First decode step", "at the lowest bandwidth reached"]
    assert bars["layout"]["legend"]["traceorder"] == "normal"


def test_the_curve_runs_over_decades_with_few_points() -> None:
    found = pd.DataFrame(delay_over_prompt(Scenario()))
    for _, line in found.groupby(["deployment_id", "series"]):
        assert len(line) <= POINTS
        assert line["prompt_tokens"].is_monotonic_increasing
    assert (found["prompt_tokens"].min(), found["prompt_tokens"].max()) == (SHORTEST, LONGEST)


def test_the_selected_row_has_both_modes_and_its_measured_band() -> None:
    scenario = Scenario().changed(selected_id="split-tcp").with_workload(decode_cached_tokens=6000)
    found = pd.DataFrame(delay_over_prompt(scenario))
    mine = found[found["deployment_id"] == "split-tcp"]
    assert mine["series"].unique().tolist() == ["row", "measured low", "other mode"]
    assert found[found["deployment_id"] != "split-tcp"]["series"].unique().tolist() == ["row"]
    whole, missing = (
        mine[mine["series"] == name].set_index("prompt_tokens") for name in ("row", "other mode")
    )
    assert (missing["handoff_ms"] <= whole["handoff_ms"]).all()
    # 1,000,000 tokens of which decode holds 6,000, x 262,144 B at 12.5 GB/s
    assert missing["handoff_ms"][LONGEST] == pytest.approx(994_000 * 262_144 / 12.5e9 * 1000)


def test_without_a_split_row_there_is_a_curve_of_nothing() -> None:
    row = Deployment(id="a", name="A", kind="aggregated")
    scenario = Scenario(deployments=(row,), selected_id="a", baseline_id="a")
    assert not any(delay_over_prompt(scenario).values())
    assert spec(drawn(scenario)["curve"])["data"] == []


def test_a_chart_is_saved_and_never_sent() -> None:
    config = chart_config("TTFT: by part", "svg")
    assert config["displaylogo"] is False
    assert "sendChartToCloud" in config["modeBarButtonsToRemove"]
    assert config["toImageButtonOptions"]["format"] == "svg"
    assert config["toImageButtonOptions"]["filename"].startswith("aisim-ttft-by-part-v")


def test_slots_beyond_the_palette_begin_again() -> None:
    assert row_color(len(ROW_COLORS)) == row_color(0)
    assert len(set(ROW_COLORS)) == len(ROW_COLORS)


def test_a_tint_lies_between_its_colour_and_the_surface() -> None:
    assert faded("#4477AA", 1.0, "light") == "#4477AA"
    assert faded("#4477AA", 0.0, "dark") == SURFACES["dark"].background
    assert faded("#000000", 0.5, "light") == "#808080"


@pytest.mark.parametrize("mode", MODES)
def test_text_stands_out_from_its_surface(mode: Mode) -> None:
    def luminance(color: str) -> float:
        channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    surface = SURFACES[mode]
    for color in (surface.text, surface.quiet, surface.slo):
        light, dark = sorted((luminance(color), luminance(surface.background)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5  # WCAG AA
    assert template(mode) is template(mode)


def test_silicon_charts_are_valid_figures() -> None:
    rows = shown_rows(every_row(), "tpot", "roofline").head(200)
    for drawn in (silicon_scatter(rows, "TPOT", "light"), silicon_errors(by_field(rows), "TPOT", "dark")):
        go.Figure(drawn.to_dict())
