"""A scenario's row as the settings of a replay: the same times as the row's own, the rest said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aisim_model.catalog import models
from aisim_model.errors import InputError
from aisim_model.handoff import TransferTimingMode
from aisim_model.passes import fixed
from aisim_model.replay.verdict import Verdict, verdict
from aisim_model.row.resolved import resolve
from aisim_model.row.service import service
from aisim_model.row.ttft import breakdown, transfer_ms
from aisim_model.row.workers import decode_pass_time, prefill_pass_time
from aisim_model.scenario import Deployment, Workload
from aisim_model.traces import Trace
from aisim_model.traffic.row_replay import block_size, replay_config, replay_notes, replay_row
from aisim_model.traffic.row_times import TypicalRequest, typical_request

WORKLOAD = Workload(prompt_tokens=8000)
TABLE = ((128.0, 20.0), (2048.0, 80.0), (8192.0, 400.0))


def row(**values: Any) -> Deployment:
    return Deployment(id="a", name="a", **values)


def alone(tokens: int, output: int = 3) -> Trace:
    return Trace(np.array([0.0]), np.array([tokens]), np.array([output]))


@pytest.mark.parametrize(
    "values",
    [
        {"prefill_model": "roofline"},
        {"prefill_model": "roofline", "gpu": "b200", "prefill_tp": 8, "weight_format": "fp8"},
        {"prefill_model": "rate", "prefill_tokens_per_s": 22_736.0},
        {"prefill_model": "fixed", "prefill_pass_ms": 120.0},
        {"prefill_model": "polynomial", "decode_model": "polynomial", "pool_tokens": 1_000_001},
        {"prefill_model": "table", "prefill_table": TABLE},
    ],
)
@pytest.mark.parametrize("kind", ["split", "aggregated"])
@pytest.mark.parametrize("model_id", ["qwen3-32b", "gpt-oss-120b"])
def test_passes_of_a_replay_take_what_the_row_says(values: dict[str, Any], kind: str, model_id: str) -> None:
    workload, asked = WORKLOAD.changed(model_id=model_id, output_tokens=50), row(kind=kind, **values)
    x = resolve(workload, asked)
    trace = Trace(np.array([0.0, 1e7]), np.array([20_000, 700]), np.array([50, 1]))
    found = replay_row(workload, asked, trace)
    for place, tokens in enumerate((20_000.0, 700.0)):
        timed = prefill_pass_time(x).prompt_ms(tokens, 0.0, float(asked.pass_tokens))
        assert found.column("prefill_ms")[place] == pytest.approx(timed, rel=1e-6)
    # 49 more tokens, a step each; the first of a split row's is one too
    first = 0 if kind == "split" else 1
    steps = [decode_pass_time(x).step_ms(1.0, 20_000.0 + token) for token in range(first, 50)]
    spent = found.column("last_token_ms")[0] - found.column("first_token_ms")[0]
    assert spent == pytest.approx(sum(steps[1 - first :]), rel=1e-6)


def test_a_mixed_pass_is_one_call() -> None:
    workload, asked = WORKLOAD.changed(output_tokens=50), row(kind="aggregated")
    passes = prefill_pass_time(resolve(workload, asked))
    trace = Trace(np.array([0.0, 310.0]), np.array([8000, 700]), np.array([500, 2]))
    found = replay_row(workload, asked, trace)
    start = found.column("start_ms")[1]
    emitted = round((start - found.column("first_token_ms")[0]) / passes.step_ms(1.0, 8000.0))
    mixed = passes.pass_ms(700.0, 0.0, 1.0, 8001.0 + emitted)
    assert found.column("prefill_ms")[1] == pytest.approx(mixed, rel=1e-6)
    assert mixed < passes.pass_ms(700.0) + passes.step_ms(1.0, 8001.0 + emitted)


def test_littles_law_gives_the_batch() -> None:
    x = resolve(WORKLOAD, row(decode_model="fixed", decode_step_ms=20.0, decode_workers=2, max_sequences=100))
    trace = Trace(np.array([0.0, 500.0]), np.array([100, 100]), np.array([50, 50]))
    # 4 requests/s x 50 tokens x 20 ms = 4 sequences, over 2 workers: one finds 2 others, but for 2 / 100
    assert typical_request(x, trace) == TypicalRequest(100.0, 50.0, 1 + 2 * 0.99, 100.0, 20.0)


def test_the_batch_is_that_of_the_estimate() -> None:
    trace = Trace(np.arange(100) * 100.0, np.full(100, 2000), np.full(100, 400))
    rate = trace.requests_per_s()
    assert rate is not None
    for values in ({}, {"kind": "aggregated", "prefill_workers": 4}):
        served = service(resolve(WORKLOAD.changed(prompt_tokens=2000), row(**values)), 400)
        found = typical_request(served.x, trace)
        assert found.decoding == served.in_step(served.batch_at(rate))
        assert found.step_ms == served.step_ms(served.batch_at(rate))


def test_requests_that_arrive_at_once_decode_at_once_up_to_the_room() -> None:
    x = resolve(WORKLOAD, row(decode_workers=2, max_sequences=256))
    for requests, decoding in ((1, 1.0), (64, 32.0), (5000, 256.0)):
        many = Trace(np.zeros(requests), np.full(requests, 100), np.full(requests, 10))
        assert typical_request(x, many).decoding == decoding


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"engine": "sglang", "overlap": "none"},
        {"engine": "trtllm"},
        {"engine": "reference"},
        {"first_token_from": "prefill"},
        {"link_model": "calibrated", "alpha_ms": 0.4, "link_efficiency": 0.8},
        {"link": "eth-100", "nics_per_gpu": 0.25, "kv_dtype": "fp8"},
        {"timing_mode": TransferTimingMode.DESTINATION_MISSING},
        {"timing_mode": TransferTimingMode.DESTINATION_MISSING, "engine": "trtllm"},
        {"orchestration_ms": 30.0, "decode_model": "polynomial", "prefill_model": "polynomial"},
        {"kind": "aggregated"},
    ],
)
@pytest.mark.parametrize("model_id", ["qwen3-32b", "gpt-oss-120b"])
def test_one_request_on_an_idle_system_takes_the_rows_ttft(values: dict[str, Any], model_id: str) -> None:
    workload = Workload(model_id=model_id, prompt_tokens=8000, output_tokens=3)
    asked = row(**values)
    found = replay_row(workload, asked, alone(8000))
    parts = breakdown(resolve(workload, asked))
    assert found.column("ttft_ms")[0] == pytest.approx(parts.ttft_ms, rel=1e-6)
    assert found.column("prefill_ms")[0] == pytest.approx(parts.prefill_ms, rel=1e-6)
    # the cost of starting a transfer stands with orchestration
    handed = found.column("orchestration_ms")[0] + found.column("transfer_ms")[0]
    assert handed == pytest.approx(parts.orchestration_ms + parts.transfer_ms, rel=1e-6)


def test_descriptors_take_their_time_and_no_bytes() -> None:
    calibrated = row(link_model="calibrated", alpha_ms=1.0, per_descriptor_us=0.5, link_efficiency=0.5)
    found = replay_row(WORKLOAD, calibrated, alone(8000))
    timed = found.column("transfer_ms")[0] + found.column("orchestration_ms")[0]
    # 500 blocks x 64 layers x 2 at 0.5 us are 32 ms; 8,000 x 262,144 B at 100 GB/s 20.97; 1 ms to start
    assert timed == pytest.approx(32.0 + 20.97152 + 1.0, rel=1e-6)
    assert timed == pytest.approx(transfer_ms(resolve(WORKLOAD, calibrated)), rel=1e-6)
    assert found.column("bytes_moved")[0] == 8000 * 262_144


def test_one_broadcast_copy_of_a_latent_is_timed_by_one_ranks_lanes() -> None:
    workload = Workload(model_id="deepseek-v3", prompt_tokens=8000, output_tokens=2)
    once = row(prefill_tp=8, decode_tp=8, weight_format="fp8", mla_copies="once")
    found = replay_row(workload, once, alone(8000, 2))
    x = resolve(workload, once)
    assert found.column("transfer_ms")[0] == pytest.approx(transfer_ms(x), rel=1e-6)
    assert found.column("bytes_moved")[0] == x.wire.bytes(8000)
    assert x.timed.bytes(8000) > x.wire.bytes(8000)


def test_level_fifo_takes_the_step_of_the_estimate_and_its_room() -> None:
    trace = Trace(np.array([0.0, 9e6]), np.array([4000, 12_000]), np.array([3, 3]))
    config = replay_config(WORKLOAD, row(), trace, level="fifo")
    served = service(resolve(WORKLOAD, row()), 3)
    rate = trace.requests_per_s()
    assert rate is not None
    step_ms = served.step_ms(served.batch_at(rate))
    assert config.resolved_decode == fixed(step_ms)
    assert config.max_sequences == served.most_sequences
    found = replay_row(WORKLOAD, row(), trace, level="fifo")
    assert found.column("decode_step_ms") == pytest.approx(
        [served.step_ms(served.batch_at(rate))] * 2, rel=1e-6
    )


def test_level_engine_takes_the_rows_limit_of_sequences() -> None:
    config = replay_config(WORKLOAD, row(max_sequences=300), alone(8000), level="engine")
    assert config.max_sequences == 300
    assert replay_config(WORKLOAD, row(engine="reference"), alone(8000)).max_sequences == 256


def test_the_pool_is_what_hbm_leaves_beside_the_weights() -> None:
    config = replay_config(WORKLOAD, row(), alone(8000))
    spec = WORKLOAD.served
    # 92% of 143,771 MiB, less 0.8 + 0.4 GB and 26 B x 1,024 sequences x 151,936 words, on each of four
    each = 143_771 * 2**20 * 0.92 - 1.2e9 - 26 * 1024 * 151_936
    pool_bytes = 4 * each - 2 * spec.total_parameters
    assert config.pool_blocks == math.floor(pool_bytes / 262_144 / 16)
    assert replay_config(WORKLOAD, row(pool_tokens=1600), alone(8000)).pool_blocks == 100


def test_every_rank_of_a_pool_holds_a_latent_whole() -> None:
    workload = Workload(model_id="deepseek-v3")
    config = replay_config(workload, row(prefill_tp=8, decode_tp=8, weight_format="fp8"), alone(8000))
    # 8 H200 at 92%, each less 0.8 + 0.4 GB, 26 B x 1,024 x 129,280 words and 6.5 rows of 14,336 B for each of
    # 8 experts of 8,192 tokens; less 671e9 weights of a byte, of which embedding and head take another;
    # 61 layers x 576 elements x 2 B x 8 ranks a token
    each = 143_771 * 2**20 * 0.92 - 1.2e9 - 26 * 1024 * 129_280 - 6.5 * 14_336 * 8 * 8192
    pool_bytes = 8 * each - workload.served.total_parameters - 2 * 129_280 * 7168
    assert config.pool_blocks == math.floor(pool_bytes / (8 * 70_272) / 16)


def test_windows_make_room_for_more_requests_than_the_longest_one() -> None:
    workload = Workload(model_id="gpt-oss-120b")
    x = resolve(workload, row())
    short, long = (replay_config(workload, row(), alone(tokens)).pool_blocks for tokens in (100, 100_000))
    assert short < long  # each short request fills its windows: more bytes a token
    assert long * 16 < x.pool_tokens


def test_a_row_whose_weights_do_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="no room for a KV block"):
        replay_config(WORKLOAD, row(gpu="l40s", prefill_tp=1, decode_tp=1), alone(8000))


def test_blocks_are_the_traces_where_the_engines_do_not_divide_them() -> None:
    ids = Trace(
        np.array([0.0]), np.array([100]), np.array([1]), np.arange(5), np.array([0, 5]), block_tokens=24
    )
    x = resolve(WORKLOAD, row())
    assert block_size(x, ids, prefix_caching=True) == 24
    assert block_size(x, ids, prefix_caching=False) == 16
    assert block_size(resolve(WORKLOAD, row(engine="sglang")), ids, prefix_caching=True) == 1
    assert "own of 24" in replay_notes(WORKLOAD, row(), ids, prefix_caching=True)[0]


def test_nothing_is_sent_at_no_bandwidth_and_it_is_said() -> None:
    off = row(bandwidth_gb_s=-1.0)
    assert replay_row(WORKLOAD, off, alone(8000)).column("transfer_ms")[0] == 0.0
    assert "take no time" in replay_notes(WORKLOAD, off, alone(8000))[0]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, []),
        ({"kind": "aggregated", "overlap": "layer"}, []),
        ({"engine": "sglang"}, ["overlap by chunk"]),
        ({"engine": "trtllm", "timing_mode": TransferTimingMode.DESTINATION_MISSING}, ["credits no prefix"]),
        ({"link_model": "calibrated"}, ["descriptors"]),
        ({"prefill_tp": 2}, ["differ in GPUs"]),
    ],
)
def test_what_a_replay_leaves_out_is_said(values: dict[str, Any], said: list[str]) -> None:
    notes = replay_notes(WORKLOAD, row(**values), alone(8000))
    assert len(notes) == len(said)
    assert all(words in note for note, words in zip(notes, said, strict=True))


def test_offered_load_counts_full_prompts_on_the_wire() -> None:
    trace = Trace(np.array([0.0, 2000.0]), np.array([1000, 3000]), np.array([1, 1]))
    assert judged(WORKLOAD, row(), trace).offered_gb_s == pytest.approx(4000 * 262_144 / 2e9)
    # 8 heads on 16 ranks cross twice
    assert judged(WORKLOAD, row(decode_tp=16), trace).offered_gb_s == pytest.approx(2 * 4000 * 262_144 / 2e9)
    assert judged(WORKLOAD, row(kind="aggregated"), trace).offered_gb_s is None
    assert judged(WORKLOAD, row(), alone(1000)).offered_gb_s is None


def judged(workload: Workload, asked: Deployment, trace: Trace) -> Verdict:
    return verdict(replay_row(workload, asked, trace))


def test_links_carry_the_rows_own_bytes_in_its_own_time() -> None:
    trace = Trace(np.array([0.0, 2000.0]), np.array([1000, 3000]), np.array([1, 1]))
    calibrated = judged(WORKLOAD, row(link_model="calibrated", per_descriptor_us=0.5), trace)
    assert calibrated.offered_gb_s == pytest.approx(4000 * 262_144 / 2e9)
    # a block of 16 tokens takes 64 layers x 2 at 0.5 us, and 16 x 262,144 B at 200 GB/s
    assert calibrated.capacity_gb_s == pytest.approx(16 * 262_144 / (64e-6 + 16 * 262_144 / 200e9) / 1e9)
    latent = Workload(model_id="deepseek-v3", prompt_tokens=8000)
    once = row(prefill_tp=8, decode_tp=8, weight_format="fp8", mla_copies="once")
    found = judged(latent, once, trace)
    assert found.offered_gb_s == pytest.approx(4000 * 70_272 / 2e9)
    assert found.capacity_gb_s == pytest.approx(50.0)  # one rank's lanes, of 8
    for one in (calibrated, found):
        assert one.offered_gb_s / one.capacity_gb_s == pytest.approx(one.offered_load["link"], rel=1e-6)


@settings(max_examples=60)
@given(
    model_id=st.sampled_from([model.id for model in models()]),
    tokens=st.integers(1, 200_000),
    kind=st.sampled_from(["split", "aggregated"]),
    engine=st.sampled_from(["vllm", "sglang", "trtllm", "reference"]),
)
def test_every_model_of_the_catalogue_is_replayed_or_refused_in_a_sentence(
    model_id: str, tokens: int, kind: str, engine: str
) -> None:
    asked = row(kind=kind, engine=engine, gpu="b200", prefill_tp=8, decode_tp=8)
    workload = Workload(model_id=model_id, prompt_tokens=tokens)
    try:
        found = replay_row(workload, asked, alone(tokens))
    except InputError:
        return
    parts = breakdown(resolve(workload, asked))
    assert found.column("prefill_ms")[0] == pytest.approx(parts.prefill_ms, rel=1e-6, abs=1e-6)
    # overlap is not replayed
    assert found.column("ttft_ms")[0] >= parts.ttft_ms * (1 - 1e-6) - 1e-6
