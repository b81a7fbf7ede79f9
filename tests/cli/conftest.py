"""Run the command as a person does, in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aisim_cli.main import main


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out, parse_constant=pytest.fail)


@pytest.fixture
def aisim(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Ran]:
    """Return a function that runs `aisim` on the words of a line."""

    def run(line: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["aisim", *line.split()])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return Ran(int(left.value.code or 0), out, err)

    return run


@pytest.fixture
def five_ways(tmp_path: Path) -> Path:
    """Return a file of the scenario that the app opens on: one that leaves everything out."""
    file = tmp_path / "five-ways.yaml"
    file.write_text("{}", encoding="utf-8")
    return file


@pytest.fixture
def trace_file(tmp_path: Path) -> Callable[[list[tuple[float, int, int]]], Path]:
    """Return a function that writes requests of (ms, input, output tokens) as a trace."""

    def write(requests: list[tuple[float, int, int]]) -> Path:
        file = tmp_path / "trace.jsonl"
        rows = [
            {"timestamp": ms, "input_length": prompt, "output_length": answer, "hash_ids": []}
            for ms, prompt, answer in requests
        ]
        file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return file

    return write
