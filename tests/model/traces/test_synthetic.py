"""Traffic made by rule: rates, spreads and prefixes as asked, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from aisim_model.errors import InputError
from aisim_model.traces import (
    FixedLength,
    LengthOfTrace,
    LognormalLength,
    SyntheticTraffic,
    Trace,
    example_trace,
    synthetic_trace,
)

PLAIN = SyntheticTraffic(
    requests=20_000,
    requests_per_s=4.0,
    input_tokens=FixedLength(tokens=1000),
    output_tokens=FixedLength(tokens=100),
)


def made(drawn_from: Trace | None = None, **changes: object) -> Trace:
    return synthetic_trace(SyntheticTraffic(**(dict(PLAIN) | changes)), drawn_from)


def test_constant_arrivals_are_evenly_spaced() -> None:
    assert made(requests=4, arrivals="constant").arrival_ms.tolist() == [0, 250, 500, 750]


@pytest.mark.parametrize(("arrivals", "variation"), [("poisson", 1.0), ("bursty", 3.0)])
def test_random_gaps_have_the_mean_and_spread_asked_for(arrivals: str, variation: float) -> None:
    gaps = np.diff(made(arrivals=arrivals).arrival_ms)
    # mean 250 ms; its own standard error over 20,000 gaps is at most 250 * 3 / 141 = 5.3 ms
    assert gaps.mean() == pytest.approx(250.0, abs=4 * 250 * variation / 141)
    assert gaps.std() / gaps.mean() == pytest.approx(variation, rel=0.1)


def test_lognormal_lengths_have_their_median_and_bound() -> None:
    tokens = made(input_tokens=LognormalLength(median_tokens=2000, sigma=1.0, max_tokens=20_000)).input_tokens
    assert np.median(tokens) == pytest.approx(2000, rel=0.05)
    # a sixth lies one standard deviation up: above 2000 e = 5,437
    assert (tokens > 5437).mean() == pytest.approx(0.1587, abs=0.01)
    assert tokens.max() == 20_000
    assert tokens.min() >= 1


def test_drawn_requests_keep_their_own_output() -> None:
    azure, _ = example_trace("azure_code")
    trace = made(azure, input_tokens=LengthOfTrace(), output_tokens=LengthOfTrace())
    known = set(zip(azure.input_tokens.tolist(), azure.output_tokens.tolist(), strict=True))
    assert set(zip(trace.input_tokens.tolist(), trace.output_tokens.tolist(), strict=True)) <= known
    with pytest.raises(InputError, match="drawn_from"):
        made(input_tokens=LengthOfTrace())


def test_groups_share_the_whole_blocks_of_their_prefix_and_nothing_else() -> None:
    trace = made(requests=400, prefix_groups=3, prefix_tokens=1100, prefix_share=0.5, block_tokens=512)
    prefixed = trace.input_tokens == 2100
    assert 140 < prefixed.sum() < 260
    # 1,100 tokens fill two blocks of 512; 2,100 make five, 1,000 make two
    assert set(np.diff(trace.hash_offsets)[prefixed]) == {5}
    assert set(np.diff(trace.hash_offsets)[~prefixed]) == {2}
    prefixes = {tuple(trace.hash_ids_of(int(row))[:2].tolist()) for row in np.flatnonzero(prefixed)}
    assert len(prefixes) == 3
    shared = {item for prefix in prefixes for item in prefix}
    rest = [item for item in trace.hash_ids.tolist() if item not in shared]
    assert len(shared) == 6
    assert len(rest) == len(set(rest))


def test_equal_seeds_give_equal_traffic_and_others_do_not() -> None:
    changes = {"requests": 500, "arrivals": "bursty", "prefix_groups": 2, "prefix_tokens": 512}
    first, again, other = made(**changes), made(**changes), made(**changes, seed=1)
    for column in ("arrival_ms", "input_tokens", "hash_ids"):
        assert np.array_equal(getattr(first, column), getattr(again, column))
    assert not np.array_equal(first.arrival_ms, other.arrival_ms)


def test_another_rate_keeps_the_prompts() -> None:
    length = LognormalLength(median_tokens=2000)
    slow, fast = made(input_tokens=length), made(input_tokens=length, requests_per_s=9.0)
    assert np.array_equal(slow.input_tokens, fast.input_tokens)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"requests": 0}, "requests"),
        ({"requests_per_s": 0.0}, "requests_per_s"),
        ({"requests_per_s": float("inf")}, "requests_per_s"),
        ({"gap_variation": float("nan")}, "gap_variation"),
        ({"input_tokens": {"kind": "fixed", "tokens": 10**15}}, "tokens"),
        ({"input_tokens": {"kind": "nope"}}, "kind"),
        ({"prefix_groups": 2, "prefix_tokens": 100}, "fills no block"),
        ({"seed": -1}, "seed"),
    ],
)
def test_a_rule_out_of_range_is_refused_by_name(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        made(**changes)


def test_more_blocks_than_fit_memory_are_refused() -> None:
    with pytest.raises(InputError, match="block_tokens = 1: make 20,040,000,000 blocks in all"):
        made(block_tokens=1, prefix_groups=1, prefix_tokens=1_001_000)
    with pytest.raises(InputError, match="prefix_tokens = 9999999: and the prompt make 10,000,999 tokens"):
        made(prefix_groups=1, prefix_tokens=9_999_999)


def test_traffic_by_rule_survives_json() -> None:
    assert SyntheticTraffic.model_validate_json(PLAIN.model_dump_json()) == PLAIN
