"""The table of how far the estimate is from a replay at level ``engine``."""

from __future__ import annotations

import math

import pytest

from aisim_model.row.engine_error import engine_error, measured
from aisim_model.scenario import Workload
from aisim_model.study.engine_grid import MODELS, OUTPUTS, PROMPTS, ROWS, SHARES, measure


def test_the_table_has_every_cell_of_the_grid() -> None:
    assert len(measured()) == len(MODELS) * len(ROWS) * len(PROMPTS) * len(OUTPUTS) * len(SHARES)
    assert all(math.isfinite(one.ttft_ratio) and one.ttft_ratio > 0 for one in measured())


@pytest.mark.parametrize("kind", ["split", "aggregated"])
def test_a_range_is_that_of_the_next_load_measured(kind: str) -> None:
    light, heavy = engine_error(kind, 0.1), engine_error(kind, 0.8)
    assert light is not None
    assert heavy is not None
    cells = [one for one in measured() if one.kind == kind and one.share == 0.85]
    assert heavy.ttft_low == min(one.ttft_ratio for one in cells)
    assert heavy.itl_high == max(one.itl_ratio for one in cells)
    assert heavy.ttft_low <= light.ttft_low <= light.ttft_high <= heavy.ttft_high
    assert engine_error(kind, 0.9) is None


def test_a_cell_measured_again_is_the_same() -> None:
    cell = next(one for one in measured() if one.kind == "aggregated" and one.share == 0.3)
    workload = Workload(
        model_id=cell.model_id, prompt_tokens=cell.prompt_tokens, output_tokens=cell.output_tokens
    )
    row = next(one for one in ROWS if one.name == cell.workers)
    assert measure(workload, row, cell.share) == cell
