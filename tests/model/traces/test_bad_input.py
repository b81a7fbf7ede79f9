"""What is no trace gets a sentence; a faulty row is named by line and column; memory stays bounded."""

from __future__ import annotations

import gzip
import io
import json
import pickle  # by which worker processes send what they raise
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from aisim_model.errors import InputError
from aisim_model.traces import BadRowsError, read_trace

HEADER = b"timestamp,input_length,output_length\n"
GOOD = b"0,100,5\n"


def json_row(**changes: object) -> bytes:
    return json.dumps({"timestamp": 0, "input_length": 10, "output_length": 1} | changes).encode() + b"\n"


def zip_of(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        (b"", "is empty"),
        (b" \r\n\n ", "is empty"),
        (b"\xef\xbb\xbf\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "is a PNG picture"),
        (b"PAR1" + bytes(100), "is a Parquet file"),
        (b"PAR1" + bytes(100) + b"PAR1", "is a Parquet file that can't be read"),
        (HEADER + b"0,5\x00,5\n", "has NUL bytes"),
        (b"\xff\xfe\x00", "starts like utf-16 but is not"),
        (b"\x81\x8d\x8f\x90", "is not text in UTF-8, UTF-16 or Windows-1252"),
        (b"<html><body>Not found</body></html>", "is in no known format"),
        (b"42", "is in no known format"),
        (b'{"name": "package", "version": 1}', "no column is known for arrival and input_tokens"),
        (b'{\n  "timestamp": 1\n}\n', "no column is known for input_tokens and output_tokens"),
        (b"[1, 2, 3]", "is JSON without requests"),
        (b"[1, 2", "is JSON without requests"),
        (b"[" * 200_000, "nested too deep"),
        (b'{"timestamp":' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deep"),
        (HEADER, "has a header and no rows"),
        (HEADER + b"\n\n", "has a header and no rows"),
        (
            b"num_prefill_tokens,num_decode_tokens\n5,5\n",
            "no column holds arrival times. Say how they arrive",
        ),
        (b"timestamp,input_length,input_length\n0,10,20\n", "input_length stands there twice"),
        (
            b"timestamp,input_length,input_length,output_length\n0,10,20,5\n",
            "column = 'input_length': is the name of 2 columns",
        ),
        (",".join(f"c{i}" for i in range(20_000)).encode() + b"\n1\n", "has 20,000 columns"),
        (",".join(f"c{i}" for i in range(1_000_000)).encode() + b"\n1\n", "too long for a header"),
        (b"{" + b",".join(b'"k%d":1' % i for i in range(1_000_000)) + b"}", "too long for a request"),
        (b"\x1f\x8b" + bytes(50), "can't be unpacked"),
        (gzip.compress(HEADER * 1000)[:-20], "can't be unpacked"),
        (b"PK\x03\x04" + bytes(50), "can't be unpacked"),
        (zip_of(a="1", b="2"), r"is a zip with 2 files \(a, b\)"),
        (zip_of(), r"is a zip with 0 files \(nothing\)"),
        (HEADER + b"1\n" * 100_001, "more than 100,000 of them can't be read as rows"),
        (json_row() + b"x\n" * 100_001, "more than 100,000 of them can't be read as rows"),
        (HEADER + (b"0,5," + b"5" * 3_000_000 + b"\n") * 3, "3 rows can't be replayed"),
        (b"[" + b" " * 4_000_001, "is JSON without requests"),
        (HEADER + GOOD + b'1,"2,' + b"3" * 40_000_000, "upload.*more than 17 MB from line 3 on, or a quote"),
        (b'{"timestamp": 0, "requests": []}\n', "has no requests"),
        (b'{"timestamp": 0, "requests": null}\n', "line 1: must have a list of objects as requests"),
        (HEADER + b"0,5,5\n1e17,5,5\n" * 2 + b"1e18,5,5\n", "a second is unusual|146 years"),
    ],
)
def test_what_is_no_trace_gets_a_sentence(contents: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read_trace(contents, "upload", time_unit="s")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize("source", ["no/such/file.csv", "/", "nul\0byte"])
def test_a_path_that_is_no_file_gets_a_sentence(source: str) -> None:
    with pytest.raises(InputError, match=r"can't be read|is not a file"):
        read_trace(source)


def test_a_file_is_read_by_its_path_and_called_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(HEADER + GOOD)
    trace, report = read_trace(path)
    assert (trace.name, report.rows) == ("mine.csv", 1)
    with pytest.raises(InputError, match="holds more than the 0 MB that are read"):
        read_trace(path, max_bytes=10)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (b"5,0,1", "column input_length, '0': must be 1 or more"),
        (b"5,-3,1", "column input_length, '-3': must be 1 or more"),
        (b"5,1.5,1", r"column input_length, '1\.5': must be a whole number of tokens"),
        (b"5,x,1", "column input_length, 'x': must be a whole number of tokens"),
        (b"5,,1", "column input_length: is missing"),
        (
            b"5,1000000000000000,1",
            "column input_length, '1000000000000000': must be 10,000,000 tokens or fewer",
        ),
        (b"5,1e999,1", "column input_length, '1e999': must be a whole number"),
        (b"5,1,-1", "column output_length, '-1': must be 0 or more"),
        (b"5,1,NaN", "column output_length, 'NaN': must be a whole number"),
        (b"nan,1,1", "column timestamp, 'nan': must be a finite number"),
        (b"inf,1,1", "column timestamp, 'inf': must be a finite number"),
        (b"-5,1,1", "column timestamp, '-5': must not be negative"),
        (b"1e300,1,1", r"column timestamp, '1e\+300': must be below"),
        (b"11/16/2023 18:17,1,1", "column timestamp, '11/16/2023 18:17': must be a finite number, or a date"),
        (b"true,1,1", "column timestamp, 'true': must be a finite number"),
        (b"5,1", "'5,1': has 2 cells where the header has 3"),
        (b"5,1,1,1", "'5,1,1,1': has 4 cells where the header has 3"),
    ],
)
def test_a_faulty_row_of_a_table_is_named_and_may_be_left_out(row: bytes, said: str) -> None:
    contents = HEADER + GOOD + b"\r\n" + row + b"\n9,20,5\n"
    with pytest.raises(BadRowsError, match=f"1 row can't be replayed: line 4, {said}"):
        read_trace(contents, "t.csv")
    trace, report = read_trace(contents, "t.csv", skip_bad_rows=True)
    assert trace.input_tokens.tolist() == [100, 20]
    assert trace.source_rows.tolist() == [1, 3]
    assert (report.rows, report.rows_left_out, report.faults[0].line) == (2, 1, 4)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (json_row(input_length=0), "column input_length, '0': must be 1 or more"),
        (json_row(input_length=10**15), "column input_length, '1000000000000000': must be 10,000,000"),
        (json_row(input_length=10**400), "column input_length, '1000.*…: must be a whole number"),
        (json_row(input_length=True), "column input_length, 'true': must be a whole number"),
        (json_row(input_length=[1]), r"column input_length, '\[1\]': must be a whole number"),
        (json_row(output_length=None), "column output_length: is missing"),
        (json_row(timestamp=float("nan")), "column timestamp, 'nan': must be a finite number"),
        (json_row(timestamp=float("-inf")), "column timestamp, '-inf': must be a finite number"),
        (json_row(timestamp=-1), "column timestamp, '-1': must not be negative"),
        (b'{"timestamp": 1, "input_le\n', "is not JSON"),
        (b'{"timestamp": 1, "timestamp": 2, "input_length": 1, "output_length": 1}\n', "stands there twice"),
        (b"[]\n", "is no JSON object"),
        (b'{"x": ' + b"[" * 100_000 + b"\n", "is nested too deep"),
        (
            b'{"timestamp": ' + b"9" * 5000 + b', "input_length": 1, "output_length": 1}\n',
            "is not JSON|'inf': must be",
        ),
    ],
)
@pytest.mark.parametrize("last", [False, True])
def test_a_faulty_json_row_is_named_and_may_be_left_out(row: bytes, said: str, last: bool) -> None:
    contents = json_row(input_length=7) + b"\n" + (row if last else row + json_row(input_length=8))
    with pytest.raises(BadRowsError, match=f"1 row can't be replayed: line 3.*{said}"):
        read_trace(contents, "t.jsonl")
    trace, report = read_trace(contents, "t.jsonl", skip_bad_rows=True)
    assert trace.input_tokens.tolist() == ([7] if last else [7, 8])
    assert report.rows_left_out == 1


TURNS = (
    b'{"session_id": "a", "input_length": 5, "output_length": 1, "timestamp": 600}\n'
    b'{"session_id": "a", "input_length": 6, "output_length": 1, %s}\n'
    b'{"session_id": "a", "input_length": 7, "output_length": 1, "delay": 100}\n'
    b'{"session_id": "b", "input_length": 8, "output_length": 1, "timestamp": 50}\n'
)


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (b'"delay": -50', "line 2, column delay, '-50.*': must not be negative"),
        (b'"delay": "soon"', "line 2, column delay, 'soon': must be a finite number of milliseconds"),
        (b'"delay": Infinity', "line 2, column delay, 'inf': must be a finite number"),
        (b'"delay": 5, "timestamp": "noon"', "line 2, column timestamp, 'noon': must be a finite number"),
        (b'"delay": null', "line 2, column timestamp: is missing"),
    ],
)
def test_a_turn_that_has_no_place_is_named_and_so_is_the_one_after_it(second: bytes, said: str) -> None:
    with pytest.raises(BadRowsError, match=f"2 rows.*{said}.*; line 3, column timestamp: is missing"):
        read_trace(TURNS % second, "t.jsonl")
    trace, report = read_trace(TURNS % second, "t.jsonl", skip_bad_rows=True)
    assert (trace.input_tokens.tolist(), report.rows_left_out) == ([8, 5], 2)


def test_many_faulty_rows_are_counted_and_the_first_are_named() -> None:
    contents = HEADER + GOOD + b"1,0,5\n" * 2000
    with pytest.raises(BadRowsError) as caught:
        read_trace(contents, "t.csv")
    assert caught.value.rows_at_fault == 2000
    assert str(caught.value).count("must be 1 or more") == 5
    assert "; and 1,995 more" in str(caught.value)


def test_a_trace_with_no_good_row_is_refused_whatever_is_skipped() -> None:
    with pytest.raises(InputError, match="has no row that can be read: line 2, column input_length"):
        read_trace(HEADER + b"0,0,1\n", "t.csv", skip_bad_rows=True)


def test_a_row_over_several_lines_is_named_by_its_first() -> None:
    contents = b'timestamp,input_length,output_length,text\n0,1,1,"two\nlines"\n1,x,1,"a\nb"\n2,2,2,c\n'
    with pytest.raises(BadRowsError, match="line 4, column input_length, 'x'"):
        read_trace(contents, "t.csv")


def test_a_quote_left_open_is_named_by_its_line() -> None:
    with pytest.raises(BadRowsError, match="1 row can't be replayed: line 3, '1,\"2"):
        read_trace(HEADER + GOOD + b'1,"2,' + b"3" * 200_000, "t.csv")


def test_a_row_after_a_very_long_cell_is_still_named() -> None:
    contents = b'timestamp,input_length,output_length,text\n0,1,1,"' + b"a" * 2_000_000 + b'"\n1,x,1,b\n'
    with pytest.raises(BadRowsError, match="column input_length, 'x'"):
        read_trace(contents, "t.csv")


def test_a_json_row_longer_than_a_block_is_read() -> None:
    long_row = json_row(tokens="1" * 2_500_000)
    trace, _ = read_trace(long_row * 3, "t.jsonl")
    assert len(trace) == 3


def test_rows_are_packed_in_parts_when_there_are_many() -> None:
    rows = b"".join(json_row(timestamp=str(i) if i % 2 else i, hash_ids=[i]) for i in range(50_010))
    trace, _ = read_trace(rows, "t.jsonl", time_unit="ms")
    assert trace.arrival_ms.tolist() == list(range(50_010))
    assert trace.hash_ids.tolist() == list(range(50_010))


def test_outputs_of_zero_count_as_one_and_are_counted() -> None:
    trace, report = read_trace(HEADER + b"0,5,0\n1,5,0\n2,5,9\n", "t.csv")
    assert trace.output_tokens.tolist() == [1, 1, 9]
    assert report.zero_outputs == 2


def test_faulty_rows_survive_the_way_from_a_worker_process() -> None:
    with pytest.raises(BadRowsError) as caught:
        read_trace(HEADER + b"0,0,1\n", "t.csv")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert str(again) == str(caught.value)
    assert again.faults == caught.value.faults


def peak_bytes_of_refusal(contents: bytes, said: str) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=said):
            read_trace(contents, "bomb")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_bomb_of_2_gb_in_gzip_is_refused_in_bounded_memory() -> None:
    # 32 members of 64 MB: as large as one of 2 GB, and quicker to make
    bomb = gzip.compress(bytes(64_000_000), compresslevel=6) * 32
    assert peak_bytes_of_refusal(bomb, "unpacks to more than 100 times its") < 400e6


def test_a_bomb_in_zip_is_refused_before_it_is_unpacked() -> None:
    bomb = zip_of(**{"a.csv": "0" * 150_000_000})
    assert peak_bytes_of_refusal(bomb, "unpacks to more than 100 times its") < 10e6


def test_a_zip_that_lies_about_its_size_is_refused() -> None:
    packed = bytearray(zip_of(**{"a.csv": "0" * 5000}))
    size = (5000).to_bytes(4, "little")
    lie = bytes(packed).replace(size, (50).to_bytes(4, "little"))
    assert lie != packed
    with pytest.raises(InputError, match="can't be unpacked"):
        read_trace(lie, "lie.zip")
