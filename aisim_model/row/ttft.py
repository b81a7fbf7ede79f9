"""Decode-visible TTFT of one request on an idle system: chooses the models of a row and adds up their parts.

``ttft = queue + prefill + orchestration + reservation + link queue + transfer + activation + decode step``,
of the transfer only what is exposed.

On an idle system nothing queues: queue, reservation, link queue and activation are 0 here, a replay's to
fill. Every function takes `ResolvedRow` whose numbers may be arrays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aisim_model import link
from aisim_model.arrays import Values, larger, unboxed
from aisim_model.handoff import TransferTimingMode, transfer_delay_ms
from aisim_model.models.kv_cache import ByteCurve
from aisim_model.passes.measured_table import outside_table
from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.workers import decode_pass_time, prefill_pass_time
from aisim_model.ttft_parts import TtftBreakdown


def sent_tokens(x: ResolvedRow) -> Values:
    """Tokens that cross the link: the whole prompt, or what the decode worker lacks [-]."""
    if not x.row.split:
        return x.prompt_tokens * 0.0
    if x.row.timing_mode is TransferTimingMode.FULL_PROMPT:
        return x.prompt_tokens
    return link.destination_missing_tokens(
        x.prompt_tokens, x.decode_cached_tokens, x.profile.block_size, x.profile.prefix_credit
    )


def wire_bytes(x: ResolvedRow) -> Values:
    """Bytes that cross the link, with head replication and copies of a latent [B]."""
    if not x.row.split:
        return x.prompt_tokens * 0.0
    return curve_bytes(x.wire, sent_tokens(x))


def curve_bytes(curve: ByteCurve, tokens: Values) -> Values:
    """Bytes of so many tokens, floats or arrays of them, in the order in which the reference adds [B]."""
    return tokens * _per_token_bytes(curve) + _state_bytes(curve, tokens)


def _per_token_bytes(curve: ByteCurve) -> Values:
    rate = curve.per_token_bytes
    return rate if isinstance(rate, np.ndarray) else float(rate)  # floats, as the reference has them


def _state_bytes(curve: ByteCurve, tokens: Values) -> Values:
    return unboxed(curve.state_bytes(np.asarray(tokens, dtype=np.float64)))


def transfer_ms(x: ResolvedRow) -> Values:
    """Time on the link of one handoff, nothing of it overlapped [ms]; NaN where nothing is sent."""
    if not x.row.split:
        return x.prompt_tokens * 0.0
    tokens = sent_tokens(x)
    bandwidth = x.bandwidth_gb_s
    if np.any(np.asarray(bandwidth) <= 0):  # the reference knows no delay there
        bandwidth = unboxed(np.where(np.asarray(bandwidth) > 0, bandwidth, np.nan))
    if x.row.link_model == "reference":
        per_token, state = _per_token_bytes(x.timed), _state_bytes(x.timed, tokens)
        return transfer_delay_ms(tokens, per_token, state, bandwidth)
    return link.calibrated_ms(
        curve_bytes(x.timed, tokens),
        bandwidth,
        x.alpha_ms,
        descriptors_per_rank(x, tokens),
        x.per_descriptor_us,
        x.link_efficiency,
    )


def descriptors_per_rank(x: ResolvedRow, tokens: Values) -> Values:
    """Pieces that a rank posts for so many tokens [-]: a block of each tensor of the cache.

    Windowed layers count as if they sent all tokens: an upper bound for such models.
    """
    return link.descriptors_per_rank(
        tokens, x.profile.block_size, x.spec.kv.cache_tensors, tensors_per_layer=1
    )


def _exposed_ms(x: ResolvedRow, computed_ms: Values | None = None) -> Values:
    """Part of the transfer that the row's overlap leaves after prefill; fixed costs are left whole."""
    whole = transfer_ms(x)
    if x.profile.overlap == "none" or not x.row.split:
        return whole
    tokens = sent_tokens(x)
    fixed: Values = 0.0
    if x.row.link_model == "calibrated":
        descriptors = descriptors_per_rank(x, tokens)
        fixed = link.calibrated_ms(0.0, 1.0, x.alpha_ms, descriptors, x.per_descriptor_us)
    wire = whole - fixed
    computed_ms = prefill_ms(x) if computed_ms is None else computed_ms
    if x.profile.overlap == "layer":
        return fixed + link.layer_overlap_exposed_ms(computed_ms, wire, x.spec.layers)
    uncached = larger(x.prompt_tokens - x.prefill_cached_tokens, 1.0)
    return fixed + link.chunk_overlap_exposed_ms(uncached, float(x.row.pass_tokens), computed_ms, wire)


def prefill_ms(x: ResolvedRow) -> Values:
    """Time to compute the prompt on one prefill worker, by the row's model [ms]."""
    passes = prefill_pass_time(x)
    return passes.prompt_ms(x.prompt_tokens, x.prefill_cached_tokens, float(x.row.pass_tokens))


def prefill_extrapolated(x: ResolvedRow) -> bool | npt.NDArray[np.bool_]:
    """Whether the row's measured table has no rows on both sides of what is to be computed."""
    if x.row.prefill_model != "table":
        return False
    tokens = [tokens for tokens, _ in x.row.prefill_table or ()]
    return outside_table(x.prompt_tokens - x.prefill_cached_tokens, tokens)


def decode_step_ms(x: ResolvedRow, context_tokens: Values | None = None, batch: Values = 1.0) -> Values:
    """Time of one decode step of `batch` sequences of so many tokens, by the row's model [ms]."""
    context = x.prompt_tokens if context_tokens is None else context_tokens
    return decode_pass_time(x).step_ms(batch, context)


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


def second_token_ms(x: ResolvedRow) -> Values:
    """Time to the second token [ms]: with the first token from `prefill` the handoff falls before it."""
    first = breakdown(x).ttft_ms
    if x.row.split and x.profile.first_token_from == "prefill":
        return first + handoff(x).ttft_ms
    return first + decode_step_ms(x)
