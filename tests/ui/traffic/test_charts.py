"""Charts of traffic as data: valid figures in both schemes, units, the parts of a TTFT, names as text."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, ReplayResult, replay
from aisim_model.traces import Trace
from aisim_ui.charts.cdf import cdf
from aisim_ui.charts.gantt import timeline
from aisim_ui.charts.utilisation import utilisation
from aisim_ui.charts.waits import waits
from aisim_ui.theme import ROW_COLORS, Mode
from aisim_ui.traffic import tables
from aisim_ui.traffic.time import over_time

HOSTILE = "<a href='http://192.0.2.1'>x</a>"
MODES: tuple[Mode, ...] = ("light", "dark")


def replayed(split: bool = True) -> ReplayResult:
    trace = Trace(np.arange(30.0) * 20.0, np.full(30, 128), np.full(30, 3))
    workers = {"prefill_workers": 1, "decode_workers": 1} if split else {"aggregated_workers": 1}
    config = ReplayConfig.model_validate(
        {
            **workers,
            "bandwidth_gb_s": 10.0,
            "kv_bytes_per_token": 1_000_000,
            "prefill": fixed(30.0),
            "decode": fixed(5.0),
            "contention": "fifo",
        }
    )
    return replay(trace, config)


def curve(result: ReplayResult) -> Any:
    return tables.cumulative(result, "ttft_ms").assign(deployment_id="a", deployment=HOSTILE, color=1)


def figures(result: ReplayResult, mode: Mode) -> dict[str, go.Figure]:
    return {
        "cdf": cdf(curve(result), "TTFT", "a", 100.0, mode),
        "waits": waits(tables.waits_by_percentile(result), HOSTILE, 1, 100.0, mode),
        "use": utilisation(over_time(result), HOSTILE, 1, mode),
        "timeline": timeline(tables.gantt(result, 300.0), HOSTILE, 1, 0.3, mode),
    }


def spec(figure: go.Figure) -> dict[str, Any]:
    """Return a figure as a browser gets it, checked to be one and to be JSON."""
    found: dict[str, Any] = json.loads(figure.to_json(), parse_constant=pytest.fail)
    go.Figure(found)  # validates every name and value in it
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("split", [True, False], ids=["split", "aggregated"])
@pytest.mark.parametrize("name", ["cdf", "waits", "use", "timeline"])
def test_a_chart_is_valid_and_says_its_units(name: str, split: bool, mode: Mode) -> None:
    found = spec(figures(replayed(split), mode)[name])
    assert found["layout"]["title"]["text"]
    axis = found["layout"]["xaxis"]
    said = [axis["title"]["text"], *axis.get("ticktext", [])]  # a log axis has the unit at every tick
    assert any(unit in text for unit in ("ms", "[s]", " s") for text in said)
    assert sum(len(one.get("x") or []) for one in found["data"]) <= 1000


@pytest.mark.parametrize("name", ["cdf", "waits", "use", "timeline"])
def test_a_name_is_text_and_no_markup(name: str) -> None:
    assert "<a href" not in json.dumps(spec(figures(replayed(), "light")[name]))


def test_a_curve_has_its_rows_colour_and_id() -> None:
    line = spec(cdf(curve(replayed()), "TTFT", "a", None, "light"))["data"][0]
    assert line["line"]["color"] == ROW_COLORS[1]
    assert set(line["customdata"]) == {"a"}


def test_a_curve_of_nothing_but_zeros_stands_on_its_log_axis() -> None:
    table = curve(replayed())
    table["milliseconds"] = 0.0
    assert min(spec(cdf(table, "Handoff", "a", None, "light"))["data"][0]["x"]) > 0


def test_a_bar_of_waits_is_as_long_as_its_ttft() -> None:
    result = replayed()
    found = spec(waits(tables.waits_by_percentile(result), "a", 1, 100.0, "light"))
    longest = sum(one["x"][-1] or 0.0 for one in found["data"])
    assert longest == pytest.approx(result.column("ttft_ms").max())


def test_long_waits_are_in_seconds_and_the_slo_has_its_name() -> None:
    bands = tables.waits_by_percentile(replayed())
    parts = [name for name in bands if name.endswith("_ms")]
    long = bands.assign(**{name: bands[name] * 1000 for name in parts})
    found = spec(waits(long, "a", 1, 2000.0, "light"))
    assert found["layout"]["xaxis"]["title"]["text"] == "mean of the band [s]"
    assert found["layout"]["shapes"][0]["x0"] == 2.0  # 2,000 ms
    assert found["layout"]["annotations"][-1]["text"] == "SLO 2 s"
    # the parts of a band, in s, add up to its TTFT, in ms, over 1,000
    total = sum((trace["x"][-1] or 0.0) for trace in found["data"])
    assert total == pytest.approx(long["ttft_ms"].iloc[-1] / 1000)


def test_the_line_of_the_slo_is_drawn_where_bars_reach_it() -> None:
    bands = tables.waits_by_percentile(replayed())
    assert spec(waits(bands, "a", 1, 100.0, "light"))["layout"]["shapes"]
    assert not spec(waits(bands, "a", 1, 1e6, "light"))["layout"].get("shapes")


def test_pieces_of_a_request_follow_each_other() -> None:
    found = spec(timeline(tables.gantt(replayed(), 300.0, most=1), "a", 1, 0.3, "light"))
    pieces = sorted((one["base"][0], one["x"][0]) for one in found["data"])
    for (start, length), (next_start, _) in pairwise(pieces):
        assert start + length == pytest.approx(next_start)


def test_a_timeline_says_where_its_bars_are_cut() -> None:
    # 30 prompts of 30 ms arrive 20 ms apart: those around 0.9 s have queued for longer than the chart is wide
    late = spec(timeline(tables.gantt(replayed(), 890.0, most=2), "a", 1, 0.89, "light"))
    early = spec(timeline(tables.gantt(replayed(), 10.0, most=1), "a", 1, 0.01, "light"))
    assert late["layout"]["xaxis"]["title"]["text"].endswith("queues reach further back")
    assert early["layout"]["xaxis"]["title"]["text"] == "time after the first arrival [s]"
