"""Deployments into rows: each format's own way to say the same, and hostile ones in a sentence."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from aisim_model.errors import InputError
from aisim_model.manifests import read_deployment

KSERVE = """
kind: LLMInferenceService
spec:
  model: {uri: "hf://deepseek-ai/DeepSeek-R1"}
  replicas: 2
  parallelism: {data: 16, dataLocal: 8, tensor: 1, expert: true}
  template: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: "8"}}}]}
"""


def test_attention_dp_lies_inside_tp_in_sglang_and_multiplies_in_vllm() -> None:
    # SGLang: 8 GPUs in 8 groups of 1. vLLM: 2 x 4 GPUs
    sglang = "python -m sglang.launch_server --model-path a/b --tp 8 --dp-size 8 --enable-dp-attention"
    one = read_deployment(sglang)["rows"][0]
    assert (one["gpus"], one["prefill_attention_tp"], one["prefill_attention_dp"]) == (8, 1, 8)
    two = read_deployment("vllm serve a/b -tp 2 -dp 4 --enable-expert-parallel")["rows"][0]
    assert (two["gpus"], two["prefill_attention_tp"], two["prefill_ep"]) == (8, 2, 8)


def test_sglang_without_dp_attention_replicates_its_tp_group() -> None:
    row = read_deployment("python -m sglang.launch_server --model-path a/b --tp 2 --dp 4")["rows"][0]
    assert row["gpus"] == 8


def test_two_sides_in_markdown_are_one_row_with_every_flag_said() -> None:
    text = "\n".join(
        f"```bash\nX=1 vllm serve Qwen/Qwen3-8B \\\n  -tp {tp} --port 1 --frob 3 "
        f"""--kv-transfer-config '{{"kv_connector": "NixlConnector", "kv_role": "{role}"}}'\n```"""
        for tp, role in ((2, "kv_producer"), (4, "kv_consumer"))
    )
    found = read_deployment(text)
    (row,) = found["rows"]
    assert (row["kind"], row["model_id"], row["transfer"], row["gpus"]) == ("split", "qwen3-8b", "nixl", 6)
    said = {flag["flag"]: flag for flag in found["flags"]}
    assert said["-tp"]["used_as"] == "tp"
    assert said["--port"]["why"].startswith("irrelevant")
    assert (said["--frob"]["used_as"], said["--frob"]["value"]) == (None, "3")
    assert "X" in said


def test_pods_of_a_data_parallel_worker_are_one_worker() -> None:
    row = read_deployment(KSERVE)["rows"][0]
    assert (row["prefill_workers"], row["prefill_gpus_per_worker"], row["gpus"]) == (2, 16, 32)
    assert row["model_id"] == "deepseek-r1"


def test_further_ranks_of_a_worker_count_once() -> None:
    line = "python -m sglang.launch_server --model-path a/b --tp 16 --nnodes 2 --node-rank {}\n"
    assert read_deployment(line.format(0) + line.format(1))["rows"][0]["gpus"] == 16


def test_a_flat_yaml_of_flags_is_a_worker() -> None:
    row = read_deployment("model: Qwen/Qwen3-8B\ntensor-parallel-size: 4\nmax-num-seqs: 64\n")["rows"][0]
    assert (row["engine"], row["gpus"], row["max_sequences"]) == ("vllm", 4, 64)


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [1,1,1,1,1,1,1,1,1]\n"
        + "\n".join(
            f"{c}: &{c} [{','.join(['*' + b] * 9)}]" for b, c in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "a: &a [*a]",
        "kind: !!python/object/apply:os.system ['true']",
        "a: " + "[" * 5000,
        "x" * 2_000_000,
        "<<<<<<< HEAD\na: 1\n",
        "model: {{ .Values.model }}\n",
        "vllm serve a/b --tensor-parallel-size $TP",
        "vllm serve a/b -tp 99999999999999999999",
        "",
        b"\xff\xfe\x00",
    ],
)
def test_hostile_text_is_a_sentence(text: str | bytes) -> None:
    with pytest.raises(InputError) as refused:
        read_deployment(text)
    assert str(refused.value).endswith(".")


def test_substitutions_are_read_as_text(tmp_path: Path) -> None:
    there = tmp_path / "ran"
    found = read_deployment(f"vllm serve a/b --port $(touch {there}) --seed `touch {there}`")
    assert found["rows"][0]["gpus"] == 1
    assert not there.exists()


@pytest.mark.shared
def test_real_files_give_the_values_worked_out_by_hand(shared_dir: Path) -> None:
    folder = shared_dir / "facts" / "manifests"
    names = {"workers": "workers", "tp": "tp", "pp": "pp", "dp": "dp", "ep": "ep", "attn_tp": "attention_tp"}
    names |= {"attn_dp": "attention_dp", "gpus_per_worker": "gpus_per_worker", "pass_budget": "chunk_tokens"}
    names |= {"max_seqs": "max_sequences", "mem_fraction": "kv_pool_share"}
    with (folder / "expected.csv").open(encoding="utf-8") as stream:
        cases = list(csv.DictReader(stream))
    for case in cases:
        (row,) = read_deployment((folder / case["file"]).read_bytes())["rows"]
        assert (case["file"], case["deployment"], case["model"]) == (case["file"], row["kind"], row["model"])
        assert int(case["total_gpus"]) == row["gpus"], case["file"]
        for field, key in (
            ("transfer_backend", "transfer"),
            ("router_mode", "router"),
            ("weight_quant",) * 2,
        ):
            assert case[field] == row.get(key, ""), (case["file"], field)
        split = case["deployment"] == "split"
        for stem, side in (("prefill", "prefill"), ("decode", "decode")) if split else (("agg", "prefill"),):
            for column, name in names.items():
                expected = case[f"{stem}_{column}"]
                found = row.get(f"{side}_{name}")
                assert (float(expected) if expected else None) == found, (case["file"], stem, column)


def test_no_flag_is_dropped_however_many_there_are() -> None:
    asked = [f"--flag-{number} {number}" for number in range(6000)]
    found = read_deployment("vllm serve Qwen/Qwen3-8B " + " ".join(asked))
    named = {flag["flag"] for flag in found["flags"]}
    assert sum(name.lstrip("-").startswith("flag") for name in named) == 6000
