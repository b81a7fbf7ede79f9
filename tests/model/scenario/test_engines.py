"""Engine defaults: what each sets, and that what is opt-in says so."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from aisim_model.errors import InputError
from aisim_model.link import destination_missing_tokens
from aisim_model.scenario import Deployment
from aisim_model.scenario.engines import ENGINES, engine


def test_every_engine_says_where_its_defaults_are_written() -> None:
    assert list(ENGINES) == ["vllm", "sglang", "trtllm", "reference"]
    assert all(profile.source and profile.id == key for key, profile in ENGINES.items())


def test_order_and_first_token() -> None:
    assert {key: (p.order, p.first_token_from) for key, p in ENGINES.items()} == {
        "vllm": ("source_first", "decode_step"),
        "sglang": ("destination_first", "shipped"),
        "trtllm": ("source_first", "shipped"),
        "reference": ("source_first", "decode_step"),
    }


@pytest.mark.parametrize(
    ("engine_id", "cold", "forty_held"),
    [("vllm", 144, 112), ("sglang", 130, 90), ("trtllm", 160, 160), ("reference", 130, 90)],
)
def test_130_tokens_as_each_engine_sends_them(engine_id: str, cold: int, forty_held: int) -> None:
    profile = engine(engine_id)
    counted = [
        destination_missing_tokens(130, held, profile.block_size, profile.prefix_credit) for held in (0, 40)
    ]
    assert counted == [cold, forty_held]


def test_only_sglang_overlaps_unasked() -> None:
    assert [key for key, profile in ENGINES.items() if profile.overlap != "none"] == ["sglang"]
    assert {c.value for c in engine("trtllm").opt_in if c.setting == "overlap"} == {"layer", "chunk"}


def test_what_a_profile_takes_as_asked_for_is_named() -> None:
    assert [choice.setting for choice in engine("sglang").assumed()] == ["prefix_credit"]
    assert not any(engine(key).assumed() for key in ("vllm", "trtllm", "reference"))
    for profile in ENGINES.values():
        assert all(choice.setting in type(profile).model_fields for choice in profile.opt_in)


# vllm 0.33.0, sglang 0.5.23 and TensorRT-LLM's llm_args: the lines of their sources are in the profiles
@pytest.mark.parametrize(
    ("engine_id", "setting", "by_gpu"),
    [
        # below 70 GiB or an A100; from 70 to 160 GiB; from 160 GiB on
        (
            "vllm",
            "pass_tokens",
            {"l40s": 2048, "a100-80": 2048, "h100-sxm": 8192, "h200": 8192, "b200": 16_384},
        ),
        ("vllm", "sequences_limit", {"l40s": 256, "a100-80": 256, "h100-sxm": 1024, "b300": 1024}),
        # 35 to 60 GiB; 60 to 160; from 160 on
        (
            "sglang",
            "pass_tokens",
            {"l40s": 4096, "a100-80": 8192, "h200": 8192, "b200": 16_384, "mi300x": 16_384},
        ),
        ("sglang", "sequences_limit", {"l40s": 2048, "b200": 2048}),
        ("trtllm", "pass_tokens", {"l40s": 8192, "b200": 8192}),
        ("trtllm", "sequences_limit", {"l40s": 2048, "b200": 2048}),
    ],
)
def test_limits_are_the_engines_on_each_gpu(engine_id: str, setting: str, by_gpu: dict[str, int]) -> None:
    found = {gpu: getattr(Deployment(id="a", name="a", gpu=gpu, engine=engine_id), setting) for gpu in by_gpu}
    assert found == by_gpu


def test_vllm_runs_no_more_sequences_than_a_pass_has_tokens_unless_asked() -> None:
    asked = Deployment(id="a", name="a", chunk_tokens=512)
    assert asked.sequences_limit == 512
    assert asked.changed(max_sequences=2000).sequences_limit == 2000
    assert asked.changed(engine="sglang").sequences_limit == 2048


def test_shares_of_memory() -> None:
    # vllm: of all; trtllm: of what is free after weights and buffers;
    # sglang: all but 0.5 + 0.0015 x 8,192 + 4 / 8 = 13.3 GB, at least 10 above 60 GB
    assert [(engine(one).memory_share, engine(one).share_is_of) for one in ("vllm", "trtllm")] == [
        (0.92, "total"),
        (0.9, "free"),
    ]
    row = Deployment(id="a", name="a", gpu="h100-sxm", engine="sglang")
    assert row.memory_share("prefill") == pytest.approx(1 - (0.5 + 0.0015 * 8192 + 0.5) / 85.521, abs=1e-4)
    assert row.changed(chunk_tokens=4096).memory_share("prefill") == pytest.approx(1 - 10 / 85.521, abs=1e-4)


def test_blocks() -> None:
    assert {one: engine(one).block_size for one in ("vllm", "sglang", "trtllm")} == {
        "vllm": 16,
        "sglang": 1,
        "trtllm": 32,
    }


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"engine = 'tgi': must be one of vllm, sglang, trtllm, reference"):
        engine("tgi")


def test_profiles_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        engine("vllm").block_size = 64
