"""Each format: told from its columns, its unit, its first rows, by hand."""

from __future__ import annotations

import json

import pytest

from aisim_model.errors import InputError
from aisim_model.traces import FORMATS, example_trace, read_trace, trace_columns

MOONCAKE = b"""{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [%s]}
{"timestamp": 3000, "input_length": 512, "output_length": 4, "hash_ids": [0]}
""" % b", ".join(b"%d" % i for i in range(14))
SESSIONS = b"""{"session_id":"a","input_length":1024,"output_length":9,"hash_ids":[1,2],"timestamp":0.0}
{"session_id":"a","input_length":512,"output_length":3,"hash_ids":[3],"delay":614.0}
{"session_id":"b","input_length":512,"output_length":4,"hash_ids":[1],"timestamp":100.0}
{"session_id":"a","input_length":512,"output_length":5,"hash_ids":[4],"delay":86.0}
"""
BAILIAN = (
    b'{"chat_id": 1, "parent_chat_id": -1, "timestamp": 61.25, "input_length": 33, "output_length": 7, '
    b'"type": "text", "turn": 1, "hash_ids": [5, 6, 7]}\n'
    b'{"chat_id": 2, "parent_chat_id": 1, "timestamp": 62.5, "input_length": 16, "output_length": 8, '
    b'"type": "text", "turn": 2, "hash_ids": [5]}\n'
)
RAGPULSE = (
    b'{"timestamp": "82", "input_length": 3112, "output_length": 192, "hash_ids": {"sys_prompt": [8302], '
    b'"passages_ids": [7398], "history": [], "web_search": [], "user_input": [26923]}, "session_id": "a"}\n'
    b'{"timestamp": "93", "input_length": 3167, "output_length": 86, "hash_ids": {"sys_prompt": [8302], '
    b'"passages_ids": [], "history": [], "web_search": [], "user_input": [26922]}, "session_id": "b"}\n'
)
AIBRIX = (
    b'{"timestamp": 0, "requests": [{"prompt": "a", "prompt_length": 101, "output_length": null},'
    b' {"prompt": "b", "prompt_length": 7, "output_length": 5}]}\n'
    b'{"timestamp": 1000, "requests": []}\n'
    b'{"timestamp": 2000, "requests": [{"prompt": "c", "prompt_length": 9, "output_length": 6}]}\n'
)
BURSTGPT = b"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
BURSTGPT_SESSIONS = (
    b"Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
)

# format, contents, unit, arrivals in ms, prompts, outputs, tokens of a block
CASES = [
    ("mooncake", MOONCAKE, "ms", [0, 3000], [6758, 512], [500, 4], 512),
    (
        "guidellm",
        b'{"timestamp": 0.0, "input_length": 10, "output_length": 5, "hash_ids": [0]}\n'
        b'{"timestamp": 0.2, "input_length": 20, "output_length": 8, "hash_ids": [0, 1]}\n',
        "s",
        [0, 200],
        [10, 20],
        [5, 8],
        16,  # 10 tokens in one block and 20 in two: 16 is the usual size that fits both, 512 fits one
    ),
    (
        "aiperf",
        b'{"timestamp": 0, "input_length": 512, "output_length": 128}\n'
        b'{"timestamp": 120, "input_length": 1024, "output_length": 256, "hash_ids": [1, 2]}\n',
        "ms",
        [0, 120],
        [512, 1024],
        [128, 256],
        512,
    ),
    # turns of a: at 0, 614 and 614 + 86; b at 100
    ("aiperf_sessions", SESSIONS, "ms", [0, 100, 614, 700], [1024, 512, 512, 512], [9, 4, 3, 5], 512),
    ("bailian", BAILIAN, "s", [0, 1250], [33, 16], [7, 8], 16),
    ("ragpulse", RAGPULSE, "s", [0, 11000], [3112, 3167], [192, 86], None),
    ("aibrix", AIBRIX, "ms", [0, 0, 2000], [101, 7, 9], [1, 5, 6], None),
    (
        "llmservingsim",
        b'{"input_toks":10,"output_toks":70,"arrival_time_ns":46926808,"input_tok_ids":[1,2],"output_tok_ids":[3]}\n'
        b'{"input_toks":22,"output_toks":104,"arrival_time_ns":347938952,"input_tok_ids":[1],"output_tok_ids":[]}\n',
        "ns",
        [0, 301.012144],
        [10, 22],
        [70, 104],
        None,
    ),
    (
        "azure",
        b"TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n"
        b"2023-11-16 18:17:04.0319600,3180,8\r\n",
        "datetime",
        [0, 52],
        [4808, 3180],
        [10, 8],
        None,
    ),
    (
        "burstgpt",
        BURSTGPT + b"5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,1087,230,1317,API log\n",
        "s",
        [0, 40000],
        [472, 1087],
        [18, 230],
        None,
    ),
    (
        "burstgpt_sessions",
        BURSTGPT_SESSIONS + b"19440110.0,1722,43,GPT-4,906,446,1352,Conversation log\n"
        b"19440161.0,d599,2,ChatGPT,36,29,65,Conversation log\n",
        "s",
        [0, 51000],
        [906, 36],
        [446, 29],
        None,
    ),
    (
        "vidur",
        b"arrived_at,num_prefill_tokens,num_decode_tokens\n0.0,4808,10\n0.052,3180,8\n",
        "s",
        [0, 52],
        [4808, 3180],
        [10, 8],
        None,
    ),
    (
        "splitwise",
        b"request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size\n"
        b"0,2,0,1,1,4096,32\n1,2,0,3,1,2048,8\n",
        "s",
        [0, 2000],
        [4096, 2048],
        [32, 8],
        None,
    ),
]


@pytest.mark.parametrize(
    ("format_id", "contents", "unit", "arrival_ms", "inputs", "outputs", "block_tokens"),
    CASES,
    ids=[case[0] for case in CASES],
)
def test_a_format_is_told_from_its_columns(
    format_id: str,
    contents: bytes,
    unit: str,
    arrival_ms: list[float],
    inputs: list[int],
    outputs: list[int],
    block_tokens: int | None,
) -> None:
    trace, report = read_trace(contents, "upload")
    assert (report.format_id, report.time_unit) == (format_id, unit)
    assert trace.arrival_ms.tolist() == arrival_ms
    assert trace.input_tokens.tolist() == inputs
    assert trace.output_tokens.tolist() == outputs
    assert trace.block_tokens == block_tokens
    assert report.rows == len(inputs)
    assert report.why[0].startswith("It has the columns")


def test_every_known_format_has_a_case() -> None:
    flat = {known.id for known in FORMATS if known.container != "json"}  # the others: test_nested.py
    assert {case[0] for case in CASES} == flat


def test_a_format_may_be_chosen() -> None:
    contents = b'{"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1]}\n'
    _, report = read_trace(contents, "upload", format="aiperf")
    assert report.format_id == "aiperf"
    with pytest.raises(InputError, match="format = 'nope': must be one of guidellm, mooncake"):
        read_trace(contents, "upload", format="nope")
    with pytest.raises(InputError, match="is not the csv that format azure is"):
        read_trace(contents, "upload", format="azure")
    with pytest.raises(InputError, match="columns = 'session_id': is no column of upload"):
        read_trace(contents, "upload", format="aiperf_sessions")


def test_examples_are_known_by_their_id() -> None:
    with pytest.raises(InputError, match="must be one of mooncake_conversation, azure_code"):
        example_trace("nope")


def test_rows_of_a_list_at_one_instant_keep_their_order_and_row() -> None:
    trace, report = read_trace(AIBRIX, "upload")
    assert trace.source_rows.tolist() == [1, 1, 3]
    assert report.zero_outputs == 1  # the open output length counts as 1 and is said
    assert any("1 request" in note for note in report.notes)


def test_parts_of_unequal_length_give_no_prefix_credit() -> None:
    trace, report = read_trace(RAGPULSE, "upload")
    assert not trace.has_hash_ids
    assert any("no prefix credit" in note for note in report.notes)


def test_columns_of_a_file_are_told_for_mapping() -> None:
    assert trace_columns(b"sep=;\nwhen; prompt ;answer\n0;5;5\n") == ("when", "prompt", "answer")
    assert trace_columns(b'{"a": 1}\n{"a": 1, "b": 2}\n') == ("a", "b")
    assert trace_columns(b'[{"c": 1}]') == ("c",)


def test_columns_mapped_by_the_user_in_a_table() -> None:
    contents = b"who,when_us,in,out\na,1500,10,2\nb,500,20,3\n"
    columns = {"arrival": "when_us", "input_tokens": "in", "output_tokens": "out"}
    trace, report = read_trace(contents, "mine.csv", columns=columns)
    assert (report.format_id, report.time_unit) == ("mapped", "us")
    assert trace.arrival_ms.tolist() == [0, 1]
    assert trace.input_tokens.tolist() == [20, 10]


def test_columns_mapped_by_the_user_in_json_lines() -> None:
    rows = [{"t": 0, "p": 1000, "g": 5, "b": [1, 2]}, {"t": 2, "p": 400, "g": 6, "b": [1]}]
    contents = "\n".join(json.dumps(row) for row in rows).encode()
    columns = {"arrival": "t", "input_tokens": "p", "output_tokens": "g", "hash_ids": "b"}
    trace, report = read_trace(contents, "mine.jsonl", columns=columns, time_unit="s")
    assert trace.arrival_ms.tolist() == [0, 2000]
    assert trace.block_tokens == 512  # 1000 in two blocks and 400 in one
    assert report.time_unit_why == "s was chosen."


def test_hash_ids_in_a_table_are_lists_as_json_writes_them() -> None:
    contents = (
        b'timestamp_ms,input_length,output_length,hash_ids\n0,1000,5,"[1, 2]"\n9,400,6,[1]\n12,400,6,x\n'
    )
    trace, report = read_trace(contents, "mine.csv")
    assert [trace.hash_ids_of(row).tolist() for row in range(3)] == [[1, 2], [1], []]
    assert "hash_ids are no list of integers in 1 row: no prefix credit there." in report.notes


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"arrival": "t"}, "must name the column of input_tokens"),
        ({"arrival": "t", "input_tokens": "p", "output_tokens": "p"}, "a column of its own"),
        ({"arrival": "t", "input_tokens": "p", "output_tokens": "nope"}, "'nope': is no column of"),
        ({"when": "t"}, "must map arrival, input_tokens, output_tokens, hash_ids"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(columns: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_trace(b"t,p,g\n0,1,1\n", "mine.csv", columns=columns)


def test_a_list_of_objects_is_read_row_by_row() -> None:
    rows = [{"timestamp": 0, "input_length": 5, "output_length": 1}, 7]
    trace, report = read_trace(json.dumps(rows).encode(), "list.json", skip_bad_rows=True)
    assert (len(trace), report.rows_left_out) == (1, 1)
    assert str(report.faults[0]) == "line 2: is no JSON object"
