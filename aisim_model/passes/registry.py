"""The models of a pass by name: what each makes of a worker, and the one call that all are asked by.

A new model is a module beside the others, its line in `MODELS`, its line in `pass_ms`, and its test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Literal, NamedTuple

from aisim_model.arrays import Floats, Values
from aisim_model.passes import (
    kv_read,
    line,
    operator_pass,
    plane,
    polynomial,
    roofline,
    simple_roofline,
    table,
)
from aisim_model.passes.worker import Worker

Numbers = tuple[Values, ...]


class Kind(IntEnum):
    """Formulas of a pass, as compiled code tells them apart."""

    LINE = 0
    TABLE = 1
    POLYNOMIAL = 2
    SIMPLE_ROOFLINE = 3
    ROOFLINE = 4
    OPERATORS = 5
    PLANE = 6


class Model(NamedTuple):
    """A model of a pass.

    Parameters
    ----------
    kind : Kind
        Its formula.
    prefill, decode : callable or None
        What makes a worker its numbers, for prompts and for decode steps; None where it times none.
    basis : str
        Where its numbers are from: measured, fitted to measurements, assumed, or yours.
    assumes : str
        What its times rest on.
    reached : mapping of str to float
        Shares of the peaks that it takes where a row leaves them open, by the row's fields [-].
    decode_kind : Kind or None
        The formula of its decode steps, where it is another.
    assumes_parameters : bool
        Whether it asks for the model's parameters.
    """

    kind: Kind
    prefill: Callable[[Worker], Numbers] | None
    decode: Callable[[Worker], Numbers] | None
    basis: Literal["measured", "fitted", "assumed", "yours"]
    assumes: str
    assumes_parameters: bool = False
    reached: Mapping[str, float] = MappingProxyType({})
    decode_kind: Kind | None = None


def _pool(worker: Worker) -> Numbers:
    return (max(worker.pool_tokens, 1.0),)  # where not even the weights fit, the pool counts as full


def _rate(worker: Worker) -> Numbers:
    assert worker.prefill_tokens_per_s is not None  # the scenario sees that a chosen model has its number
    return 0.0, 1000.0 / worker.prefill_tokens_per_s


def _fixed_pass(worker: Worker) -> Numbers:
    assert worker.prefill_pass_ms is not None
    return worker.prefill_pass_ms, 0.0


def _fixed_step(worker: Worker) -> Numbers:
    assert worker.decode_step_ms is not None
    return worker.decode_step_ms, 0.0


def _table(worker: Worker) -> Numbers:
    assert worker.prefill_table is not None
    tokens, times = zip(*worker.prefill_table, strict=True)
    return float(len(tokens)), *tokens, *times


def _plane(worker: Worker) -> Numbers:
    assert worker.decode_table is not None
    return plane.numbers(worker.decode_table)


MODELS = MappingProxyType(
    {
        "roofline": Model(
            Kind.ROOFLINE,
            roofline.numbers,
            roofline.numbers,
            "fitted",
            "a floor of each layer and collective, weights, attention and cache apart; fitted to silicon",
            assumes_parameters=True,
            reached=roofline.REACHED,
        ),
        "simple_roofline": Model(
            Kind.SIMPLE_ROOFLINE,
            simple_roofline.numbers,
            simple_roofline.numbers,
            "assumed",
            "arithmetic or memory, one share reached of each, no floor",
            assumes_parameters=True,
            reached=simple_roofline.REACHED,
        ),
        "aiconfigurator": Model(
            Kind.OPERATORS,
            operator_pass.numbers,
            operator_pass.numbers,
            "measured",
            "NVIDIA's measured operators, aiconfigurator-core 0.12.0",
        ),
        "rate": Model(Kind.LINE, _rate, None, "yours", "your measured rate"),
        "fixed": Model(Kind.LINE, _fixed_pass, _fixed_step, "yours", "your time of a pass"),
        "table": Model(
            Kind.TABLE, _table, _plane, "yours", "your table of measurements", decode_kind=Kind.PLANE
        ),
        "polynomial": Model(
            Kind.POLYNOMIAL,
            _pool,
            _pool,
            "assumed",
            "the reference engine's own timing, which knows no model",
        ),
    }
)
PREFILL_MODELS = tuple(name for name, model in MODELS.items() if model.prefill)
DECODE_MODELS = tuple(name for name, model in MODELS.items() if model.decode)

ADDS_UP = frozenset({Kind.TABLE})  # the passes of a prompt take what one pass of all its tokens would
MIXES = frozenset(
    {Kind.ROOFLINE, Kind.SIMPLE_ROOFLINE, Kind.OPERATORS}
)  # what times prompts and sequences in one call

# what a compiled replay calls
FORMULAS = (
    line.pass_ms,
    table.read_ms,
    table.pass_ms,
    polynomial.prefill_ms,
    polynomial.decode_ms,
    polynomial.pass_ms,
    simple_roofline.touched_parameters,
    simple_roofline.pass_ms,
    roofline.pass_ms,
    kv_read.kv_read_bytes,
    operator_pass.between,
    operator_pass.read,
    operator_pass.read_plane,
    operator_pass.pass_ms,
    plane.step_ms,
)


def pass_ms(
    kind: int,
    numbers: Floats | Numbers,
    prompts: Values,
    new_tokens: Values,
    attended_tokens: Values,
    cached_tokens: Values,
    resumed_tokens: Values,
    sequences: Values,
    context_tokens: Values,
) -> Values:
    """Time of a pass by one of the formulas [ms].

    Parameters
    ----------
    kind : int
        Of `Kind`.
    numbers : array or tuple of float
        What the formula makes of the worker.
    prompts : bool or array of bool
        Whether the pass has a prompt.
    new_tokens, attended_tokens, cached_tokens, resumed_tokens, sequences, context_tokens
        As in `PassWork`.

    Examples
    --------
    >>> pass_ms(Kind.LINE, (10.0, 0.0), True, 128.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    10.0
    """
    if kind == 0:
        return line.pass_ms(numbers, new_tokens)
    if kind == 1:
        return table.pass_ms(numbers, new_tokens, resumed_tokens)
    if kind == 2:
        return polynomial.pass_ms(numbers, prompts, new_tokens, sequences, context_tokens)
    if kind == 3:
        return simple_roofline.pass_ms(
            numbers, new_tokens, attended_tokens, cached_tokens, sequences, context_tokens
        )
    if kind == 4:
        return roofline.pass_ms(
            numbers, new_tokens, attended_tokens, cached_tokens, sequences, context_tokens
        )
    if kind == 5:
        return operator_pass.pass_ms(
            numbers, new_tokens, attended_tokens, cached_tokens, sequences, context_tokens
        )
    return plane.step_ms(numbers, sequences, context_tokens)
