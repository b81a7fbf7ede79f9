"""Files: the same table in each format, written in pieces, under the final name only when whole."""

from __future__ import annotations

import errno
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal
from pyarrow import parquet

from aisim_model.errors import InputError
from aisim_model.scenario import Scenario
from aisim_model.sweep import Sweep, frame, swept
from aisim_model.sweep.table import PIECE_POINTS, pieces, schema
from aisim_model.sweep.write import FORMATS, format_of, write


def small() -> Sweep:
    return swept(Scenario(), ["kv_dtype=bf16,fp8", "prompt_tokens=10:1000:lin:30", "bandwidth_gb_s=-1,1,400"])


def in_pieces() -> Sweep:
    sweep = swept(Scenario(), ["bandwidth_gb_s=1:400:log:700", "prompt_tokens=1:300:lin:300"])
    assert sweep.points > 4 * PIECE_POINTS
    return sweep


def read(path: Path) -> pd.DataFrame:
    if path.suffix == ".csv":
        return pd.read_csv(path)
    if path.suffix == ".parquet":
        return parquet.ParquetFile(path).read().to_pandas()
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source).read_all().to_pandas()


def plain(found: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its names as text, whatever held them."""
    names = [name for name, dtype in found.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)]
    return found.astype(dict.fromkeys(names, "str"))


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_holds_the_table_to_the_last_bit(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out{ending}"
    size = write(small(), path)
    assert size == path.stat().st_size
    found = plain(read(path))
    found["kv_dtype"] = found["kv_dtype"].astype("str")
    assert_frame_equal(found, plain(frame(small())), check_exact=True, check_dtype=ending != ".csv")
    assert found["handoff_ms"].isna().any()  # no delay is an empty cell


def test_pieces_cover_every_point_once_in_order(tmp_path: Path) -> None:
    sweep = in_pieces()
    told: list[int] = []
    path = tmp_path / "out.parquet"
    write(sweep, path, progress=told.append)
    assert sum(piece.points for piece in pieces(sweep)) == sweep.points == told[-1]
    assert told == sorted(told)
    assert len(told) > 4
    found = parquet.ParquetFile(path)
    assert found.metadata.num_rows == sweep.points
    assert found.metadata.num_row_groups == len(told)
    assert_frame_equal(found.read().to_pandas(), frame(sweep), check_exact=True)


def test_many_small_cases_share_a_piece() -> None:
    sweep = swept(Scenario(), ["chunk_tokens=1:1000:lin:100"])
    assert [piece.points for piece in pieces(sweep)] == [500]


def test_an_interrupted_run_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    path.write_bytes(b"before")

    def interrupt(points: int) -> None:
        if points > 2 * PIECE_POINTS:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(in_pieces(), path, progress=interrupt)
    assert path.read_bytes() == b"before"
    assert [file.name for file in tmp_path.iterdir()] == ["out.parquet"]


def test_units_stand_in_the_names() -> None:
    names = schema(small()).names
    assert names[2:5] == ["kv_dtype", "prompt_tokens", "bandwidth_gb_s"]
    endings = (
        "_ms",
        "_tokens",
        "_bytes",
        "_gb_s",
        "_share",
        "_id",
        "_dtype",
        "_slo",
        "_version",
        "deployment",
        "fits",
    )
    assert all(name.endswith(endings) for name in names)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("out.cvs", "Did you mean out.csv?"),
        ("out.txt", "must end in .csv, .parquet, .arrow"),
        ("out", "must end in"),
        ("not-there/out.csv", "isn't there"),
        ("folder.csv", "is a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=words):
        write(small(), tmp_path / name)
    assert not list(tmp_path.glob(".*"))


def test_a_full_disk_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError, match=r"can't be written \(No space left on device\)"):
        write(small(), tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_the_ending_may_be_in_capitals() -> None:
    assert format_of(Path("OUT.CSV")) == ".csv"
