"""Our copy of the silicon rows, and what one would have picked by each model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aisim_model.evidence.silicon.committed import BEFOREHAND, FILE, committed, write_rows
from aisim_model.evidence.silicon.picks import Picked, picks
from aisim_model.evidence.silicon.rivals import Predicted
from aisim_model.evidence.silicon.rows import read_silicon
from aisim_model.evidence.silicon.scores import masks, score


def test_held_out_figures_are_within_what_is_promised() -> None:
    found = committed()
    rows, seen = found.silicon.rows, masks(found.silicon.rows)
    tpot = np.array([row.tpot_ms for row in rows])
    unseen = score(found.predicted["unseen"].tpot_ms[seen.tpot], tpot[seen.tpot])
    assert unseen.median is not None
    assert unseen.mape is not None
    assert unseen.within_25 is not None
    assert unseen.median <= 16
    assert unseen.mape <= 19
    assert unseen.within_25 >= 75
    operators = score(found.predicted["aiconfigurator"].tpot_ms[seen.tpot], tpot[seen.tpot])
    assert operators.median is not None
    assert operators.median <= 15
    assert operators.n >= 0.9 * unseen.n


def test_a_fit_that_saw_a_row_is_no_worse_than_one_that_did_not() -> None:
    found = committed()
    rows, seen = found.silicon.rows, masks(found.silicon.rows)
    tpot = np.array([row.tpot_ms for row in rows])[seen.tpot]
    whole, unseen = (score(found.predicted[name].tpot_ms[seen.tpot], tpot) for name in ("roofline", "unseen"))
    assert whole.mape is not None
    assert unseen.mape is not None
    assert whole.mape <= unseen.mape + 0.5


def test_rows_are_written_as_they_are_read(tmp_path: Path) -> None:
    found, to = committed(), tmp_path / "rows.csv"
    write_rows(FILE, {name: found.predicted[name] for name in BEFOREHAND}, to)
    assert to.read_bytes() == FILE.read_bytes()


@pytest.mark.shared
def test_they_are_the_shared_rows(shared_dir: Path) -> None:
    shared = read_silicon(shared_dir / "facts" / "silicon" / "silicon_shared.csv").rows
    ours = committed().silicon.rows
    assert [row._replace(id="") for row in shared] == list(ours)


def test_a_pick_by_hand() -> None:
    base = (
        committed()
        .silicon.rows[0]
        ._replace(aggregated=True, prompt_tokens=1000.0, output_tokens=101.0, concurrency=10.0)
    )
    # latencies of 1,000 + 100 x 10 = 2,000 ms; output 10 x 101 / 2 s = 505 tokens/s over 1, 2, 4 and 8 GPUs
    rows = [
        base._replace(config=name, gpus=gpus, ttft_ms=1000.0, tpot_ms=tpot)
        for name, gpus, tpot in (("a", 1.0, 10.0), ("b", 2.0, 10.0), ("c", 4.0, 10.0), ("d", 8.0, 60.0))
    ]
    right = Predicted(np.full(4, 10.0), np.full(4, 1000.0))
    assert picks(rows, right)[0] == Picked(20.0, 1, 0.0, 0.0)
    # one that takes b for ten times as fast picks it: half of the best
    wrong = Predicted(np.array([10.0, 1.0, 10.0, 10.0]), np.array([1000.0, 100.0, 1000.0, 1000.0]))
    assert picks(rows, wrong)[0] == Picked(20.0, 1, 50.0, 50.0)
    # three configurations are no choice
    assert picks(rows[:3], right)[0] == Picked(20.0, 0)
