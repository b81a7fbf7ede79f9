"""Marks on charts: what hides nothing, and what stands at a line."""

from __future__ import annotations

from typing import Any

from aisim_ui.charts.marks import prompt_upright, slo_upright, stripe
from aisim_ui.theme import SURFACES


def line(*values: float, dash: str = "solid") -> dict[str, Any]:
    return {"x": list(range(len(values))), "y": list(values), "line": {"dash": dash}}


def test_lines_that_are_the_same_take_turns() -> None:
    lines = [line(1, 2), line(1, 3), line(1, 2), line(1, 2, dash="dot"), line(1, 2)]
    stripe(lines)
    # of three alike the second covers two of three stripes, the third one of three
    assert [one["line"]["dash"] for one in lines] == ["solid", "solid", "20px,10px", "dot", "10px,20px"]


def test_what_stands_at_a_line_is_written_in_full() -> None:
    assert slo_upright(3_600_000, SURFACES["light"])["annotations"][0]["text"] == "SLO 3,600,000 ms"
    notes = [prompt_upright(tokens, SURFACES["light"])["annotations"][0]["text"] for tokens in (1, 12_000)]
    assert notes == ["1 token", "12,000 tokens"]
