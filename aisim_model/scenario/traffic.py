"""The traffic that a scenario's rows are asked to carry, and how it is replayed: small enough for a link.

A trace itself is in none of this: an example by its id, synthetic traffic by its rule, a file by its name,
rows and hash, so that whoever opens a link can be asked for that file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator

from aisim_model.errors import InputError
from aisim_model.plain_text import ON_ONE_LINE
from aisim_model.scenario.frozen import Frozen

if TYPE_CHECKING:
    from aisim_model.traces import SyntheticTraffic
    from aisim_model.traces.asked import Asked

Source = Literal["example", "file", "synthetic"]
LengthRule = Literal["fixed", "lognormal", "trace"]
TimeUnit = Literal["ns", "us", "ms", "s", "days"]
Role = Literal["arrival", "input_tokens", "output_tokens", "hash_ids"]

Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
RowId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,23}$")]

MOST_ROWS = 6  # deployments replayed side by side


class TraceFile(Frozen):
    """A file of one's own, and how it was read; its contents are elsewhere.

    Parameters
    ----------
    name, sha256 : str
        Name of the file, and the hash of its contents.
    rows : int or None
        Requests read from it [-]; None where it couldn't be read.
    format, time_unit, decimal, columns, skip_bad_rows, arrivals, rate_per_s, output_tokens
        Choices made over what is detected, as `aisim_model.traces.read_trace` takes them.

    Examples
    --------
    >>> TraceFile(name="mine.csv", sha256="0" * 64, rows=12).time_unit is None
    True
    """

    name: Annotated[str, Field(min_length=1, max_length=200), ON_ONE_LINE]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    rows: Annotated[int, Field(ge=1)] | None = None
    format: Annotated[str, Field(max_length=40)] | None = Field(
        None, title="Format", description="Told from the contents where left open."
    )
    time_unit: TimeUnit | None = Field(
        None, title="Arrivals are in", description="Told from the span where left open."
    )
    decimal: Literal[".", ","] | None = Field(
        None, title="Decimal mark", description="Told from the numbers where left open."
    )
    skip_bad_rows: bool = Field(
        False, title="Leave faulty rows out", description="They are counted here and in every export."
    )
    columns: Annotated[
        tuple[tuple[Role, Annotated[str, Field(max_length=200)]], ...], Field(max_length=4)
    ] = ()
    arrivals: Literal["rate", "closed", "at_once"] | None = Field(
        None, title="Arrivals", description="For a file without arrival times; else the file's own."
    )
    rate_per_s: Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)] | None = Field(
        None, title="Rate", description="Requests a second, evenly spaced, where arrivals are at a rate."
    )
    output_tokens: Tokens | None = Field(
        None, title="Output tokens", description="Of every answer, for a file without output lengths."
    )

    def asked(self) -> Asked:
        """Return what is said in place of columns that the file hasn't.

        Raises
        ------
        InputError
            For arrivals at a rate without the rate.
        """
        from aisim_model.traces.asked import Asked

        return Asked(self.arrivals, self.rate_per_s, self.output_tokens)


class SyntheticRule(Frozen):
    """Traffic made by rule; the same seed makes the same traffic.

    Examples
    --------
    >>> rule = SyntheticRule(requests=10)
    >>> rule.traffic().input_tokens.median_tokens
    4000
    """

    requests: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        2_000, title="Requests", description="How many."
    )
    requests_per_s: Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)] = Field(
        1.0, title="Rate", description="Mean rate of arrival."
    )
    arrivals: Literal["poisson", "constant", "bursty"] = Field(
        "poisson", title="Arrivals", description="Independent of each other, evenly spaced, or in bursts."
    )
    gap_variation: Annotated[float, Field(gt=0, le=20, allow_inf_nan=False)] = Field(
        3.0, title="Burstiness", description="Deviation of the gaps over their mean: 1 is Poisson."
    )
    prompt_length: LengthRule = Field(
        "lognormal", title="Prompts", description="All alike, with a long tail, or as in an example."
    )
    prompt_tokens: Tokens = Field(
        4_000, title="Prompt", description="Every prompt, or half of them are longer."
    )
    prompt_sigma: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = Field(
        1.0, title="Spread of prompts", description="Deviation of the logarithm: with 1 a sixth exceed 2.7 x."
    )
    answer_length: LengthRule = Field(
        "lognormal", title="Outputs", description="All alike, with a long tail, or as in an example."
    )
    answer_tokens: Tokens = Field(
        300, title="Output", description="Every output, or half of them are longer."
    )
    answer_sigma: Annotated[float, Field(ge=0, le=5, allow_inf_nan=False)] = Field(
        0.5, title="Spread of outputs", description="Deviation of the logarithm."
    )
    prefix_groups: Annotated[int, Field(ge=0, le=1_000_000)] = Field(
        0, title="Shared prefixes", description="How many different ones; 0 for none."
    )
    prefix_tokens: Annotated[int, Field(ge=0, le=10_000_000)] = Field(
        2_048, title="Prefix", description="In front of the prompt; only its whole blocks can be hit."
    )
    prefix_share: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        1.0, title="Share with a prefix", description="Of the requests."
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] = Field(
        0, title="Seed", description="Equal seeds, equal traffic."
    )

    def traffic(self) -> SyntheticTraffic:
        """Return the rule as `aisim_model.traces.synthetic_trace` takes it.

        Raises
        ------
        pydantic.ValidationError
            For a prefix that fills no block.
        """
        from aisim_model.traces import SyntheticTraffic

        shared = {"prefix_tokens": self.prefix_tokens, "prefix_share": self.prefix_share}
        return SyntheticTraffic.model_validate(
            {
                "requests": self.requests,
                "requests_per_s": self.requests_per_s,
                "arrivals": self.arrivals,
                "gap_variation": self.gap_variation,
                "input_tokens": _length(self.prompt_length, self.prompt_tokens, self.prompt_sigma),
                "output_tokens": _length(self.answer_length, self.answer_tokens, self.answer_sigma),
                "prefix_groups": self.prefix_groups,
                "seed": self.seed,
                **(shared if self.prefix_groups else {}),
            }
        )

    @property
    def draws(self) -> bool:
        """Whether lengths are drawn from the requests of a trace."""
        return "trace" in (self.prompt_length, self.answer_length)


def _length(rule: LengthRule, tokens: int, sigma: float) -> dict[str, Any]:
    if rule == "fixed":
        return {"kind": rule, "tokens": tokens}
    return {"kind": rule, "median_tokens": tokens, "sigma": sigma} if rule == "lognormal" else {"kind": rule}


class Traffic(Frozen):
    """Which requests arrive, and how a replay treats them.

    Examples
    --------
    >>> Traffic().level, Traffic().contention
    ('engine', 'fair')
    """

    source: Source = Field("example", title="Traffic", description="An example, your file, or made by rule.")
    example_id: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,60}$")] = Field(
        "mooncake_conversation",
        title="Example",
        description="A real trace; synthetic lengths are drawn from it.",
    )
    file: TraceFile | None = Field(None, title="File", description="Your trace.")
    synthetic: SyntheticRule = Field(SyntheticRule(), title="Rule", description="Of synthetic traffic.")
    rate_factor: Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)] = Field(
        1.0, title="Times faster", description="2 lets the same requests arrive twice as fast."
    )
    window_start_s: Seconds = Field(
        0.0,
        title="From [s]",
        description="Requests that arrive before this are left out, before any scaling.",
    )
    window_end_s: Annotated[Seconds, Field(gt=0)] | None = Field(
        None,
        title="To [s]",
        description="Requests that arrive from here on are left out; all where left open.",
    )
    concurrency: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None,
        title="In flight",
        description="Requests at a time, each followed by the next as it ends, as benchmarks send them; "
        "where left open they come as they arrive.",
    )
    deployment_ids: Annotated[tuple[RowId, ...], Field(max_length=MOST_ROWS)] | None = Field(
        None, title="Deployments", description=f"Which rows are replayed, at most {MOST_ROWS}."
    )
    level: Literal["fifo", "engine"] = Field(
        "engine",
        title="Level",
        description="engine: passes that batch prompts and decoding, as engines run them. fifo: one prompt a "
        "prefill pass and a decode step of one length, for split rows only.",
    )
    contention: Literal["none", "fifo", "fair"] = Field(
        "fair",
        title="Transfers on one link",
        description="Share its bandwidth at every moment, go one at a time, or ignore each other.",
    )
    scope: Literal["source", "destination", "shared"] = Field(
        "source", title="One link is", description="A prefill worker's, a decode worker's, or one for all."
    )
    prefix_caching: bool = Field(
        True, title="Prefix caching", description="Workers reuse blocks of prompts that they have seen."
    )

    @field_validator("window_end_s")
    @classmethod
    def _after_start(cls, value: float | None, info: Any) -> float | None:
        start = info.data.get("window_start_s", 0.0)
        if value is not None and value <= start:
            raise InputError(
                "window_end_s", value, f"must be above window_start_s, {start:g} s", "Enter a later time."
            )
        return value
