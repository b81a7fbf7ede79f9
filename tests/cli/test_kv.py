"""`aisim kv`: sizes of many configs in one call, and a sentence for each that is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aisim = Callable[[str], Any]
LLAMA_70B = {
    "num_hidden_layers": 80,
    "hidden_size": 8192,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "max_position_embeddings": 131072,
}
GPT_OSS = {
    "num_hidden_layers": 36,
    "hidden_size": 2880,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention"] * 18,
    "max_position_embeddings": 131072,
}
MLA = {
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "index_head_dim": 128,
}
WHISPER = {
    "is_encoder_decoder": True,
    "d_model": 1280,
    "decoder_layers": 32,
    "decoder_attention_heads": 20,
    "max_source_positions": 1500,
    "num_mel_bins": 128,
}


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, object], Path]:
    """Return a function that writes a config and returns its path."""

    def write(name: str, config: object) -> Path:
        file = tmp_path / f"{name}.json"
        file.write_text(config if isinstance(config, str) else json.dumps(config), encoding="utf-8")
        return file

    return write


Written = Callable[[str, object], Path]


def test_defaults_are_bf16_one_rank_and_8192_tokens(aisim: Aisim, written: Written) -> None:
    file = written("llama", LLAMA_70B)
    ran = aisim(f"kv {file} --json")
    assert (ran.status, ran.err) == (0, "")
    # 80 x 8 x (128 + 128) x 2 B = 327,680 B; x 8,192 tokens
    assert ran.json == [
        {
            "file": str(file),
            "growing_bytes_per_token": 327_680,
            "indexer_bytes_per_token": 0,
            "windowed": [],
            "constant_bytes": 0,
            "cross_attention": None,
            "kv_bytes": 2_684_354_560,
            "wire_bytes": 2_684_354_560,
            "bytes_per_rank": 2_684_354_560,
            "notes": [],
        }
    ]


def test_fp8_over_sixteen_ranks_and_two_stages(aisim: Aisim, written: Written) -> None:
    line = (
        f"kv {written('llama', LLAMA_70B)} --kv-dtype fp8 --tensor-parallel 16 --pipeline-parallel 2 --json"
    )
    row = aisim(line).json[0]
    # half the bytes; 8 heads on 16 ranks are sent twice; a rank holds one of 8 heads in half of the layers
    assert row["kv_bytes"] == 1_342_177_280
    assert row["wire_bytes"] == 2 * 1_342_177_280
    assert row["bytes_per_rank"] == 1_342_177_280 // 8 // 2


@pytest.mark.parametrize(
    ("option", "growing", "windowed", "kv_bytes"),
    [
        # 18 layers x 8 x (64 + 64) x 2 B = 36,864 B, once in full and once for the last 128 tokens
        ("window", 36_864, [{"bytes_per_token": 36_864, "window": 128}], 36_864 * (1_000 + 128)),
        ("full", 73_728, [], 73_728 * 1_000),
    ],
)
def test_window_layers_by_name(
    aisim: Aisim, written: Written, option: str, growing: int, windowed: object, kv_bytes: int
) -> None:
    row = aisim(f"kv {written('oss', GPT_OSS)} --tokens 1000 --window-layers {option} --json").json[0]
    assert (row["growing_bytes_per_token"], row["windowed"], row["kv_bytes"]) == (growing, windowed, kv_bytes)


@pytest.mark.parametrize(("copies", "times"), [("per_rank", 8), ("once", 1)])
def test_mla_copies_by_name(aisim: Aisim, written: Written, copies: str, times: int) -> None:
    line = f"kv {written('mla', MLA)} --tokens 10 --tensor-parallel 8 --mla-copies {copies} --json"
    row = aisim(line).json[0]
    # 70,272 B and 8,052 B of indexer keys a token
    assert (row["kv_bytes"], row["wire_bytes"]) == (783_240, times * 783_240)
    assert row["bytes_per_rank"] == 783_240


def test_a_source_of_known_length(aisim: Aisim, written: Written) -> None:
    row = aisim(f"kv {written('whisper', WHISPER)} --tokens 0 --json").json[0]
    assert row["cross_attention"] == {
        "bytes_per_source_token": 163_840,
        "source_tokens": 1_500,
        "bytes": 245_760_000,
    }
    assert (row["constant_bytes"], row["kv_bytes"]) == (0, 245_760_000)


def test_fractions_are_floats_and_whole_numbers_ints(aisim: Aisim, written: Written) -> None:
    text = aisim(f"kv {written('mla', MLA)} --kv-dtype mxfp4 --tokens 1 --json").out
    # 61 x 576 x 17/32 B = 18,666 B
    assert '"growing_bytes_per_token": 18666,' in text


def test_each_refused_file_says_why_and_the_others_are_sized(aisim: Aisim, written: Written) -> None:
    bad, good = written("bad", {"num_hidden_layers": 2, "num_attention_heads": 0}), written("good", LLAMA_70B)
    ran = aisim(f"kv {bad} {good} nowhere.json --json")
    assert ran.status == 0
    assert [sorted(row)[:2] for row in ran.json][::2] == [["error", "file"], ["error", "file"]]
    assert "num_attention_heads = 0" in ran.json[0]["error"]
    assert "nowhere.json" in ran.json[2]["error"]
    assert ran.json[1]["kv_bytes"] == 2_684_354_560


def test_the_status_is_one_only_if_all_are_refused(aisim: Aisim, written: Written) -> None:
    ran = aisim(f"kv {written('list', '[]')} {written('text', 'no')} --json")
    assert ran.status == 1
    assert all("error" in row for row in ran.json)


def test_a_file_of_fifty_megabytes_is_not_read(aisim: Aisim, tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as stream:
        stream.truncate(50_000_000)
    row = aisim(f"kv {file} --json").json[0]
    assert row["error"].startswith("size in bytes = 50000000: is larger than a config.json ever is")


def test_a_layout_that_a_model_can_not_have_is_its_own_error(aisim: Aisim, written: Written) -> None:
    ran = aisim(f"kv {written('llama', LLAMA_70B)} {written('mla', MLA)} --kv-dtype fp8_ds_mla --json")
    assert "is a layout of MLA latents" in ran.json[0]["error"]
    assert ran.json[1]["growing_bytes_per_token"] == 61 * 656


def test_a_person_reads_a_table_and_the_notes(aisim: Aisim, written: Written) -> None:
    ran = aisim(f"kv {written('oss', GPT_OSS)} {written('whisper', WHISPER)} {written('bad', '{}')}")
    lines = ran.out.splitlines()
    assert lines[0].split()[:2] == ["file", "B/token"]
    assert "36,864 x 128" in lines[1]
    assert "245,760,000" in lines[2]
    assert "no model's config.json" in lines[3]


def test_mtp_layers_are_counted_when_asked_for(aisim: Aisim, written: Written) -> None:
    file = written("mtp", {**MLA, "num_nextn_predict_layers": 1})
    assert "not counted" in aisim(f"kv {file}").out
    assert aisim(f"kv {file} --mtp-layers --json").json[0]["growing_bytes_per_token"] == 71_424


def test_a_quant_config_is_noted_and_not_applied(aisim: Aisim, written: Written) -> None:
    quant = written("hf_quant_config", {"quantization": {"kv_cache_quant_algo": "FP8"}})
    row = aisim(f"kv {written('llama', LLAMA_70B)} --quant-config {quant} --json").json[0]
    assert row["growing_bytes_per_token"] == 327_680
    assert "kv_dtype fp8" in row["notes"][0]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--kv-dtype fp5", "kv_dtype = 'fp5': must be one of"),
        ("--tokens -1", "tokens = -1"),
        ("--tensor-parallel 0", "tensor_parallel = 0: must be a whole number from 1"),
        ("--pipeline-parallel 0", "pipeline_parallel = 0"),
        ("--window-layers half", "window_layers = 'half'"),
        ("--mla-copies twice", "mla_copies = 'twice'"),
        ("--quant-config nowhere", "nowhere"),
    ],
)
def test_an_option_that_can_not_be(aisim: Aisim, written: Written, options: str, sentence: str) -> None:
    ran = aisim(f"kv {written('llama', LLAMA_70B)} {options}")
    assert (ran.status, ran.out) == (2, "")
    assert sentence in ran.err


def test_more_stages_than_a_model_has_layers_are_refused_by_the_option(
    aisim: Aisim, written: Written
) -> None:
    ran = aisim(f"kv {written('llama', LLAMA_70B)} --pipeline-parallel 81 --json")
    assert ran.status == 1
    assert ran.json[0]["error"].startswith("pipeline_parallel = 81: is more stages than the 80 layers")


@pytest.mark.shared
def test_all_real_configs_in_one_call(aisim: Aisim, shared_dir: Path) -> None:
    files = sorted((shared_dir / "facts" / "configs").glob("*.json"))
    rows = aisim("kv " + " ".join(map(str, files)) + " --json").json
    assert [row["file"] for row in rows] == [str(file) for file in files]
    assert [Path(row["file"]).stem for row in rows if "error" in row] == [
        "Snowflake__snowflake-arctic-embed-m"
    ]


def test_a_kv_format_of_ones_own(aisim: Aisim, written: Written) -> None:
    # 80 layers x 2 x 8 heads x (128 x 4 / 8 + 4) B
    row = aisim(f"kv {written('llama', LLAMA_70B)} --kv-dtype 4bit+4B/head --json").json[0]
    assert row["growing_bytes_per_token"] == 80 * 2 * 8 * (64 + 4)
