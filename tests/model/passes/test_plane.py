"""Measured decode steps: read between entries, refused by row, and the same in estimate and replay."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.calibration import read_decode_table
from aisim_model.errors import InputError
from aisim_model.passes import plane
from aisim_model.passes.pass_time import pass_time
from aisim_model.passes.registry import Kind
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.workers import decode_pass_time, decode_worker
from aisim_model.scenario import Deployment, Workload

TABLE = ((1.0, 1000.0, 6.0), (1.0, 9000.0, 8.0), (33.0, 1000.0, 14.0), (33.0, 9000.0, 24.0))


def row(**values: Any) -> Deployment:
    return Deployment(id="a", name="a", decode_model="table", decode_table=TABLE, **values)


def test_a_step_is_read_between_entries_by_hand() -> None:
    time = decode_pass_time(resolve(Workload(), row()))
    assert time.step_ms(1.0, 5000.0) == 7.0  # halfway from 6 to 8
    assert time.step_ms(17.0, 5000.0) == 13.0  # halfway from 7 to 19
    assert time.step_ms(65.0, 1000.0) == 22.0  # as far beyond 33 as 33 is beyond 1: 14 + 8
    assert time.step_ms(0.0, 1000.0) == 0.0


def test_a_mixed_pass_takes_both_tables() -> None:
    both = row(prefill_model="table", prefill_table=((100.0, 10.0), (1100.0, 110.0)))
    time = decode_pass_time(resolve(Workload(), both))
    assert time.pass_ms(600.0, 0.0, 17.0, 5000.0) == pytest.approx(60.0 + 13.0)


def test_the_estimate_under_load_asks_it() -> None:
    workload = Workload(prompt_tokens=4000, output_tokens=200, arrivals_per_s=2.0)
    found = under_load(service(resolve(workload, row()), 200), 2.0)
    # a step of 1 + batch at 4,100 tokens: batch = 2 x 199 x ITL / 1,000
    step = 6.0 + 2.0 * 3100 / 8000
    rise = (14.0 + 10.0 * 3100 / 8000 - step) / 32.0
    assert found.itl_ms == pytest.approx(step / (1 - 2 * 199 / 1000 * rise), rel=0.02)


def test_others_call_it_measured() -> None:
    assert Deployment(id="a", name="a", decode_model="measured", decode_table=TABLE) == row()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (((1, 1000, 6), (8, 1000, 5), (1, 2000, 7), (8, 2000, 9)), r"5 ms for 8 .* is less than 6 ms for 1"),
        (((1, 1000, 6), (8, 1000, 7), (1, 2000, 7)), "8 sequences of 2000 tokens' have no time|have no time"),
        (((1, 1000, 6), (1, 1000, 7)), r"row 2 = .* stand in the table twice"),
        (((1, 1000, 6), (8, 1000, 7)), "has too few to read between"),
        (((1, 1000, 0), (8, 1000, 7)), r"row 1 = .* must be numbers above 0"),
        (((1, 1000, float("nan")), (8, 1000, 7)), "must be numbers above 0"),
        ((), "has too few to read between"),
    ],
)
def test_a_table_that_is_none_is_a_sentence(table: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        plane.checked_plane(table)


@pytest.mark.parametrize(
    "text",
    [
        "sequences,context_tokens,milliseconds\n1,1000,6\n1,9000,8\n33,1000,14\n33,9000,24\n",
        "batch;context;ms\n1;1000;6,0\n1;9000;8,0\n33;1000;14,0\n33;9000;24,0\n",
        "concurrency\tctx\tseconds\n33\t9000\t0.024\n33\t1000\t0.014\n1\t1000\t0.006\n1\t9000\t0.008\n",
    ],
)
def test_it_is_read_as_it_is_pasted(text: str) -> None:
    found = plane.checked_plane(read_decode_table(text))
    assert [cell for one in found for cell in one] == pytest.approx([cell for one in TABLE for cell in one])


def test_a_chosen_table_that_is_not_there_is_asked_for() -> None:
    with pytest.raises(ValueError, match="needs a table of sequences, context tokens and milliseconds"):
        Deployment(id="a", name="a", decode_model="table")


def test_the_sides_have_formulas_of_their_own() -> None:
    worker = decode_worker(
        resolve(Workload(), row(prefill_model="table", prefill_table=((1.0, 1.0), (2.0, 2.0))))
    )
    time = pass_time(worker, "table", "table")
    assert (time.prefill.kind, time.decode.kind, time.mixes) == (Kind.TABLE, Kind.PLANE, False)
