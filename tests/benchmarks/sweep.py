"""Sweeps of ten million points, beside one NumPy multiplication, the reference in a loop, and pyarrow alone.

All in one run, in turns, so that a busy machine slows both sides. `--large` writes 100 million points too,
with the memory it takes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from aisim_model.handoff import HandoffTransferTiming
from aisim_model.scenario import Scenario
from aisim_model.sweep import Sweep, swept, values
from aisim_model.sweep.table import PIECE_POINTS, pieces, table
from aisim_model.sweep.write import parquet_options, write

MILLION = 1_000_000
ROUNDS = 7
LOOP_POINTS = 20_000
GRID = "bandwidth_gb_s=1:400:log:{}", "prompt_tokens=4001:6000:lin:2000"
LINE = ("bandwidth_gb_s=1:400:lin:{}",)
LOG_LINE = ("bandwidth_gb_s=1:400:log:{}",)
MAX_MEMORY_MB = 500


def one_row(vary: tuple[str, ...], points: int) -> Sweep:
    """Return a sweep of the example's split row."""
    example = Scenario()
    row = example.selected
    scenario = example.changed(deployments=(row,), baseline_id=row.id)
    return swept(scenario, [vary[0].format(points // 2000 if len(vary) > 1 else points), *vary[1:]])


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turns(*works: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Return the best time of each, taking turns [s]."""
    return [
        min(times) for times in zip(*([seconds(work) for work in works] for _ in range(rounds)), strict=True)
    ]


def loop_s(points: int) -> float:
    """Return what a Python loop over the reference takes for so many points, from a part of them [s]."""
    bandwidths = np.geomspace(1, 400, LOOP_POINTS).tolist()

    def loop() -> None:
        for bandwidth in bandwidths:
            HandoffTransferTiming(
                full_prompt_tokens=12_000, kv_bytes_per_token=262_144, bandwidth_gb_s=bandwidth
            ).full_prompt_delay_ms()

    return min(in_turns(loop, rounds=3)) * points / LOOP_POINTS


def speed() -> list[tuple[str, float, float]]:
    """Compare 10 million points of delay and of TTFT, over two fields and over one."""
    points = 10 * MILLION
    left, right = np.random.default_rng(0).random((2, points))
    found = []
    for name, vary in (("two fields", GRID), ("one field", LINE), ("one log field", LOG_LINE)):
        sweep = one_row(vary, points)
        once, delay, ttft = in_turns(
            lambda: left * right,
            lambda sweep=sweep: values(sweep, ["handoff_ms"]),
            lambda sweep=sweep: values(sweep, ["ttft_ms"]),
        )
        found.append((f"delay over {name}, times a multiplication", delay / once, 6.0))
        found.append((f"TTFT over {name}, times a multiplication", ttft / once, 40.0))
        found.append((f"delay over {name}, share of a Python loop", delay / loop_s(points), 0.01))
    return found


def linear() -> list[tuple[str, float, float]]:
    """Compare the cost of a point among many to that of one among few, none of them kept."""

    def run(sweep: Sweep) -> None:
        for piece in pieces(sweep):
            table(sweep, piece)

    short, long = one_row(GRID, 2 * MILLION), one_row(GRID, 20 * MILLION)
    few, many = in_turns(lambda: run(short), lambda: run(long), rounds=3)
    return [("a point of 20 million, times one of 2 million", many / few / 10, 1.5)]


def written(folder: Path) -> list[tuple[str, float, float]]:
    """Compare a sweep of 10 million rows into Parquet to pyarrow writing the same table."""
    sweep = one_row(GRID, 10 * MILLION)
    whole = pa.concat_tables(table(sweep, piece) for piece in pieces(sweep))
    options = {"row_group_size": PIECE_POINTS, **parquet_options(sweep)}
    ours, same, default = in_turns(
        lambda: write(sweep, folder / "ours.parquet"),
        lambda: parquet.write_table(whole, folder / "same.parquet", **options),
        lambda: parquet.write_table(whole, folder / "default.parquet"),
        rounds=3,
    )
    return [
        ("10 million rows to Parquet, times pyarrow alone, same options", ours / same, 2.0),
        ("10 million rows to Parquet, times pyarrow alone, its defaults", ours / default, 2.0),
    ]


def large(folder: Path) -> list[tuple[str, float, float]]:
    """Write 100 million points and look at the memory at its highest."""
    import resource

    took = seconds(lambda: write(one_row(GRID, 100 * MILLION), folder / "large.parquet"))
    print(f"100 million points to Parquet in {took:.0f} s")
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [("100 million points to Parquet, MB of memory at most", peak_mb, MAX_MEMORY_MB)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="only write 100 million points")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = large(Path(name)) if asked.large else [*speed(), *written(Path(name)), *linear()]
    print(f"{'':65} {'ratio':>8} {'at most':>8}")
    for what, ratio, bound in found:
        print(f"{what:65} {ratio:8.4g} {bound:8.4g}{'' if ratio <= bound else '  TOO SLOW'}")
    return int(any(ratio > bound for _, ratio, bound in found))


if __name__ == "__main__":
    sys.exit(main())
