"""What an engine sets and what it does only when asked, in words."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.scenario import Deployment
from aisim_model.scenario.engines import ENGINES
from aisim_ui.sentences.engines import counted_on_line, defaults_line, opt_in_lines


def row(**values: Any) -> Deployment:
    return Deployment.model_validate({"id": "row", "name": "Row", **values})


def test_all_that_the_choice_of_an_engine_sets_is_named() -> None:
    line = defaults_line("trtllm").replace("\\", "")
    for said in ("block size 32", "prefix credit none", "order source_first", "overlap none", "shipped"):
        assert said in line


@pytest.mark.parametrize("engine_id", list(ENGINES))
def test_every_opt_in_of_an_engine_is_listed(engine_id: str) -> None:
    assert len(opt_in_lines(row(engine=engine_id))) == len(ENGINES[engine_id].opt_in) > 0


@pytest.mark.parametrize(
    ("values", "counted_on"),
    [
        ({}, ""),
        ({"overlap": "layer"}, "overlap layer"),
        ({"overlap": "chunk"}, ""),  # vLLM has no such option
        ({"overlap": "layer", "block_size": 64}, "block size 64, overlap layer"),
        ({"engine": "sglang"}, "prefix credit blocks"),
        ({"engine": "sglang", "prefix_credit": "none"}, ""),
        ({"overlap": "layer", "kind": "aggregated"}, ""),
    ],
)
def test_what_a_row_counts_on_is_marked(values: dict[str, Any], counted_on: str) -> None:
    asked = row(**values)
    assert counted_on_line(asked) == counted_on
    marked = [line for line in opt_in_lines(asked) if "counted on here" in line]
    assert len(marked) == (len(counted_on.split(", ")) if counted_on or not asked.split else 0)
