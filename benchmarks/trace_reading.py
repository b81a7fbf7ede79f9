"""Time reading a trace side by side with pyarrow's own read of the same bytes.

Run: python benchmarks/trace_reading.py FILE... (JSON lines or CSV, plain). The bound is a ratio of 2.5.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.json

from aisim_model.traces import read_trace

BOUND = 2.5
ROUNDS = 15


def pyarrow_read(contents: bytes, suffix: str) -> pa.Table:
    reader = pa.csv.read_csv if suffix == ".csv" else pa.json.read_json
    return reader(pa.BufferReader(contents))


def seconds(read: Callable[[], object]) -> float:
    start = time.perf_counter()
    read()
    return time.perf_counter() - start


def compare(path: Path) -> tuple[float, float]:
    """Best of several rounds, the two readers taking turns so that both meet the same noise."""
    contents = path.read_bytes()
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(seconds(lambda: pyarrow_read(contents, path.suffix)))
        ours.append(seconds(lambda: read_trace(contents, path.name, skip_bad_rows=True)))
    return min(ours), min(theirs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    worst = 0.0
    print(f"{'file':45} {'ours ms':>9} {'pyarrow ms':>11} {'ratio':>6}")
    for path in parser.parse_args().files:
        ours, theirs = compare(path)
        worst = max(worst, ours / theirs)
        print(f"{path.name:45} {ours * 1e3:9.2f} {theirs * 1e3:11.2f} {ours / theirs:6.2f}")
    return int(worst > BOUND)


if __name__ == "__main__":
    sys.exit(main())
