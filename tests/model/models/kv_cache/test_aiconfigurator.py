"""Our bytes beside aiconfigurator-core's own, over the configs that it ships: alike, or said why not."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from aisim_model.models.kv_cache import read_config

LENGTHS = 8_192, 131_072
# what theirs leaves out or counts otherwise, by the start of a config's name
DIFFER = {
    "XiaomiMiMo--MiMo-V2-Flash": "counts no window, and values as wide as keys",
    "deepseek-ai--DeepSeek-V4": "keeps 4 rows of a compressor's state at ratio 4, vLLM keeps 8",
    "meta-llama--Llama-4": "counts no chunk of 8,192 tokens",
    "moonshotai--Kimi-K3": "holds 5 slots of recurrent state a request, as SGLang's prefix cache does",
    "zai-org--GLM-5.2": "counts an indexer in every layer, though layers share them",
    "zai-org--GLM-5.3": "as above",
    "nvidia--Llama-3_3-Nemotron": "has no KV heads for blocks that differ, and says 0",
    "nvidia--NVIDIA-Nemotron-3": "takes all layers for attention, and counts no state",
    "nvidia--Nemotron-H": "as above",
}


def theirs(name: str) -> list[int] | None:
    """Return their bytes of one sequence on one GPU in bf16; None for a config not in the wheel."""
    from aiconfigurator_core.sdk import common
    from aiconfigurator_core.sdk.config import ModelConfig
    from aiconfigurator_core.sdk.models import get_model
    from aiconfigurator_core.sdk.utils import HuggingFaceDownloadError

    config = ModelConfig(
        moe_tp_size=1,
        moe_ep_size=1,
        kvcache_quant_mode=common.KVCacheQuantMode.bfloat16,
        gemm_quant_mode=common.GEMMQuantMode.bfloat16,
        moe_quant_mode=common.MoEQuantMode.bfloat16,
        fmha_quant_mode=common.FMHAQuantMode.bfloat16,
    )
    try:
        model: Any = get_model(name, config, "vllm")
    except HuggingFaceDownloadError:
        return None
    return [int(model.get_kvcache_bytes_per_sequence(length)) for length in LENGTHS]


def test_bytes_are_those_of_aiconfigurator_where_it_counts_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = pytest.importorskip("aiconfigurator_core", reason="there is no wheel for this machine")
    monkeypatch.setattr("urllib.request.urlopen", _offline)
    logging.disable(logging.CRITICAL)
    alike, unequal = 0, set()
    try:
        for file in sorted((Path(wheel.__file__).parent / "model_configs").glob("*_config.json")):
            name = file.name.removesuffix("_config.json")
            if name.endswith(("_hf_quant", "-FP8", "-NVFP4")):  # of sizes that are there already
                continue
            found = theirs(name.replace("--", "/", 1))
            if found is None:
                continue
            ours = [read_config(file.read_bytes()).curve().bytes(length) for length in LENGTHS]
            said = next((start for start in DIFFER if name.startswith(start)), None)
            assert (ours == found) == (said is None), (name, ours, found)
            alike += said is None
            unequal |= {said} - {None}
    finally:
        logging.disable(logging.NOTSET)
    assert alike >= 30
    assert unequal == set(DIFFER)


def _offline(*_: object, **__: object) -> None:
    raise OSError("offline")
