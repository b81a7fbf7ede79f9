"""Any config in bounds is read in time that a person doesn't notice, or refused in a sentence."""

from __future__ import annotations

import time
from typing import Any

import pytest

from aisim_model.models.kv_cache import ConfigError, read_config
from aisim_model.models.spec import ModelSpec
from aisim_model.models.weights import estimate_parameters

LAYERS = 10_000
SIZES: dict[str, Any] = {
    "num_hidden_layers": LAYERS,
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 32000,
    "hidden_act": "silu",
}
MANY_LAYERS: dict[str, dict[str, Any]] = {
    "alike": {},
    "widths": {"intermediate_size": [256 * (1 + index % 40) for index in range(LAYERS)]},
    "heads": {"num_key_value_heads": [2 ** (index % 6) for index in range(LAYERS)]},
    "experts": {
        "num_experts": 64,
        "num_experts_per_tok": 4,
        "moe_intermediate_size": 512,
        "mlp_only_layers": list(range(0, LAYERS, 2)),
    },
    "windows": {
        "sliding_window": 512,
        "layer_types": ["sliding_attention", "full_attention"] * (LAYERS // 2),
    },
}


@pytest.mark.no_cover
@pytest.mark.parametrize("case", MANY_LAYERS)
def test_ten_thousand_layers_take_no_time(case: str) -> None:
    started = time.process_time()
    ModelSpec.from_config({**SIZES, **MANY_LAYERS[case]}, "deep")
    assert time.process_time() - started < 6.0  # 2 s on a quiet machine; what was mended took 13 and more


def test_layers_alike_weigh_as_one_by_one() -> None:
    # 4,096 x 3 x (256 x 1 + ... + 256 x 40) x 250 of the MLPs is what the widths differ by
    alike = estimate_parameters({**SIZES, "intermediate_size": 256})
    listed = estimate_parameters({**SIZES, **MANY_LAYERS["widths"]})
    assert listed.total is not None
    assert alike.total is not None
    assert listed.total - alike.total == 4096 * 3 * 256 * (sum(range(1, 41)) - 40) * (LAYERS // 40)


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        # 600 window sizes, as no model has
        ({"interleaved_sliding_window": list(range(1, 601))}, "more than 512 different sizes"),
        ({f"kv_{index}": index for index in range(20_001)}, "are more than any model's config has"),
        ({"a": {str(index): {"num_layers": 3} for index in range(20_001)}}, "are more than any model's"),
    ],
)
def test_more_than_a_model_has_is_refused(config: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        read_config({**SIZES, **config})


def test_labels_and_quantised_modules_may_be_many() -> None:
    modules = {f"layers.{index}.mlp": {"quant_algo": "FP8"} for index in range(30_000)}
    labels = {str(index): "a" for index in range(30_000)}
    config = {**SIZES, "id2label": labels, "quantization_config": {"quantized_layers": modules}}
    assert read_config(config).layers == LAYERS
