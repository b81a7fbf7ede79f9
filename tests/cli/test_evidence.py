"""`aisim evidence`: every published measurement with the errors of the models, good and bad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Aisim = Callable[[str], Any]


def test_every_measurement_with_its_predictions(aisim: Aisim) -> None:
    ran = aisim("evidence --json")
    assert (ran.status, ran.err) == (0, "")
    by_id = {row["id"]: row for row in ran.json["measurements"]}
    small = by_id["qwen3-8b-h800-128"]
    # 128 x 147,456 B / 200 GB/s = 0.09437 ms where 0.54 was measured
    assert small["reference"] == pytest.approx(0.09437184)
    assert small["reference_relative_error"] == pytest.approx(0.09437184 / 0.54 - 1)
    assert abs(small["calibrated_relative_error"]) < 0.09
    assert small["source"].startswith("github.com/")
    assert by_id["llama-3.1-8b-efa"]["consistent"] is False
    assert by_id["qwen3-235b-fp4-trtllm"]["reference"] is None
    assert 138 <= ran.json["fits"]["qwen3-8b-8x200g"]["bandwidth_gb_s"] <= 155


def test_a_table_for_a_person_marks_what_is_inconsistent(aisim: Aisim) -> None:
    lines = aisim("evidence").out.splitlines()
    assert lines[0].split() == [
        "Measurement",
        "Quantity",
        "Measured",
        "Reference",
        "Calibrated",
        "Roofline",
        "Consistent",
    ]
    marked = [line.split()[0] for line in lines if line.endswith("no")]
    assert marked == ["qwen3-32b-nixl", "llama-3.1-8b-efa"]
