"""What moves a row's TTFT most: each input alone over its range, the others as they are.

A range is the catalogue's measured spread where it has one, else one that is stated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from aisim_model.passes.registry import MODELS
from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown
from aisim_model.solve import with_prompt

STATED = "stated range"
STATED_RANGES = (
    # about the 0.54 and 0.57 that `passes.roofline` is calibrated to, and what collectives may cost
    ("mfu", "MFU", 0.4, 0.6),
    ("memory_efficiency", "Memory efficiency", 0.4, 0.8),
    ("link_efficiency", "Link efficiency", 0.7, 1.0),
    # none, and the larger of the two start-ups fitted to published transfers
    ("alpha_ms", "Start-up of a transfer", 0.0, 1.83),
    # none, and about what one measured handover took beside the wire
    ("orchestration_ms", "Orchestration", 0.0, 150.0),
)
OWN_NUMBERS = (
    ("prefill_tokens_per_s", "Prefill rate"),
    ("prefill_pass_ms", "Prefill pass"),
    ("decode_step_ms", "Decode step"),
)
LOW_LINK_SHARE = 0.5  # for a link without a measured spread


@dataclass(frozen=True)
class Moved:
    """An input at the two ends of its range.

    Parameters
    ----------
    input : str
        Name of the input, with its unit at its end.
    label : str
        The input for people.
    low, high : float
        Ends of the range, in the input's own unit.
    range_is : str
        ``measured spread``, or what is stated.
    low_ttft_ms, high_ttft_ms : float
        TTFT there [ms].
    """

    input: str
    label: str
    low: float
    high: float
    range_is: str
    low_ttft_ms: float
    high_ttft_ms: float

    @property
    def swing_ms(self) -> float:
        """How far the input moves TTFT [ms]."""
        return abs(self.high_ttft_ms - self.low_ttft_ms)


def sensitivity(x: ResolvedRow) -> tuple[Moved, ...]:
    """Move each input of a row over its range, the one that moves TTFT most first.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones.

    Returns
    -------
    tuple of Moved
        Without the inputs that don't move it at all; empty where no TTFT is known.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> sensitivity(resolve(example.workload, example.selected))[0].label
    'Prompt'
    """
    moved = (
        Moved(name, label, low, high, range_is, *(float(breakdown(end).ttft_ms) for end in ends))
        for name, label, low, high, range_is, ends in _ranges(x)
    )
    return tuple(sorted((one for one in moved if one.swing_ms > 0), key=lambda one: -one.swing_ms))


def tornado(x: ResolvedRow) -> pd.DataFrame:
    """Lay `sensitivity` out as a tidy table, one row an input.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> list(tornado(resolve(example.workload, example.selected)).columns)[:4]
    ['input', 'label', 'low', 'high']
    """
    base_ms = float(breakdown(x).ttft_ms)
    rows = [{**vars(one), "ttft_ms": base_ms, "swing_ms": one.swing_ms} for one in sensitivity(x)]
    columns = (*Moved.__dataclass_fields__, "ttft_ms", "swing_ms")
    return pd.DataFrame(rows, columns=pd.Index(columns))


Range = tuple[str, str, float, float, str, tuple[ResolvedRow, ResolvedRow]]


def _ranges(x: ResolvedRow) -> Iterator[Range]:
    """Return each input's range, and the row at its two ends."""
    prompt = float(x.prompt_tokens)
    half, double = max(prompt // 2, 1.0), prompt * 2
    ends = with_prompt(x, half), with_prompt(x, double)
    yield "prompt_tokens", "Prompt", half, double, f"{STATED}: half to double", ends
    for name, label in (
        ("prefill_cached_tokens", "Prefill-side hit"),
        ("decode_cached_tokens", "Decode-side hit"),
    ):
        yield _over(x, name, label, 0.0, prompt // 2, f"{STATED}: none to half the prompt")
    for name, label, low, high in STATED_RANGES:
        if (now := _now(x, name)) is None:
            continue
        yield _over(x, name, label, min(low, now), max(high, now), STATED)
    for name, label in OWN_NUMBERS:
        if (value := getattr(x, name)) is not None:
            yield _over(x, name, label, value * 0.8, value * 1.25, f"{STATED}: a quarter more or less")
    if x.row.split and x.bandwidth_gb_s > 0:
        yield from _link(x)


def _now(x: ResolvedRow, name: str) -> float | None:
    """Return a row's number as it counts: its own, else what its model of a pass takes."""
    own = getattr(x, name)
    return MODELS[x.row.prefill_model].reached.get(name) if own is None else float(own)


def _link(x: ResolvedRow) -> Iterator[Range]:
    """Return the ranges of a handoff: bandwidth, and bytes of a token."""
    had = float(x.bandwidth_gb_s)
    low, range_is = had * LOW_LINK_SHARE, f"{STATED}: half of nominal"
    if x.row.bandwidth_gb_s is not None:
        range_is = f"{STATED}: half of yours"
    if x.measured_low_gb_s is not None:
        low, range_is = x.measured_low_gb_s, f"{x.link.usable_is} spread: lowest to nominal"
    yield _over(x, "bandwidth_gb_s", "Bandwidth", low, had, range_is)
    grows = float(x.timed.growing_bytes_per_token)
    lighter = x.timed.model_copy(update={"growing_bytes_per_token": grows / 2})
    ends = replace(x, timed=lighter), x
    yield "kv_bytes_per_token", "KV bytes per token", grows / 2, grows, f"{STATED}: a KV dtype of half", ends


def _over(x: ResolvedRow, name: str, label: str, low: float, high: float, range_is: str) -> Range:
    """Return the range of a plain number of a row."""
    low_end: dict[str, Any] = {name: low}
    high_end: dict[str, Any] = {name: high}
    return name, label, low, high, range_is, (replace(x, **low_end), replace(x, **high_end))
