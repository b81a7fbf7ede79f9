"""What is converted on the way in, and said: encodings, separators, marks, units, ids."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from aisim_model.errors import InputError
from aisim_model.traces import read_trace
from aisim_model.traces.time_units import detect_unit

TABLE = "timestamp,input_length,output_length\n0,100,5\n1500,300,7\n"
LINES = '{"timestamp": %s, "input_length": 10, "output_length": 1}\n'


def lines(*timestamps: object) -> bytes:
    return "".join(LINES % stamp for stamp in timestamps).encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_table_reads_alike_in_every_encoding(encoding: str) -> None:
    trace, report = read_trace(TABLE.encode(encoding), "t.csv")
    assert trace.input_tokens.tolist() == [100, 300]
    assert report.encoding == encoding


def test_a_windows_export_with_umlauts_is_read_and_said() -> None:
    contents = "Größe,timestamp,input_length,output_length\nx,0,5,5\n".encode("cp1252")
    _, report = read_trace(contents, "t.csv")
    assert report.encoding == "windows-1252"
    assert "The text is in windows-1252 and was read as such." in report.notes


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends(delimiter: str, end: str) -> None:
    contents = TABLE.replace(",", delimiter).replace("\n", end).encode()
    trace, report = read_trace(contents, "t.csv")
    assert trace.arrival_ms.tolist() == [0, 1500]
    assert any("separated by" in note for note in report.notes) == (delimiter != ",")


def test_lines_that_end_in_returns_alone_are_lines_in_any_format() -> None:
    trace, _ = read_trace(lines(0, 1500).replace(b"\n", b"\r"), "t.jsonl")
    assert trace.arrival_ms.tolist() == [0, 1500]
    table = TABLE.replace("300", "x").replace("\n", "\r").encode()
    with pytest.raises(InputError, match="line 3, column input_length, 'x'"):
        read_trace(table, "t.csv")
    with pytest.raises(InputError, match="line 3, column input_length, 'x'"):
        read_trace(b"\n".join(table.split(b"\r", 1)), "one line feed.csv")


def test_a_quoted_header_after_blanks_is_read() -> None:
    contents = b' "timestamp", "input_length", "output_length"\n0,100,5\n'
    assert read_trace(contents, "t.csv")[0].input_tokens.tolist() == [100]


def test_blank_lines_above_a_trace_are_counted_and_skipped() -> None:
    trace, _ = read_trace(b"\n" * 3000 + lines(0, 1), "t.jsonl")
    assert len(trace) == 2
    with pytest.raises(InputError, match="line 3,002, column timestamp, 'x'"):
        read_trace(b"\n" * 3000 + TABLE.replace("0,100", "x,100").encode(), "t.csv")


def test_apostrophes_and_thin_spaces_group_thousands() -> None:
    contents = "timestamp,input_length,output_length\n0,12\u2019035,5\n1,1\u2009126\u2009195,5\n3,7'000,5\n"
    trace, _ = read_trace(contents.encode(), "ch.csv")
    assert trace.input_tokens.tolist() == [12035, 1126195, 7000]


def test_the_line_that_excel_puts_above_a_header_is_no_row() -> None:
    trace, _ = read_trace(b"sep=;\n" + TABLE.replace(",", ";").encode(), "t.csv")
    assert len(trace) == 2


def test_a_decimal_comma_shows_that_points_are_thousands() -> None:
    contents = b"timestamp;input_length;output_length\n0,5;12.035;342\n3,0;126.195;1.000\n"
    trace, report = read_trace(contents, "de.csv", time_unit="s")
    assert trace.arrival_ms.tolist() == [0, 2500]
    assert trace.input_tokens.tolist() == [12035, 126195]
    assert trace.output_tokens.tolist() == [342, 1000]
    assert any("12.035 is 12035" in note for note in report.notes)


def test_a_decimal_point_shows_that_commas_are_thousands() -> None:
    contents = b'timestamp,input_length,output_length\n0.5,"12,035",342\n3.0,"1,126,195",1\n'
    trace, _ = read_trace(contents, "us.csv", time_unit="s")
    assert trace.input_tokens.tolist() == [12035, 1126195]


def test_a_number_that_reads_two_ways_is_asked_about() -> None:
    contents = b"timestamp;input_length;output_length\n0;12.035;5\n1;7;5\n"
    with pytest.raises(InputError, match=r"line 2, column input_length, '12\.035' may be 12,035 or 12\.035"):
        read_trace(contents, "t.csv")
    trace, _ = read_trace(contents, "t.csv", decimal=",")
    assert trace.input_tokens.tolist() == [12035, 7]
    with pytest.raises(InputError, match=r"line 2, column input_length, '12\.035': must be a whole number"):
        read_trace(contents, "t.csv", decimal=".")


def test_decimals_in_both_ways_are_refused() -> None:
    contents = b"timestamp;input_length;output_length\n0,5;10;5\n1.5;7;5\n"
    with pytest.raises(InputError, match="decimals in both ways"):
        read_trace(contents, "t.csv")


def test_counts_written_as_floats_or_text_are_read() -> None:
    trace, _ = read_trace(b"timestamp,input_length,output_length\n0.5,4808.0,1e1\n1.5, 3 ,+4\n", "t.csv")
    assert trace.input_tokens.tolist() == [4808, 3]
    assert trace.output_tokens.tolist() == [10, 4]
    rows = b'{"timestamp": "0", "input_length": "1000", "output_length": "7.0"}\n'
    trace, _ = read_trace(rows, "t.jsonl")
    assert (trace.input_tokens[0], trace.output_tokens[0]) == (1000, 7)


def test_dates_with_and_without_zone_and_fraction() -> None:
    contents = (
        b"TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-12 00:00:10+00:00,1,1\n"
        b"2024-05-12T02:00:20.123456+02:00,2,1\n2024-05-12 00:00:30,3,1\n2024-05-12 00:00:31.5Z,4,1\n"
    )
    trace, report = read_trace(contents, "t.csv")
    # 02:00:20.123456 two hours east of Greenwich is 00:00:20.123456
    assert trace.arrival_ms.tolist() == [0, 10123.456, 20000, 21500]
    assert report.time_unit == "datetime"


def test_dates_may_say_utc_and_those_without_a_zone_are_said_beside_others() -> None:
    header = b"TIMESTAMP,ContextTokens,GeneratedTokens\n"
    trace, report = read_trace(header + b"2024-05-12 00:00:10 UTC,1,1\n2024-05-12 00:00:20z,2,1\n", "t.csv")
    assert trace.arrival_ms.tolist() == [0, 10000]
    assert not any("without a zone" in note for note in report.notes)
    # the first is 22:00:10 of the day before in UTC: 2 h and 10 s earlier
    mixed = header + b"2024-05-12 00:00:10+02:00,1,1\n2024-05-12 00:00:20,2,1\n"
    trace, report = read_trace(mixed, "t.csv")
    assert trace.arrival_ms.tolist() == [0, 7_210_000]
    assert "Dates without a zone stand beside some with one and are read as UTC." in report.notes


def test_dates_may_have_strokes_where_the_year_comes_first() -> None:
    header = b"TIMESTAMP,ContextTokens,GeneratedTokens\n"
    trace, report = read_trace(header + b"2024/05/12 23:59:50,1,1\n2024/05/13T00:00:20.5,2,1\n", "t.csv")
    assert trace.arrival_ms.tolist() == [0, 30_500]
    assert report.time_unit == "datetime"


def test_dates_in_json_lines() -> None:
    trace, _ = read_trace(lines('"2024-05-12T00:00:10Z"', '"2024-05-12T00:00:11.25Z"'), "t.jsonl")
    assert trace.arrival_ms.tolist() == [0, 1250]


def test_seven_decimals_of_a_date_are_kept() -> None:
    contents = (
        b"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.0000000,1,1\n"
        b"2023-11-16 18:17:03.0000001,1,1\n"
    )
    assert read_trace(contents, "t.csv")[0].span_ms == 1e-4


@pytest.mark.parametrize(
    ("contents", "unit"),
    [
        (lines(0, 1000, 2000), "ms"),  # 1 a second in ms, 0.001 in s
        (lines(0, 7, 14, 21), "ms"),  # 143 a second in ms: whole numbers keep the documented unit longer
        (lines(0, 1, 2, 3), "s"),  # 1,000 a second in ms, 1 in s
        (lines(0, 250.5, 501), "ms"),
        (lines(0, 0.2, 0.4), "s"),  # 5 a second in s, 5,000 in ms
        (lines(1759522419154, 1759522420161), "ms"),  # since 1970
        (lines(1759522419, 1759522420), "s"),
        (lines(1759522419154123456, 1759522420161123456), "ns"),
        (lines(5, 5, 5), "ms"),  # all at once: as documented
    ],
)
def test_the_unit_is_told_from_the_span(contents: bytes, unit: str) -> None:
    assert read_trace(contents, "t.jsonl")[1].time_unit == unit


def test_nanoseconds_since_1970_keep_their_last_digit() -> None:
    trace, _ = read_trace(lines(1759522419154123456, 1759522419154123457), "t.jsonl")
    assert trace.span_ms == 1e-6


def test_mooncake_in_whole_seconds_is_not_taken_for_milliseconds() -> None:
    # 12,031 requests over 3,536 s: in ms they would be 3,400 a second
    unit, why = detect_unit(0, 3536, 12031, documented="ms", candidates=("ms", "s"))
    assert unit == "s"
    assert "3.4 a second; in ms they would span 3.536 s" in why


def test_a_chosen_unit_is_taken() -> None:
    trace, report = read_trace(lines(0, 2), "t.jsonl", time_unit="us")
    assert (trace.span_ms, report.time_unit) == (0.002, "us")
    with pytest.raises(InputError, match="time_unit = 'h': must be ns, us, ms, s or days"):
        read_trace(lines(0, 2), "t.jsonl", time_unit="h")


def test_a_rate_that_no_service_sees_is_remarked() -> None:
    _, report = read_trace(lines(0, 1, 2), "t.jsonl", time_unit="ns")
    assert any("check the time unit" in note for note in report.notes)


def test_unsorted_rows_are_sorted_and_ties_keep_the_order_of_the_file() -> None:
    contents = b"timestamp_ms,input_tokens,output_tokens\n9,1,1\n5,2,1\n9,3,1\n5,4,1\n"
    trace, report = read_trace(contents, "t.csv")
    assert trace.input_tokens.tolist() == [2, 4, 1, 3]
    assert trace.source_rows.tolist() == [2, 4, 1, 3]
    assert any("have been sorted" in note for note in report.notes)


def test_ids_that_are_no_list_of_integers_give_no_credit_and_a_note() -> None:
    rows = (
        b'{"timestamp": 0, "input_length": 1000, "output_length": 1, "hash_ids": "abc"}\n'
        b'{"timestamp": 1, "input_length": 1000, "output_length": 1, "hash_ids": [1, 2]}\n'
        b'{"timestamp": 2, "input_length": 1000, "output_length": 1, "hash_ids": [1, 2.5]}\n'
        b'{"timestamp": 3, "input_length": 1000, "output_length": 1, "hash_ids": [1, null]}\n'
    )
    trace, report = read_trace(rows, "t.jsonl")
    assert [trace.hash_ids_of(row).tolist() for row in range(4)] == [[], [1, 2], [], []]
    assert "hash_ids are no list of integers in 3 rows: no prefix credit there." in report.notes


def test_ids_of_more_than_64_bits_keep_what_is_equal() -> None:
    rows = b'{"timestamp": 0, "input_length": 1000, "output_length": 1, "hash_ids": [%d, 5]}\n' % 2**70
    trace, _ = read_trace(rows + rows, "t.jsonl")
    assert trace.hash_ids_of(0).tolist() == trace.hash_ids_of(1).tolist()
    assert trace.hash_ids[0] != trace.hash_ids[1]


def test_ids_beyond_the_prompt_are_dropped_and_said() -> None:
    row = b'{"timestamp": %d, "input_length": 1024, "output_length": 1, "hash_ids": [%s]}\n'
    contents = row % (0, b"1, 2, 3") + b"".join(row % (i, b"1, 2") for i in range(1, 30))
    trace, report = read_trace(contents, "t.jsonl")
    assert trace.hash_ids_of(0).tolist() == [1, 2]
    assert any("More hash ids than blocks in 1 row" in note for note in report.notes)


def test_packed_files_are_unpacked_and_members_of_gzip_follow_each_other() -> None:
    first, rest = TABLE[:40].encode(), TABLE[40:].encode()
    trace, report = read_trace(gzip.compress(first) + gzip.compress(rest), "t.csv.gz")
    assert (len(trace), report.packed_with) == (2, "gzip")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("__MACOSX/._t.csv", "x")
        archive.writestr("folder/t.csv", TABLE)
    trace, report = read_trace(packed.getvalue(), "t.zip")
    assert (len(trace), report.packed_with) == (2, "zip")
