"""Memory as people reported it: files of our own after public issues, and what was right."""

from __future__ import annotations

import pytest

from aisim_model.row.memory import WorkerMemory, row_memory
from aisim_model.row.resolved import resolve
from aisim_model.scenario.file import read_scenario


def worker_of(model: str, row: str, prompt: int = 3000) -> tuple[WorkerMemory, float]:
    workload = f"{{model_id: {model}, prompt_tokens: {prompt}, output_tokens: 200}}"
    asked = read_scenario(f"workload: {workload}\ndeployments: [{{{row}}}]")
    x = resolve(asked.workload, asked.selected)
    return row_memory(x, asked.workload.output_tokens).workers[-1], x.pool_tokens


ONE = "kind: aggregated, gpu: h100-sxm, prefill_tp: 1"


@pytest.mark.parametrize(
    "weights",
    ["weight_dtype: bf16", "weight_dtype: fp8", "weight_dtype: fp4", "weight_format: mxfp4", "name: a"],
)
def test_gpt_oss_fits_one_h100_in_its_own_format(weights: str) -> None:
    # 64.4 to 66.0 GiB (vllm issues 33155, 23278), whatever it is multiplied in
    worker, _ = worker_of("gpt-oss-120b", f"{ONE}, {weights}")
    assert worker.problem is None
    assert 69 <= worker.weights_gb <= 71


def test_four_bits_run_where_there_is_no_arithmetic_in_them() -> None:
    worker, _ = worker_of("llama-3.1-70b", f"{ONE}, weight_dtype: fp4")
    assert worker.problem is None
    asked = read_scenario(
        f"workload: {{model_id: gpt-oss-120b}}\ndeployments: [{{{ONE}, weight_dtype: fp4}}]"
    )
    assert resolve(asked.workload, asked.selected).speeds.expert_tflops == 989.0


def test_memory_is_the_drivers_and_a_reserve_is_kept() -> None:
    # vllm issue 12569: 81,559 MiB are 85.52 GB; 22,096 tokens, 7.24 GB
    worker, tokens = worker_of("llama-3.1-70b", f"{ONE}, weight_dtype: fp8, kv_pool_share: 0.98", 1000)
    assert worker.hbm_gb == pytest.approx(85.52, abs=0.01)
    assert tokens == pytest.approx(22_096, rel=0.12)
    assert worker.pool_gb == pytest.approx(7.24, rel=0.12)


@pytest.mark.parametrize(("engine", "share", "tokens"), [("vllm", 0.9, 178_880), ("sglang", 0.93, 367_404)])
def test_a_mixture_keeps_more_beside_its_pool(engine: str, share: float, tokens: int) -> None:
    # vllm issue 21348
    row = f"kind: aggregated, gpu: h100-sxm, prefill_tp: 4, weight_dtype: fp8, kv_pool_share: {share}"
    _, found = worker_of("qwen3-235b-a22b", f"{row}, engine: {engine}", 1000)
    assert found == pytest.approx(tokens, rel=0.12)


def test_kimi_fits_eight_h200_in_int4() -> None:
    worker, _ = worker_of("kimi-k2.5", "kind: aggregated, gpu: h200, prefill_tp: 8, weight_format: int4")
    assert worker.problem is None
    assert worker.weights_gb == pytest.approx(74, abs=0.5)


def test_what_would_fit_does() -> None:
    worker, _ = worker_of("llama-3.1-70b", f"{ONE}, weight_format: bf16")
    assert (worker.problem, worker.fitting_gpus, worker.fitting_format) == ("weights", 2, "fp8")
    for other in ("prefill_tp: 2, weight_format: bf16", "prefill_tp: 1, weight_format: fp8"):
        assert worker_of("llama-3.1-70b", f"kind: aggregated, gpu: h100-sxm, {other}")[0].problem is None


def test_the_checkpoint_is_what_would_fit_where_it_is_smaller() -> None:
    row = "kind: aggregated, gpu: h200, prefill_tp: 8, weight_format: bf16"
    assert worker_of("deepseek-v3", row)[0].fitting_format == "checkpoint"
