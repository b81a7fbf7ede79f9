"""Decode-visible TTFT of one request on an idle system: chooses the models of a row and adds up their parts.

``ttft = queue + prefill + orchestration + reservation + link queue + transfer + activation + decode step``,
of the transfer only what is exposed.

On an idle system nothing queues: queue, reservation, link queue and activation are 0 here, a replay's to
fill. Every function takes `ResolvedRow` whose numbers may be arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aisim_model import link
from aisim_model.arrays import larger, unboxed
from aisim_model.handoff import TransferTimingMode, transfer_delay_ms
from aisim_model.passes import decode, prefill
from aisim_model.passes.measured_table import outside_table, table_ms
from aisim_model.row.resolved import ResolvedRow
from aisim_model.ttft_parts import TtftBreakdown


def sent_tokens(x: ResolvedRow) -> Any:
    """Tokens that cross the link: the whole prompt, or what the decode worker lacks [-]."""
    if not x.row.split:
        return x.prompt_tokens * 0.0
    if x.row.timing_mode is TransferTimingMode.FULL_PROMPT:
        return x.prompt_tokens
    return link.destination_missing_tokens(
        x.prompt_tokens, x.decode_cached_tokens, x.profile.block_size, x.profile.prefix_credit
    )


def wire_bytes(x: ResolvedRow) -> Any:
    """Bytes that cross the link, with head replication and copies of a latent [B]."""
    if not x.row.split:
        return x.prompt_tokens * 0.0
    tokens = sent_tokens(x)
    return tokens * _per_token_bytes(x.wire) + _state_bytes(x.wire, tokens)


def _per_token_bytes(curve: Any) -> Any:
    rate = curve.per_token_bytes
    return rate if isinstance(rate, np.ndarray) else float(rate)  # floats, as the reference has them


def _state_bytes(curve: Any, tokens: Any) -> Any:
    return unboxed(curve.state_bytes(np.asarray(tokens, dtype=np.float64)))


def transfer_ms(x: ResolvedRow) -> Any:
    """Time on the link of one handoff, nothing of it overlapped [ms]; NaN where nothing is sent."""
    if not x.row.split:
        return x.prompt_tokens * 0.0
    tokens = sent_tokens(x)
    bandwidth = x.bandwidth_gb_s
    if np.any(np.asarray(bandwidth) <= 0):  # the reference knows no delay there
        bandwidth = unboxed(np.where(np.asarray(bandwidth) > 0, bandwidth, np.nan))
    per_token, state = _per_token_bytes(x.timed), _state_bytes(x.timed, tokens)
    if x.row.link_model == "reference":
        return transfer_delay_ms(tokens, per_token, state, bandwidth)
    return link.calibrated_ms(
        tokens * per_token + state,
        bandwidth,
        x.alpha_ms,
        descriptors_per_rank(x, tokens),
        x.per_descriptor_us,
        x.link_efficiency,
    )


def descriptors_per_rank(x: ResolvedRow, tokens: Any) -> Any:
    """Pieces that a rank posts for so many tokens [-]: a block of each tensor of the cache.

    Windowed layers count as if they sent all tokens: an upper bound for such models.
    """
    return link.descriptors_per_rank(
        tokens, x.profile.block_size, x.spec.kv.cache_tensors, tensors_per_layer=1
    )


def _exposed_ms(x: ResolvedRow, computed_ms: Any = None) -> Any:
    """Part of the transfer that the row's overlap leaves after prefill; fixed costs are left whole."""
    whole = transfer_ms(x)
    if x.profile.overlap == "none" or not x.row.split:
        return whole
    tokens = sent_tokens(x)
    fixed: Any = 0.0
    if x.row.link_model == "calibrated":
        descriptors = descriptors_per_rank(x, tokens)
        fixed = link.calibrated_ms(0.0, 1.0, x.alpha_ms, descriptors, x.per_descriptor_us)
    wire = whole - fixed
    computed_ms = prefill_ms(x) if computed_ms is None else computed_ms
    if x.profile.overlap == "layer":
        return fixed + link.layer_overlap_exposed_ms(computed_ms, wire, x.spec.layers)
    uncached = larger(x.prompt_tokens - x.prefill_cached_tokens, 1.0)
    return fixed + link.chunk_overlap_exposed_ms(uncached, float(x.row.chunk_tokens), computed_ms, wire)


def prefill_ms(x: ResolvedRow) -> Any:
    """Time to compute the prompt on one prefill worker, by the row's model [ms]."""
    uncached = x.prompt_tokens - x.prefill_cached_tokens
    match x.row.prefill_model:
        case "rate":
            return prefill.rate_ms(uncached, x.prefill_tokens_per_s)
        case "fixed":
            return prefill.fixed_ms(uncached, x.prefill_pass_ms, x.row.chunk_tokens)
        case "polynomial":
            return prefill.polynomial_ms(uncached, x.row.chunk_tokens)
        case "table":
            assert x.row.prefill_table is not None  # Deployment sees to it
            tokens, times = zip(*x.row.prefill_table, strict=True)
            return table_ms(uncached, tokens, times, outside="extend")
    return prefill.roofline_ms(
        x.prompt_tokens,
        x.prefill_cached_tokens,
        pass_tokens=x.row.chunk_tokens,
        kv_bytes_per_token=_per_token_bytes(x.held_prefill),
        tensor_parallel=x.row.prefill_tp,
        **_sizes(x),
    )


def prefill_extrapolated(x: ResolvedRow) -> Any:
    """Whether the row's measured table has no rows on both sides of what is to be computed."""
    if x.row.prefill_model != "table":
        return False
    tokens = [tokens for tokens, _ in x.row.prefill_table or ()]
    return outside_table(x.prompt_tokens - x.prefill_cached_tokens, tokens)


def decode_step_ms(x: ResolvedRow, context_tokens: Any = None, batch: Any = 1.0) -> Any:
    """Time of one decode step of `batch` sequences of so many tokens, by the row's model [ms]."""
    context = x.prompt_tokens if context_tokens is None else context_tokens
    match x.row.decode_model:
        case "fixed":
            return decode.fixed_ms(context, x.decode_step_ms)
        case "polynomial":
            pool = max(x.pool_tokens, 1.0)  # where not even the weights fit, the pool counts as full
            return decode.polynomial_ms(unboxed(np.minimum(batch * context / pool, 1.0)))
    kept = context * _per_token_bytes(x.held_decode) + _state_bytes(x.held_decode, context)
    return decode.roofline_ms(
        context,
        kept,
        batch=batch,
        tensor_parallel=x.row.decode_tp if x.row.split else x.row.prefill_tp,
        **_sizes(x),
    )


def _sizes(x: ResolvedRow) -> dict[str, Any]:
    """Collect what both rooflines take of the model and the GPU."""
    return {
        "active_parameters": x.spec.active_parameters,
        "total_parameters": x.spec.total_parameters,
        "layers": x.spec.attention_layers,
        "attention_heads": x.spec.attention_heads,
        "head_dim": x.spec.head_dim,
        "weight_bytes_per_parameter": x.weight_bytes_per_parameter,
        "peak_tflops": x.peak_tflops,
        "hbm_tb_s": x.gpu.hbm_tb_s,
        "mfu": x.mfu,
        "memory_efficiency": x.memory_efficiency,
    }


def breakdown(x: ResolvedRow) -> TtftBreakdown:
    """TTFT of one request on an idle system, by part.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row; its numbers may be arrays.

    Returns
    -------
    TtftBreakdown
        Parts that add up to the TTFT. An aggregated row has its prefill alone: the first token leaves with
        the prefill pass. With the first token from `prefill` the handoff falls before the second token.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> parts = breakdown(resolve(example.workload, example.selected))
    >>> round(parts.transfer_ms, 2)
    15.73
    """
    computed = prefill_ms(x)
    if not x.row.split or x.profile.first_token_from == "prefill":
        return TtftBreakdown(prefill_ms=computed)
    steps = x.profile.first_token_from == "decode_step"
    return TtftBreakdown(
        prefill_ms=computed,
        orchestration_ms=x.orchestration_ms,
        transfer_ms=_exposed_ms(x, computed),
        decode_step_ms=decode_step_ms(x) if steps else 0.0,
    )


def handoff(x: ResolvedRow) -> TtftBreakdown:
    """Parts between the end of prefill and the decode worker's first token, whichever token is shown first.

    They are `breakdown`'s own, also where they fall before the second token; no prefill in them.
    """
    if not x.row.split:
        return TtftBreakdown()
    return TtftBreakdown(
        orchestration_ms=x.orchestration_ms,
        transfer_ms=_exposed_ms(x),
        decode_step_ms=decode_step_ms(x),
    )


def second_token_ms(x: ResolvedRow) -> Any:
    """Time to the second token [ms]: with the first token from `prefill` the handoff falls before it."""
    first = breakdown(x).ttft_ms
    if x.row.split and x.profile.first_token_from == "prefill":
        return first + handoff(x).ttft_ms
    return first + decode_step_ms(x)
