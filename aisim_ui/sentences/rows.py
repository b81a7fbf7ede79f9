"""What a row can't do, or does only by extrapolation: it doesn't fit, it sends nothing, its table ends."""

from __future__ import annotations

from aisim_model.compare.outcome import Outcome
from aisim_model.models.weights.formats import CHECKPOINT
from aisim_model.row.memory import MOST_GPUS, WorkerMemory
from aisim_model.row.ttft import prefill_extrapolated
from aisim_model.scenario import Deployment
from aisim_ui.words import escape_markdown


def misfit(worker: WorkerMemory | None) -> str:
    """Say why a worker can't serve a single request; nothing of one that can."""
    if worker is None:
        return ""
    if worker.problem == "weights":
        weights, filled = worker.weights_gb, worker.weights_gb + worker.pool_gb
        return (
            f"weights need {weights:,.1f} GB of each GPU ({worker.role}, {worker.gpus} a worker), of its "
            f"{worker.hbm_gb:,.1f} GB {filled:,.1f} may be filled beside {worker.reserve_gb:,.1f} that its "
            f"engine keeps; with one request {worker.short_gb:,.1f} GB are lacking; {_would_fit(worker)}"
        )
    kind = f"{'an' if worker.role == 'aggregated' else 'a'} {worker.role} worker"
    request = f"a request of {worker.request_tokens:,} tokens is more than the KV pool of {kind}"
    if worker.given_tokens is not None:
        return f"{request}, which is given as {worker.given_tokens:,} tokens"
    return f"{request}: {worker.short_gb:,.1f} GB of each GPU are lacking; {_would_fit(worker)}"


def _would_fit(worker: WorkerMemory) -> str:
    """Say with which GPUs or weights a worker that doesn't fit would."""
    ways = []
    if worker.fitting_gpus is not None:
        ways.append(f"{worker.fitting_gpus} GPUs a {worker.role} worker")
    if worker.fitting_format is not None:
        own = worker.fitting_format == CHECKPOINT
        ways.append("weights as its checkpoint has them" if own else f"weights in {worker.fitting_format}")
    if not ways:
        return f"neither up to {MOST_GPUS} GPUs a worker nor narrower weights are enough"
    return f"it fits with {' or with '.join(ways)}"


def sends_nothing(one: Outcome) -> str:
    """Say why a row has no handoff delay."""
    return f"bandwidth is {one.x.bandwidth_gb_s:g} GB/s: nothing is sent"


def measured_range(row: Deployment) -> str:
    """Say where a row's prefill table is extrapolated; nothing of a row without a table."""
    if row.prefill_model != "table" or not row.prefill_table:
        return ""
    first, last = row.prefill_table[0][0], row.prefill_table[-1][0]
    return (
        f"prefill is measured from {first:,.0f} to {last:,.0f} tokens; elsewhere it is extrapolated from the "
        "nearest two rows"
    )


def extrapolated(one: Outcome) -> str | None:
    """Say that a prompt is outside a row's table; None where it isn't."""
    if not prefill_extrapolated(one.x):
        return None
    uncached = one.x.prompt_tokens - one.x.prefill_cached_tokens
    outside = f"{one.row.name}: {uncached:,.0f} tokens are outside its prefill table"
    return escape_markdown(f"{outside}: {measured_range(one.row)}.")
