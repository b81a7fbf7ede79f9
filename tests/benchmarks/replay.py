"""Replay of the Mooncake conversation trace against the reference engine's own time, and a million requests.

Ours runs from a loaded trace to finished records; the engine's is the `wall_time_ms` that it reports itself.
Of both the best of some runs counts. The first replay, and the million, have a process of their own: the one
with nothing compiled, the other with no memory but what it needs. The trace is the whole one where the folder
of facts lies beside the project, else its first 2,000 requests, which come with it.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

import numpy as np

from aisim_model.passes import fixed
from aisim_model.replay import ReplayConfig, replay
from aisim_model.traces.trace import Trace

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-reference" / "bin" / "python"
RUNNER = ROOT / "tests" / "reference" / "reference_run.py"
WHOLE = ROOT.parent / "shared" / "facts" / "traces" / "mooncake_conversation_trace.jsonl"
BUNDLED = files("aisim_model.traces") / "data" / "mooncake_conversation_2000.jsonl.gz"
SPLIT = {"prefill_workers": 4, "decode_workers": 2, "bandwidth_gb_s": 25.0, "kv_bytes_per_token": 131_072}
CACHED = {"mode": "destination_missing", "prefix_caching": True}
ENGINE = {
    "backend": "vllm",
    "block_size": 512,
    "enable_prefix_caching": True,
    "kv_transfer_timing_mode": "destination_missing",
    "kv_transfer_bandwidth": 25.0,
    "kv_transfer_bytes_per_token": 131_072,
    "max_num_batched_tokens": 8192,
    "num_gpu_blocks": 200_000,
    "timing_model": {"type": "polynomial"},
}
RUNS, ENGINE_RUNS = 15, 2
SMALLEST_FIFO, SMALLEST_ENGINE, LARGEST_FAIR, LARGEST_FIRST_S, LARGEST_GB = 100.0, 10.0, 3.0, 10.0, 1.5
MILLION = 1_000_000


def traced() -> list[dict[str, object]]:
    """Return the requests of the trace, as they stand in its file."""
    lines = WHOLE.read_bytes() if WHOLE.is_file() else gzip.decompress(BUNDLED.read_bytes())
    return [json.loads(line) for line in lines.splitlines()]


def read(rows: list[dict[str, object]]) -> Trace:
    ids = [row["hash_ids"] for row in rows]
    return Trace(
        np.array([float(row["timestamp"]) for row in rows]),
        np.array([row["input_length"] for row in rows]),
        np.array([row["output_length"] for row in rows]),
        np.concatenate(ids),
        np.cumsum([0, *map(len, ids)]),
        512,
    )


def best_ms(trace: Trace, config: ReplayConfig, runs: int = RUNS) -> float:
    """Return the shortest time of some replays [ms]."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        replay(trace, config)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def reference_ms(arguments: dict[str, object], rows: list[dict[str, object]]) -> float:
    """Return the shortest of the reference engine's own times of some replays [ms]."""
    case = {"rows": rows, "arguments": {"trace_block_size": 512, **arguments}}
    asked = json.dumps([case] * ENGINE_RUNS)
    done = subprocess.run([PYTHON, RUNNER], input=asked, capture_output=True, text=True, check=True)
    return min(float(answer["summary"]["wall_time_ms"]) for answer in json.loads(done.stdout))


def split_arguments(**timing: object) -> dict[str, object]:
    """Return the fifo level in the engine's terms: one prompt a pass, steps of 1 ns, large pools.

    Passes of fixed times, where given, stand instead of the polynomials.
    """
    prefill = {**ENGINE, "worker_type": "prefill", "max_num_seqs": 1, "num_gpu_blocks": 4_000_000}
    decode = {**ENGINE, "worker_type": "decode", "max_num_seqs": 100_000, "num_gpu_blocks": 4_000_000}
    if timing:
        prefill["timing_model"] = decode["timing_model"] = {"type": "fixed", **timing}
    else:
        decode["decode_speedup_ratio"] = 5.74e6
    return {
        "prefill_engine_args": {"engine": prefill},
        "decode_engine_args": {"engine": decode},
        "num_prefill_workers": 4,
        "num_decode_workers": 2,
    }


def report(what: str, value: float, bound: float, *, at_least: bool) -> bool:
    holds = value >= bound if at_least else value <= bound
    sign = ">=" if at_least else "<="
    print(f"{what}: {value:.2f} ({sign} {bound:g}) {'ok' if holds else 'MISSED'}", flush=True)
    return holds


def first_s(trace: Trace) -> float:
    """Return the time of a first replay in this process, of the processor: one thread compiles it [s]."""
    start = time.process_time()
    replay(trace, ReplayConfig(**SPLIT, **CACHED))
    return time.process_time() - start


def million(trace: Trace) -> tuple[float, float]:
    """Return how much longer a million requests take than ten tenths of them, and the peak memory [GB]."""
    config = ReplayConfig(**SPLIT, **CACHED)
    copies = MILLION // len(trace) + 1
    tenth = trace.repeated(copies // 10, copies // 10)
    replay(trace, config)
    tenth_ms = best_ms(tenth, config, 1) / len(tenth)
    whole = trace.repeated(copies, copies)
    ratio = best_ms(whole, config, 1) / len(whole) / tenth_ms
    return ratio, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def apart(what: str, **environment: str) -> list[float]:
    """Return what this file, told by a word what to do, prints in a process of its own."""
    command = [sys.executable, __file__, what]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, check=True)
    return [float(number) for number in done.stdout.split()]


def main() -> int:
    rows = traced()
    trace = read(rows)
    print(f"{len(trace):,} requests", flush=True)
    fifo, aggregated = (
        ReplayConfig(**SPLIT, **CACHED),
        ReplayConfig(aggregated_workers=16, prefix_caching=True),
    )
    with tempfile.TemporaryDirectory() as nothing_compiled:
        cold_s = apart("first", NUMBA_CACHE_DIR=nothing_compiled)[0]
    held = [report("first replay [s of the processor]", cold_s, LARGEST_FIRST_S, at_least=False)]
    ours_fifo, ours_engine = best_ms(trace, fifo), best_ms(trace, aggregated)
    fair = best_ms(trace, ReplayConfig(**SPLIT, **CACHED, contention="fair", scope="shared"))
    constant = ReplayConfig(**SPLIT, **CACHED, prefill=fixed(100.0), decode=fixed(20.0))
    ours_fixed = best_ms(trace, constant)
    print(f"fifo {ours_fifo:.1f} ms, fixed times {ours_fixed:.1f} ms, engine {ours_engine:.1f} ms")
    held.append(report("fair against none", fair / ours_fifo, LARGEST_FAIR, at_least=False))
    if PYTHON.is_file():
        theirs = reference_ms(split_arguments(), rows)
        held.append(report("fifo, times faster", theirs / ours_fifo, SMALLEST_FIFO, at_least=True))
        theirs = reference_ms(split_arguments(prefill_ms=100.0, decode_ms=20.0), rows)
        # the reference's own polynomials are what is promised; with fixed times both have less to work out
        print(f"fifo with fixed times, times faster: {theirs / ours_fixed:.2f}", flush=True)
        engine = {"extra_engine_args": {"engine": {**ENGINE, "worker_type": "aggregated"}}, "num_workers": 16}
        theirs = reference_ms(engine, rows)
        held.append(report("engine, times faster", theirs / ours_engine, SMALLEST_ENGINE, at_least=True))
    else:
        print("left out: the reference engine, which comes for Linux on x86-64 only")
    ratio, peak_gb = apart("million")
    held.append(report("a million, time against linear", ratio, 2.0, at_least=False))
    held.append(report("a million, peak memory [GB]", peak_gb, LARGEST_GB, at_least=False))
    return 0 if all(held) else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["first"]:
        print(first_s(read(traced())))
    elif sys.argv[1:] == ["million"]:
        print(*million(read(traced())))
    else:
        sys.exit(main())
