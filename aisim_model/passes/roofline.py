"""The roofline with a floor: time of one pass of a worker, prompts and decoding sequences together.

One pass of n new prompt tokens and b decoding sequences on a worker of T = tp x dp GPUs, k = n + b tokens:

``pass = floor + comm + max(W, F) + A + KV + S``

- floor: a time for each layer, more for one with experts, times what the engine's floor is of vLLM's.
- comm (T > 1): two collectives a layer, each a start-up and ``k/dp * hidden * 2 B * 2 (T-1)/T`` on the link.
- W: weights that are read, those of experts as far as k tokens touch them: ``1 - (1 - chosen/experts)^k``.
- F: arithmetic with weights, at the peak of their format.
- A: attention of prompts, at bf16's peak: fp8 and fp4 kernels don't reach theirs.
- KV: the cache read, or decode's attention arithmetic where that takes longer: MLA with all heads on a rank.
- S: each decoding sequence's own cost, and its recurrent state.

With several DP groups a layer of experts has no collective but an exchange between them: dispatch and
combine of experts dealt out whole (EP), whose fullest rank takes `expert_imbalance` times the mean, or a
gather and scatter of all tokens. None of it is hidden behind computing.

A mixed pass shares floor and weights: it is not the sum of a prefill and a step. Within one group expert
parallelism splits the experts over the same GPUs as tensor parallelism does; points measured both ways
differ by 1% (median, n = 187), so it is no parameter there. Left out: pipeline stages, an embedding's
look-up, the windows of prompts' cached tokens. Sparse attention counts as full, an upper bound.

Sources: Williams, Waterman and Patterson, "Roofline", Communications of the ACM 52(4), 2009; the constants'
own in `data/roofline_constants.csv`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from aisim_model.arrays import Floats, Values
from aisim_model.models.shape import Shape
from aisim_model.passes.constants import Constants, constants
from aisim_model.passes.kv_read import RankKv, rank_kv
from aisim_model.passes.rank_links import links
from aisim_model.passes.speeds import Speeds
from aisim_model.passes.worker import Worker
from aisim_model.units import BYTES_PER_TB, FLOPS_PER_TFLOP, MS_PER_S, US_PER_MS

FLOPS_PER_PARAMETER = 2.0


class Coefficients(NamedTuple):
    """A model on a worker, boiled down to what `pass_ms` multiplies by; floats, or arrays of one a worker.

    Parameters
    ----------
    floor_ms : float
        Of any pass that has work [ms].
    token_link_ms, token_arithmetic_ms : float
        Collectives and arithmetic with weights, for each token [ms].
    dense_read_ms, expert_read_ms : float
        Reading what every token uses, and all experts [ms].
    log_untouched : float
        Logarithm of the share of experts that one token leaves out [-]; 0 without experts.
    pair_ms, window_pair_ms : float
        Prompts' attention for each unit of `attended`, full and windowed layers [ms].
    window_attended : float
        Most of `attended` that a new token has in windowed layers: twice the window [-].
    cached_ms, context_ms : float
        For each token of cached prompts, and of decoding sequences' contexts [ms].
    window_read_ms, window_tokens : float
        For each token of a decoding sequence's window, and the window [ms], [-].
    sequence_ms : float
        For each decoding sequence [ms].
    """

    floor_ms: Values
    token_link_ms: Values
    token_arithmetic_ms: Values
    dense_read_ms: Values
    expert_read_ms: Values
    log_untouched: Values
    pair_ms: Values
    window_pair_ms: Values
    window_attended: Values
    cached_ms: Values
    context_ms: Values
    window_read_ms: Values
    window_tokens: Values
    sequence_ms: Values


# what grows with a pass's work
OF_WORK = (
    "token_link_ms",
    "token_arithmetic_ms",
    "log_untouched",
    "pair_ms",
    "window_pair_ms",
    "cached_ms",
    "context_ms",
    "window_read_ms",
    "sequence_ms",
)
# the larger of the two shares of memory bandwidth: a row that gives one gives both
REACHED = MappingProxyType(
    {
        "mfu": float(constants().mfu),
        "memory_efficiency": float(max(constants().weight_share, constants().kv_share)),
    }
)

# places in the numbers
(
    FLOOR_MS,
    TOKEN_LINK_MS,
    TOKEN_ARITHMETIC_MS,
    DENSE_READ_MS,
    EXPERT_READ_MS,
    LOG_UNTOUCHED,
    PAIR_MS,
    WINDOW_PAIR_MS,
    WINDOW_ATTENDED,
    CACHED_MS,
    CONTEXT_MS,
    WINDOW_READ_MS,
    WINDOW_TOKENS,
    SEQUENCE_MS,
) = range(len(Coefficients._fields))


def pass_ms(
    numbers: Floats | tuple[Values, ...],
    new_tokens: Values,
    attended_tokens: Values,
    cached_tokens: Values,
    sequences: Values,
    context_tokens: Values,
) -> Values:
    """Time of one pass.

    For fixed `new_tokens` and `sequences` it is linear in the other three, as long as windows are full.

    Parameters
    ----------
    numbers : array or tuple of float
        The worker's `Coefficients`.
    new_tokens, attended_tokens, cached_tokens, sequences, context_tokens
        As in `PassWork`.

    Returns
    -------
    float or array of float64
        Time [ms]; 0 where there is nothing to do.

    Examples
    --------
    A floor of 5 ms and 1 ms for each token of any kind:

    >>> worker = Coefficients(5.0, 1.0, *[0.0] * 12)
    >>> float(pass_ms(worker, 3.0, 9.0, 0.0, 2.0, 200.0)), float(pass_ms(worker, 0.0, 0.0, 0.0, 0.0, 0.0))
    (10.0, 0.0)
    """
    tokens = new_tokens + sequences
    touched = 1.0 - np.exp(numbers[LOG_UNTOUCHED] * tokens)
    read_ms = numbers[DENSE_READ_MS] + numbers[EXPERT_READ_MS] * touched
    weights_ms = np.maximum(read_ms, numbers[TOKEN_ARITHMETIC_MS] * tokens)
    window_pairs = np.minimum(attended_tokens, numbers[WINDOW_ATTENDED] * new_tokens)
    attention_ms = numbers[PAIR_MS] * attended_tokens + numbers[WINDOW_PAIR_MS] * window_pairs
    in_windows = np.minimum(context_tokens, numbers[WINDOW_TOKENS] * sequences)
    cache_ms = numbers[CACHED_MS] * cached_tokens + numbers[CONTEXT_MS] * context_tokens
    cache_ms = cache_ms + numbers[WINDOW_READ_MS] * in_windows
    own_ms = numbers[TOKEN_LINK_MS] * tokens + numbers[SEQUENCE_MS] * sequences
    return (numbers[FLOOR_MS] + weights_ms + attention_ms + cache_ms + own_ms) * (tokens > 0.0)


def with_windows_filling(numbers: tuple[Values, ...]) -> tuple[Values, ...]:
    """Return the numbers of a worker whose prompts never fill a window."""
    return (*numbers[:WINDOW_ATTENDED], np.inf, *numbers[WINDOW_ATTENDED + 1 :])


def numbers(worker: Worker) -> tuple[Values, ...]:
    """Boil a worker down to the numbers of `pass_ms`, with the fitted constants or the row's own.

    Parameters
    ----------
    worker : Worker
        The worker; its model's parameters are known.
    """
    own: dict[str, Values] = {}
    if worker.mfu is not None:
        own["mfu"] = worker.mfu
    if worker.memory_efficiency is not None:
        own["weight_share"] = own["kv_share"] = worker.memory_efficiency
    if worker.weight_efficiency is not None:
        own["weight_share"] = worker.weight_efficiency
    if worker.kv_efficiency is not None:
        own["kv_share"] = worker.kv_efficiency
    fitted = constants(worker.engine)
    if worker.floor_scale is not None:
        own["engine_floor"] = fitted.engine_floor * worker.floor_scale
        own["collective_us"] = fitted.collective_us * worker.floor_scale
    made = coefficients(
        worker.shape,
        rank_kv(worker.kv, float(worker.tensor_parallel)),
        worker.speeds,
        fitted._replace(**own),
        float(worker.tensor_parallel),
        float(worker.attention_dp),
        float(worker.expert_parallel),
    )
    return made if worker.attention_dp == 1 else of_a_group(made, float(worker.attention_dp))


def of_a_group(made: Coefficients, groups: float) -> Coefficients:
    """Return a worker's coefficients over the work of one of its DP groups, the others as busy as it.

    Groups run their passes in step, those without work an empty one, so each waits for experts that all of
    them touch.

    Parameters
    ----------
    made : Coefficients
        Over the work of the whole worker.
    groups : float
        Its groups [-].
    """
    return made._replace(**{name: getattr(made, name) * groups for name in OF_WORK})


def coefficients(
    shape: Shape,
    kv: RankKv,
    speeds: Speeds,
    constants: Constants,
    tensor_parallel: Values,
    data_parallel: Values = 1.0,
    expert_parallel: Values = 1.0,
) -> Coefficients:
    """Boil a model, a GPU, sizes and constants down to coefficients; any of their numbers may be arrays.

    Parameters
    ----------
    shape : Shape
        The model.
    kv : RankKv
        What one of `tensor_parallel` ranks reads of its cache.
    speeds : Speeds
        The GPU at the precision of the weights.
    constants : Constants
        Fitted ones.
    tensor_parallel : float
        Ranks that split heads and dense weights [-].
    data_parallel : float
        Groups of such ranks, each with its own sequences; experts lie over all ranks [-].
    expert_parallel : float
        Ranks that experts are dealt out to whole [-]; 1: each rank has a slice of all. It counts between
        groups alone: within one, points measured both ways don't differ.

    Returns
    -------
    Coefficients

    Examples
    --------
    Qwen3-32B in bf16 on four H200: what all weights take at 4.8 TB/s and the share that is reached.

    >>> from aisim_model import catalog
    >>> from aisim_model.models.weights.formats import StoredWeights
    >>> from aisim_model.passes.speeds import speeds
    >>> spec = catalog.model("qwen3-32b").spec()
    >>> kv = rank_kv(spec.kv.wire_curve("bf16", 4), 4)
    >>> made = coefficients(spec.shape, kv, speeds("h200", StoredWeights()), constants(), 4.0)
    >>> round(made.dense_read_ms, 2)
    4.0
    """
    ranks = tensor_parallel * data_parallel
    floor_us, token_link_ms = links(shape, speeds, constants, tensor_parallel, data_parallel, expert_parallel)
    dealt = (data_parallel > 1.0) & (expert_parallel > 1.0)
    fullest = 1.0 + (constants.expert_imbalance - 1.0) * dealt
    arithmetic = MS_PER_S / FLOPS_PER_TFLOP / ranks  # [ms/FLOP] at 1 TFLOPS a GPU
    reading = MS_PER_S / BYTES_PER_TB / speeds.hbm_tb_s  # [ms/B]
    attention = arithmetic / (speeds.bf16_tflops * constants.attention_mfu)
    weight_read = reading / constants.weight_share
    kv_read = reading / constants.kv_share / data_parallel
    dense_ms = shape.dense_parameters / speeds.dense_tflops
    expert_ms = shape.expert_parameters * shape.routed_share / speeds.expert_tflops * fullest
    per_pair = 2.0 * shape.attention_heads * shape.head_dim * attention
    mixture = shape.routed_share < 1.0
    return Coefficients(
        floor_ms=floor_us / US_PER_MS,
        token_link_ms=token_link_ms / data_parallel,
        token_arithmetic_ms=FLOPS_PER_PARAMETER * (dense_ms + expert_ms) * arithmetic / constants.mfu,
        dense_read_ms=shape.dense_parameters * speeds.dense_bytes / tensor_parallel * weight_read,
        expert_read_ms=shape.expert_parameters * speeds.expert_bytes / ranks * weight_read * fullest,
        log_untouched=np.log1p(-shape.routed_share * mixture),
        pair_ms=per_pair * (shape.attention_layers - shape.window_layers),
        window_pair_ms=per_pair * shape.window_layers,
        window_attended=2.0 * kv.window_tokens,
        cached_ms=kv.token_bytes * kv_read,
        context_ms=np.maximum(kv.token_bytes * kv_read, shape.decode_flops_per_token * attention),
        window_read_ms=kv.window_bytes * kv_read,
        window_tokens=kv.window_tokens,
        sequence_ms=constants.sequence_us / US_PER_MS / data_parallel + kv.sequence_bytes * kv_read,
    )
