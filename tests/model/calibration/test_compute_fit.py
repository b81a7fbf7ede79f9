"""A row's own roofline: published idle lines, loads of its own, and what runs can't tell."""

from __future__ import annotations

import pytest

from aisim_model.calibration.benchmark_runs import BenchmarkRun, read_runs
from aisim_model.calibration.compute_fit import CLIENT, fit_compute, predict
from aisim_model.errors import InputError
from aisim_model.passes.constants import constants
from aisim_model.scenario import Deployment, Workload

LENGTHS = (256, 2_000, 8_000, 20_000, 60_000, 120_000)
ROW = Deployment(id="a", name="a", kind="aggregated", gpu="h100-sxm", prefill_tp=1)
LLAMA = Workload(model_id="llama-3.1-8b")


def runs_of(row: Deployment, client_ms: float = 0.0) -> list[BenchmarkRun]:
    """What a benchmark of a row would say if our own model were right."""
    found = []
    for prompt, output, many in (
        (500, 300, 1),
        (500, 300, 32),
        (8000, 200, 4),
        (30_000, 100, 2),
        (100, 50, 8),
    ):
        ttft_ms, tpot_ms = predict(
            LLAMA.changed(prompt_tokens=prompt, output_tokens=output, requests_in_flight=many), row
        )
        found.append(BenchmarkRun(len(found) + 1, prompt, output, many, None, ttft_ms + client_ms, tpot_ms))
    return found


# vLLM's published idle lines, ITL = a + b n at one request; then 8 in flight of 20,000 tokens, 2,000 out
@pytest.mark.parametrize(
    ("kv_dtype", "line", "loaded_ms"), [("bf16", (6.44, 4.37e-5), 15.18), ("fp8", (6.58, 2.37e-5), 12.93)]
)
def test_idle_lines_tell_what_eight_in_flight_take(
    kv_dtype: str, line: tuple[float, float], loaded_ms: float
) -> None:
    rows = [f"{length},128,1,{line[0] + line[1] * (length + 64):.5f}" for length in LENGTHS]
    row = ROW.changed(kv_dtype=kv_dtype)
    fit = fit_compute(LLAMA, row, read_runs("\n".join(["prompt,output,concurrency,tpot_ms", *rows])))
    asked = LLAMA.changed(prompt_tokens=20_000, output_tokens=2_000, requests_in_flight=8)
    assert predict(asked, row.changed(**fit.row_fields))[1] == pytest.approx(loaded_ms, rel=0.1)
    assert fit.error < 0.01 < fit.before_error
    assert fit.untold == ("floor_scale",)  # one model on one GPU: weights or launches, who knows


def test_a_row_of_our_own_is_found_again() -> None:
    own = {"floor_scale": 1.4, "weight_efficiency": 0.55, "kv_efficiency": 0.5, "mfu": 0.4}
    fit = fit_compute(LLAMA, ROW, runs_of(ROW.changed(**own), client_ms=80.0))
    assert fit.error < 0.01
    assert fit.left_out_error < 0.05
    for name, value in own.items():
        low, high = fit.intervals[name]
        assert low <= value <= high, name
        assert name in fit.untold or fit.values[name] == pytest.approx(value, rel=0.15), name
    assert fit.values[CLIENT] == pytest.approx(80.0, rel=0.3)


def test_one_odd_run_is_passed_by() -> None:
    clean = runs_of(ROW)
    odd = [replace_tpot(one, 2.0) if one.row == 3 else one for one in clean]
    # what was right already stays right
    assert fit_compute(LLAMA, ROW, odd).values["weight_efficiency"] == pytest.approx(
        constants("vllm").weight_share, rel=0.15
    )


def replace_tpot(one: BenchmarkRun, factor: float) -> BenchmarkRun:
    return one._replace(tpot_ms=(one.tpot_ms or 0.0) * factor)


def test_without_a_ttft_prompts_and_clients_are_not_fitted() -> None:
    runs = [one._replace(ttft_ms=None) for one in runs_of(ROW)]
    assert set(fit_compute(LLAMA, ROW, runs).values) == {"floor_scale", "weight_efficiency", "kv_efficiency"}


def test_one_run_is_too_few() -> None:
    with pytest.raises(InputError, match="too few to fit"):
        fit_compute(LLAMA, ROW, runs_of(ROW)[:1])
