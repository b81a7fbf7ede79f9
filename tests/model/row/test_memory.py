"""Does a row fit: weights, pools, the requests that workers hold and the handoffs that pools allow."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.compare.table import compare, table
from aisim_model.row.memory import RowMemory, row_memory
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Scenario, Workload

LLAMA = Workload(model_id="llama-3.1-70b", prompt_tokens=8192, output_tokens=1000)


def memory(workload: Workload = LLAMA, **values: Any) -> RowMemory:
    row = Deployment(id="a", name="a", **{"kv_pool_share": 0.9, **values})
    return row_memory(resolve(workload, row), workload.output_tokens)


def test_llama_70b_on_four_h200_by_hand() -> None:
    # 70.6e9 x 2 B = 141.2 GB of weights, 35.3 a GPU; kept are 0.8 + 0.4 + 26 B x 1,024 x 128,256 = 4.615 GB;
    # 0.9 x 150.755 - 4.615 - 35.3 = 95.76 GB of pool a GPU, 383.06 in all.
    # A prompt takes 8,192 x 327,680 B = 2.684 GB: 142; with the answer 3.012 GB: 127
    prefill, decode = memory().workers
    assert prefill.weights_gb == pytest.approx(35.3, abs=0.05)
    assert prefill.pool_gb == pytest.approx(95.76, abs=0.01)
    assert (prefill.requests, decode.requests) == (142, 127)
    assert memory().problem is None


def test_handoffs_in_flight_are_held_on_both_sides() -> None:
    # 142 on each of two prefill workers, 127 on one decode worker
    assert memory(prefill_workers=2).handoffs_in_flight == 127
    assert memory(decode_workers=2).handoffs_in_flight == 142


def test_weights_that_dont_fit_are_said() -> None:
    # 141.2 GB on one H200 that may be filled to 0.9 x 150.755, less 0.8 + 3.415 kept
    worker = memory(prefill_tp=1).problem
    assert worker is not None
    assert (worker.role, worker.problem, worker.hbm_gb) == (
        "prefill",
        "weights",
        pytest.approx(150.755, abs=1e-3),
    )
    assert round(worker.weights_gb, 1) == 141.2
    assert round(worker.weights_gb + worker.pool_gb, 1) == 131.5


def test_a_request_longer_than_the_pool_is_said() -> None:
    # 95.76 x 4 GB hold 1.169 million tokens of 327,680 B
    longer = LLAMA.changed(prompt_tokens=1_168_500)
    worker = memory(longer).problem
    assert worker is not None
    assert (worker.role, worker.problem, worker.request_tokens) == ("decode", "pool", 1_169_500)
    assert memory(longer, kind="aggregated").problem is not None


def test_a_pool_given_in_tokens_counts_for_decode() -> None:
    prefill, decode = memory(pool_tokens=92_000).workers
    assert (prefill.requests, decode.requests) == (142, 10)  # 92,000 // 9,192
    assert memory(pool_tokens=9000).problem is not None


def test_windowed_layers_let_a_pool_hold_more_requests() -> None:
    windowed = LLAMA.changed(model_id="gpt-oss-120b")
    full, window = (memory(windowed, window_layers=kept).workers[1] for kept in ("full", "window"))
    assert window.requests > 1.9 * full.requests  # half of its layers keep 128 tokens


def test_a_latent_takes_room_on_every_rank() -> None:
    # DeepSeek-V3 in fp8 on 8 x 150.755 GB: 135.68 GB a GPU less (671 + 1.85 of embedding and head) / 8 =
    # 84.11 of weights and a reserve of 0.8 + 0.4 + 26 x 1,024 x 129,280 + 6.5 x 8,192 x 8 x 14,336 B = 10.75
    # leave 40.82; 12,000 tokens are 12,000 x 70,272 = 843,264,000 B on each GPU: 48, and 12,340 of them
    # 867,156,480: 47
    ranks = {"prefill_tp": 8, "decode_tp": 8}
    row = Deployment(id="a", name="a", weight_format="fp8", kv_pool_share=0.9, **ranks)
    prefill, decode = row_memory(resolve(Workload(model_id="deepseek-v3"), row), 340).workers
    assert (prefill.requests, decode.requests) == (48, 47)


def test_a_head_on_two_ranks_takes_room_twice() -> None:
    # Qwen3-235B keeps 4 KV heads: eight ranks hold 8 of them, 2 x 192,512 B a token over all
    asked = Workload(model_id="qwen3-235b-a22b")
    wide = resolve(asked, Deployment(id="a", name="a", decode_tp=8))
    assert wide.held_decode.bytes(1) == 2 * 192_512
    assert resolve(asked, Deployment(id="a", name="a", decode_tp=4)).held_decode.bytes(1) == 192_512


def test_a_row_that_doesnt_fit_says_so_in_place_of_times() -> None:
    example = Scenario()
    scenario = example.changed(workload=LLAMA).with_row("split-400g", prefill_tp=1, decode_tp=7)
    found = table(scenario, compare(scenario)).set_index("deployment_id")
    row = found.loc["split-400g"]
    assert not row["fits"]
    assert row[["ttft_ms", "itl_ms", "prefill_ms", "loaded_ttft_ms"]].isna().all()
    assert row["handoff_ms"] > 0  # bytes and link alone make it
    assert not row["meets_ttft_slo"]
    assert row["carries_within_slos_per_s"] == 0
    assert row["rank"] == 5
    assert found.loc["aggregated", "fits"]
