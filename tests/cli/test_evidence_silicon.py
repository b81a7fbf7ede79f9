"""`aisim evidence --silicon`: any file of operating points scored, and what is wrong with one said."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aisim_model.passes.aiconfigurator import why_not_installed

SAMPLE = Path(__file__).parents[1] / "model" / "evidence" / "silicon_sample.csv"
QUANTITIES = {"tpot", "ttft_low", "ttft"}
Run = Callable[..., Any]


def scored(aisim: Run, file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(aisim(f"evidence --silicon {file} --json").out)
    return found


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Return the sample's rows of one GPU, whose operators are read in a second or two."""
    header, *lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    file = tmp_path / "few.csv"
    file.write_text("\n".join([header, *(line for line in lines if ",h200,vllm," in line)]))
    return file


def test_every_rival_is_scored_on_every_quantity(aisim: Run, few: Path) -> None:
    found = scored(aisim, few)
    with few.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) >= 2
    assert found["rows"] == len(rows)
    assert set(found["rivals"]) == {"roofline", "simple_roofline", "aiconfigurator"}
    for rival in found["rivals"].values():
        assert set(rival) == QUANTITIES
        for score in rival.values():
            assert set(score) == {"n", "mape", "median", "ratio", "within_25"}
    asked = sum(row["use_tpot"] == "1" for row in rows)
    assert found["rivals"]["roofline"]["tpot"]["n"] == asked
    if why_not_installed() is None:
        assert found["rivals"]["aiconfigurator"]["tpot"]["n"] >= 0.8 * asked
    said = aisim(f"evidence --silicon {few}").out
    assert "roofline" in said
    assert f"{len(rows):,} rows can be timed" in said


def test_rows_that_cannot_be_timed_are_counted_by_reason(aisim: Run, tmp_path: Path) -> None:
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    header, first = lines[0], lines[1]
    names = header.split(",")

    def with_cell(name: str, value: str) -> str:
        cells = next(csv.reader([first]))
        cells[names.index(name)] = value
        return ",".join(f'"{cell}"' for cell in cells)

    file = tmp_path / "rows.csv"
    cut = ",".join(first.split(",")[:12])
    rows = [first, with_cell("model", "llama-9"), with_cell("system", "tpu"), with_cell("isl", "-1"), cut]
    file.write_text("\n".join((header, *rows)), encoding="utf-8")
    found = scored(aisim, file)
    assert found["rows"] == 1
    assert found["left_out"]["model llama-9 is not in the catalogue"] == 1
    assert found["left_out"]["GPU tpu is not in the catalogue"] == 1
    assert found["left_out"]["isl is not a number above 0"] == 1
    assert sum("is not a number above 0" in reason for reason in found["left_out"]) >= 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "lacks config, model"),
        (b"a,b\n1,2\n", "lacks config, model"),
        (b"\x89PNG\r\n\x1a\n\xff", "is no table of text"),
    ],
)
def test_what_is_no_such_table_is_a_sentence(aisim: Run, tmp_path: Path, content: bytes, says: str) -> None:
    file = tmp_path / "x.csv"
    file.write_bytes(content)
    ran = aisim(f"evidence --silicon {file}")
    assert ran.status == 2
    assert says in ran.err


def test_a_file_that_is_not_there_is_a_sentence(aisim: Run, tmp_path: Path) -> None:
    ran = aisim(f"evidence --silicon {tmp_path / 'none.csv'}")
    assert ran.status == 2
    assert "can't be read" in ran.err
