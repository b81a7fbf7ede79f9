"""NVIDIA's measured operators: right answers, tables beside direct questions, and what they can't say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.passes import aiconfigurator, operator_pass
from aisim_model.passes.aiconfigurator import operator_times, operators, why_not_installed
from aisim_model.passes.pass_time import PassModel, PassTime, SeveralModels
from aisim_model.passes.registry import Kind
from aisim_model.passes.work import PassWork

installed = pytest.mark.skipif(why_not_installed() is not None, reason="there is no wheel for this machine")
# prompts of 1,024, 8,192 and 4,096 after 4,096 cached; steps of 1, 32, 128 sequences of 1,536 tokens, of 32
# of 12,000; 1,024 prompt tokens with 31 sequences of 1,536: what aiconfigurator-core 0.12.0 says [ms]
RIGHT = {
    ("qwen3-32b", "h200", "vllm", "bf16", 4): (
        (34.4839, 280.604, 143.6739, 7.0109, 8.4567, 12.1167, 13.5556, 40.645)
    ),
    ("qwen3-32b", "h100-sxm", "trtllm", "bf16", 2): (
        (58.4519, 479.6695, 269.4451, 14.2488, 17.6723, 25.1317, 31.3632, 72.0142)
    ),
    ("llama-3.1-70b", "b200", "vllm", "fp8", 4): (
        (36.1666, 234.1769, 119.7145, 12.9986, 10.139, 13.735, 14.2908, 39.5993)
    ),
    ("deepseek-v3", "b200", "sglang", "fp4", 8): (
        (31.9581, 131.6581, 88.9006, 5.5767, 10.2908, 15.909, 12.3695, 32.75)
    ),
    ("minimax-m2.5", "b200", "vllm", "fp8", 4): (
        (32.3722, 108.7268, 66.1368, 4.9038, 9.2064, 14.6787, 10.9483, 33.375)
    ),
    ("gpt-oss-120b", "h200", "vllm", "fp4", 4): (
        (21.6775, 77.8455, 48.5566, 3.2199, 5.7576, 9.1395, 6.5348, 22.4551)
    ),
}


def asked_of(time: PassTime) -> list[Any]:
    prompts = [time.pass_ms(1024.0), time.pass_ms(8192.0), time.pass_ms(4096.0, 4096.0)]
    steps = [time.step_ms(n, context) for n, context in ((1, 1536), (32, 1536), (128, 1536), (32, 12_000))]
    return [*prompts, *steps, time.pass_ms(1024.0, 0.0, 31.0, 1536.0)]


def tabulated(worker: tuple[Any, ...]) -> PassTime:
    model = PassModel(Kind.OPERATORS, operator_pass.tables_of(operators(*worker)))
    return PassTime(model, model)


@installed
@pytest.mark.parametrize("worker", RIGHT)
def test_what_is_asked_directly_is_right(worker: Any) -> None:
    times = operator_times(operators(*worker))
    found = [times.prompt_ms(1024), times.prompt_ms(8192), times.prompt_ms(4096, 4096)]
    found += [times.step_ms(running, 1536) for running in (1, 32, 128)]
    found += [times.step_ms(32, 12_000), times.mixed_ms(1024, 31, 1536)]
    assert found == pytest.approx(RIGHT[worker], rel=1e-4)


@installed
@pytest.mark.parametrize("worker", [worker for worker in RIGHT if worker[0] != "llama-3.1-70b"])
def test_the_tables_say_the_same(worker: Any) -> None:
    assert asked_of(tabulated(worker)) == pytest.approx(RIGHT[worker], rel=1e-3)


@installed
def test_a_step_of_one_sequence_that_is_slower_than_of_eight_is_cut() -> None:
    found = asked_of(tabulated(("llama-3.1-70b", "b200", "vllm", "fp8", 4)))
    right = RIGHT["llama-3.1-70b", "b200", "vllm", "fp8", 4]
    assert 8.0 < found[3] < 9.0 < right[3]
    assert found[:3] + found[5:] == pytest.approx(right[:3] + right[5:], rel=0.02)


@installed
def test_between_its_knots_a_table_is_near_to_what_is_asked_directly() -> None:
    worker = ("qwen3-32b", "h100-sxm", "trtllm", "bf16", 2)
    time, times, drawn = tabulated(worker), operator_times(operators(*worker)), np.random.default_rng(1)
    off = []
    for _ in range(60):
        new, cached = (int(np.exp(drawn.uniform(np.log(16), np.log(most)))) for most in (32_768, 65_536))
        running, context = int(np.exp(drawn.uniform(0, np.log(512)))), new + 1 + int(drawn.uniform(0, 30_000))
        off.append(time.pass_ms(float(new), float(cached)) / times.prompt_ms(new, cached) - 1)
        off.append(time.step_ms(float(running), float(context)) / times.step_ms(running, context) - 1)
        beside = time.pass_ms(float(new), 0.0, float(running), float(context))
        off.append(beside / times.mixed_ms(new, running, context) - 1)
    # median 0.06%, worst 4% over seven workers
    assert np.median(np.abs(off)) < 0.003
    assert np.max(np.abs(off)) < 0.06


@installed
def test_no_step_of_more_sequences_is_shorter() -> None:
    time = tabulated(("llama-3.1-70b", "b200", "vllm", "fp8", 4))
    steps = time.step_ms(np.arange(1.0, 1025.0), 2000.0)
    assert np.all(np.diff(steps) >= -1e-9 * steps[1:])


@installed
def test_tables_of_several_workers_answer_each_for_its_own() -> None:
    names = list(RIGHT)[:2]
    models = tuple(tabulated(name).prefill for name in names)
    several = SeveralModels(Kind.OPERATORS, (), models, np.array([1, 0, 1]))
    new = np.array([64.0, 0.0, 2048.0])
    found = several.ms(PassWork(new, new * new, 0.0, 0.0, 4.0, 8000.0), new > 0)
    for place, which in enumerate((1, 0, 1)):
        one = PassWork(float(new[place]), float(new[place]) ** 2, 0.0, 0.0, 4.0, 8000.0)
        assert found[place] == models[which].ms(one, bool(new[place] > 0))  # to the last digit


@pytest.mark.parametrize(
    ("worker", "says"),
    [
        ((None, "h200", "vllm", "bf16", 4), "model = 'your own': is not among the models"),
        (("gemma-3-12b", "h200", "vllm", "bf16", 4), "model = 'gemma-3-12b': is not among the models"),
        (("qwen3-32b", "mi300x", "vllm", "bf16", 4), "gpu = 'mi300x': is not among the GPUs"),
        (("qwen3-32b", "h200", "reference", "bf16", 4), "engine = 'reference': is not among the engines"),
        (("qwen3-32b", "h200", "vllm", "int3", 4), "precision = 'int3': is a format"),
    ],
)
def test_what_it_does_not_have_is_a_sentence(worker: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        operators(*worker)


@installed
def test_operators_that_were_not_measured_are_a_sentence() -> None:
    with pytest.raises(InputError, match=r"has no measured operators in aiconfigurator-core 0.12.0 \(.+\)"):
        operator_times(operators("qwen3-32b", "h200", "vllm", "fp4", 3))


def test_where_it_is_not_installed_that_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aiconfigurator, "PACKAGE", "no-such-package")
    with pytest.raises(InputError, match=r"can't be asked: no-such-package 0.12.0 isn't installed"):
        operator_times(operators("qwen3-32b", "h200", "vllm", "bf16", 1))
