"""A byte curve: what grows, what stops at a window, what is constant, over numbers and arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.models.kv_cache import KvCross, KvCurve, KvWindow

GPT_OSS = KvCurve(
    growing_bytes_per_token=36_864, windowed=(KvWindow(bytes_per_token=36_864, window_tokens=128),)
)


def test_the_first_token_costs_every_layer_and_a_late_one_only_those_that_grow() -> None:
    # 18 full and 18 window layers of 2,048 B each
    assert GPT_OSS.bytes(1) == 73_728
    assert GPT_OSS.bytes(129) - GPT_OSS.bytes(128) == 36_864


def test_no_tokens_cost_the_state_alone() -> None:
    assert KvCurve(growing_bytes_per_token=10, constant_bytes=7).bytes(0) == 7


def test_a_model_of_state_only_costs_the_same_at_every_length() -> None:
    curve = KvCurve(constant_bytes=22_937_600)
    assert curve.bytes(1) == curve.bytes(10**9) == 22_937_600
    assert curve.per_token_bytes == 0


def test_the_indexer_stands_apart_from_the_growing_rate_and_goes_into_the_total() -> None:
    curve = KvCurve(growing_bytes_per_token=70_272, indexer_bytes_per_token=8_052)
    assert curve.bytes(1_000) == 78_324_000
    assert (curve.growing_bytes_per_token, curve.per_token_bytes) == (70_272, 78_324)


def test_a_source_of_known_length_is_in_the_total_and_another_is_not() -> None:
    # Whisper: 163,840 B x 1,500 positions of audio
    audio = KvCross(bytes_per_source_token=163_840, source_tokens=1_500)
    assert KvCurve(cross_attention=audio).bytes(0) == 245_760_000
    assert KvCurve(cross_attention=KvCross(bytes_per_source_token=163_840)).bytes(0) == 0


def test_reference_terms_add_up_to_the_curve() -> None:
    # the reference sends tokens x bytes + state: 200 x 36,864 + 128 x 36,864
    assert GPT_OSS.state_bytes(200) == 128 * 36_864
    assert 200 * GPT_OSS.per_token_bytes + GPT_OSS.state_bytes(200) == GPT_OSS.bytes(200)


def test_fractions_of_a_byte_are_kept_and_whole_numbers_are_ints() -> None:
    curve = KvCurve(growing_bytes_per_token=0.5)
    assert (curve.bytes(3), curve.bytes(4)) == (1.5, 2)
    assert isinstance(curve.bytes(4), int)


def test_arrays_give_what_numbers_give() -> None:
    counts = np.array([0, 1, 128, 129, 10**6])
    assert GPT_OSS.bytes(counts).tolist() == [GPT_OSS.bytes(int(count)) for count in counts]


@pytest.mark.parametrize(
    "tokens", [-1, 1.5, True, "8", np.array([3, -1]), np.array([0.5]), np.array([np.nan])]
)
def test_a_count_that_is_none_is_refused_by_name(tokens: object) -> None:
    with pytest.raises(InputError, match="tokens = "):
        GPT_OSS.bytes(tokens)


BYTES = st.integers(0, 10**9) | st.integers(0, 10**6).map(lambda sixteenths: sixteenths / 16)
CURVES = st.builds(
    KvCurve,
    growing_bytes_per_token=BYTES,
    indexer_bytes_per_token=BYTES,
    windowed=st.lists(
        st.builds(KvWindow, bytes_per_token=BYTES, window_tokens=st.integers(1, 10**6)), max_size=3
    ).map(tuple),
    constant_bytes=BYTES,
)


@given(CURVES, st.integers(0, 10**7), st.integers(0, 10**7))
def test_more_tokens_are_never_fewer_bytes(curve: KvCurve, one: int, other: int) -> None:
    few, many = sorted((one, other))
    assert curve.bytes(few) <= curve.bytes(many)


@given(CURVES)
def test_a_curve_comes_back_from_json(curve: KvCurve) -> None:
    assert KvCurve.model_validate_json(curve.model_dump_json()) == curve
