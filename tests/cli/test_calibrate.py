"""`aisim calibrate`: the published rows, logs, and a sentence with status 2 for what can't be fitted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aisim = Callable[[str], Any]
DATA = Path(__file__).parents[1] / "model" / "calibration" / "data"
QWEN3_8B = f"calibrate {DATA / 'qwen3_8b_transfers.csv'} --kv-bytes-per-token 147456"
LOG = f"calibrate {DATA / 'vllm_kv_transfer.log'}"


def test_published_qwen3_8b_rows(aisim: Aisim) -> None:
    ran = aisim(f"{QWEN3_8B} --json")
    assert (ran.status, ran.err) == (0, "")
    assert 0.30 <= ran.json["alpha_ms"] <= 0.48
    assert 138 <= ran.json["bandwidth_gb_s"] <= 155
    assert ran.json["max_relative_error"] <= 0.09
    assert ran.json["max_leave_one_out_error"] <= 0.12
    low, high = ran.json["alpha_ms_interval"]
    assert low < ran.json["alpha_ms"] < high
    low, high = ran.json["bandwidth_gb_s_interval"]
    assert low < ran.json["bandwidth_gb_s"] < high


def test_every_row_comes_with_its_residual(aisim: Aisim) -> None:
    rows = aisim(f"{QWEN3_8B} --json").json["rows"]
    assert [row["row"] for row in rows] == list(range(2, 11))
    for row in rows:
        error = row["predicted_ms"] / row["milliseconds"] - 1
        assert row["relative_error"] == pytest.approx(error)
    assert rows[0]["bytes"] == 128 * 147_456


def test_the_error_is_over_all_rows_given(aisim: Aisim, tmp_path: Path) -> None:
    # 0.5 ms + bytes / 50 GB/s; the fourth row ten times as long: 90% off
    text = "bytes,milliseconds\n" + "".join(
        f"{size},{(0.5 + size / 50e6) * (10 if row == 3 else 1)}\n"
        for row, size in enumerate([1e6, 1e7, 3e7, 1e8, 1e9])
    )
    (tmp_path / "odd.csv").write_text(text, encoding="utf-8")
    found = aisim(f"calibrate {tmp_path / 'odd.csv'} --json").json
    assert found["alpha_ms"] == pytest.approx(0.5, rel=1e-6)
    assert found["bandwidth_gb_s"] == pytest.approx(50, rel=1e-6)
    assert found["max_relative_error"] == pytest.approx(0.9, rel=1e-6)
    assert "row 5 (fit -90%)" in found["messages"][0]


def test_lines_for_a_person(aisim: Aisim) -> None:
    lines = aisim(QWEN3_8B).out.splitlines()
    assert lines[0].startswith("alpha_ms            0.40")
    assert "(95%:" in lines[1]
    assert lines[2].endswith("over 9 rows")


def test_a_vllm_log_with_its_ranks(aisim: Aisim) -> None:
    found = aisim(f"{LOG} --tensor-parallel 2 --json").json
    assert found["bandwidth_gb_s"] == pytest.approx(8.67, rel=0.05)
    assert "2 ranks" in found["messages"][0]


def test_cost_of_a_descriptor_stands_among_the_lines(aisim: Aisim, tmp_path: Path) -> None:
    sizes = [1e6, 1e7, 1e8, 1e9]
    rows = [(size, size / block) for block in (1e4, 4e4) for size in sizes]
    text = "bytes,descriptors,milliseconds\n" + "".join(
        f"{size},{count},{0.5 + count * 0.002 + size / 50e6}\n" for size, count in rows
    )
    (tmp_path / "counted.csv").write_text(text, encoding="utf-8")
    assert "per_descriptor_us   2 " in aisim(f"calibrate {tmp_path / 'counted.csv'}").out


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("bytes,milliseconds\n1000000,0.5\n", "", "'1 row': is too few"),
        ("bytes,milliseconds\n1000000,0.5\n1000000,0.5\n", "", "of one size"),
        ("bytes,milliseconds\n1000000,0\n2000000,1\n", "", "row 2, milliseconds = '0'"),
        ("bytes,milliseconds\n1000000,-2\n2000000,1\n", "", "row 2, milliseconds = '-2'"),
        ("bytes,milliseconds\n1000000,fast\n2000000,1\n", "", "row 2, milliseconds = 'fast'"),
        ("bytes,milliseconds\n100000000,0.002\n1000000000,0.02\n", "", "Are times in s where ms are read"),
        ("tokens,milliseconds\n128,0.5\n256,1\n", "", "kv_bytes_per_token = None: is needed"),
        ("tokens,milliseconds\n128,0.5\n", "--kv-bytes-per-token -1", "kv_bytes_per_token = -1.0"),
        ("tokens,milliseconds\n128,0.5\n", "--kv-bytes-per-token many", "kv_bytes_per_token = 'many'"),
        ("bytes,milliseconds\n1000000,0.5\n2000000,1\n", "--lanes 0", "lanes = 0.0"),
        ("\x00\x01", "", "has no column"),
        ("Avg xfer time (ms)=1.0, Avg MB per transfer=3.0\n", "", "tensor_parallel = None"),
    ],
)
def test_what_cant_be_fitted_is_a_sentence(
    aisim: Aisim, tmp_path: Path, text: str, options: str, says: str
) -> None:
    (tmp_path / "given.csv").write_text(text, encoding="utf-8")
    ran = aisim(f"calibrate {tmp_path / 'given.csv'} {options} --json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("aisim: ")
    assert says in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_file_that_isnt_there_is_named(aisim: Aisim, tmp_path: Path) -> None:
    ran = aisim(f"calibrate {tmp_path / 'none.csv'}")
    assert ran.status == 2
    assert "none.csv" in ran.err
