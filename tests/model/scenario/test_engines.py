"""Engine defaults: what each sets, and that what is opt-in says so."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from aisim_model.errors import InputError
from aisim_model.link import destination_missing_tokens
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


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"engine = 'tgi': must be one of vllm, sglang, trtllm, reference"):
        engine("tgi")


def test_profiles_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        engine("vllm").block_size = 64
