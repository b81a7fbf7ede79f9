"""Load or recompute: times by hand, the crossing to the token, and published pulls and recomputes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.catalog import Tier, tier, tiers
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve.reuse import load_ms, loads_faster_from, recompute_ms


def row(model: str, **values: object) -> ResolvedRow:
    given_row = {"id": "a", "name": "a", "kind": "aggregated", "prefill_tp": 1, **values}
    return resolve(Workload(model_id=model), Deployment.model_validate(given_row))


def store(bandwidth_gb_s: float, start_up_ms: float) -> Tier:
    return tier("nvme-ssd").model_copy(
        update={"bandwidth_gb_s": bandwidth_gb_s, "start_up_ms": start_up_ms, "scope": "node"}
    )


def test_ranks_load_side_by_side_where_the_bandwidth_is_theirs() -> None:
    # 131,072 B/token x 10,000 = 1.31072 GB: 26.2144 ms at 50 GB/s, half of it on each of two GPUs;
    # one drive at 6.5 GB/s takes 201.649 ms however many GPUs wait for it
    for tp, host_ms in ((1, 26.2144), (2, 13.1072)):
        x = row("llama-3.1-8b", prefill_tp=tp)
        assert load_ms(x, 10_000.0, tier("host-pcie5")) == pytest.approx(host_ms)
        assert load_ms(x, 10_000.0, tier("nvme-ssd")) == pytest.approx(201.649, abs=1e-3)


def test_the_crossing_is_where_the_start_up_is_earned_back() -> None:
    # 0.1 ms a token computed; loaded 20 ms and 131,072 B / 6.5536 GB/s = 0.02 ms a token: 20 / 0.08 = 250,
    # where both take 25 ms, so from 251 on
    x = row("llama-3.1-8b", prefill_model="rate", prefill_tokens_per_s=10_000.0)
    found = loads_faster_from(x, store(6.5536, 20.0), 131_072)
    assert (found.answer, found.from_tokens) == ("found", 251)
    assert loads_faster_from(x, store(1.0, 0.0), 131_072).answer == "never"  # 0.131 ms a token
    assert loads_faster_from(x, store(6.5536, 0.0), 131_072).answer == "always"


@given(st.floats(0.5, 500.0), st.floats(0.0, 2_000.0))
def test_at_the_crossing_loading_is_faster_and_just_before_it_is_not(gb_s: float, start_up_ms: float) -> None:
    x, kept = row("llama-3.1-8b"), store(gb_s, start_up_ms)
    found = loads_faster_from(x, kept, 100_000)
    if found.from_tokens is not None:
        assert load_ms(x, float(found.from_tokens), kept) < recompute_ms(x, float(found.from_tokens))
    if found.answer == "found" and found.from_tokens is not None:
        before = float(found.from_tokens - 1)
        assert load_ms(x, before, kept) >= recompute_ms(x, before)


def test_published_pulls_are_a_start_up_and_a_bandwidth() -> None:
    # gpt-oss-120b on H200, pulls at 2k to 48k tokens. 36,864 B a token grow; from the ends, 200 ms for
    # 47,104 tokens: 8.68 GB/s, and 35 ms less 8.7 ms for 2,048 tokens leaves 26 ms of start-up.
    pulls = {2048: 35.0, 8192: 57.0, 16_384: 86.0, 32_768: 165.0, 49_152: 235.0}
    x, kept = row("gpt-oss-120b", gpu="h200"), store(8.68, 26.0)
    for tokens, measured_ms in pulls.items():
        assert load_ms(x, float(tokens), kept) == pytest.approx(measured_ms, rel=0.30), tokens
        assert load_ms(x, float(tokens), kept) < recompute_ms(x, float(tokens))


def test_every_tier_says_where_its_figure_is_from() -> None:
    assert len(tiers()) == 4
    for one in tiers():
        assert one.source
        assert one.bandwidth_is == "measured"
        assert one.start_up_ms > 0 or "no start-up is published" in one.note
