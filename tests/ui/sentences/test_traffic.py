"""The verdict in words: what is the bottleneck, what is offered, who keeps up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, replay
from aisim_model.scenario import Deployment, Workload
from aisim_model.traces import Trace
from aisim_ui.sentences.replay import overloaded
from aisim_ui.sentences.traffic import compared, load_warning, numbers, sentence
from aisim_ui.traffic.outcome import ReplayOutcome, RowReplay

SLO = Workload(ttft_slo_ms=500.0, itl_slo_ms=25.0)


def shown(gap_ms: float = 200.0, name: str = "Split", **values: Any) -> RowReplay:
    """Return 100 prompts of 100 tokens: 100 ms of prefill, 100 MB, 5 ms a step."""
    trace = Trace(np.arange(100.0) * gap_ms, np.full(100, 100), np.full(100, 4))
    config = {
        "prefill_workers": 1,
        "decode_workers": 1,
        "bandwidth_gb_s": 10.0,
        "kv_bytes_per_token": 1_000_000,
        "prefill": fixed(100.0),
        "decode": fixed(5.0),
        "contention": "fifo",
        **values,
    }
    return Deployment(id="a", name=name), ReplayOutcome(replay(trace, ReplayConfig.model_validate(config)))


def test_who_keeps_up_says_so() -> None:
    # 100 + 10 + up to 5 ms until the running pass ends + 5
    assert sentence(shown(), SLO).startswith("**Split keeps up**")
    assert load_warning(shown()) is None


def test_prefill_that_is_asked_for_twice_what_it_can_is_the_bottleneck() -> None:
    pair = shown(gap_ms=50.0)
    assert sentence(pair, SLO).startswith("**Prefill is the bottleneck of Split**")
    assert "add prefill, not links" in sentence(pair, SLO)
    # 10,000 ms of prefill while 4,950 ms of arrivals pass: 202%
    assert overloaded(pair[1].loads) == ["prefill"]
    assert "prefill for 200%" in str(load_warning(pair))


def test_a_link_that_is_asked_for_twice_what_it_can_is_the_bottleneck() -> None:
    # 100 MB at 0.25 GB/s: 400 ms each, every 200 ms
    pair = shown(bandwidth_gb_s=0.25)
    assert sentence(pair, SLO).startswith("**The link is the bottleneck of Split**")
    assert overloaded(pair[1].loads) == ["link"]
    assert "waiting for the link" in sentence(pair, SLO)


def test_workers_that_do_both_are_named_as_such() -> None:
    pair = shown(gap_ms=50.0, prefill_workers=None, decode_workers=None, aggregated_workers=1)
    assert sentence(pair, SLO).startswith("**Its workers are the bottleneck of Split**")


def test_a_name_is_text_and_no_markup() -> None:
    assert "**x**" not in sentence(shown(name="**x** $y$"), SLO)


def test_four_numbers_stand_beneath() -> None:
    found = numbers(shown(), SLO)
    assert [one.label for one in found] == [
        "TTFT, median",
        "Goodput [requests/s]",
        "Offered load",
        "Bottleneck",
    ]
    assert found[0].good is True
    assert found[1].beside == "100% meet both SLOs"
    # 100 ms of prefill every 200 ms; one interval fewer than requests
    assert found[2].value == "prefill 51%"
    assert "GB/s on the links" in found[2].how
    assert found[3].value == "prefill"


def test_a_missed_service_level_is_bad() -> None:
    found = numbers(shown(gap_ms=50.0), SLO)
    assert found[0].good is False
    assert found[2].good is False


def test_requests_that_come_at_once_have_no_rate() -> None:
    found = numbers(shown(gap_ms=0.0), SLO)
    assert found[2].value == "all at once"
    assert found[3].value == "prefill"


@pytest.mark.parametrize(
    ("gaps", "said"),
    [
        ([200.0, 50.0], "1 of 2 deployments keeps 99%"),
        ([50.0, 50.0], "None of 2 deployments keep 99%"),
        ([200.0], "1 of 1 deployment keeps 99%"),
    ],
)
def test_deployments_are_compared_by_the_slo(gaps: list[float], said: str) -> None:
    pairs = [shown(gap_ms=gap, name=f"Row {gap:.0f}") for gap in gaps]
    found = compared(pairs, SLO)
    assert found.startswith(said)
    assert ("Row 200" in found) == (len(gaps) == 2 and 200.0 in gaps)
