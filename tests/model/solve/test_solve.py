"""Inverse questions: right answers by hand, and each solution fed back through the model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve import (
    Target,
    bandwidth_for,
    cached_tokens_for,
    links_for,
    longest_allowed,
    longest_prompt,
    sending_what_decode_lacks,
    target_of,
    with_prompt,
)

LLAMA = Workload(model_id="llama-3.1-70b", prompt_tokens=8192)
BUDGET = Target("handoff", 20.0)
TARGETS: Any = st.builds(Target, st.sampled_from(["ttft", "handoff"]), st.floats(0.01, 100_000))
slow = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


def split(**values: Any) -> Deployment:
    return Deployment(id="a", name="a", **values)


def asked(workload: Workload = LLAMA, **values: Any) -> ResolvedRow:
    return resolve(workload, split(**values))


def test_bandwidth_of_a_handoff_budget_by_hand() -> None:
    # 8,192 tokens x 327,680 B = 2,684,354,560 B in 20 ms: 134.217728 GB/s
    assert bandwidth_for(asked(), BUDGET) == 134.217728


@pytest.mark.parametrize("at_most_ms", [1.0, 3.0, 7.0, 10.0, 20.0, 33.3, 100.0, 999.9])
def test_bandwidth_is_the_least_to_the_last_bit(at_most_ms: float) -> None:
    budget = Target("handoff", at_most_ms)
    needed = bandwidth_for(asked(), budget)
    assert budget.met(asked(bandwidth_gb_s=needed))
    assert not budget.met(asked(bandwidth_gb_s=needed * (1 - 1e-15)))


def test_a_few_bytes_beside_a_long_prefill_are_solved_as_exactly() -> None:
    # 2,048 tokens of one byte take 2 us at 1 GB/s, the last digits of a TTFT of seconds
    few = Workload(kv_bytes_per_token=1, prompt_tokens=2048)
    x = asked(few, prefill_model="fixed", prefill_pass_ms=3000.0)
    needed = bandwidth_for(x, Target("ttft", 3360.0))
    assert Target("ttft", 3360.0).time_ms(replace(x, bandwidth_gb_s=needed)) == pytest.approx(
        3360.0, rel=1e-12
    )


def test_with_overlap_too_bandwidth_is_the_least_to_the_last_bit() -> None:
    # 169 ms of prefill hide all but one layer of 80: 33,554,432 B in 0.3 ms are 111.8 GB/s
    x = asked(overlap="layer", prefill_model="polynomial")
    needed = bandwidth_for(x, Target("handoff", 0.3))
    assert needed == pytest.approx(2_684_354_560 / 80 / 0.3e-3 / 1e9, rel=1e-12)
    assert Target("handoff", 0.3).met(replace(x, bandwidth_gb_s=needed))
    assert not Target("handoff", 0.3).met(replace(x, bandwidth_gb_s=math.nextafter(needed, 0.0)))


def test_bandwidth_is_asked_of_the_link_not_of_what_the_row_has() -> None:
    assert bandwidth_for(asked(bandwidth_gb_s=0), BUDGET) == pytest.approx(134.217728, rel=1e-12)


def test_orchestration_leaves_less_of_a_budget_for_the_wire() -> None:
    # 2,684,354,560 B in the 15 ms that 5 ms of orchestration leave
    needed = bandwidth_for(asked(orchestration_ms=5.0), BUDGET)
    assert needed == pytest.approx(2_684_354_560 / 15e-3 / 1e9, rel=1e-12)


def test_no_bandwidth_meets_what_the_rest_alone_misses() -> None:
    assert math.isinf(bandwidth_for(asked(orchestration_ms=20.0), BUDGET))
    assert math.isinf(bandwidth_for(asked(), Target("ttft", 1.0)))


def test_any_bandwidth_meets_what_nothing_is_sent_for() -> None:
    all_there = LLAMA.changed(decode_cached_tokens=8192)
    sends_nothing = asked(all_there, timing_mode="destination_missing", prefix_credit="tokens")
    assert bandwidth_for(sends_nothing, BUDGET) == 0.0
    assert bandwidth_for(asked(kind="aggregated"), Target("ttft", 10_000.0)) == 0.0
    assert bandwidth_for(asked(first_token_from="prefill"), Target("ttft", 10_000.0)) == 0.0


def test_links_that_bring_a_bandwidth() -> None:
    # 134.2 of 50 GB/s a NIC: 3 NICs, 0.67 for each of four GPUs; one 8 x 400G node has 400 GB/s
    found = links_for(asked(), 134.217728)
    assert found is not None
    assert (found.count, found.nics_per_gpu) == (3, pytest.approx(0.67108864))
    node = links_for(asked(link="node-8x400"), 134.217728)
    assert node is not None
    assert (node.count, node.nics_per_gpu) == (1, None)
    assert links_for(asked(), math.inf) is None


def test_longest_prompt_within_a_budget_by_hand() -> None:
    # 3,051 x 327,680 B at 50 GB/s are 19.995 ms, 3,052 are 20.0016
    one_nic = asked(bandwidth_gb_s=50)
    assert longest_prompt(one_nic, BUDGET) == 3051
    assert BUDGET.time_ms(with_prompt(one_nic, 3051.0)) == pytest.approx(19.9950336, rel=1e-12)


def test_a_longest_prompt_doesnt_depend_on_the_prompt_asked() -> None:
    assert longest_prompt(asked(LLAMA.changed(prompt_tokens=100), bandwidth_gb_s=50), BUDGET) == 3051


def test_cached_tokens_stretch_the_longest_prompt() -> None:
    # with 1,000 tokens at the decode worker 4,051 can be asked, 3,051 of them sent
    there = LLAMA.changed(decode_cached_tokens=1000)
    row = {"bandwidth_gb_s": 50, "timing_mode": "destination_missing", "prefix_credit": "tokens"}
    assert longest_prompt(asked(there, **row), BUDGET) == 4051


def test_no_prompt_and_every_prompt() -> None:
    assert longest_prompt(asked(bandwidth_gb_s=0), BUDGET) == 0
    assert longest_prompt(asked(orchestration_ms=21.0), BUDGET) == 0
    assert longest_prompt(asked(kind="aggregated"), BUDGET) == longest_allowed() == 10_000_000


def test_with_chunks_sent_during_prefill_the_first_miss_counts() -> None:
    # a full chunk of 8,192 tokens at 50 GB/s is 53.7 ms exposed; of 10,192 only the last 2,000, 13.1 ms
    chunked = asked(bandwidth_gb_s=50, overlap="chunk")
    assert longest_prompt(chunked, BUDGET) == 3051
    assert BUDGET.met(with_prompt(chunked, 10_192.0))


def test_within_a_block_a_longer_prompt_overlaps_more() -> None:
    # blocks of 1,000 tokens, 1e6 B each at 1 GB/s: 1,000 ms a block on the wire, 80 layers. Prefill at
    # 1 token/ms; n tokens, k blocks: exposed 1000 k / 80 + (1000 k - n) 79 / 80, most at a block's first
    # token. Of block 3 it is 37.5 + 999 x 79/80 = 1,024.0125 ms, one token on 1,023.025
    own = Workload(model_id="llama-3.1-70b", kv_bytes_per_token=1_000_000)
    chosen = {"timing_mode": "destination_missing", "block_size": 1000, "overlap": "layer"}
    times = {"prefill_model": "rate", "prefill_tokens_per_s": 1000.0, "bandwidth_gb_s": 1.0}
    x = asked(own, **chosen, **times)
    assert Target("handoff", 2.0).time_ms(with_prompt(x, 2001.0)) == pytest.approx(1024.0125)
    assert longest_prompt(x, Target("handoff", 1024.0)) == 2000
    assert longest_prompt(x, Target("handoff", 1024.1)) == 3000


def test_share_that_decode_must_hold_by_hand() -> None:
    # of 8,192 tokens 3,051 can be sent in 20 ms, so 5,141 must be there; in blocks of 16, 322 blocks
    assert cached_tokens_for(asked(bandwidth_gb_s=50, prefix_credit="tokens"), BUDGET) == 5141
    assert cached_tokens_for(asked(bandwidth_gb_s=50, block_size=16), BUDGET) == 322 * 16


def test_a_share_where_none_is_needed_and_where_none_helps() -> None:
    assert cached_tokens_for(asked(), Target("handoff", 1000.0)) == 0
    assert cached_tokens_for(asked(engine="trtllm", bandwidth_gb_s=50), BUDGET) is None
    assert cached_tokens_for(asked(orchestration_ms=21.0), BUDGET) is None


def test_the_target_is_the_budget_given_then_the_workloads_then_the_slo() -> None:
    own = LLAMA.changed(handoff_budget_ms=30.0)
    assert target_of(own, 20.0) == BUDGET
    assert target_of(own) == Target("handoff", 30.0)
    assert target_of(LLAMA) == Target("ttft", 2000.0)


@slow
@given(data=st.data(), target=TARGETS)
def test_a_solved_bandwidth_meets_its_target(data: Any, target: Target, any_asked: Any) -> None:
    x = resolve(*data.draw(any_asked))
    needed = bandwidth_for(x, target)
    if math.isinf(needed):
        assert not target.met(replace(x, bandwidth_gb_s=1e15)) or target.time_ms(
            replace(x, bandwidth_gb_s=1e15)
        ) == pytest.approx(target.at_most_ms, rel=1e-6)
    elif needed == 0:
        assert target.met(replace(x, bandwidth_gb_s=1e-9))
    else:
        met_ms = float(target.time_ms(replace(x, bandwidth_gb_s=needed)))
        assert met_ms == pytest.approx(target.at_most_ms, rel=1e-9)
        assert target.met(replace(x, bandwidth_gb_s=needed))
        assert not target.met(replace(x, bandwidth_gb_s=math.nextafter(needed, 0.0)))


@slow
@given(data=st.data(), target=TARGETS)
def test_one_token_more_than_a_solved_prompt_flips_the_verdict(
    data: Any, target: Target, any_asked: Any
) -> None:
    x = resolve(*data.draw(any_asked))
    longest = longest_prompt(x, target)
    if longest > 0:
        assert target.met(with_prompt(x, float(longest)))
    if longest < longest_allowed():
        assert not target.met(with_prompt(x, longest + 1.0))


@slow
@given(data=st.data(), target=TARGETS)
def test_one_token_less_than_a_solved_share_flips_the_verdict(
    data: Any, target: Target, any_asked: Any
) -> None:
    x = resolve(*data.draw(any_asked))
    sending = sending_what_decode_lacks(x)
    cached = cached_tokens_for(x, target)
    if cached is None:
        assert not target.met(replace(sending, decode_cached_tokens=x.prompt_tokens))
        return
    assert target.met(replace(sending, decode_cached_tokens=float(cached)))
    if cached > 0:
        assert not target.met(replace(sending, decode_cached_tokens=cached - 1.0))
