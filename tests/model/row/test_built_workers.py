"""Workers with attention DP, EP, PP and different GPUs a side: capacity, lanes, passes, cost and refusals."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from aisim_model.errors import InputError
from aisim_model.models.weights.stored import parts_of, weight_bytes
from aisim_model.passes import roofline
from aisim_model.passes.work import PassWork
from aisim_model.row.cost import cost
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.service import service
from aisim_model.row.workers import decode_pass_time, prefill_pass_time
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve.carried import divisions

DEEPSEEK = Workload(model_id="deepseek-v3", prompt_tokens=2000, output_tokens=100)
WIDE = {"prefill_tp": 1, "attention_dp": 8, "expert_parallel": 8, "decode_tp": 1}


def resolved(workload: Workload = DEEPSEEK, **fields: object) -> ResolvedRow:
    return resolve(workload, Deployment.model_validate({"id": "a", "name": "a", **fields}))


# llm-d.github.io blog/2026-07-22_serving-glm-5-2-agentic-workloads-on-llm-d.mdx: KV tokens of 8 H200
@pytest.mark.parametrize(
    ("built", "tokens"),
    [
        ({"prefill_tp": 8}, 598_000),
        ({"prefill_tp": 1, "attention_dp": 8, "expert_parallel": 8}, 1_770_000),
        ({"prefill_tp": 1, "attention_dp": 16, "expert_parallel": 16}, 5_200_000),
    ],
)
def test_a_node_of_h200_holds_as_many_tokens_of_glm_as_its_engine_logged(
    built: dict[str, int], tokens: int
) -> None:
    glm = Workload(model_id="glm-5.2", prompt_tokens=2000)
    x = resolved(glm, kind="aggregated", weight_format="fp8", kv_dtype="fp8", **built)
    side = x.row.side("prefill")
    assert x.pool_tokens * side.attention_dp / side.gpus * 8 == pytest.approx(tokens, rel=0.1)


def test_a_latent_stands_on_every_rank_of_its_group_alone() -> None:
    # 61 layers x 576 elements x 2 B = 70,272 B: eight copies at TP8, one at DP8
    assert resolved(prefill_tp=8).held_prefill.per_token_bytes == 8 * 70_272
    assert resolved(**WIDE).held_prefill.per_token_bytes == 70_272


def test_groups_hold_all_but_the_experts_each() -> None:
    spec = resolved().spec
    head, *_, experts = parts_of(spec)
    one, group = weight_bytes(spec, spec.stored, 8), weight_bytes(spec, spec.stored, 1, 8, 8)
    each = experts * spec.stored.bytes_of("experts")
    assert one - group == pytest.approx(each * 7 / 8)
    # 256 experts over 72 ranks: four a rank, 288 in all
    wide = weight_bytes(spec, spec.stored, 1, 72, 72)
    assert wide - (one - each) == pytest.approx(each * 288 / 256 / 72)
    assert head > 0


def test_lanes_are_those_of_the_ranks_that_hold_a_request() -> None:
    assert resolved(**WIDE).bandwidth_gb_s == 50.0  # one rank a side, one NIC
    assert resolved(prefill_tp=8, decode_tp=8).bandwidth_gb_s == 400.0
    # TP4 in two stages: eight ranks hold a request's layers
    staged = {"pipeline": 2, "prefill_model": "fixed", "prefill_pass_ms": 1.0}
    timed = {"decode_model": "fixed", "decode_step_ms": 1.0}
    x = resolved(**staged, **timed)
    assert x.bandwidth_gb_s == 400.0
    assert x.row.gpus == 16
    # a worker of eight GPUs whatever the way they are used: the same weights over all of them
    assert x.prefill_room.weight_bytes == resolved(prefill_tp=8).prefill_room.weight_bytes
    assert x.prefill_room.gpus == 8


# lm-sys.github.io blog/2025-05-05-large-scale-ep.md, DeepSeek-V3 on H100: tokens a second a node
def test_wide_expert_parallelism_takes_what_was_measured() -> None:
    x = resolved(
        gpu="h100-sxm",
        engine="sglang",
        prefill_tp=1,
        attention_dp=32,
        expert_parallel=32,
        decode_tp=1,
        decode_attention_dp=72,
        decode_expert_parallel=72,
    )
    step_ms = float(decode_pass_time(x).step_ms(256.0, 2050.0))
    assert 8 * 256 / step_ms * 1e3 == pytest.approx(22_282, rel=0.3)
    numbers = prefill_pass_time(x).prefill.numbers
    for prompt, measured in ((1024, 57_674), (2048, 54_543), (4096, 50_302)):
        pairs = 16_384 / prompt * prompt**2  # passes of 16,384 tokens a device
        pass_ms = float(roofline.pass_ms(numbers, 16_384.0, pairs, 0.0, 0.0, 0.0))
        assert 8 * 16_384 / pass_ms * 1e3 == pytest.approx(measured, rel=0.3)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4]))
def test_equal_sides_said_twice_are_the_row_said_once(ranks: int, groups: int) -> None:
    once = {"prefill_tp": ranks, "decode_tp": ranks, "attention_dp": groups}
    twice = {**once, "decode_gpu": "h200", "decode_attention_dp": groups, "decode_expert_parallel": 1}
    one, two = resolved(**once), resolved(**twice)
    assert service(one, 100).idle == service(two, 100).idle
    assert row_memory(one, 100).most_sequences == row_memory(two, 100).most_sequences
    assert cost(one, 1.0, 100).usd_per_hour == cost(two, 1.0, 100).usd_per_hour


def test_each_group_counts_as_a_worker_with_requests_of_its_own() -> None:
    x = resolved(**WIDE, prefill_workers=2, decode_workers=3)
    served, memory = service(x, 100), row_memory(x, 100)
    assert (served.prefill_workers, served.decode_workers, x.row.gpus) == (16, 24, 40)
    assert memory.workers[-1].requests == 8 * (memory.workers[-1].requests / 8) > 0
    assert served.most_sequences <= memory.workers[-1].requests / 8


def test_gpus_of_two_kinds_cost_by_kind_and_are_never_divided_anew() -> None:
    dense = Workload(prompt_tokens=2000, output_tokens=100)
    x = resolved(dense, gpu="h100-sxm", decode_gpu="h200", prefill_workers=2)
    assert cost(x, 1.0, 100).usd_per_hour == 8 * 4.5 + 4 * 5.75
    priced = resolved(dense, gpu="h100-sxm", decode_gpu="b300", decode_usd_per_gpu_hour=10.0)
    assert cost(priced, 1.0, 100).usd_per_hour == 4 * 4.5 + 4 * 10.0
    assert math.isnan(cost(resolved(dense, decode_gpu="b300"), 1.0, 100).usd_per_hour)
    assert list(divisions(service(x, 100))) == [(2, 1)]
    prefill, decode = row_memory(x, 100).workers
    assert (round(prefill.hbm_gb, 2), round(decode.hbm_gb, 2)) == (85.52, 150.75)
    assert x.speeds.hbm_tb_s < x.decode_speeds.hbm_tb_s


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({"attention_dp": 8, "expert_parallel": 3}, "expert_parallel", "must divide the 32 ranks"),
        ({"attention_dp": 2, "engine": "reference"}, "attention_dp", "nothing that Reference"),
        ({"decode_pipeline": 2, "engine": "reference"}, "decode_pipeline", "nothing that Reference"),
        ({"decode_gpu": "b200", "link": "nvlink5"}, "link", "joins GPUs of one node"),
        ({"decode_gpu": "a100-80", "kv_dtype": "fp8"}, "kv_dtype", "A100 80GB SXM has no fp8"),
        ({"decode_gpu": "mi300x", "kv_dtype": "fp8"}, "kv_dtype", "fp8 formats differ"),
        ({"attention_dp": 128, "expert_parallel": 512}, "expert_parallel", "which has 256 experts"),
        ({"pipeline": 100, "decode_pipeline": 1}, "pipeline", "more stages than"),
        ({"pipeline": 2}, "pipeline", "no time known"),
        (
            {"decode_attention_dp": 2, "decode_model": "simple_roofline"},
            "decode_attention_dp",
            "no time known",
        ),
    ],
)
def test_what_cannot_be_built_is_said(fields: dict[str, object], field: str, words: str) -> None:
    with pytest.raises((InputError, ValidationError)) as refused:
        resolved(**fields)
    assert field in str(refused.value)
    assert words in str(refused.value)


# llm-d.github.io blog/2026-07-22, 32 to 128 requests on DEP16: 2 to 8 a rank at about 50,000 tokens
@pytest.mark.parametrize(
    ("sequences", "plain_ms", "drafted_ms"), [(2.0, 28.6, 13.5), (4.0, 30.7, 14.7), (8.0, 35.1, 17.1)]
)
def test_three_drafts_shorten_a_token_as_was_measured(
    sequences: float, plain_ms: float, drafted_ms: float
) -> None:
    glm = Workload(model_id="glm-5.2", prompt_tokens=50_000, output_tokens=300)
    wide = {"prefill_tp": 1, "attention_dp": 16, "expert_parallel": 16, "decode_tp": 1}
    stored = {"weight_format": "fp8", "kv_dtype": "fp8"}
    plain = decode_pass_time(resolved(glm, **wide, **stored))
    drafted = decode_pass_time(resolved(glm, **wide, **stored, draft_tokens=3, accepted_tokens=2.95))
    assert plain.token_ms(sequences, 50_150.0) == pytest.approx(plain_ms, rel=0.2)
    assert drafted.token_ms(sequences, 50_150.0) == pytest.approx(drafted_ms, rel=0.2)
    # what a replay takes of it is the same, near a full set of touched experts
    each = drafted.of_each_token()
    assert each is not None
    work = PassWork(sequences=sequences, context_tokens=sequences * 50_150.0)
    assert each.ms(work, False) == pytest.approx(drafted.token_ms(sequences, 50_150.0), rel=0.02)


def test_tokens_of_a_step_come_from_the_row_the_rate_or_the_model() -> None:
    glm = Workload(model_id="glm-5.2")
    fixed = {"decode_model": "fixed", "decode_step_ms": 30.0, "weight_format": "fp8"}
    for fields, tokens in (
        ({"accepted_tokens": 2.5}, 2.5),
        ({"acceptance_rate": 0.5}, 1 + 0.5 + 0.25 + 0.125),
        ({}, 2.99),
    ):
        x = resolved(glm, prefill_tp=8, decode_tp=8, draft_tokens=3, **fixed, **fields)
        assert service(x, 300).step_ms(0.0) == pytest.approx(
            30.0 / tokens
        )  # a measured step is one with drafts
    with pytest.raises(InputError, match="draft_tokens"):
        decode_pass_time(resolved(Workload(model_id="qwen3-32b"), draft_tokens=3))
    with pytest.raises((InputError, ValidationError), match="accepted_tokens"):
        resolved(draft_tokens=1, accepted_tokens=2.5)
