"""What the served model keeps, in a sentence and four numbers, for the selected row."""

from __future__ import annotations

from aisim_model.scenario import Scenario
from aisim_ui.sentences.number import Number
from aisim_ui.words import escape_markdown, size


def sentence(scenario: Scenario) -> str:
    """Say what a request of the workload keeps, and what of it grows."""
    workload, row = scenario.workload, scenario.selected
    spec = workload.served
    curve = spec.kv.curve(row.kv_dtype, row.window_layers)
    kept = size(curve.bytes(workload.prompt_tokens))
    growing = curve.per_token_bytes
    tail = f"each further token adds {growing:,} bytes" if growing else "no further token adds to it"
    counted = f"{workload.prompt_tokens:,} token{'s' if workload.prompt_tokens != 1 else ''}"
    tokens = f"{counted} in {row.kv_dtype}"
    return f"**{escape_markdown(spec.name)} keeps {kept}** for {tokens}; {tail}."


def numbers(scenario: Scenario) -> tuple[Number, ...]:
    """Return unique bytes, wire bytes, bytes a rank and the constant part at the prompt."""
    workload, row = scenario.workload, scenario.selected
    tokens = workload.prompt_tokens
    layout = workload.served.kv
    curve = layout.curve(row.kv_dtype, row.window_layers)
    decode_tp = row.decode_tp if row.split else row.prefill_tp
    sent = layout.wire(
        row.kv_dtype,
        tokens,
        prefill_tp=row.prefill_tp,
        decode_tp=decode_tp,
        window_layers=row.window_layers,
        mla_copies=row.mla_copies,
    )
    still = curve.state_bytes(tokens)
    indexer = f" + {curve.indexer_bytes_per_token:,} of an indexer" if curve.indexer_bytes_per_token else ""
    return (
        Number(
            "Kept by one request",
            size(sent.unique_bytes),
            f"{sent.unique_bytes:,} bytes",
            f"{tokens:,} tokens x {curve.per_token_bytes:,} bytes + {still:,} bytes that don't grow.",
        ),
        Number(
            "Grows by",
            f"{curve.growing_bytes_per_token:,} B",
            f"per token{indexer}",
            "Bytes that each further token adds, beyond every window.",
        ),
        Number(
            "On the wire",
            size(sent.wire_bytes),
            f"{float(sent.wire_bytes) / max(float(sent.unique_bytes), 1):.3g} x the cache",
            f"To TP{decode_tp}: each rank holds ceil(KV heads / TP) heads, so heads are sent more than once "
            f"where TP exceeds them; what stands whole on every rank is sent {sent.replicated_copies} times.",
        ),
        Number(
            "On one decode rank",
            size(sent.bytes_per_rank),
            f"TP{decode_tp}",
            "What the fullest of the decode worker's GPUs holds of this request.",
        ),
    )
