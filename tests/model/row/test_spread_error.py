"""How far estimated percentiles are from replays over a grid: the table, and a cell of it anew."""

from __future__ import annotations

import pytest

from aisim_model.row.spread_error import measured_spread, spread_error
from aisim_model.scenario import Workload
from aisim_model.study.engine_grid import ROWS
from aisim_model.study.spread_grid import LENGTHS, SHARES, measure_spread


def test_the_table_is_the_whole_grid() -> None:
    cells = {
        (one.model_id, one.workers, one.prompt_tokens, one.output_tokens, one.share)
        for one in measured_spread()
    }
    assert len(cells) == len(measured_spread()) == 2 * len(ROWS) * len(LENGTHS) * len(SHARES)


def test_a_cell_is_what_is_measured() -> None:
    found = measure_spread(Workload(prompt_tokens=8000, output_tokens=100), ROWS[0], 0.3)
    assert found in measured_spread()


def test_p99_of_split_rows_is_near_at_light_load() -> None:
    found = spread_error("split", 0.2)
    assert found is not None
    assert 0.85 < found.ttft_low < 1.0 < found.ttft_high < 1.3
    assert 0.94 < found.itl_low < found.itl_high < 1.03


@pytest.mark.parametrize("kind", ["split", "aggregated"])
def test_beyond_the_grid_nothing_is_said(kind: str) -> None:
    assert spread_error(kind, 0.9) is None
