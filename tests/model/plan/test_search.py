"""A search finds what trying every layout by hand finds, to the last digit, and more never makes it worse."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from aisim_model.compare.outcome import Outcome, outcome
from aisim_model.errors import InputError
from aisim_model.plan import Plan, recommend, space_of
from aisim_model.plan.evaluate import layout
from aisim_model.plan.record import best_scenario, record, row_fields
from aisim_model.plan.verify import verify
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.traffic.equal_requests import equal_requests
from aisim_model.traffic.figures import within_slos
from aisim_model.traffic.row_replay import replay_row

COUNTED = pytest.mark.no_cover  # what the first part has counted already; counting takes twice the time
FIXED = {"weight_format": "bf16", "kv_dtype": "bf16", "max_sequences": None, "chunk_tokens": None}


def asked(**values: Any) -> Scenario:
    return Scenario().with_workload(**values)


def by_hand(scenario: Scenario, gpus: int, locks: dict[str, Any]) -> Iterator[Deployment]:
    """Every layout, written out."""
    base = scenario.selected.changed(**{name: value for name, value in locks.items() if value is not None})
    ranks = [tp for tp in (1, 2, 4, 8) if tp <= gpus]
    for kv in [locks["kv_dtype"]] if "kv_dtype" in locks else ["bf16", "fp8"]:
        for kind in ("aggregated", "split"):
            for tp in ranks:
                for workers in range(1, gpus // tp + 1):
                    one = {"kind": kind, "prefill_tp": tp, "prefill_workers": workers, "kv_dtype": kv}
                    if kind == "aggregated":
                        yield base.changed(**one, decode_tp=1, decode_workers=1)
                        continue
                    for other in ranks:
                        for decode in range(1, (gpus - tp * workers) // other + 1):
                            yield base.changed(**one, decode_tp=other, decode_workers=decode)


def key(found: Outcome, workload: Workload, objective: str) -> tuple[float, ...]:
    reached, rate = found.reached, workload.arrivals_per_s
    if not reached.meets or (rate == 0.0 and found.most_per_s == 0.0):
        return (1.0,)
    usd, most = found.cost.usd_per_hour, found.most_per_s
    price = found.usd_per_million_within_slos
    if objective == "goodput":
        return 0.0, -most, usd / most if most else math.inf
    second = (-float(reached.share) if rate else -most) if objective == "cost" else (price if rate else -most)
    return 0.0, (price if objective == "cost" else float(found.row.gpus)), second


def problem(number: int) -> tuple[Scenario, int, dict[str, Any], Any]:
    pick = random.Random(number).choice
    workload = {
        "model_id": pick(["qwen3-32b", "llama-3.1-8b", "gpt-oss-120b"]),
        "prompt_tokens": pick([200, 3000, 12_000]),
        "output_tokens": pick([1, 50, 340]),
        "arrivals_per_s": pick([0.0, 0.5, 3.0, 20.0]),
        "ttft_slo_ms": pick([300.0, 2000.0]),
        "itl_slo_ms": pick([8.0, 25.0]),
        "ttft_percentile": pick(["mean", "p90"]),
        "slo_share": pick([0.0, 0.9]),
    }
    locks = dict(FIXED)
    if pick([True, False, False, False]):
        del locks["kv_dtype"]
    scenario = asked(**workload)
    row = {"gpu": pick(["h200", "h100-sxm"]), "link": pick(["ib-ndr-400", "eth-25"])}
    return (
        scenario.with_row("split-400g", **row),
        pick([1, 2, 2]),
        locks,
        pick(["cost", "goodput", "gpus"]),
    )


def check(scenario: Scenario, gpus: int, locks: dict[str, Any], objective: Any) -> None:
    workload = scenario.workload
    tried = [outcome(workload, row) for row in by_hand(scenario, gpus, locks)]
    fit = [one for one in tried if one.memory.problem is None]
    plan = recommend(space_of(scenario, gpus, locks=locks), objective)
    assert (plan.searched, plan.fit) == (len(tried), len(fit))
    if not fit:
        assert plan.misfit is not None
        return
    good = sorted(key(one, workload, objective) for one in fit)
    meeting = [one for one in good if one[0] == 0.0]
    if workload.arrivals_per_s:
        assert plan.met == len(meeting)
    ours = [
        key(outcome(workload, one.row), workload, objective) for one in plan.ranked if one.outcome.most_per_s
    ]
    ours = [one for one in ours if one[0] == 0.0]
    assert ours == meeting[:10]
    assert (plan.best is None) == (not meeting)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=COUNTED) for part in range(1, 8))])
def test_a_search_is_every_layout_by_hand_to_the_last_digit(part: int) -> None:
    for number in range(part * 25, part * 25 + 25):
        check(*problem(number))


@COUNTED
def test_a_search_of_16_gpus_is_every_layout_by_hand() -> None:
    locks = FIXED | {"prefill_tp": 4}
    scenario = asked(arrivals_per_s=4.0, ttft_percentile="p90")
    tried = [outcome(scenario.workload, row) for row in by_hand(scenario, 16, FIXED) if row.prefill_tp == 4]
    plan = recommend(space_of(scenario, 16, locks=locks))
    assert plan.searched == len(tried)
    best = min(key(one, scenario.workload, "cost") for one in tried if one.memory.problem is None)
    assert plan.best is not None
    assert key(plan.best.outcome, scenario.workload, "cost") == best


def price(plan: Plan) -> float:
    return math.inf if plan.best is None else plan.best.outcome.usd_per_million_within_slos


@COUNTED
def test_more_gpus_never_carry_less() -> None:
    carried = [
        recommend(space_of(asked(), gpus, locks=FIXED), "goodput").ranked[0].outcome.most_per_s
        for gpus in (1, 2, 3, 4, 6, 8)
    ]
    assert carried == sorted(carried)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("ttft_slo_ms", [800.0, 1200.0, 4000.0]),
        ("itl_slo_ms", [9.0, 12.0, 40.0]),
        ("ttft_percentile", ["p99", "p95", "p50"]),
        ("slo_share", [0.99, 0.9, 0.0]),
    ],
)
def test_a_looser_target_never_costs_more(field: str, values: list[Any]) -> None:
    prices = [
        price(recommend(space_of(asked(arrivals_per_s=2.0, **{field: value}), 8, locks=FIXED)))
        for value in values
    ]
    assert prices == sorted(prices, reverse=True)
    assert math.isfinite(prices[-1])


@COUNTED
@pytest.mark.parametrize(
    "lock", [{"kind": "split"}, {"prefill_tp": 2}, {"decode_workers": 1}, {"kv_dtype": "fp8"}]
)
def test_a_locked_field_is_the_filtered_search(lock: dict[str, Any]) -> None:
    scenario = asked(arrivals_per_s=2.0)
    held = {name: value for name, value in FIXED.items() if name not in lock and name != "kv_dtype"}
    every = recommend(space_of(scenario, 6, locks=held), kept=10_000)
    locked = recommend(space_of(scenario, 6, locks=held | lock), kept=10_000)
    (field, value), workload = next(iter(lock.items())), scenario.workload
    filtered = [one.row for one in every.ranked if row_fields(one.row)[field] == value]
    assert {layout(one.row) for one in locked.ranked} == {layout(row) for row in filtered}
    assert [record(one, workload) for one in locked.ranked if one.meets] == [
        record(one, workload) for one in every.ranked if one.row in filtered and one.meets
    ]


@COUNTED
def test_shared_work_is_the_same_work() -> None:
    space = space_of(asked(arrivals_per_s=2.0), 6)
    with ThreadPoolExecutor(2) as executor:
        shared, alone = recommend(space, executor=executor), recommend(space)
    assert shared.ranked == alone.ranked
    assert set(shared.frontier) == set(alone.frontier)
    assert (shared.fit, shared.met) == (alone.fit, alone.met)


class Elsewhere(Executor):
    """Asks of work what another process would: what comes and goes can be pickled."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        found: Future[Any] = Future()
        pickle.dumps((fn, args, kwargs))
        found.set_result(fn(*args, **kwargs))
        pickle.dumps(found.result())
        return found


def test_work_is_shared_over_other_processes() -> None:
    space = space_of(asked(arrivals_per_s=1.0), 2, locks=FIXED)
    plan = recommend(space, executor=Elsewhere())
    assert [one.row for one in plan.ranked] == [one.row for one in recommend(space).ranked]
    trace = equal_requests(space.scenario.workload, 1.0, 200, seed=3)
    replayed = list(verify(plan, trace, count=2, executor=Elsewhere()))
    assert [one.share for one in replayed] == [one.share for one in verify(plan, trace, count=2)]


def test_verified_is_each_replayed_by_hand() -> None:
    scenario = asked(arrivals_per_s=1.0)
    plan = recommend(space_of(scenario, 4, locks=FIXED))
    trace = equal_requests(scenario.workload, 1.0, 300, seed=3)
    for one in verify(plan, trace, count=3):
        result = replay_row(
            scenario.workload, one.row, trace, level="engine", contention="fair", prefix_caching=True
        )
        assert one.share == within_slos(result, 2000.0, 25.0).within_slo_share


def test_the_frontier_has_no_point_that_another_beats() -> None:
    plan = recommend(space_of(asked(), 8, locks=FIXED))
    for kind in ("split", "aggregated"):
        points = [one for one in plan.frontier if one.row.kind == kind]
        assert points
        for one in points:
            assert not any(
                other.tokens_per_s_user > one.tokens_per_s_user
                and other.tokens_per_s_gpu > one.tokens_per_s_gpu
                for other in points
            )


def test_rate_matching_is_found() -> None:
    """For a pair of worker kinds, output rate / (prefill GPUs x decode rate / prefill rate + decode GPUs).

    TensorRT-LLM, technical blog 5: prefill rate and decode rate in requests a second of one worker.
    """
    # a prefill worker carries 10 requests/s on 1 GPU, a decode worker 25 on 2: 2.5 to 1, or 5 and 2 of 9 GPUs
    row = {
        "prefill_model": "fixed",
        "prefill_pass_ms": 100.0,
        "chunk_tokens": 100_000,
        "decode_model": "fixed",
        "decode_step_ms": 10.0,
        "kv_bytes_per_token": 0,
        "pool_tokens": 25 * 1001,
        "max_sequences": 25,
    }
    workload = {"prompt_tokens": 901, "output_tokens": 100, "ttft_slo_ms": 3_600_000.0, "itl_slo_ms": 1000.0}
    scenario = asked(**workload).with_row(
        "split-400g", **row, first_token_from="decode_step", order="source_first"
    )
    locks = {"kind": "split", "prefill_tp": 1, "decode_tp": 2, "weight_format": "bf16", "kv_dtype": "bf16"}
    locks |= {"chunk_tokens": 100_000, "max_sequences": 25, "gpu": "h200"}
    best = recommend(space_of(scenario, 9, locks=locks), "goodput").best
    assert best is not None
    prefill_per_s, decode_per_s = 10.0, best.outcome.capacity.decode_per_s / best.row.decode_workers
    per_gpu = {
        (prefill, decode): min(prefill * prefill_per_s, decode * decode_per_s) / (prefill + 2 * decode)
        for prefill in range(1, 8)
        for decode in range(1, 5)
        if prefill + 2 * decode == 9
    }
    assert (best.row.prefill_workers, best.row.decode_workers) == max(per_gpu, key=lambda pair: per_gpu[pair])
    matched = decode_per_s / (1 * decode_per_s / prefill_per_s + 2)
    assert max(per_gpu.values()) == pytest.approx(matched, rel=0.05)


def test_what_was_found_is_a_scenario() -> None:
    plan = recommend(space_of(asked(arrivals_per_s=1.0), 4))
    found = best_scenario(plan)
    assert found.selected.name == plan.ranked[0].row.name
    assert Scenario.model_validate(found.model_dump(mode="json")) == found
    assert outcome(found.workload, found.selected).reached == plan.ranked[0].outcome.reached


def test_nothing_fits_says_what_lacks_least() -> None:
    # 70.6e9 parameters in fp8, embedding and head in bf16, are 72.7 GB; of an H100's 85.52 GB 92% may be
    # filled, 4.21 are kept: 1.77 GB are left
    scenario = asked(model_id="llama-3.1-70b", prompt_tokens=100_000).with_row("split-400g", gpu="h100-sxm")
    plan = recommend(space_of(scenario, 1))
    assert plan.fit == 0
    assert plan.misfit is not None
    assert (plan.misfit.row.weight_format, plan.misfit.row.kv_dtype) == ("fp8", "fp8")
    # 100,340 tokens x 80 layers x 2 x 8 heads x 128 x 1 B = 16.4 GB for a request
    assert plan.misfit.lacks_gb == pytest.approx(16.44 - (85.52 * 0.92 - 72.7 - 4.21), abs=0.05)


@pytest.mark.parametrize(
    ("gpus", "locks", "says"),
    [
        (0, {}, "must be at least 1"),
        (10**6, {}, "more than the 2,000,000"),
        (8, {"kind": "aggregated", "decode_tp": 4}, "leaves no layout"),
        (8, {"prefill_tp": 16}, "leaves no layout"),
        (8, {"speed": 1}, "is no field that can be locked"),
        (8, {"prefill_workers": "many"}, "whole number"),
    ],
)
def test_bad_questions_are_refused(gpus: int, locks: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        space_of(Scenario(), gpus, locks=locks)
