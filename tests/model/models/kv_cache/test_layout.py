"""What crosses the link and what a rank holds, under tensor and pipeline parallelism."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.models.kv_cache import KvLayout, read_config
from aisim_model.models.kv_cache.parts import HeadKv, LatentKv, State

QWEN3_235B = KvLayout.of([(HeadKv(kv_heads=4, key_elements=128, value_elements=128),)] * 94)
DEEPSEEK = KvLayout.of([(LatentKv(latent_elements=512, rope_elements=64),)] * 61)
N = 8_192


def test_four_heads_over_eight_ranks_are_sent_twice() -> None:
    # 94 x 4 x 256 x 2 B = 192,512 B a token; ceil(4 / 8) = 1 head on each of 8 ranks = 2 x 4 heads
    wire = QWEN3_235B.wire("bf16", N, decode_tp=8)
    assert wire.unique_bytes == 192_512 * N
    assert wire.wire_bytes == 2 * 192_512 * N
    assert wire.bytes_per_rank == 192_512 * N // 4


def test_heads_that_do_not_divide_are_rounded_up_on_each_rank() -> None:
    # 4 heads over 3 ranks: ceil = 2 heads on each, 6 in all
    wire = QWEN3_235B.wire("bf16", N, decode_tp=3)
    assert wire.wire_bytes == 192_512 * N * 6 // 4
    assert wire.bytes_per_rank == 192_512 * N // 2


def test_up_to_as_many_ranks_as_heads_nothing_is_sent_twice() -> None:
    assert QWEN3_235B.wire("bf16", N, decode_tp=4).wire_bytes == 192_512 * N


def test_prefill_ranks_hold_their_own_share_and_do_not_change_the_wire() -> None:
    wire = QWEN3_235B.wire("bf16", N, prefill_tp=8, decode_tp=2)
    assert wire.wire_bytes == 192_512 * N
    assert (wire.prefill_bytes_per_rank, wire.bytes_per_rank) == (192_512 * N // 4, 192_512 * N // 2)


def test_a_latent_stands_on_every_rank_and_is_sent_for_each_or_once_by_name() -> None:
    # 61 x 576 x 2 B = 70,272 B a token
    each = DEEPSEEK.wire("bf16", N, decode_tp=8)
    once = DEEPSEEK.wire("bf16", N, decode_tp=8, mla_copies="once")
    assert (each.wire_bytes, once.wire_bytes) == (8 * 70_272 * N, 70_272 * N)
    assert each.bytes_per_rank == once.bytes_per_rank == each.unique_bytes == 70_272 * N
    assert (each.replicated_copies, once.replicated_copies) == (8, 1)
    assert (each.sharded_wire_bytes, each.replicated_copy_bytes) == (0, 70_272 * N)


def test_a_latent_may_be_sent_to_some_of_the_ranks() -> None:
    wire = DEEPSEEK.wire("bf16", N, decode_tp=16, mla_copies=4)
    assert (wire.wire_bytes, wire.replicated_copies) == (4 * 70_272 * N, 4)


def test_layers_over_pipeline_stages_leave_the_fullest_rank_the_longer_stage() -> None:
    # 61 layers over 2 stages: 31 and 30; over 4: 16, 15, 15, 15
    assert DEEPSEEK.wire("bf16", N, decode_pp=2).bytes_per_rank == 31 * 1_152 * N
    assert DEEPSEEK.wire("bf16", N, prefill_pp=4).prefill_bytes_per_rank == 16 * 1_152 * N


def test_stages_of_a_hybrid_follow_the_order_of_its_layers() -> None:
    # four attention layers, then four that keep 8 B: stage one holds all that grows
    heads, state = HeadKv(kv_heads=1, key_elements=1, value_elements=1), State(heads=1, recurrent_bytes=8)
    layout = KvLayout.of([(heads,)] * 4 + [(state,)] * 4)
    assert layout.wire("bf16", 100, decode_pp=2).bytes_per_rank == 4 * 4 * 100
    assert layout.wire("bf16", 1, decode_pp=2).bytes_per_rank == 4 * 8


def test_recurrent_state_is_split_by_its_own_heads() -> None:
    # Qwen3-Next: 2 KV heads, 32 heads of state. TP4 doubles the heads and not the state
    qwen = read_config({**HYBRID})
    wire = qwen.wire("bf16", N, decode_tp=4)
    state, growing = qwen.curve().constant_bytes, qwen.curve().growing_bytes_per_token * N
    assert wire.wire_bytes == 2 * growing + state
    assert wire.bytes_per_rank == (2 * growing + state) / 4


HYBRID = {
    "num_hidden_layers": 48,
    "hidden_size": 2048,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "full_attention_interval": 4,
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
}


def test_state_of_a_hybrid_reaches_the_reference_as_its_state() -> None:
    # 36 x (32 x 128 x 128 x 4 + (2 x 16 x 128 + 32 x 128) x 3 x 2) = 77,266,944 B
    curve = read_config(HYBRID).curve()
    assert (curve.growing_bytes_per_token, curve.constant_bytes) == (24_576, 77_266_944)
    assert curve.state_bytes(N) == 77_266_944


def test_the_wire_curve_is_the_wire_at_every_length() -> None:
    layout = read_config(HYBRID)
    curve = layout.wire_curve("fp8", 4)
    counts = np.array([0, 1, 100, N])
    assert curve.bytes(counts).tolist() == layout.wire("fp8", counts, decode_tp=4).wire_bytes.tolist()


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"decode_tp": 0}, "decode_tp = 0: must be a whole number from 1"),
        ({"prefill_tp": 1.5}, "prefill_tp = 1.5"),
        ({"decode_tp": True}, "decode_tp = True"),
        ({"decode_pp": 95}, "decode_pp = 95: is more stages than the 94 layers"),
        ({"window_layers": "half"}, "window_layers = 'half'"),
        ({"mla_copies": "twice"}, "mla_copies = 'twice'"),
    ],
)
def test_what_can_not_be_asked_is_refused_by_name(asked: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        QWEN3_235B.wire("bf16", N, **asked)


def test_stages_are_refused_by_the_name_they_were_asked_by() -> None:
    assert QWEN3_235B.checked_stages("pipeline_parallel", 94) == 94
    with pytest.raises(InputError, match="pipeline_parallel = 95: is more stages than the 94 layers"):
        QWEN3_235B.checked_stages("pipeline_parallel", 95)


@given(
    heads=st.integers(1, 64),
    layers=st.integers(1, 8),
    ranks=st.integers(1, 128),
    tokens=st.integers(0, 10**6),
)
def test_ranks_hold_together_what_is_sent(heads: int, layers: int, ranks: int, tokens: int) -> None:
    layout = KvLayout.of([(HeadKv(kv_heads=heads, key_elements=3, value_elements=2),)] * layers)
    wire = layout.wire("bf16", tokens, decode_tp=ranks)
    assert wire.wire_bytes == ranks * wire.bytes_per_rank
    assert wire.wire_bytes * heads == wire.unique_bytes * ranks * math.ceil(heads / ranks)
    assert wire.wire_bytes >= wire.unique_bytes


def test_a_table_says_how_each_group_was_worked_out() -> None:
    groups = read_config(HYBRID).explain("bf16")
    assert [(group.layers, group.keeps, group.bytes_per_token, group.constant_bytes) for group in groups] == [
        (36, "recurrent state", 0, 77_266_944),
        (12, "keys and values", 24_576, 0),
    ]
    assert groups[1].working == "12 layers x 2 KV heads x (256 + 256) x 2 B"
    assert groups[0].working == "36 layers x (2,097,152 B recurrent + 49,152 B convolution)"


def test_a_layout_is_small_and_comes_back_from_json() -> None:
    text = read_config(HYBRID).model_dump_json()
    assert len(text) < 700
    assert KvLayout.model_validate_json(text) == read_config(HYBRID)


def test_an_order_without_its_block_is_refused() -> None:
    with pytest.raises(ValueError, match="order must hold indices of blocks"):
        KvLayout(blocks=(), order=(0,))
