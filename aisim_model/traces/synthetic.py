"""Traffic made up by rule: arrivals, lengths and shared prefixes, the same for the same seed."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from aisim_model.errors import InputError
from aisim_model.traces.cells import MAX_TOKENS
from aisim_model.traces.trace import Floats, Integers, Trace
from aisim_model.units import MS_PER_S, NS_PER_MS

Tokens = Annotated[int, Field(ge=1, le=MAX_TOKENS)]
# Prompt blocks of all requests together: 4 GB of ids.
MAX_HASH_IDS = 500_000_000


class FixedLength(BaseModel):
    """Every request alike."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["fixed"] = "fixed"
    tokens: Tokens


class LognormalLength(BaseModel):
    """Half below a median, with a long tail, as chat traffic has.

    Parameters
    ----------
    median_tokens : int
        Half of the requests are longer [-].
    sigma : float
        Standard deviation of the logarithm [-]; with 1, a sixth of the requests exceed 2.7 medians.
    max_tokens : int
        Longer ones are cut to this [-].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["lognormal"] = "lognormal"
    median_tokens: Tokens
    sigma: Annotated[float, Field(ge=0.0, le=5.0, allow_inf_nan=False)] = 1.0
    max_tokens: Tokens = MAX_TOKENS


class LengthOfTrace(BaseModel):
    """Drawn from the requests of a trace; a request's prompt and output stay together."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["trace"] = "trace"


Length = Annotated[FixedLength | LognormalLength | LengthOfTrace, Field(discriminator="kind")]


class SyntheticTraffic(BaseModel):
    """The rule that traffic is made by.

    Parameters
    ----------
    requests : int
        How many [-].
    requests_per_s : float
        Mean rate of arrival [1/s].
    arrivals : {"poisson", "constant", "bursty"}
        Independent of each other, evenly spaced, or in bursts: gaps of a gamma distribution.
    gap_variation : float
        For ``bursty``: standard deviation of the gaps over their mean [-]; 1 is Poisson, more is burstier.
    input_tokens, output_tokens : FixedLength, LognormalLength or LengthOfTrace
        Lengths of prompts, without their shared prefix, and of outputs.
    prefix_groups : int
        How many different prefixes there are [-]; 0 for none.
    prefix_tokens : int
        Length of each, in front of the prompt [-]. Only its whole blocks can be hit.
    prefix_share : float
        Share of the requests that have one [-].
    block_tokens : int
        Tokens that a hash id stands for [-].
    seed : int
        Equal seeds give equal traffic.

    Raises
    ------
    pydantic.ValidationError
        For a value outside its range; it names the field.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    requests: Annotated[int, Field(ge=1, le=10_000_000)]
    requests_per_s: Annotated[float, Field(gt=0.0, le=1e6, allow_inf_nan=False)]
    arrivals: Literal["poisson", "constant", "bursty"] = "poisson"
    gap_variation: Annotated[float, Field(gt=0.0, le=20.0, allow_inf_nan=False)] = 3.0
    input_tokens: Length
    output_tokens: Length
    prefix_groups: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    prefix_tokens: Annotated[int, Field(ge=0, le=MAX_TOKENS)] = 0
    prefix_share: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] = 1.0
    block_tokens: Annotated[int, Field(ge=1, le=65_536)] = 512
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0

    @model_validator(mode="after")
    def _prefixes_have_blocks(self) -> SyntheticTraffic:
        if self.prefix_groups and self.prefix_tokens < self.block_tokens:
            raise ValueError(
                f"prefix_tokens = {self.prefix_tokens} must be {self.block_tokens} (block_tokens) or more: "
                "a shorter prefix fills no block and is never hit"
            )
        return self


def synthetic_trace(traffic: SyntheticTraffic, drawn_from: Trace | None = None) -> Trace:
    """Make traffic by rule.

    Arrivals, lengths and prefixes have random streams of their own: another rate keeps the prompts.

    Parameters
    ----------
    traffic : SyntheticTraffic
        The rule.
    drawn_from : Trace, optional
        Where lengths of kind ``trace`` are drawn from.

    Returns
    -------
    Trace
        Requests in order of arrival, the first at 0.

    Raises
    ------
    InputError
        For lengths of a trace without the trace, prompts that grow too long, or too many blocks in all.

    Examples
    --------
    >>> rule = SyntheticTraffic(
    ...     requests=3, requests_per_s=2.0, arrivals="constant",
    ...     input_tokens=FixedLength(tokens=100), output_tokens=FixedLength(tokens=8),
    ... )
    >>> synthetic_trace(rule).arrival_ms
    array([   0.,  500., 1000.])
    """
    for_arrivals, for_inputs, for_outputs, for_prefixes, for_draws = (
        np.random.default_rng(seed) for seed in np.random.SeedSequence(traffic.seed).spawn(5)
    )
    drawn = _drawn_lengths(traffic, drawn_from, for_draws)
    inputs = _lengths(traffic.input_tokens, traffic.requests, for_inputs, drawn.get("input"))
    outputs = _lengths(traffic.output_tokens, traffic.requests, for_outputs, drawn.get("output"))
    arrival_ms = _arrivals_ms(traffic, for_arrivals)
    if not traffic.prefix_groups:
        return Trace(arrival_ms, inputs, outputs, name="synthetic")
    grouped = for_prefixes.random(traffic.requests) < traffic.prefix_share
    groups = np.where(grouped, for_prefixes.integers(traffic.prefix_groups, size=traffic.requests), -1)
    inputs = inputs + np.where(grouped, traffic.prefix_tokens, 0)
    if inputs.max() > MAX_TOKENS:
        problem = f"and the prompt make {int(inputs.max()):,} tokens, more than {MAX_TOKENS:,}"
        raise InputError("prefix_tokens", traffic.prefix_tokens, problem, "Shorten one of them.")
    ids, offsets = _hash_ids(traffic, inputs, groups)
    return Trace(arrival_ms, inputs, outputs, ids, offsets, traffic.block_tokens, "synthetic")


def _arrivals_ms(traffic: SyntheticTraffic, random: np.random.Generator) -> Floats:
    """Return arrivals on a grid of whole nanoseconds, as a file's are."""
    mean_gap_ms = MS_PER_S / traffic.requests_per_s
    if traffic.arrivals == "constant":
        arrivals = np.arange(traffic.requests) * mean_gap_ms
    else:
        variation = 1.0 if traffic.arrivals == "poisson" else traffic.gap_variation
        shape = variation**-2  # of a gamma distribution with this ratio of deviation to mean
        gaps = random.gamma(shape, mean_gap_ms / shape, size=traffic.requests - 1)
        arrivals = np.append(0.0, gaps.cumsum())
    return np.asarray(np.rint(arrivals * NS_PER_MS) / NS_PER_MS, dtype=np.float64)


def _drawn_lengths(
    traffic: SyntheticTraffic, drawn_from: Trace | None, random: np.random.Generator
) -> dict[str, Integers]:
    """Return lengths of drawn requests: one draw for both, so that a long prompt keeps its own output."""
    if not any(isinstance(rule, LengthOfTrace) for rule in (traffic.input_tokens, traffic.output_tokens)):
        return {}
    if drawn_from is None:
        raise InputError("drawn_from", None, "must be a trace where lengths are drawn from one")
    rows = random.integers(len(drawn_from), size=traffic.requests)
    return {"input": drawn_from.input_tokens[rows], "output": drawn_from.output_tokens[rows]}


def _lengths(
    rule: FixedLength | LognormalLength | LengthOfTrace,
    requests: int,
    random: np.random.Generator,
    drawn: Integers | None,
) -> Integers:
    if isinstance(rule, FixedLength):
        return np.full(requests, rule.tokens, dtype=np.int64)
    if isinstance(rule, LognormalLength):
        tokens = rule.median_tokens * np.exp(rule.sigma * random.standard_normal(requests))
        return np.asarray(np.clip(np.rint(tokens), 1, rule.max_tokens), dtype=np.int64)
    assert drawn is not None, "lengths of a trace are drawn before they are used"
    return drawn


def _hash_ids(
    traffic: SyntheticTraffic, input_tokens: Integers, groups: Integers
) -> tuple[Integers, Integers]:
    """Return ids for every block: equal ones for a group's prefix, and new ones for all the rest."""
    blocks = -(-input_tokens // traffic.block_tokens)
    offsets = np.append(0, blocks.cumsum())
    if offsets[-1] > MAX_HASH_IDS:
        problem = f"make {int(offsets[-1]):,} blocks in all, more than {MAX_HASH_IDS:,}"
        raise InputError(
            "block_tokens", traffic.block_tokens, problem, "Choose larger blocks or fewer requests."
        )
    shared_blocks = traffic.prefix_tokens // traffic.block_tokens
    ids = np.arange(offsets[-1], dtype=np.int64) + traffic.prefix_groups * shared_blocks
    in_group = np.flatnonzero(groups >= 0)
    places = offsets[in_group][:, None] + np.arange(shared_blocks)
    ids[places] = groups[in_group][:, None] * shared_blocks + np.arange(shared_blocks)
    return ids, offsets
