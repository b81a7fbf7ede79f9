"""Published figures beside the models: what is fitted, what never is, and how far off each model is."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from aisim_model.catalog.measurements import (
    PublishedMeasurement,
    break_even,
    cloud_runs,
    published_measurements,
)
from aisim_model.evidence import (
    MODELS,
    cloud_evidence,
    evidence,
    published_evidence,
    published_fits,
)
from aisim_model.evidence.cloud import (
    MEAN_ANSWER_TOKENS,
    MEAN_PROMPT_TOKENS,
    TOKEN_WEIGHTED_PROMPT_TOKENS,
    prefill_tokens_per_s,
)
from aisim_model.passes import simple_roofline

BY_ID = {row.id: row for row in evidence()}
TRANSFERS = [row for row in BY_ID.values() if row.fitted and row.quantity == "transfer_ms"]


def test_the_reference_is_18_to_88_percent_below_the_eighteen_transfers() -> None:
    errors = [row.relative_error("reference") or 0 for row in TRANSFERS]
    assert len(errors) == 18
    assert round(min(errors), 2) == -0.88
    assert round(max(errors), 2) == -0.18


def test_calibrated_predictions_stay_within_9_percent_and_12_left_out() -> None:
    assert max(abs(row.relative_error("calibrated") or 1) for row in TRANSFERS) <= 0.09
    assert max(abs(row.relative_error("calibrated_left_out") or 1) for row in TRANSFERS) <= 0.12


def test_inconsistent_figures_are_shown_and_never_fitted() -> None:
    odd = [row for row in BY_ID.values() if not row.consistent]
    assert {row.id for row in odd} == {"qwen3-32b-nixl", "llama-3.1-8b-efa"}
    assert all(row.calibrated is None and not row.fitted and row.note for row in odd)


def test_every_figure_has_a_source_and_an_id_of_its_own() -> None:
    rows = evidence()
    assert len(BY_ID) == len(rows)
    assert all(row.source and row.how for row in rows)


@pytest.mark.parametrize(
    ("row_id", "predicted"),
    [
        ("kimi-k2.5-8150", 8150 * 35_136),
        ("opt-66b-512", 512 * 2_359_296),  # 1.208 GB, printed as 1.13 GB
        ("llama-3.3-70b-pool", 174_336 * 327_680),
        ("llama3-70b-128k-4x200", 100),
        ("qwen3-32b-conversation", 144_793_823 * 262_144 / 3537 / 1e9),
        ("qwen3-235b-h20-128", 128 * 192_512 * 2 / 200e6),  # each head on two ranks
        ("qwen3-32b-nixl", None),  # no bandwidth was published for the whole
        ("qwen3-235b-fp4-trtllm", None),  # nor the KV bytes of this one
    ],
)
def test_reference_predictions_by_hand(row_id: str, predicted: float | None) -> None:
    assert BY_ID[row_id].reference == (predicted and pytest.approx(predicted))


def test_time_to_first_token_is_put_beside_polynomial_and_roofline() -> None:
    row = BY_ID["qwen3-8b-h800-8192-ttft"]
    # 169.136918 prefill, 8,192 x 147,456 / 200e6 = 6.0398 transfer, 5.74 step of an empty pool
    assert row.reference == pytest.approx(169.136918 + 8192 * 147_456 / 200e6 + 5.74)
    assert row.reported == 212.05
    errors = [
        one.relative_error("roofline")
        for one in BY_ID.values()
        if one.id.startswith("qwen3-8b-h800-") and "-ttft" in one.id
    ]
    assert len(errors) == 9
    assert all(error is not None and abs(error) < 0.2 for error in errors)


def test_a_first_token_that_cant_be_predicted_is_no_record() -> None:
    whole = published_measurements()[0].model_dump()
    with pytest.raises(ValidationError, match="a ttft_ms needs model_id, gpu beside it"):
        PublishedMeasurement.model_validate({**whole, "model_id": None, "gpu": None})


def test_errors_are_relative_to_what_was_measured() -> None:
    row = BY_ID["llama3-70b-128k-4x200"]
    assert row.relative_error("reference") == pytest.approx(100 / 87 - 1)
    assert row.relative_error("roofline") is None
    assert set(MODELS) <= set(vars(row))


def test_predictions_are_made_at_run_time() -> None:
    assert published_evidence()[0] is not published_evidence()[0]
    assert published_evidence() == published_evidence()
    assert set(published_fits()) == {"qwen3-8b-8x200g", "qwen3-235b-4x400g"}


def test_roofline_defaults_follow_from_the_prefill_bound_runs() -> None:
    # the derivation in aisim_model.passes.simple_roofline, in numbers
    shares, efficiencies = [], []
    flops_per_token = 2 * 32.8e9 + 4 * 64 * 64 * 128 * TOKEN_WEIGHTED_PROMPT_TOKENS / 2
    for run, hbm_tb_s in ((run, {"h200": 4.8, "h100-sxm": 3.35}.get(run.gpu)) for run in cloud_runs()):
        if hbm_tb_s is None or run.mean_itl_ms is None:
            continue
        rate = prefill_tokens_per_s(run)
        shares.append(rate * flops_per_token / (4 * 989e12))
        batch = rate / MEAN_PROMPT_TOKENS * MEAN_ANSWER_TOKENS * run.mean_itl_ms / 1000
        kv_bytes = batch * (MEAN_PROMPT_TOKENS + MEAN_ANSWER_TOKENS / 2) * 262_144
        step_bytes = (65.6e9 + kv_bytes) / 4
        efficiencies.append(step_bytes / (run.mean_itl_ms / 1000) / (hbm_tb_s * 1e12))
    assert shares == pytest.approx([0.57, 0.54], abs=0.01)
    assert efficiencies == pytest.approx([0.48, 0.51], abs=0.01)
    assert abs(simple_roofline.MFU - sum(shares) / 2) < 0.01
    assert abs(simple_roofline.MEMORY_EFFICIENCY - sum(efficiencies) / 2) < 0.01


def test_cloud_runs_test_the_roofline() -> None:
    rows = {row.id: row for row in cloud_evidence()}
    assert not any(row.fitted for row in rows.values())
    errors = {
        name: rows[f"{name}-prefill"].relative_error("roofline") for name in ("nebius", "aws-p5", "aks")
    }
    # 71% of each prompt computed: H200 +3%, H100 +9%, A100 +17%
    assert errors == pytest.approx({"nebius": 0.03, "aws-p5": 0.09, "aks": 0.17}, abs=0.02)
    # the runs that keep up say nothing of what prefill could do
    assert "gke-a4x-prefill" not in rows
    assert (rows["nscale-itl"].relative_error("roofline") or 0) < -0.45  # shown, bad as it is


def test_splitting_pays_more_the_longer_the_prompt() -> None:
    rows = break_even()
    assert [row.prompt_tokens for row in rows] == [1000, 2000, 4000, 8000]
    assert [row.itl_change_percent for row in rows] == [-7, -11, -18, -41]


@pytest.mark.shared
def test_published_figures_are_those_of_the_facts(shared_dir: Path) -> None:
    with (shared_dir / "facts" / "published_measurements.csv").open(encoding="utf-8", newline="") as lines:
        facts = {row["id"]: row for row in csv.DictReader(lines)}
    ours = {row.id: row for row in published_measurements()}
    assert ours.keys() == facts.keys()
    for row_id, fact in facts.items():
        assert ours[row_id].reported == float(fact["reported"])
        assert ours[row_id].quantity == fact["quantity"]
        assert ours[row_id].source == fact["source"]
        assert ours[row_id].kv_head_replication == int(fact["kv_head_replication"] or 1)


@pytest.mark.shared
def test_trace_figures_are_those_of_the_trace(shared_dir: Path) -> None:
    path = shared_dir / "facts" / "traces" / "mooncake_conversation_trace.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    prompts = [row["input_length"] for row in rows]
    assert sum(prompts) == 144_793_823
    assert sum(prompts) / len(rows) == pytest.approx(MEAN_PROMPT_TOKENS, abs=0.01)
    assert sum(row["output_length"] for row in rows) / len(rows) == pytest.approx(
        MEAN_ANSWER_TOKENS, abs=0.01
    )
    weighted = sum(prompt * prompt for prompt in prompts) / sum(prompts)
    assert weighted == pytest.approx(TOKEN_WEIGHTED_PROMPT_TOKENS, abs=0.01)
