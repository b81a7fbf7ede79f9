"""Measured operating points beside the models: closed loops by hand, scores, and how well the models do."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aisim_model.errors import InputError
from aisim_model.evidence.fit_silicon import FITTED, VARIANTS, fit_variant, prepare, summary, write_constants
from aisim_model.evidence.silicon.closed_loop import Load, mixed_pass_ms, step_ms, tpot_ms, ttft_ms
from aisim_model.evidence.silicon.rivals import Predicted, roofline, simple_roofline
from aisim_model.evidence.silicon.rows import NEEDED, Silicon, parse_rows, read_silicon
from aisim_model.evidence.silicon.scores import RIVALS, Score, batches, score, scorecard, scores
from aisim_model.passes.constants import CONSTANTS_FILE, ClientConstants, client_constants, constants, values
from aisim_model.passes.roofline import pass_ms
from tests.model.passes.test_roofline import coefficients_of

SAMPLE = Path(__file__).with_name("silicon_sample.csv")
CLIENT = ClientConstants(first_token_ms=40.0, burst_share=0.05, streamed_steps=3.0)
# those that need no database: what it says is asked in tests/model/passes/test_operators.py
ROOFLINES = {name: RIVALS[name] for name in ("roofline", "simple_roofline")}


def known(value: float | None) -> float:
    assert value is not None
    return value


@pytest.fixture(scope="module")
def sample() -> Silicon:
    return read_silicon(SAMPLE)


def _pass(new: Any, attended: Any, cached: Any, sequences: Any, context: Any) -> Any:
    """5 ms, 0.1 for a new token, 1 for a sequence and 1 for 1,000 tokens of context."""
    return 5.0 + 0.1 * new + sequences + context / 1000.0


def test_closed_loop_by_hand() -> None:
    # contexts 200 + 100 / 2 = 250; 4 sequences: 5 + 4 + 1 = 10; with a prompt of 200 tokens 30;
    # one prompt in 100 / 4 = 25 steps: 10 + 20 / 25 = 10.8
    load = Load(200.0, 100.0, 4.0, True)
    assert step_ms(_pass, load, 4.0) == 10.0
    assert mixed_pass_ms(_pass, load, 4.0) == 30.0
    assert tpot_ms(_pass, load, 4.0) == pytest.approx(10.8)
    # beside three others: 5 + 20 + 3 + 0.75 = 28.75, x 1.15 in the opening burst; half a step; three tokens
    expected = 40.0 + 28.75 * 1.15 + 5.0 + 3 * 10.8
    assert ttft_ms(_pass, load, 4.0, CLIENT) == pytest.approx(expected)


def test_a_split_worker_takes_bare_steps_and_a_lone_request_waits_for_nothing() -> None:
    assert tpot_ms(_pass, Load(200.0, 100.0, 4.0, False), 4.0) == 10.0
    # alone: 40 + (5 + 20) + 3 x (6.25 + 20 / 100)
    assert ttft_ms(_pass, Load(200.0, 100.0, 1.0, True), 1.0, CLIENT) == pytest.approx(65 + 3 * 6.45)


def test_scores_by_hand() -> None:
    # ratios 1.1, 0.7, 1.0, 1.26: errors 10, 30, 0, 26%; two of four within 25%
    found = score(np.array([110.0, 70.0, 100.0, 126.0, np.nan]), np.full(5, 100.0))
    assert found == Score(n=4, mape=16.5, median=18.0, ratio=1.05, within_25=50.0)
    assert score(np.array([np.nan]), np.array([1.0])) == Score(0)


def test_sample_is_scored_in_the_shape_that_pages_read(sample: Silicon) -> None:
    card = scorecard(sample, ROOFLINES)
    assert card["rows"] == 63
    assert list(card["rivals"]) == ["roofline", "simple_roofline"]
    for found in card["rivals"].values():
        assert set(found) == {"tpot", "ttft_low", "ttft"}
        assert all(set(one) == {"n", "mape", "median", "ratio", "within_25"} for one in found.values())
    tpot = {name: found["tpot"] for name, found in card["rivals"].items()}
    not_usable = sum(not row.use_tpot for row in sample.rows)
    assert tpot["roofline"]["n"] == tpot["simple_roofline"]["n"] == 63 - not_usable
    assert tpot["roofline"]["median"] < 20.0 < tpot["simple_roofline"]["median"]
    assert sum(card["left_out"].values()) > 0


def test_sample_names_its_sources() -> None:
    with SAMPLE.open(encoding="utf-8", newline="") as lines:
        assert all(
            "inferencex" in row["source"] or "nvidia" in row["source"] for row in csv.DictReader(lines)
        )
    assert "Apache-2.0" in SAMPLE.with_suffix(".md").read_text("utf-8")


def test_a_row_is_predicted_by_the_pass_of_its_worker(sample: Silicon) -> None:
    row = next(row for row in sample.rows if row.aggregated and row.worker.engine == "trtllm")
    worker = row.worker
    made = coefficients_of(
        worker.model_id,
        worker.gpu_id,
        worker.precision,
        tp=worker.tensor_parallel,
        dp=worker.data_parallel,
        engine="trtllm",
    )
    load = Load(row.prompt_tokens, row.output_tokens, row.concurrency, row.aggregated)
    batch = row.decoding_sequences
    expected = tpot_ms(lambda *work: pass_ms(made, *work), load, batch)
    waited = ttft_ms(lambda *work: pass_ms(made, *work), load, row.most_sequences, client_constants("trtllm"))
    found = roofline([row], np.array([batch]))
    assert found.tpot_ms[0] == pytest.approx(float(expected), rel=1e-12)
    assert found.ttft_ms[0] == pytest.approx(float(waited), rel=1e-12)


def test_simple_roofline_has_no_floor(sample: Silicon) -> None:
    rows = sample.rows
    with_floor, without = (rival(rows, batches(rows)) for rival in (roofline, simple_roofline))
    assert (without.ttft_ms < with_floor.ttft_ms).all()


def test_the_most_sequences_are_at_least_those_that_decode(sample: Silicon) -> None:
    assert (batches(sample.rows, "most") >= batches(sample.rows) * 0.999).all()


def _record(**changes: str) -> dict[str, str]:
    usual = {"model": "qwen3-32b", "system": "h200", "backend": "vllm", "precision": "bf16", "mode": "agg"}
    return dict.fromkeys(NEEDED, "1") | usual | changes


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"model": "qwen9"}, "model qwen9 is not in the catalogue"),
        ({"system": "h900"}, "GPU h900 is not in the catalogue"),
        ({"precision": ""}, "precision unknown has no roofline"),
        ({"osl": "0"}, "osl is not a number above 0"),
        ({"ttft_ms": "nan"}, "ttft_ms is not a number above 0"),
        ({"tpot_ms": "-"}, "tpot_ms is not a number above 0"),
        ({"concurrency": "inf"}, "concurrency is not a number above 0"),
        ({"decode_tp": "1000000"}, "decode_tp is out of range"),
        ({"decode_batch": "x"}, "decode_batch is not a number above 0"),
    ],
)
def test_rows_that_cannot_be_timed_are_counted_by_reason(changes: dict[str, str], reason: str) -> None:
    found = parse_rows([_record(), _record(**changes), _record(**changes)])
    assert len(found.rows) == 1
    assert found.left_out == {reason: 2}


def test_without_a_decode_batch_all_requests_count() -> None:
    assert parse_rows([_record(batch_per_worker="8")]).rows[0].decoding_sequences == 8.0


def test_a_table_without_its_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("model,system\nqwen3-32b,h200\n", "utf-8")
    with pytest.raises(InputError, match="lacks config, backend"):
        read_silicon(path)


def test_no_rows_have_no_scores() -> None:
    assert scores((), Predicted(np.array([]), np.array([])))["tpot"] == Score(0)
    assert scorecard(Silicon((), {}), ROOFLINES)["rivals"]["roofline"]["tpot"]["mape"] is None


def test_a_fit_to_the_sample_is_deterministic_and_writes_its_constants(
    sample: Silicon, tmp_path: Path
) -> None:
    data = prepare(sample.rows)
    found, unseen = fit_variant(data, VARIANTS[0])
    assert found == fit_variant(data, VARIANTS[0])[0]
    assert all(found[name] > 0 for name in FITTED)
    assert summary(data, unseen)["tpot"].median < 25.0  # type: ignore[operator]
    path = tmp_path / "constants.csv"
    path.write_bytes(CONSTANTS_FILE.read_bytes())
    write_constants(found, path)
    with path.open(encoding="utf-8", newline="") as lines:
        written = {row["name"]: float(row["value"]) for row in csv.DictReader(lines)}
    assert written["mfu"] == 0.6
    assert math.isclose(written["layer_us"], found["layer_us"], rel_tol=0.005)


@pytest.mark.parametrize(
    "variant", [variant for variant in VARIANTS if variant.changed], ids=lambda variant: variant.name
)
def test_a_variant_of_other_workers_fits_the_sample(sample: Silicon, variant: Any) -> None:
    data = prepare(sample.rows[::3])
    found, unseen = fit_variant(data, variant)
    assert all(found[name] == value for name, value in variant.fixed.items())
    assert np.isfinite(unseen.tpot_ms).all()


@pytest.mark.shared
def test_shared_rows_are_met(shared_dir: Path) -> None:
    silicon = read_silicon(shared_dir / "facts" / "silicon" / "silicon_shared.csv")
    card = scorecard(silicon, ROOFLINES)
    assert card["rows"] == 2096
    found = card["rivals"]["roofline"]
    assert found["tpot"]["n"] == 2048
    assert found["ttft_low"]["n"] == 262
    assert found["tpot"]["median"] <= 13.0
    assert found["tpot"]["mape"] <= 16.0
    assert found["tpot"]["within_25"] >= 79.0
    assert 0.97 <= found["tpot"]["ratio"] <= 1.03
    assert found["ttft_low"]["median"] <= 30.0
    assert found["ttft_low"]["mape"] <= 37.0
    assert 0.9 <= found["ttft_low"]["ratio"] <= 1.1
    # without a floor: twice as far off in TPOT, and a sixth of the TTFT
    simple = card["rivals"]["simple_roofline"]
    assert simple["tpot"]["median"] >= 2 * found["tpot"]["median"]
    assert simple["ttft_low"]["ratio"] < 0.2


@pytest.mark.shared
def test_constants_are_those_of_a_fit_to_the_shared_rows(shared_dir: Path) -> None:
    data = prepare(read_silicon(shared_dir / "facts" / "silicon" / "silicon_shared.csv").rows)
    found, unseen = fit_variant(data, VARIANTS[0])
    assert [values()[name] for name in FITTED] == pytest.approx([found[name] for name in FITTED], rel=0.02)
    by = summary(data, unseen)  # configurations that the fit hasn't seen
    assert known(by["tpot"].median) <= 16.0
    assert known(by["tpot"].within_25) >= 75.0
    assert known(by["tpot_low_batch"].median) <= 18.0
    assert known(by["tpot_dp"].median) <= 20.0
    assert known(by["ttft_low"].median) <= 30.0


def test_engines_of_the_rows_have_floors_of_their_own() -> None:
    assert constants("trtllm").engine_floor < constants("sglang").engine_floor == 1.0
