"""Measurements as people hold them: tables of every make, and vLLM's log lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.calibration import calibrate, read_measurements, read_prefill_table, read_transfer_log
from aisim_model.errors import InputError

LOG = (Path(__file__).parent / "data" / "vllm_kv_transfer.log").read_text(encoding="utf-8")
WANTED = [1_000_000.0, 20_000_000.0], [0.52, 0.9]


@pytest.mark.parametrize(
    "text",
    [
        "bytes,milliseconds\n1000000,0.52\n20000000,0.9\n",
        "\ufeffbytes,milliseconds\r\n1000000,0.52\r\n20000000,0.9",
        "bytes;milliseconds\n1000000;0,52\n20000000;0,9\n",
        "bytes\tmilliseconds\n1000000\t0.52\n20000000\t0.9\n",
        "milliseconds,bytes\n0.52,1e6\n0.9,2e7\n",
        'Bytes , Milliseconds\n"1,000,000", 0.52\n"20,000,000", 0.9\n',
        "\n\n# two transfers\nbytes,milliseconds\n\n1000000,0.52\n,\n20000000,0.9\n\n",
        "size_bytes,Transfer time (ms)\n1000000,0.52\n20000000,0.9\n",
        "size (MB),time (s)\n1,0.00052\n20,0.0009\n",
        "run,bytes,milliseconds,host\na,1000000,0.52,x\nb,20000000,0.9,y\n",
        "bytes,milliseconds,nominal_gb_s,ttft_ms\n1000000,0.52,50,40\n20000000,0.9,50,44\n",
        "bytes_sent,transfer_ms_mean\n1000000,0.52\n20000000,0.9\n",
        "bytes   milliseconds\n1000000      0.52\n20000000     0.9\n",
        "bytes|Latency [ms]\n1000000|0.52\n20000000|0.9\n",
        "kv_bytes,latency_us\n1_000_000,520\n20_000_000,900\n",
    ],
)
def test_tables_of_every_make(text: str) -> None:
    for source in (text, text.encode()):
        found = read_measurements(source)
        assert found.bytes_sent.tolist() == pytest.approx(WANTED[0])
        assert found.milliseconds.tolist() == pytest.approx(WANTED[1])


def test_a_file_in_utf_16() -> None:
    found = read_measurements("bytes\tms\n1000000\t0.52\n".encode("utf-16"))
    assert found.bytes_sent.tolist() == [1e6]


def test_tokens_are_multiplied_out() -> None:
    found = read_measurements("tokens,milliseconds\n128,0.54\n256,0.61\n", kv_bytes_per_token=147_456)
    assert found.bytes_sent.tolist() == [128 * 147_456, 256 * 147_456]


@pytest.mark.parametrize(
    "name", ["tokens", "prompt_tokens", "num_tokens", "tokens_sent", "ISL", "Token count"]
)
def test_tokens_by_any_usual_name(name: str) -> None:
    found = read_measurements(f"{name},time_to_first_token_ms\n128,0.54\n", kv_bytes_per_token=1000)
    assert found.bytes_sent.tolist() == [128_000]


def test_bytes_per_token_may_stand_in_the_table() -> None:
    text = "tokens,kv_bytes_per_token,kv_head_replication,milliseconds\n128,192512,2,2.07\n"
    assert read_measurements(text).bytes_sent.tolist() == [128 * 192_512 * 2]
    # what is given by hand goes before what stands in the table
    assert read_measurements(text, kv_bytes_per_token=1000).bytes_sent.tolist() == [128_000]


def test_bytes_go_before_tokens_and_what_is_unused_is_said() -> None:
    found = read_measurements("tokens,bytes,milliseconds\n128,1000000,0.54\n")
    assert found.bytes_sent.tolist() == [1e6]
    assert found.notes == ("Columns not used: tokens.",)


def test_units_that_were_read_from_names_are_said() -> None:
    found = read_measurements("size_gib,duration_s\n1,0.02\n")
    assert found.bytes_sent.tolist() == [2**30]
    assert found.milliseconds.tolist() == pytest.approx([20.0])
    assert len(found.notes) == 2


@pytest.mark.parametrize("name", ["descriptors", "blocks", "num_blocks", "Descriptors", "block_count"])
def test_descriptors_are_taken_along(name: str) -> None:
    found = read_measurements(f"bytes,milliseconds,{name}\n1000000,0.52,64\n")
    assert found.descriptors is not None
    assert found.descriptors.tolist() == [64.0]
    assert found.counted == ("blocks" if "block" in name else "descriptors")


@pytest.mark.parametrize(
    "text",
    [
        "tokens,milliseconds\n1024,32.5\n8192,169\n",
        "tokens,milliseconds\n8192,169\n1024,32.5\n",
        "\ufeffPrompt tokens;Time [ms];note\n1024;32,5;a\n\n8192;169;b\n",
        "isl\tprefill_s\n1024\t0.0325\n8192\t0.169\n",
        'tokens,milliseconds\n"1,024",32.5\n"8,192",169\n',
    ],
)
def test_prefill_tables_as_people_write_them(text: str) -> None:
    assert read_prefill_table(text) == ((1024.0, 32.5), (8192.0, 169.0))
    assert read_prefill_table(text.encode()) == read_prefill_table(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no column of tokens"),
        ("bytes,milliseconds\n1e6,1\n", "no column of tokens"),
        ("tokens,count\n1,1\n", "no column of a time"),
        ("tokens,milliseconds\n128,20\n128,21\n", "row 3, tokens = '128': stands in the table twice"),
        ("tokens,milliseconds\n128,0\n", "row 2, milliseconds = '0': must be a number above 0"),
        ("tokens,milliseconds\n12.5,1\n", "whole number of tokens"),
        ("tokens,milliseconds\nmany,1\n", "row 2, tokens = 'many'"),
    ],
)
def test_what_is_no_prefill_table_gets_a_sentence(text: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        read_prefill_table(text)
    assert says in str(refused.value)


def test_the_tokens_of_a_block_are_no_count() -> None:
    assert read_measurements("bytes,ms,block_size\n1e6,1,16\n2e6,2,16\n").descriptors is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no column of a size"),
        ("1000000,0.52\n20000000,0.9\n", "has no column of a size.*`bytes` or `tokens`"),
        ("bytes,duration\n1,2\n", "header = 'bytes, duration': has no column of a time"),
        ("nominal_gb_s,milliseconds\n50,2\n", "has no column of a size"),
        ("bytes,tokens_per_s\n50,2\n", "has no column of a time"),
        ("bytes,transfer_ms,ttft_ms\n1,2,3\n", "more than one column that could be the time"),
        ("a_bytes,b_mb,ms\n1,2,3\n", "more than one column that could be the size"),
        ("tokens,milliseconds\n128,0.5\n", "kv_bytes_per_token = None: is needed"),
        ("bytes,milliseconds\n1000000,0.52\n20000000,slow\n", "row 3, milliseconds = 'slow'"),
        ("bytes,milliseconds\n\n1000000,0\n", "row 3, milliseconds = '0': must be a number above 0"),
        ("bytes,milliseconds\n1000000,-1\n", "row 2, milliseconds = '-1'"),
        ("bytes,milliseconds\n1000000,nan\n", "row 2, milliseconds = 'nan'"),
        ("bytes,milliseconds\n1000000,inf\n", "row 2, milliseconds = 'inf'"),
        ("bytes,milliseconds\n1000000\n", "row 2, milliseconds = '': is empty"),
        ("bytes,milliseconds\n1000000,\n", "row 2, milliseconds = '': is empty"),
        ("bytes,milliseconds\n1e999,1\n", "row 2, bytes = '1e999'"),
        ("bytes,milliseconds\n", "from 1 to 100,000 rows"),
        ('bytes,milliseconds\n"1000000,0.5\n', "row 2, bytes = '1000000,0.5': must be"),
    ],
)
def test_a_table_that_cant_be_read_says_where(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_measurements(text)


def test_a_cell_longer_than_a_table_allows_is_refused() -> None:
    with pytest.raises(InputError, match=r"row 2.*can't be read as a table"):
        read_measurements('bytes,milliseconds\n"' + "1" * 200_000 + '",0.5\n')


def test_tokens_are_whole() -> None:
    with pytest.raises(InputError, match="row 2, tokens = '1,5': must be a whole number"):
        read_measurements("tokens;milliseconds\n1,5;2\n", kv_bytes_per_token=1000)


@pytest.mark.parametrize("bytes_per_token", [0, -1, float("nan"), float("inf")])
def test_bytes_per_token_are_above_0(bytes_per_token: float) -> None:
    with pytest.raises(InputError, match=r"kv_bytes_per_token = .*above 0"):
        read_measurements("tokens,milliseconds\n128,0.5\n", kv_bytes_per_token=bytes_per_token)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(InputError, match="not text in UTF-8"):
        read_measurements(b"bytes,milliseconds\n\xff\xfa\n")


@given(st.text(max_size=300) | st.binary(max_size=300))
def test_whatever_is_pasted_is_read_or_refused(source: str | bytes) -> None:
    try:
        found = read_measurements(source, kv_bytes_per_token=1000, tensor_parallel=1)
    except InputError:
        return
    assert len(found) > 0


def test_log_lines_give_the_bytes_of_all_ranks_in_the_average_time() -> None:
    found = read_measurements(LOG, tensor_parallel=2)
    # 20 and 160 MB of 2^20 a rank, two ranks; the last line's size is 4,081.633 MB/s x 19.6 ms = 80 MB
    assert found.bytes_sent.tolist() == pytest.approx(
        [2 * mb * 2**20 for mb in (20.0, 160.0, 80.0)], rel=1e-6
    )
    assert found.milliseconds.tolist() == [4.7, 38.7, 19.6]
    assert found.rows.tolist() == [2, 4, 5]
    assert found.ranks == 2
    assert "1 lines without" in found.notes[1]


def test_log_lines_are_fitted_to_the_bandwidth_of_all_ranks() -> None:
    # a rank's line is 0 ms + 4.13 to 4.26 GiB/s: two ranks move about 8.7 GB/s
    fitted = calibrate(read_transfer_log(LOG, tensor_parallel=2))
    assert fitted.calibration.bandwidth_gb_s == pytest.approx(8.67, rel=0.05)
    one_rank = calibrate(read_transfer_log(LOG, tensor_parallel=1))
    assert fitted.calibration.bandwidth_gb_s == pytest.approx(2 * one_rank.calibration.bandwidth_gb_s)
    assert fitted.calibration.alpha_ms == pytest.approx(one_rank.calibration.alpha_ms)


def test_descriptors_count_only_where_every_line_has_them() -> None:
    assert read_transfer_log(LOG, tensor_parallel=2).descriptors is None
    first = "\n".join(LOG.splitlines()[:4])
    descriptors = read_transfer_log(first, tensor_parallel=2).descriptors
    assert descriptors is not None
    assert descriptors.tolist() == [1000.0, 2000.0]


@pytest.mark.parametrize("ranks", [None, 0, -2])
def test_the_ranks_of_a_log_are_asked_for(ranks: int | None) -> None:
    with pytest.raises(InputError, match=r"tensor_parallel = .*of one rank"):
        read_measurements(LOG, tensor_parallel=ranks)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "KV Transfer metrics: Num successful transfers=0, Avg xfer time (ms)=0",
            "no line with a successful",
        ),
        ("KV Transfer metrics: Num successful transfers=2, Avg xfer time (ms)=1.2.3", "is not a number"),
        ("KV Transfer metrics: Num successful transfers=2, Avg xfer time (ms)=3.0", "row 1, bytes = nan"),
        (
            "Num successful transfers=2, Avg xfer time (ms)=0.0, Avg MB per transfer=3.0",
            "row 1, milliseconds = 0.0",
        ),
    ],
)
def test_log_lines_that_tell_nothing_are_refused(line: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_measurements(line, tensor_parallel=2)


@pytest.mark.parametrize(
    "line",
    [
        "INFO KV Transfer metrics: GPU_to_CPU_total_bytes=1363673088, GPU_to_CPU_total_time=0.2",
        "INFO [metrics.py:109] KV Transfer metrics: KVTransferAggregatedStats(avg_transfer_durations=0.5)",
    ],
)
def test_metric_lines_of_another_connector_or_version_are_refused_by_name(line: str) -> None:
    with pytest.raises(
        InputError, match=r"KV Transfer metrics: .* are metrics without `Avg xfer time \(ms\)`"
    ):
        read_measurements(line, tensor_parallel=2)


def test_a_comment_on_a_log_above_a_table_is_a_comment() -> None:
    text = "# from KV Transfer metrics: lines\nbytes,ms\n1e6,0.5\n2e6,0.6\n"
    assert read_measurements(text).milliseconds.tolist() == [0.5, 0.6]
