"""A search of 10,000 layouts beside the public scalar functions on one, and its memory with a million.

`--large` searches more than a million layouts, with the memory that takes.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable

from aisim_model.plan import recommend, space_of
from aisim_model.plan.verify import verify
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.spread import spread
from aisim_model.row.targets import met
from aisim_model.scenario import Deployment, Scenario

ASKED = Scenario().with_workload(arrivals_per_s=4.0, ttft_percentile="p90")
MOST_S, MOST_VERIFY_S, MOST_MB = 2.0, 3.0, 1000.0
LEAST_TIMES = 10.0  # faster a layout than one by one
ROWS = 200


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def one_by_one() -> None:
    """Estimate rows by the public functions, as a loop would."""
    workload = ASKED.workload
    for count in range(1, ROWS + 1):
        row = Deployment(id="a", name="a", prefill_workers=1 + count % 7, decode_workers=1 + count % 5)
        served = service(resolve(workload, row), workload.output_tokens)
        load = under_load(served, workload.arrivals_per_s + count * 1e-6)
        met(served, load, workload)
        spread(served, load).both_within(workload.ttft_slo_ms, workload.itl_slo_ms)


def speed() -> list[tuple[str, float, float]]:
    """Return what is promised of time."""
    space = space_of(ASKED, 16)
    recommend(space_of(ASKED, 2))  # what a first search loads
    took = min(seconds(lambda: recommend(space)) for _ in range(3))
    each = min(seconds(one_by_one) for _ in range(3)) / ROWS
    plan = recommend(space_of(ASKED, 8), kept=12)
    list(verify(plan, count=1))  # compiles the replay, once a machine
    replays = min(seconds(lambda: list(verify(plan, count=12))) for _ in range(2))
    ten_thousand = took / space.count * 10_000
    return [
        (f"s for 10,000 layouts, of {space.count:,}", ten_thousand, MOST_S),
        ("share of one by one", ten_thousand / 10_000 / each, 1.0 / LEAST_TIMES),
        ("s for 12 replays of 2,000 requests", replays, MOST_VERIFY_S),
    ]


def large() -> list[tuple[str, float, float]]:
    """Search more than a million layouts."""
    space = space_of(ASKED, 128, locks={"kv_dtype": "bf16", "weight_format": "fp8"})
    took = seconds(lambda: recommend(space))
    print(f"{space.count:,} layouts in {took:.0f} s")
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [(f"MB at most, of {space.count:,} layouts", peak_mb, MOST_MB)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="only search a million layouts")
    found = large() if parser.parse_args().large else speed()
    print(f"{'':50} {'found':>8} {'at most':>8}")
    for what, value, bound in found:
        print(f"{what:50} {value:8.4g} {bound:8.4g}{'' if value <= bound else '  TOO MUCH'}")
    return int(any(value > bound for _, value, bound in found))


if __name__ == "__main__":
    sys.exit(main())
