"""Time reading a trace side by side with pyarrow's own read of the same bytes.

Run: python tests/benchmarks/trace_reading.py [FILE...] (JSON lines or CSV, plain; the shipped examples if
none is named). The bound is a ratio of 2.5.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.json

from aisim_model.traces import EXAMPLES, read_trace

BOUND = 2.5
ROUNDS = 15


def pyarrow_read(contents: bytes, suffix: str) -> pa.Table:
    reader = pa.csv.read_csv if suffix == ".csv" else pa.json.read_json
    return reader(pa.BufferReader(contents))


def seconds(read: Callable[[], object]) -> float:
    start = time.perf_counter()
    read()
    return time.perf_counter() - start


def contents_of(paths: list[Path]) -> dict[str, bytes]:
    if paths:
        return {path.name: path.read_bytes() for path in paths}
    data = files("aisim_model.traces") / "data"
    return {
        example.file.removesuffix(".gz"): gzip.decompress((data / example.file).read_bytes())
        for example in EXAMPLES
    }


def compare(name: str, contents: bytes) -> tuple[float, float]:
    """Best of several rounds, the two readers taking turns so that both meet the same noise."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(seconds(lambda: pyarrow_read(contents, Path(name).suffix)))
        ours.append(seconds(lambda: read_trace(contents, name, skip_bad_rows=True)))
    return min(ours), min(theirs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    worst = 0.0
    print(f"{'file':45} {'ours ms':>9} {'pyarrow ms':>11} {'ratio':>6}")
    for name, contents in contents_of(parser.parse_args().files).items():
        ours, theirs = compare(name, contents)
        worst = max(worst, ours / theirs)
        print(f"{name:45} {ours * 1e3:9.2f} {theirs * 1e3:11.2f} {ours / theirs:6.2f}")
    return int(worst > BOUND)


if __name__ == "__main__":
    sys.exit(main())
