"""How single requests lie about the means: by hand where the queue is known, else beside a replay."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.spread import Spread, gamma_below, normal_below, spread
from aisim_model.scenario import Deployment, Workload
from aisim_model.traffic.equal_requests import equal_requests
from aisim_model.traffic.row_replay import replay_row


def test_a_gamma_distribution_of_two_shapes() -> None:
    # exponential: half are below ln 2 = 0.6931 of the mean; of shape 3 below 2.674 / 3 = 0.8914
    assert gamma_below(math.log(2), 1.0) == pytest.approx(0.5, abs=5e-3)
    assert gamma_below(2.674 / 3, 1 / 3) == pytest.approx(0.5, abs=5e-3)
    assert normal_below(1.959964) == pytest.approx(0.975, abs=1e-6)


def test_without_a_wait_all_requests_are_alike() -> None:
    served = service(resolve(Workload(), Deployment(id="a", name="a")), 340)
    alone = spread(served, under_load(served, 0.0))
    assert alone.ttft_at(0.99) == alone.ttft_ms == alone.ttft_at(0.5)
    assert alone.itl_at(0.99) == alone.itl_ms
    assert alone.ttft_within(alone.ttft_ms) == 1.0
    assert alone.ttft_within(alone.ttft_ms * 0.999) == 0.0


def test_an_overloaded_row_serves_nobody_in_time() -> None:
    served = service(resolve(Workload(), Deployment(id="a", name="a")), 340)
    found = spread(served, under_load(served, 50.0))
    assert found.both_within(1e9, 1e9) == 0.0
    assert math.isinf(found.ttft_at(0.5))


def test_a_wait_that_half_have() -> None:
    # exponential of mean 200 ms for half of them, after 100 ms: 3/4 within 100 + 200 ln 2, 1/2 within 100
    found = Spread(200.0, 5.0, 0.0, 0.5, 100.0, 1.0, 5.0, 0.0)
    assert found.ttft_within(100.0) == pytest.approx(0.5, abs=5e-3)
    assert found.ttft_within(99.0) == 0.0
    assert found.ttft_within(100.0 + 200.0 * math.log(2)) == pytest.approx(0.75, abs=5e-3)
    assert found.ttft_at(0.75) == pytest.approx(100.0 + 200.0 * math.log(2), rel=1e-2)


@pytest.mark.parametrize("kind", ["split", "aggregated"])
@pytest.mark.parametrize("prompt", [1, 500, 12_000])
@pytest.mark.parametrize("share", [1e-6, 0.3, 0.97])
def test_a_percentile_and_the_share_within_it_are_inverse(kind: Any, prompt: int, share: float) -> None:
    workload = Workload(prompt_tokens=prompt, output_tokens=279)
    for workers in (1, 4):
        row = Deployment(id="a", name="a", kind=kind, prefill_workers=workers, gpu="a100-80")
        served = service(resolve(workload, row), 279)
        found = spread(served, under_load(served, share * served.most_per_s))
        for quantile in (0.5, 0.9, 0.99):
            ttft_ms, itl_ms = found.ttft_at(quantile), found.itl_at(quantile)
            assert found.ttft_within(ttft_ms * (1 + 1e-9) + 1e-9) >= quantile - 1e-6
            assert found.ttft_within(ttft_ms * (1 - 1e-6) - 1e-6) <= quantile + 1e-4
            assert found.itl_within(itl_ms * (1 + 1e-9)) >= quantile - 1e-6
        assert found.ttft_at(0.5) <= found.ttft_at(0.9) <= found.ttft_at(0.99)


@pytest.mark.parametrize(
    ("row", "share"),
    [
        (Deployment(id="a", name="a"), 0.6),
        (Deployment(id="a", name="a", prefill_workers=3), 0.85),
        (Deployment(id="a", name="a", kind="aggregated", prefill_workers=2), 0.3),
    ],
)
def test_percentiles_are_near_those_of_a_replay_at_level_engine(row: Deployment, share: float) -> None:
    workload = Workload(prompt_tokens=8000, output_tokens=100)
    served = service(resolve(workload, row), 100)
    trace = equal_requests(workload, share * served.most_per_s, 2000, 1)
    replayed = replay_row(workload, row, trace, contention="fifo")
    found = spread(served, under_load(served, trace.requests_per_s()))
    for quantile in (0.5, 0.9, 0.99):
        ttft_ms = np.quantile(replayed.column("ttft_ms"), quantile)
        assert found.ttft_at(quantile) == pytest.approx(ttft_ms, rel=0.15)
        itl_ms = np.quantile(replayed.column("itl_ms"), quantile)
        assert found.itl_at(quantile) == pytest.approx(itl_ms, rel=0.25)
