"""Random small cases against the real reference engine, every row of them.

The engine runs in an environment of its own, which `make reference` builds where there is a wheel for it.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, ReplayResult, replay
from aisim_model.traces.trace import Trace

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-reference" / "bin" / "python"
RUNNER = Path(__file__).with_name("reference_run.py")
LEFT_OUT = f"left out: the reference engine is not here for {sys.platform} (make reference)"
needs_engine = pytest.mark.skipif(not PYTHON.is_file(), reason=LEFT_OUT)  # no wheel for every platform
SPLIT_COLUMNS = {
    "prefill_worker": "prefill_worker_idx",
    "decode_worker": "decode_worker_idx",
    "prefill_start_ms": "first_admit_ms",
    "source_held_ms": "source_held_ms",
    "destination_reserved_ms": "destination_reserved_ms",
    "transfer_end_ms": "destination_activated_ms",
    "prefill_reused_tokens": "reused_input_tokens",
}
AGGREGATED_COLUMNS = {"start_ms": "first_admit_ms", "reused_tokens": "reused_input_tokens"}
TOKEN_COLUMNS = {"first_token_ms": "first_token_ms", "last_token_ms": "last_token_ms"}


@dataclass(frozen=True)
class Case:
    """One deployment and trace, said twice: for the engine and for us."""

    rows: list[dict[str, Any]]
    block_tokens: int
    arguments: dict[str, Any]
    config: dict[str, Any]


def some_rows(
    rng: random.Random,
    longest: int,
    trace_block: int,
    block: int,
    *,
    most: int = 25,
    gaps: tuple[int, ...] = (0, 1, 5, 30, 200),
) -> list[dict[str, Any]]:
    """Return some requests that share prefixes, many at the same instant; no two look the same."""
    vocabulary = rng.randint(1, 12)
    paths = [[rng.randrange(vocabulary) for _ in range(longest // trace_block + 2)] for _ in range(3)]
    gap, now, seen = rng.choice(gaps), 0, set()
    rows: list[dict[str, Any]] = []
    for _ in range(rng.randint(1, most)):
        prompt = rng.randint(1, longest)
        if rng.random() < 0.3:
            prompt = max(prompt // block * block, 1)  # whole blocks are where off-by-ones live
        output = rng.choice([1, 2, 3, 5, 10, 40, rng.randint(1, 60)])
        blocks = -(-prompt // trace_block)
        shared = rng.randint(0, blocks)
        ids = rng.choice(paths)[:shared] + [rng.randrange(vocabulary + 50) for _ in range(blocks - shared)]
        if (now, prompt, output) not in seen:
            seen.add((now, prompt, output))
            rows.append({"timestamp": now, "input_length": prompt, "output_length": output, "hash_ids": ids})
        if rng.random() < 0.7:
            now += rng.choice([gap, rng.randint(0, max(gap, 1) * 2)])
    return rows


def some_case(rng: random.Random, kind: str) -> Case:
    """Return a random case: `fifo`, `split`, `aggregated`, or the last two `full`, `crowded` or `closed`.

    Pools run full, or more sequences are there than a pass takes.
    """
    full, crowded, closed = (kind.startswith(word) for word in ("full", "crowded", "closed"))
    block = rng.choice([2, 4, 8, 16, 16, 32, 48, 64])
    trace_block = rng.choice([block, block, 16, 32, 64, 512])
    if crowded:
        rows = some_rows(rng, 60, trace_block, block, most=900, gaps=(0, 1))
    else:
        longest = rng.choice([40, 120, 300] if full else [40, 300, 3000, 20000])
        rows = some_rows(rng, longest, trace_block, block)
    chunk = rng.choice([8192, 512] if kind == "fifo" else [8192, 8192, 512, 100, 64])
    pool = 200_000
    if full:
        needed = max(-(-(row["input_length"] + row["output_length"]) // block) for row in rows)
        pool = needed + rng.choice([0, 1, 2, 5, 10, 30, needed])
    config: dict[str, Any] = {
        "block_size": block,
        "prefix_caching": rng.random() < 0.6,
        "mode": rng.choice(["full_prompt", "destination_missing"]),
        "bandwidth_gb_s": rng.choice([0.01, 0.1, 1.0, 10.0]),
        "kv_bytes_per_token": rng.choice([1000, 131_072, 1_000_000]),
        "prefill_chunk_tokens": chunk,
        "pool_blocks": pool,
    }
    engine: dict[str, Any] = {
        "backend": "vllm",
        "block_size": block,
        "enable_prefix_caching": config["prefix_caching"],
        "kv_transfer_timing_mode": config["mode"],
        "kv_transfer_bandwidth": config["bandwidth_gb_s"],
        "kv_transfer_bytes_per_token": config["kv_bytes_per_token"],
        "max_num_batched_tokens": chunk,
        "num_gpu_blocks": pool,
        "timing_model": {"type": "polynomial"},
    }
    decode = dict(engine)
    if rng.random() < 0.5:
        # sums of binary fractions are exact: in a closed loop, ends that coincide decide who comes first
        prefill_ms, decode_ms = (
            rng.choice([0.75 if closed else 0.7, 3.0, 10.0, 25.5, 100.0]),
            rng.choice([0.25 if closed else 0.3, 1.0, 5.0, 20.0]),
        )
        timing = {"type": "fixed", "prefill_ms": prefill_ms, "decode_ms": decode_ms}
        engine["timing_model"] = decode["timing_model"] = timing
        config |= {"prefill": fixed(prefill_ms), "decode": fixed(decode_ms)}
    elif kind == "fifo":
        decode["decode_speedup_ratio"] = 5.74e6  # the step of an empty pool, 5.74 ms, becomes 1e-6 ms
    arguments: dict[str, Any] = {"trace_block_size": trace_block}
    if closed:
        apart: dict[tuple[int, int], dict[str, Any]] = {}
        for row in rows:
            apart.setdefault((row["input_length"], row["output_length"]), row)
        rows = list(apart.values())
        config["concurrency"] = arguments["replay_concurrency"] = rng.choice([1, 2, 3, 5, 8])
    if kind.endswith("aggregated"):
        config["aggregated_workers"] = workers = rng.randint(1, 3)
        arguments |= {
            "extra_engine_args": {"engine": {"worker_type": "aggregated", **engine}},
            "num_workers": workers,
        }
        return Case(rows, trace_block, arguments, config)
    if kind == "fifo":
        engine |= {"max_num_seqs": 1, "num_gpu_blocks": 4_000_000}
        decode |= {"max_num_seqs": 100_000, "num_gpu_blocks": 4_000_000, "max_num_batched_tokens": 8192}
    config |= {"prefill_workers": rng.randint(1, 4), "decode_workers": rng.randint(1, 3)}
    config["level"] = "fifo" if kind == "fifo" else "engine"
    arguments |= {
        "prefill_engine_args": {"engine": {"worker_type": "prefill", **engine}},
        "decode_engine_args": {"engine": {"worker_type": "decode", **decode}},
        "num_prefill_workers": config["prefill_workers"],
        "num_decode_workers": config["decode_workers"],
    }
    return Case(rows, trace_block, arguments, config)


def tied_case(rng: random.Random, backend: str) -> Case:
    """Return a case whose times are whole milliseconds, so that passes, transfers and arrivals coincide."""
    rows: dict[tuple[int, int, int], dict[str, Any]] = {}
    now = 0
    for _ in range(rng.randint(2, 12)):
        prompt, output = rng.randint(1, 6), rng.choice([1, 2, 3, 8, 30])
        row = {"timestamp": now, "input_length": prompt, "output_length": output, "hash_ids": [len(rows)]}
        rows.setdefault((now, prompt, output), row)
        now += rng.choice([0, 1, 2, 3, 5])
    prefill_ms, decode_ms = float(rng.choice([0, 0, 1, 2])), float(rng.choice([1, 1, 2, 3]))
    engine = {
        "backend": backend,
        "block_size": 16,
        "enable_prefix_caching": False,
        "kv_transfer_bandwidth": 1.0,
        "kv_transfer_bytes_per_token": 1_000_000,
        "num_gpu_blocks": 200_000,
        "timing_model": {"type": "fixed", "prefill_ms": prefill_ms, "decode_ms": decode_ms},
    }
    config: dict[str, Any] = {
        "level": "engine",
        "order": "destination_first" if backend == "sglang" else "source_first",
        "block_size": 16,
        "bandwidth_gb_s": 1.0,
        "kv_bytes_per_token": 1e6,
        "prefill_workers": rng.randint(1, 3),
        "decode_workers": rng.randint(1, 3),
        "prefill": fixed(prefill_ms),
        "decode": fixed(decode_ms),
    }
    arguments = {
        "trace_block_size": 16,
        "prefill_engine_args": {"engine": {"worker_type": "prefill", **engine}},
        "decode_engine_args": {"engine": {"worker_type": "decode", **engine}},
        "num_prefill_workers": config["prefill_workers"],
        "num_decode_workers": config["decode_workers"],
    }
    return Case(list(rows.values()), 16, arguments, config)


def trace_of(case: Case) -> Trace:
    ids = [row["hash_ids"] for row in case.rows]
    return Trace(
        np.array([float(row["timestamp"]) for row in case.rows]),
        np.array([row["input_length"] for row in case.rows]),
        np.array([row["output_length"] for row in case.rows]),
        np.array(list(chain.from_iterable(ids))),
        np.cumsum([0, *map(len, ids)]),
        case.block_tokens,
    )


def reference(cases: list[Case]) -> list[dict[str, Any]]:
    """Return what the engine says of each case."""
    asked = [{"rows": case.rows, "arguments": case.arguments} for case in cases]
    done = subprocess.run(
        [PYTHON, RUNNER], input=json.dumps(asked), capture_output=True, text=True, check=True, timeout=120
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def assert_same(case: Case, records: list[dict[str, Any]], result: ReplayResult) -> None:
    """Compare every row of a case, found by what no other row shares."""
    seen = defaultdict(list)
    for one in records:
        seen[one["input_length"], one["requested_output_length"]].append(one)
    columns = TOKEN_COLUMNS | (AGGREGATED_COLUMNS if "aggregated_workers" in case.config else SPLIT_COLUMNS)
    for number, row in enumerate(case.rows):
        at = float(result.column("arrival_ms")[number])
        record = min(
            seen[row["input_length"], row["output_length"]], key=lambda one: abs(one["arrival_time_ms"] - at)
        )
        assert record["arrival_time_ms"] == pytest.approx(at, rel=0, abs=1e-6), (number, case)
        ours = {column: float(result.column(column)[number]) for column in columns}
        theirs = {column: float(record[name]) for column, name in columns.items()}
        assert ours == pytest.approx(theirs, rel=0, abs=1e-6), (number, case)


@pytest.mark.reference
@needs_engine
@pytest.mark.parametrize("backend", ["vllm", "sglang"])
def test_what_coincides_comes_in_the_order_of_the_reference(backend: str):
    rng = random.Random(f"ties {backend}")
    cases = [tied_case(rng, backend) for _ in range(150)]
    for case, answer in zip(cases, reference(cases), strict=True):
        assert_same(case, answer["records"], replay(trace_of(case), ReplayConfig(**case.config)))


@pytest.mark.reference
@needs_engine
@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("fifo", 100),
        ("split", 100),
        ("aggregated", 100),
        ("full split", 100),
        ("full aggregated", 100),
        ("closed split", 100),
        ("closed aggregated", 100),
        ("crowded split", 12),
        ("crowded aggregated", 12),
    ],
)
def test_random_cases_are_those_of_the_reference(kind: str, count: int):
    rng = random.Random(f"replay {kind}")
    cases = [some_case(rng, kind) for _ in range(count)]
    compared = 0
    for case, answer in zip(cases, reference(cases), strict=True):
        if "refused" in answer:
            # requests that wait for each other's blocks for ever: the engine gives up, we refuse
            with pytest.raises(InputError, match="pool_blocks"):
                replay(trace_of(case), ReplayConfig(**case.config))
            continue
        assert_same(case, answer["records"], replay(trace_of(case), ReplayConfig(**case.config)))
        compared += 1
    assert compared > 0.6 * count
