"""Many rows at a time: to the last digit what each is alone."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from aisim_model.row.load import Service, service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.spread import spread
from aisim_model.row.stacked import stacked
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve import most_within
from aisim_model.ttft_parts import PART_NAMES

CASES = [
    ("qwen3-32b", "vllm", ("roofline", "roofline"), 12_000, 340),
    ("gpt-oss-120b", "sglang", ("roofline", "roofline"), 3000, 50),
    ("llama-3.1-8b", "trtllm", ("simple_roofline", "simple_roofline"), 60_000, 2),
    ("deepseek-v3", "reference", ("roofline", "fixed"), 100, 1),
    ("qwen3-32b", "reference", ("polynomial", "polynomial"), 3000, 340),
]


def rows(case: int, kind: str, count: int) -> tuple[Workload, list[Service]]:
    model, engine, (prefill, decode), prompt, output = CASES[case]
    pick = random.Random(case).choice
    workload = Workload(model_id=model, prompt_tokens=prompt, output_tokens=output, ttft_percentile="p90")
    found = []
    for _ in range(count):
        row = Deployment.model_validate(
            {
                "id": "a",
                "name": "a",
                "kind": kind,
                "engine": engine,
                "gpu": pick(["h200", "h100-sxm"]),
                "prefill_tp": pick([1, 2, 4, 8]),
                "decode_tp": pick([1, 2, 4, 8]),
                "prefill_workers": pick([1, 2, 3, 5, 9]),
                "decode_workers": pick([1, 2, 3, 7]),
                "kv_dtype": pick(["bf16", "fp8"]),
                "max_sequences": pick([4, 64, 256]),
                "chunk_tokens": pick([512, 2048, 8192]),
                "link": pick(["ib-ndr-400", "eth-100"]),
                "prefill_model": prefill,
                "decode_model": decode,
                "decode_step_ms": 7.0,
            }
        )
        found.append(service(resolve(workload, row), workload.output_tokens))
    return workload, found


def together(found: list[Service]) -> Service:
    workers = [
        np.array([getattr(one, side) for one in found]) for side in ("prefill_workers", "decode_workers")
    ]
    return stacked(found, np.arange(len(found)), *workers)


def same(of_all: Any, alone: list[float]) -> None:
    np.testing.assert_array_equal(np.broadcast_to(of_all, len(alone)), alone)


@pytest.mark.parametrize("kind", ["split", "aggregated"])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_each_of_many_is_estimated_as_alone(case: int, kind: str) -> None:
    _, found = rows(case, kind, 12)
    many = together(found)
    for name in ("prefill_per_s", "link_per_s", "decode_per_s", "full_batch"):
        same(getattr(many, name), [getattr(one, name) for one in found])
    for rate in (0.0, 0.3, 2.0, 40.0):
        for contention in ("fifo", "fair"):
            loads = [under_load(one, rate, contention=contention) for one in found]  # type: ignore[arg-type]
            load = under_load(many, rate, contention=contention)  # type: ignore[arg-type]
            for part in PART_NAMES:
                same(getattr(load.parts, part), [getattr(one.parts, part) for one in loads])
            for name in ("itl_ms", "tail_itl_ms", "batch", "ttft_ms", "utilisation", "overloaded"):
                same(getattr(load, name), [getattr(one, name) for one in loads])
        spreads = [spread(one, under_load(one, rate)) for one in found]
        here = spread(many, under_load(many, rate))
        same(here.both_within(900.0, 20.0), [one.both_within(900.0, 20.0) for one in spreads])
        same(here.ttft_at(0.9), [one.ttft_at(0.9) for one in spreads])
        same(here.itl_at(0.99), [one.itl_at(0.99) for one in spreads])


@pytest.mark.parametrize("kind", ["split", "aggregated"])
def test_each_of_many_carries_as_much_as_alone(kind: str) -> None:
    workload, found = rows(0, kind, 6)
    same(most_within(together(found), workload), [most_within(one, workload) for one in found])
