"""A sweep under load says what each of its points says alone."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.compare.outcome import outcome
from aisim_model.scenario import Scenario
from aisim_model.sweep import swept, values
from aisim_model.sweep.changed import changed
from aisim_model.sweep.loaded import LOADED


@pytest.mark.parametrize(
    ("asked", "vary"),
    [
        ({"arrivals_per_s": 1.0}, {"prompt_tokens": [200, 9000], "bandwidth_gb_s": [1.0, 100.0]}),
        ({}, {"arrivals_per_s": [0.0, 0.7, 5.0, 500.0], "kv_dtype": ["bf16", "fp8"]}),
        ({}, {"requests_in_flight": [1, 7, 400], "output_tokens": [1, 300]}),
        (
            {"requests_in_flight": 16, "least_length_share": 0.8},
            {"prefill_tp": [2, 8], "itl_slo_ms": [5.0, 30.0]},
        ),
        ({"requests_in_flight": 3}, {"kv_bytes_per_token": [0, 100_000], "prompt_tokens": [1000, 500_000]}),
    ],
)
def test_each_point_is_the_rows_own(asked: dict[str, Any], vary: dict[str, list[Any]]) -> None:
    scenario = Scenario().with_workload(**asked)
    sweep = swept(scenario, [f"{field}={','.join(map(str, listed))}" for field, listed in vary.items()])
    found = values(sweep, LOADED)
    (one, firsts), (two, seconds) = vary.items()
    for row, deployment in enumerate(scenario.deployments):
        for place, first in enumerate(firsts):
            for other, second in enumerate(seconds):
                alone = outcome(*changed(scenario.workload, deployment, {one: first, two: second}))
                here = {name: float(found[name][row, place, other]) for name in LOADED}
                if alone.memory.problem is not None:
                    assert all(value != value for value in here.values())
                    continue
                expected = (
                    alone.load.arrivals_per_s,
                    alone.load.ttft_ms,
                    alone.load.itl_ms,
                    float(alone.reached.share),
                )
                assert tuple(here.values()) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_without_a_load_there_are_no_such_columns() -> None:
    assert not set(LOADED) & set(swept(Scenario(), ["prompt_tokens=1,2"]).columns)
    assert set(LOADED) < set(swept(Scenario(), ["arrivals_per_s=0,1"]).columns)
