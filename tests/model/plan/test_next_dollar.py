"""What is bought first, and what a doubled link moves: the worked example on 8 H200."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aisim_model.compare.outcome import outcome
from aisim_model.plan.next_dollar import WORTH, first_bought, next_changes
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.spread import spread
from aisim_model.scenario import Deployment, Workload

EXAMPLE = Workload(arrivals_per_s=1.2)
SPLIT = Deployment(id="a", name="a")


def p99_ttft_ms(row: Deployment) -> float:
    served = service(resolve(EXAMPLE, row), EXAMPLE.output_tokens)
    return float(spread(served, under_load(served, EXAMPLE.arrivals_per_s)).ttft_at(0.99))


def test_prefill_is_bought_first() -> None:
    found = first_bought(next_changes(EXAMPLE, SPLIT))
    assert found is not None
    assert found.name == "prefill_worker"
    assert found.usd_per_hour == pytest.approx(4 * 5.75)
    # one prefill worker more carries about as much again
    assert found.carries_per_s == pytest.approx(2 * outcome(EXAMPLE, SPLIT).most_per_s, rel=0.15)


def test_doubling_the_link_moves_p99_ttft_by_less_than_a_hundredth() -> None:
    once, twice = p99_ttft_ms(SPLIT), p99_ttft_ms(SPLIT.changed(nics_per_gpu=2.0))
    assert 0.0 < 1.0 - twice / once < 0.01


def test_over_tcp_at_what_it_reaches_the_link_comes_first() -> None:
    # one 100G NIC for four GPUs, TCP: at 1 GB/s the handoff alone takes 3.1 s, twice the NICs make it 1.6 s
    tcp = SPLIT.changed(link="eth-100", nics_per_gpu=0.25)
    reached = resolve(EXAMPLE, tcp).measured_low_gb_s
    assert reached is not None
    slow = tcp.changed(bandwidth_gb_s=reached)
    found = first_bought(next_changes(EXAMPLE, slow))
    assert found is not None
    assert found.name == "nics"


def test_over_tcp_at_the_most_it_reaches_the_link_comes_first_too() -> None:
    # 3 GB/s: 1.05 s of handoff carry 0.95 requests/s, where prefill carries 1.7
    fast = SPLIT.changed(link="eth-100", nics_per_gpu=0.25, bandwidth_gb_s=3.0)
    found = first_bought(next_changes(EXAMPLE, fast))
    assert found is not None
    assert found.name == "nics"


def test_nothing_is_worth_it_where_no_load_meets_the_targets() -> None:
    impossible = EXAMPLE.changed(ttft_slo_ms=10.0)
    assert not any(one.carries_per_s for one in next_changes(impossible, SPLIT))
    assert all(one.nearer >= WORTH * one.nearer for one in next_changes(impossible, SPLIT) if one.worth)


def test_a_change_is_the_row_with_it() -> None:
    base = outcome(EXAMPLE, SPLIT)
    for one in next_changes(EXAMPLE, SPLIT):
        again = outcome(EXAMPLE, one.row)
        assert one.carries_per_s == again.most_per_s
        assert one.gained_per_s == again.most_per_s - base.most_per_s
        assert replace(one) == one


def test_a_prefix_that_decode_holds_may_be_routed_to() -> None:
    cached = EXAMPLE.changed(decode_cached_tokens=6144)
    names = [one.name for one in next_changes(cached, SPLIT) if one.worth]
    assert names[0] == "prefix_routing"
