"""`aisim import`: rows and flags as JSON, a sentence for what is no deployment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_a_command_becomes_a_row_and_its_flags(aisim: Callable[[str], Any], tmp_path: Path) -> None:
    file = tmp_path / "run.sh"
    file.write_text("vllm serve Qwen/Qwen3-8B -tp 2 --port 80", encoding="utf-8")
    found = aisim(f"import {file} --json").json
    assert (found["rows"][0]["kind"], found["rows"][0]["gpus"]) == ("aggregated", 2)
    assert [flag["used_as"] for flag in found["flags"]][:3] == ["model", "tp", None]
    assert "irrelevant" in aisim(f"import {file}").out


def test_a_manifest_of_another_shape_is_a_sentence(aisim: Callable[[str], Any], tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("kind: DynamoGraphDeployment\nspec: {services: {a: {envs: 3}}}", encoding="utf-8")
    ran = aisim(f"import {file}")
    assert ran.status == 2
    assert "another shape" in ran.err
