"""The answer in a sentence and its four numbers, for every kind of row."""

from __future__ import annotations

import re
from typing import Any

import pytest

from aisim_model.compare.outcome import Outcome, outcome
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_ui.handoff.badges import badge, inputs_line
from aisim_ui.sentences.handoff import needed_text, numbers, range_text, sentence


def asked(workload: Workload | None = None, **values: Any) -> Outcome:
    row = Deployment.model_validate({"id": "row", "name": "Row <b>", **values})
    return outcome(workload or Workload(), row)


def test_the_example_in_a_sentence() -> None:
    one = outcome(Workload(), Scenario().selected)
    assert sentence(one, Workload()) == (
        "**The handoff adds 16 ms**, 2.6% of TTFT; prefill would be full first, at 1.73 requests/s."
    )


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"bandwidth_gb_s": 1}, "its SLO needs 2.22 GB/s: add bandwidth, or send fewer bytes"),
        ({"prefill_workers": 8}, "decode would be full first, at "),
        ({"gpu": "l40s", "decode_tp": 1}, "doesn't fit its GPUs: weights need 65.6 GB of each GPU (decode"),
        ({"gpu": "l40s", "prefill_tp": 1}, "doesn't fit its GPUs: weights need 65.6 GB of each GPU (prefill"),
        ({"pool_tokens": 100}, "a request of 12,340 tokens is more than the KV pool of a decode worker"),
        ({"first_token_from": "prefill"}, "falls before the second token"),
        ({"bandwidth_gb_s": 0}, "no handoff delay, because bandwidth is 0 GB/s: nothing is sent"),
        ({"bandwidth_gb_s": -2}, "because bandwidth is -2 GB/s"),
        ({"kind": "aggregated"}, "hands nothing over: TTFT is its prefill, 577 ms; its workers do both"),
        ({"kind": "aggregated", "gpu": "l40s", "prefill_tp": 1}, "doesn't fit its GPUs: weights need"),
    ],
)
def test_the_sentence_follows_the_numbers(values: dict[str, Any], says: str) -> None:
    said = sentence(asked(**values), Workload())
    assert says in said
    assert "<b>" not in said.replace("\\<b\\>", "")


@pytest.mark.parametrize(
    ("arrivals", "values", "says"),
    [
        (1.4, {}, "prefill would be full first"),
        (
            1.7,
            {},
            "an SLO is missed at 1.7 requests/s, and prefill is the bottleneck: add prefill, not links",
        ),
        (3.0, {}, "prefill can't keep up at 3 requests/s: add prefill, not links"),
        (500.0, {"prefill_workers": 999}, "at 500 requests/s: add decode workers, not links"),
    ],
)
def test_advice_is_given_only_where_something_is_short(
    arrivals: float, values: dict[str, Any], says: str
) -> None:
    busy = Workload(arrivals_per_s=arrivals)
    said = sentence(asked(busy, **values), busy)
    assert says in said
    assert ("add " in said) is (arrivals > 1.5)


def test_a_range_is_from_nominal_to_the_lowest_reached() -> None:
    assert range_text(asked(link="eth-100", nics_per_gpu=0.25)) == "250 ms to 3.1 s"
    assert range_text(asked()) == "16 ms"
    assert range_text(asked(link="roce-100", nics_per_gpu=0.25)).count("ms") == 1  # one unit is said once


def test_the_four_numbers_of_the_example() -> None:
    added, ttft, needed, bottleneck = numbers(outcome(Workload(), Scenario().selected), Workload())
    assert (added.value, added.beside) == ("16 ms", "3,145,728,000 bytes")
    assert "12,000 tokens sent" in added.how
    assert "15.729 ms on the wire" in added.how
    assert (ttft.value, ttft.beside, ttft.good) == ("601 ms", "SLO 2 s: 1.4 s to spare", True)
    assert "prefill 577 ms + transfer 15.7 ms + first decode step 8.44 ms" in ttft.how
    assert (needed.value, needed.beside, needed.good) == ("2.22 GB/s", "has 200 GB/s (1,600 Gb/s)", True)
    assert (bottleneck.value, bottleneck.beside) == ("prefill", "full at 1.73 requests/s")


def test_an_slo_that_is_missed_says_by_how_much_and_what_would_help() -> None:
    workload = Workload(ttft_slo_ms=100)
    _, ttft, needed, _ = numbers(asked(workload), workload)
    assert ttft.beside.endswith("ms over")
    assert ttft.good is False
    assert (needed.value, needed.good) == ("none is enough", False)


def test_no_delay_is_unknown_against_its_slo() -> None:
    added, ttft, _, bottleneck = numbers(asked(bandwidth_gb_s=0), Workload())
    assert (added.value, ttft.value, ttft.beside, ttft.good) == (
        "no delay",
        "no delay",
        "SLO 2 s: unknown",
        None,
    )
    assert bottleneck.value == "link"


# 12,000 x 262,144 B over one 400G NIC, 50 GB/s: 62.9 ms, whatever the GPUs hold
@pytest.mark.parametrize(("values", "added"), [({}, "63 ms"), ({"kind": "aggregated"}, "nothing")])
def test_a_row_that_does_not_fit_has_a_handoff_and_no_other_time(values: dict[str, Any], added: str) -> None:
    handoff, *others = numbers(asked(gpu="l40s", prefill_tp=1, decode_tp=1, **values), Workload())
    assert handoff.value == added
    assert (others[0].value, others[0].good) == ("no time", False)
    assert others[2].value == "memory"
    assert all("weights need 65.6 GB" in one.how for one in others)
    assert not any(re.search(r"\d m?s\b", f"{one.value} {one.how}") for one in others)


def test_an_aggregated_row_needs_no_link() -> None:
    added, _, needed, bottleneck = numbers(asked(kind="aggregated"), Workload())
    assert (added.value, added.beside) == ("nothing", "aggregated")
    assert (needed.value, needed.beside, needed.good) == ("none", "no link", None)
    assert bottleneck.value == "workers"
    assert needed_text(asked(kind="aggregated")) == "none"


def test_badges_say_what_each_input_is_worth() -> None:
    line = inputs_line(outcome(Workload(), Scenario().selected), kv_by_hand=False)
    assert badge("nominal") in line
    assert "from config.json" in line
    assert "fitted: roofline" in line
    by_hand = inputs_line(
        asked(bandwidth_gb_s=3, prefill_model="rate", prefill_tokens_per_s=1e4), kv_by_hand=True
    )
    assert by_hand.count(badge("yours")) >= 2
    assert "bandwidth" not in inputs_line(asked(kind="aggregated"), kv_by_hand=False)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, badge("nominal")),
        ({"alpha_ms": 1}, "yours: costs beside it"),
        ({"alpha_ms": 1, "bandwidth_gb_s": 90}, badge("measured", "calibrated")),
    ],
)
def test_a_calibrated_link_is_measured_once_it_has_a_bandwidth(values: dict[str, Any], says: str) -> None:
    line = inputs_line(asked(link_model="calibrated", **values), kv_by_hand=False)
    assert f"bandwidth {says}" in line or says in line
    assert ("calibrated" in line) is ("bandwidth_gb_s" in values)


def test_what_an_engine_does_only_when_asked_is_marked() -> None:
    assert "opt-in" not in inputs_line(asked(), kv_by_hand=False)
    assert "overlap layer :orange-badge[opt-in of the engine]" in inputs_line(
        asked(overlap="layer"), kv_by_hand=False
    )


def test_a_table_that_is_extrapolated_is_marked() -> None:
    table = ((128, 20), (8192, 170))
    said = [
        inputs_line(
            asked(Workload(prompt_tokens=tokens), prefill_model="table", prefill_table=table),
            kv_by_hand=False,
        )
        for tokens in (8192, 8193)
    ]
    assert ["extrapolated" in line for line in said] == [False, True]
