"""`aisim catalog`: tables for a person, JSON with every source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from aisim_model import catalog

Aisim = Callable[[str], Any]


def test_links_in_json_are_the_records(aisim: Aisim) -> None:
    ran = aisim("catalog links --json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.json == [link.model_dump() for link in catalog.links()]


def test_gpus_in_json_are_the_records(aisim: Aisim) -> None:
    assert aisim("catalog gpus --json").json == [gpu.model_dump() for gpu in catalog.gpus()]


def test_models_in_json_have_their_shape_and_both_sources(aisim: Aisim) -> None:
    rows = {row["id"]: row for row in aisim("catalog models --json").json}
    assert len(rows) == len(catalog.models())
    llama, deepseek = rows["llama-3.1-70b"], rows["deepseek-v3"]
    assert (llama["layers"], llama["attention_heads"], llama["kv_heads"]) == (80, 64, 8)
    assert llama["kv_bytes_per_token_bf16"] == 327_680
    assert (deepseek["kv_heads"], deepseek["kv_bytes_per_token_bf16"]) == (None, 70_272)
    assert all(row["source"] and row["parameters_source"] for row in rows.values())


@pytest.mark.parametrize("kind", ["links", "gpus", "models"])
def test_the_table_has_a_line_a_record(aisim: Aisim, kind: str) -> None:
    header, *lines = aisim(f"catalog {kind}").out.splitlines()
    assert header.split()[:2] == ["id", "name"]
    assert [line.split()[0] for line in lines] == [record.id for record in getattr(catalog, kind)()]


def test_a_value_that_is_not_known_is_a_dash(aisim: Aisim) -> None:
    (line,) = (row for row in aisim("catalog gpus").out.splitlines() if row.startswith("l40s"))
    assert line.split()[:10] == [
        "l40s",
        "L40S",
        "362.0",
        "733.0",
        "-",
        "733.0",
        "48.0",
        "46,068",
        "0.864",
        "31.5",
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("catalog", "Missing argument 'kind'. Choose from: links, gpus, models."),
        ("catalog engines", "'engines' is not one of 'links', 'gpus', 'models'"),
        ("catalog links gpus", "unexpected extra argument"),
    ],
)
def test_a_wrong_kind_is_a_sentence_and_status_2(aisim: Aisim, line: str, says: str) -> None:
    ran = aisim(line)
    assert (ran.status, ran.out) == (2, "")
    assert says in ran.err
    assert ran.err.count("\n") == 1
