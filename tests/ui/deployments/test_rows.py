"""What is done to whole rows, and the sentences about them."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aisim_model.compare.sensitivity import tornado
from aisim_model.compare.table import compare
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Scenario
from aisim_ui.deployments.rows import duplicated, moved_down, moved_up, without_selected
from aisim_ui.sentences.deployments import (
    matters_sentence,
    meets_sentence,
    misfit_sentences,
    unequal_sentence,
)

EXAMPLE = Scenario()


def ids(scenario: Scenario) -> list[str]:
    return [row.id for row in scenario.deployments]


def test_a_duplicate_stands_at_the_end_selected_under_its_own_name() -> None:
    found = duplicated(EXAMPLE)
    assert len(found.deployments) == 6
    assert found.selected.name == "Split, 400G NIC per GPU (2)"
    assert found.selected.changed(id="x", name="x", color=0) == EXAMPLE.selected.changed(
        id="x", name="x", color=0
    )


def test_up_and_down_move_the_selected_row_and_nothing_else() -> None:
    assert ids(moved_up(EXAMPLE))[:2] == ["split-400g", "aggregated"]
    assert moved_down(moved_up(EXAMPLE)) == EXAMPLE
    first, last = moved_up(EXAMPLE), EXAMPLE.changed(selected_id="split-tcp")
    assert moved_up(first) == first
    assert moved_down(last) == last


def test_rows_keep_their_colours_in_another_order() -> None:
    colors = {row.id: row.color for row in EXAMPLE.deployments}
    assert {row.id: row.color for row in moved_down(EXAMPLE).deployments} == colors


def test_without_its_baseline_the_first_row_is_compared_to() -> None:
    found = without_selected(EXAMPLE.changed(selected_id="aggregated"))
    assert (found.baseline_id, found.selected_id) == ("split-400g", "split-400g")


@given(data=st.data())
def test_moving_keeps_every_row(data: Any, any_scenario: Any) -> None:
    scenario = data.draw(any_scenario)
    assert sorted(ids(moved_up(scenario))) == sorted(ids(scenario))
    assert moved_down(scenario).selected == scenario.selected


def test_the_verdict_counts_what_meets_both_and_names_the_cheapest() -> None:
    said = meets_sentence(EXAMPLE, compare(EXAMPLE)).replace("\\", "")
    assert said == (
        "5 of 5 deployments meet both SLOs for one request, all on 8 GPUs; Aggregated 2 x TP4 has the "
        "shortest TTFT, 577 ms, and the cheapest tokens, 18.8 USD a million."
    )


def test_the_verdict_under_load_is_the_estimate() -> None:
    busy = EXAMPLE.with_workload(arrivals_per_s=1.8)
    said = meets_sentence(busy, compare(busy)).replace("\\", "")
    assert said.startswith("1 of 5 deployments meet both SLOs at 1.8 requests/s, all on 8 GPUs; Aggregated")


def test_a_load_that_no_row_carries_is_said() -> None:
    flooded = EXAMPLE.with_workload(arrivals_per_s=1000.0)
    assert meets_sentence(flooded, compare(flooded)) == (
        "No deployment carries 1,000 requests/s, all on 8 GPUs."
    )


def test_a_row_that_doesnt_fit_is_not_counted_and_says_why() -> None:
    bad = EXAMPLE.with_workload(model_id="llama-3.1-70b").with_row("split-400g", prefill_tp=1, decode_tp=7)
    outcomes = compare(bad)
    assert meets_sentence(bad, outcomes).startswith("4 of 5 deployments")
    (sentence,) = misfit_sentences(outcomes)
    assert "doesn't fit its GPUs: weights need 141.2 GB of each GPU" in sentence.replace("\\", "")


def test_rows_with_the_same_fault_are_told_together() -> None:
    bad = EXAMPLE.with_workload(prompt_tokens=10_000_000)
    outcomes = compare(bad)
    assert meets_sentence(bad, outcomes) == "No deployment fits its GPUs, all on 8 GPUs."
    # half as much is lacking with an fp8 cache
    aggregated, split, fp8 = (one.replace("\\", "") for one in misfit_sentences(outcomes))
    assert aggregated.startswith("Aggregated 2 x TP4 doesn't fit its GPUs: ")
    assert fp8.startswith("Split, 400G, fp8 KV doesn't fit its GPUs: ")
    assert "Split, one 100G RoCE; Split, one 100G TCP don't fit their GPUs: " in split


def test_rows_at_other_gpus_are_named() -> None:
    assert unequal_sentence(EXAMPLE) is None
    more = EXAMPLE.with_row("split-fp8", prefill_workers=2)
    assert (unequal_sentence(more) or "").replace("\\", "") == (
        "Not compared at equal GPUs: Aggregated 2 x TP4 has 8, Split, 400G, fp8 KV has 12."
    )
    assert "not at equal GPUs (8 to 12)" in meets_sentence(more, compare(more)).replace("\\", "")


def test_what_matters_most_is_said() -> None:
    moved = tornado(resolve(EXAMPLE.workload, EXAMPLE.selected))
    said = matters_sentence("Row", moved)
    assert said.startswith("For Row **prompt matters most**: from 6,000 to 24,000 tokens, TTFT goes from ")
    assert "next comes" in said
    assert matters_sentence("Row", moved.head(1)).endswith("nothing else moves it.")
    assert matters_sentence("Row", moved.head(0)).startswith("No input moves the TTFT of Row")


def test_ends_are_told_in_the_order_of_the_range_and_abbreviations_keep_their_letters() -> None:
    moved = tornado(resolve(EXAMPLE.workload, EXAMPLE.selected)).set_index("input", drop=False)
    # a hit on the prefill side shortens TTFT: from 601 ms with none to 334 ms with half the prompt
    said = matters_sentence("Row", moved.loc[["prefill_cached_tokens", "mfu"]])
    assert "prefill-side hit matters most**: from 0 to 6,000 tokens, TTFT goes from 601 ms to 334 ms" in said
    assert "next comes MFU with" in said


def test_a_row_that_doesnt_fit_has_nothing_that_matters() -> None:
    moved = tornado(resolve(EXAMPLE.workload, EXAMPLE.selected)).head(0)
    assert matters_sentence("Row", moved, True) == "Row has no TTFT to move until it fits its GPUs."


def test_the_only_row_is_named_not_counted() -> None:
    alone = EXAMPLE.changed(deployments=(EXAMPLE.selected,), baseline_id=EXAMPLE.selected_id)
    said = meets_sentence(alone, compare(alone)).replace("\\", "")
    assert said == (
        "Split, 400G NIC per GPU meets both SLOs for one request, on 8 GPUs; its TTFT is 601 ms, "
        "and its tokens cost 26.2 USD a million."
    )
    late = alone.with_workload(ttft_slo_ms=100.0)
    assert "misses an SLO for one request" in meets_sentence(late, compare(late))
