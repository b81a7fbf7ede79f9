"""A row's prefill and decode models as the numbers that a replay takes of them, pass by pass."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from aisim_model import decode
from aisim_model.errors import InputError
from aisim_model.inputs import Inputs
from aisim_model.planning.service import service
from aisim_model.replay.layout import MOST_POINTS
from aisim_model.replay.times import DecodeTime, PrefillTime
from aisim_model.roofline import attention_flops, bound_ms, touched_parameters
from aisim_model.traces.trace import Trace

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class TypicalRequest:
    """What a model that isn't a line in the batch is drawn straight at.

    Parameters
    ----------
    prompt_tokens, output_tokens : float
        Means of a trace [-].
    decoding : float
        Sequences of a decode step [-], at least 1.
    most_sequences : float
        Sequences that one worker has room for [-], at least 1.
    step_ms : float
        Time of a decode step of so many, halfway through their answers [ms].
    """

    prompt_tokens: float
    output_tokens: float
    decoding: float
    most_sequences: float = 1.0
    step_ms: float = 0.0


def typical_request(x: Inputs, trace: Trace) -> TypicalRequest:
    """Return the mean request of a trace, and how many of them a decode step has.

    They are those of the estimate under load at the trace's rate, `Service.batch_at` and `Service.in_step`.
    Requests that all arrive at once, or more than a worker can run, decode as many at once as have room.

    Examples
    --------
    >>> from aisim_model.inputs import resolve
    >>> from aisim_model.scenario import Scenario
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0, 1000.0]), np.array([100, 300]), np.array([10, 10]))
    >>> found = typical_request(resolve(Scenario().workload, Scenario().selected), trace)
    >>> found.prompt_tokens, found.output_tokens, round(found.decoding, 2)
    (200.0, 10.0, 1.14)
    """
    prompt, output = float(trace.input_tokens.mean()), float(trace.output_tokens.mean())
    mean = replace(x, prompt_tokens=prompt, prefill_cached_tokens=0.0, decode_cached_tokens=0.0)
    served = service(mean, output)
    rate, most = trace.requests_per_s(), max(served.most_sequences, 1.0)
    if rate is None:
        decoding = min(max(len(trace) / served.decode_workers, 1.0), most)
    else:
        batch = served.batch_at(rate)
        decoding = served.in_step(served.full_batch if math.isinf(batch) else batch)
    return TypicalRequest(prompt, output, decoding, most, served.step_of_ms(decoding))


def prefill_time(x: Inputs, typical: TypicalRequest) -> PrefillTime:
    """Return the row's prefill model, to be asked once a pass.

    The roofline takes ``max(arithmetic, memory)`` of each pass where `ttft.prefill_ms` takes it of the whole
    prompt: the same where one of the two is the larger in every pass. Of a mixture of experts a pass reads
    what one of the typical prompt touches. A table is read once a pass, its ends drawn on.

    Examples
    --------
    >>> from aisim_model.inputs import resolve
    >>> from aisim_model.scenario import Scenario
    >>> from aisim_model.ttft import prefill_ms
    >>> x = resolve(Scenario().workload.changed(prompt_tokens=8000), Scenario().selected)
    >>> typical = TypicalRequest(8000.0, 340.0, 1.0)
    >>> abs(prefill_time(x, typical).pass_ms(8000.0) - prefill_ms(x)) < 1e-6
    True
    """
    row = x.row
    match row.prefill_model:
        case "rate":
            return PrefillTime.rate(float(x.prefill_tokens_per_s))
        case "fixed":
            return PrefillTime.fixed(float(x.prefill_pass_ms))
        case "polynomial":
            return PrefillTime.polynomial()
        case "table":
            return PrefillTime(table=_drawn_on(row.prefill_table or ()))
    flop_ms, byte_ms = _unit_times_ms(x, row.prefill_tp)
    active, total = _parameters(x)
    pair_flops = _attention_flops(x)
    touched = touched_parameters(min(typical.prompt_tokens, row.chunk_tokens), active, total)
    return PrefillTime(
        # causal pairs of a prompt are half of (reached^2 - there before^2) and half of its new tokens
        per_token_ms=(2.0 * active + pair_flops / 2.0) * flop_ms,
        attended_ms=pair_flops / 2.0 * flop_ms,
        floor_ms=touched * x.weight_bytes_per_parameter * byte_ms,
        floor_context_ms=float(x.held_prefill.per_token_bytes) * byte_ms,
    )


def decode_time(x: Inputs, typical: TypicalRequest, replayed_pool_tokens: float) -> DecodeTime:
    """Return the row's decode model, to be asked once a step.

    Of the roofline's arithmetic and memory the one that is the slower for the typical batch is taken for all:
    they change places beyond 200 sequences on current GPUs. Of a mixture of experts a step reads what the
    typical batch touches. Windowed layers hold what the typical prompt fills of them.

    Parameters
    ----------
    x : Inputs
        The resolved row.
    typical : TypicalRequest
        From `typical_request`.
    replayed_pool_tokens : float
        Tokens of the pool that the replay counts shares of [-].

    Examples
    --------
    >>> from aisim_model.inputs import resolve
    >>> from aisim_model.scenario import Scenario
    >>> from aisim_model.ttft import decode_step_ms
    >>> x = resolve(Scenario().workload, Scenario().selected)
    >>> step = decode_time(x, TypicalRequest(12_000.0, 340.0, 1.0), 1e6)
    >>> abs(step.constant_ms + 12_000 * step.per_context_token_ms - decode_step_ms(x)) < 1e-9
    True
    """
    match x.row.decode_model:
        case "fixed":
            return DecodeTime.fixed(float(x.decode_step_ms))
        case "polynomial":
            square, line, constant = decode.POLYNOMIAL
            scale = replayed_pool_tokens / max(x.pool_tokens, 1.0)
            return DecodeTime(
                share_squared_ms=square * scale * scale,
                share_ms=line * scale,
                constant_ms=constant,
                floor_ms=decode.SHORTEST_STEP_MS,
            )
    flop_ms, byte_ms = _unit_times_ms(x, x.row.decode_tp if x.row.split else x.row.prefill_tp)
    active, total = _parameters(x)
    kept = float(x.held_decode.state_bytes(round(typical.prompt_tokens)))
    touched = touched_parameters(typical.decoding, active, total)
    weights_ms = touched * x.weight_bytes_per_parameter * byte_ms
    memory = DecodeTime(
        constant_ms=weights_ms,
        per_sequence_ms=kept * byte_ms,
        per_context_token_ms=float(x.held_decode.per_token_bytes) * byte_ms,
    )
    arithmetic = DecodeTime(
        per_sequence_ms=2.0 * active * flop_ms,
        per_context_token_ms=_attention_flops(x) * flop_ms,
        floor_ms=weights_ms,
    )
    return max(memory, arithmetic, key=partial(_step_ms, typical=typical))


def _drawn_on(points: Points) -> Points:
    """Return a table that starts at no tokens, its first line drawn on to there or to no time.

    Raises
    ------
    InputError
        For a table that falls at its end, where it would be drawn on below any time.
    """
    tokens, times = zip(*points, strict=True)
    if times[-1] < times[-2]:
        problem = "must not fall at its end, where it is drawn on for longer prompts"
        raise InputError("prefill_table", points[-2:], problem, "Measure a longer prompt.")
    slope = (times[1] - times[0]) / (tokens[1] - tokens[0])
    at_none = times[0] - slope * tokens[0]
    if tokens[0] == 0.0 or len(points) > MOST_POINTS - 2:
        return points
    start = ((0.0, at_none),) if at_none >= 0.0 else ((0.0, 0.0), (tokens[0] - times[0] / slope, 0.0))
    return (*start, *points)


def _step_ms(step: DecodeTime, typical: TypicalRequest) -> float:
    context = typical.decoding * (typical.prompt_tokens + typical.output_tokens / 2.0)
    return step.constant_ms + step.per_sequence_ms * typical.decoding + step.per_context_token_ms * context


def _parameters(x: Inputs) -> tuple[float, float]:
    """Return active and total parameters; `resolve` refuses a roofline without them."""
    assert x.spec.active_parameters is not None
    assert x.spec.total_parameters is not None
    return float(x.spec.active_parameters), float(x.spec.total_parameters)


def _attention_flops(x: Inputs) -> float:
    """Arithmetic of one token that attends to one other [FLOP]."""
    head_dim: Any = x.spec.head_dim  # half an element counts where keys and values differ
    return float(attention_flops(1.0, x.spec.attention_layers, x.spec.attention_heads, head_dim))


def _unit_times_ms(x: Inputs, tensor_parallel: int) -> tuple[float, float]:
    """Return the time of one FLOP and of one byte on a worker [ms]."""
    machine: dict[str, Any] = {
        "peak_tflops": x.peak_tflops,
        "hbm_tb_s": x.gpu.hbm_tb_s,
        "tensor_parallel": tensor_parallel,
        "mfu": x.mfu,
        "memory_efficiency": x.memory_efficiency,
    }
    return bound_ms(1.0, 0.0, **machine), bound_ms(0.0, 1.0, **machine)
