"""What is said of every rival model, whichever a row has chosen."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.compare.outcome import outcome
from aisim_model.compare.rivals import rivals
from aisim_model.passes.registry import DECODE_MODELS, MODELS, PREFILL_MODELS
from aisim_model.scenario import Deployment, Workload
from aisim_ui.handoff.badges import inputs_line
from aisim_ui.sentences.rivals import KNOWING, disagreement, rivals_table
from aisim_ui.words import milliseconds

NUMBERS = {
    "prefill_tokens_per_s": 1e4,
    "prefill_pass_ms": 20.0,
    "prefill_table": ((128, 20), (8192, 170)),
    "decode_step_ms": 9.0,
    "decode_table": ((1, 1000, 9), (8, 1000, 12), (1, 9000, 10), (8, 9000, 14)),
}
CHOICES = [("prefill_model", name) for name in PREFILL_MODELS]
CHOICES += [("decode_model", name) for name in DECODE_MODELS]


def row(**values: Any) -> Deployment:
    return Deployment.model_validate({"id": "one", "name": "One", **NUMBERS, **values})


@pytest.mark.parametrize(("field", "name"), CHOICES)
@pytest.mark.parametrize("kind", ["split", "aggregated"])
def test_every_model_of_a_pass_is_named_and_explained(field: str, name: str, kind: str) -> None:
    one = outcome(Workload(), row(kind=kind, **{field: name}))
    assert f"{MODELS[name].basis}: {name.replace('_', ' ')}" in inputs_line(one, kv_by_hand=False)
    table = rivals_table(one.x)
    said = dict(zip(zip(table["quantity"], table["model"], strict=True), table["assumes"], strict=True))
    quantity = "prefill" if field == "prefill_model" else "decode step"
    assert said[quantity, name].startswith(MODELS[name].assumes)
    assert not any("None" in text for text in said.values())


def test_a_row_s_own_shares_of_the_peaks_are_said() -> None:
    # an H200's dense peak of bf16 is 989 TFLOPS, its memory 4.8 TB/s
    table = rivals_table(outcome(Workload(), row(mfu=0.42, memory_efficiency=0.7)).x)
    texts = [
        text for model, text in zip(table["model"], table["assumes"], strict=True) if "roofline" in model
    ]
    assert len(texts) == 4
    assert all("989 TFLOPS x MFU 0.42, 4.8 TB/s x 0.7" in text for text in texts)


def test_chunks_are_the_passes_of_the_engine_where_none_are_given() -> None:
    one = outcome(Workload(), row())
    table = rivals_table(one.x)
    chunk = table["assumes"][table["model"].index("chunk")]
    assert chunk.startswith(f"each chunk of {one.row.pass_tokens:,} tokens")


def test_models_that_are_more_than_a_quarter_apart_are_said() -> None:
    asked = Workload(model_id="llama-3.1-8b")
    x = outcome(asked, row()).x
    steps = [one for one in rivals(x) if one.quantity == "decode step" and one.model in KNOWING]
    low, high = (choose(steps, key=lambda one: one.milliseconds) for choose in (min, max))
    assert high.milliseconds > 1.25 * low.milliseconds
    first, last = (
        f"{milliseconds(one.milliseconds)} by {one.model.replace('_', ' ')}" for one in (low, high)
    )
    assert f"a decode step takes {first} and {last}" in disagreement(x)
    # a model that knows neither model nor GPU is no witness
    assert disagreement(outcome(asked, row(decode_model="polynomial", prefill_model="polynomial")).x) == ""
    # one's own step is one of them
    own = disagreement(outcome(asked, row(decode_model="fixed", decode_step_ms=40.0)).x)
    assert "40 ms by fixed" in own
