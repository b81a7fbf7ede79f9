"""Watts idle and busy, and the energy of tokens."""

import math

import pytest

from aisim_model.compare.outcome import outcome
from aisim_model.row.energy import Energy
from aisim_model.scenario import Deployment, Workload


def test_idle_and_busy_add_up_by_kind_of_gpu_and_utilisation() -> None:
    # four H100 of 700 W and four B200 of 1,000 W: 0.15 of 6,800 W idle
    row = Deployment(id="a", name="a", gpu="h100-sxm", decode_gpu="b200", usd_per_kwh=0.2)
    found = outcome(Workload(prompt_tokens=2000, arrivals_per_s=1.0), row)
    assert found.energy.idle_watts == pytest.approx(1020.0)
    load = found.load
    busy = 0.85 * (2800 * load.prefill_utilisation + 4000 * load.decode_utilisation)
    assert found.energy.busy_watts == pytest.approx(busy)
    kwh = (1020.0 + busy) / 340 * 1e6 / 3.6e6  # 340 tokens a second
    assert found.energy.kwh_per_million_tokens == pytest.approx(kwh)
    assert found.energy.usd_per_million_tokens == pytest.approx(0.2 * kwh)
    assert found.energy.tokens_per_joule == pytest.approx(340 / (1020.0 + busy))


def test_no_load_draws_and_gives_nothing_and_unknown_power_stays_unknown() -> None:
    idle = outcome(Workload(), Deployment(id="a", name="a")).energy
    assert (idle.busy_watts, idle.tokens_per_joule, idle.kwh_per_million_tokens) == (0.0, 0.0, math.inf)
    assert math.isnan(idle.usd_per_million_tokens)
    assert math.isnan(outcome(Workload(), Deployment(id="a", name="a", gpu="h20-3e")).energy.watts)
    assert math.isnan(Energy(math.nan, math.nan, 1.0).kwh_per_million_tokens)


def test_overload_draws_no_more_than_all() -> None:
    found = outcome(Workload(arrivals_per_s=1000.0), Deployment(id="a", name="a"))
    assert found.load.overloaded
    assert found.energy.watts <= 8 * 700
