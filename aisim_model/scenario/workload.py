"""What is asked of every deployment; the defaults and bounds of a scenario's workload are here alone."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from aisim_model import catalog
from aisim_model.arrays import Values, unboxed
from aisim_model.errors import InputError
from aisim_model.models.spec import ModelSpec
from aisim_model.scenario.frozen import Frozen

Tokens = Annotated[int, Field(ge=0, le=10_000_000)]
Milliseconds = Annotated[float, Field(ge=0, le=3_600_000, allow_inf_nan=False)]
MOST_ARRIVALS_PER_S = 1_000_000.0
Percentile = Literal["mean", "p50", "p90", "p95", "p99"]


class Workload(Frozen):
    """What is asked of every deployment: a model, a prompt, an output, two service levels.

    Examples
    --------
    >>> Workload().prompt_tokens, Workload().served.name
    (12000, 'Qwen3-32B')
    """

    model_id: str = Field("qwen3-32b", title="Model", description="A model of the catalogue.")
    model: ModelSpec | None = Field(None, title="Own model", description="Read from a config.json.")
    kv_bytes_per_token: Annotated[int, Field(ge=0, le=1_000_000_000)] | None = Field(
        None,
        title="KV bytes per token",
        description="By hand, in place of the model's own curve, whatever the KV dtype.",
    )
    prompt_tokens: Annotated[int, Field(ge=1, le=10_000_000)] = Field(
        12_000, title="Prompt", description="Tokens of the prompt, cached ones included."
    )
    output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] = Field(
        340, title="Output", description="Tokens that are decoded."
    )
    prefill_cached_tokens: Tokens = Field(
        0, title="Already on the prefill worker", description="A hit here shortens prefill, not the transfer."
    )
    decode_cached_tokens: Tokens = Field(
        0,
        title="Already on the decode worker",
        description="A hit here shortens the transfer where only what decode lacks is sent, not prefill.",
    )
    ttft_slo_ms: Annotated[Milliseconds, Field(gt=0)] = Field(
        2000.0, title="SLO on TTFT", description="Longest time to first token that is acceptable."
    )
    itl_slo_ms: Annotated[Milliseconds, Field(gt=0)] = Field(
        25.0, title="SLO on inter-token latency", description="Longest time between tokens."
    )
    ttft_percentile: Percentile = Field(
        "mean",
        title="TTFT counts at",
        description="The mean, or what so many percent of requests are within.",
    )
    itl_percentile: Percentile = Field(
        "mean", title="ITL counts at", description="The mean, or what so many percent of requests are within."
    )
    slo_share: Annotated[float, Field(ge=0, le=0.999, allow_inf_nan=False)] = Field(
        0.0,
        title="Within both, at least",
        description="Of requests that has to meet both SLOs; 0 asks for none.",
    )
    handoff_budget_ms: Annotated[Milliseconds, Field(gt=0)] | None = Field(
        None,
        title="Handoff budget",
        description="Longest handoff that is acceptable, for solving backwards; the SLO on TTFT where open.",
    )
    arrivals_per_s: Annotated[float, Field(ge=0, le=MOST_ARRIVALS_PER_S, allow_inf_nan=False)] = Field(
        0.0, title="Arrivals", description="Requests a second for the estimate under load; 0 is one request."
    )

    requests_in_flight: Annotated[int, Field(ge=0, le=1_000_000)] = Field(
        0,
        title="In flight",
        description="Requests at a time, each followed by the next as it ends, in place of arrivals; 0: by "
        "arrivals.",
    )

    least_length_share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = Field(
        1.0,
        title="Shortest lengths",
        description="Prompts and outputs vary evenly from this share of their lengths to all of them, as "
        "benchmarks draw them; times are those of the mean. 1: all alike.",
    )

    @field_validator("model_id")
    @classmethod
    def _known_model(cls, value: str) -> str:
        return catalog.model(value).id

    @model_validator(mode="after")
    def _cached_within_prompt(self) -> Self:
        for field in ("prefill_cached_tokens", "decode_cached_tokens"):
            if (cached := getattr(self, field)) > self.prompt_tokens:
                problem = f"must be at most the prompt's {self.prompt_tokens:,} tokens"
                raise InputError(field, cached, problem, "Enter fewer, or a longer prompt.")
        return self

    @property
    def mean_prompt_tokens(self) -> int:
        """Prompt tokens of the mean request [-].

        Examples
        --------
        >>> Workload(prompt_tokens=1000, least_length_share=0.8).mean_prompt_tokens
        900
        """
        return int(self.mean_tokens(float(self.prompt_tokens)))

    @property
    def mean_output_tokens(self) -> int:
        """Output tokens of the mean request [-]."""
        return int(self.mean_tokens(float(self.output_tokens)))

    def mean_tokens(self, longest_tokens: Values) -> Values:
        """Return the mean of lengths that vary evenly up to a longest, whole tokens [-]."""
        mean = np.rint(longest_tokens * (1.0 + self.least_length_share) / 2.0)
        return unboxed(np.maximum(mean, np.minimum(longest_tokens, 1.0)))

    def longest_tokens(self, mean_tokens: int) -> int:
        """Return the longest length whose mean is no more than so many tokens [-].

        Examples
        --------
        >>> Workload(least_length_share=0.8).longest_tokens(900)
        1000
        """
        found = math.floor((mean_tokens + 0.5) * 2.0 / (1.0 + self.least_length_share))
        while found > 0 and self.mean_tokens(float(found)) > mean_tokens:
            found -= 1
        return found

    @property
    def is_loaded(self) -> bool:
        """Whether more than one request is asked of a row: arrivals, or requests in flight."""
        return self.requests_in_flight > 0 or self.arrivals_per_s > 0.0

    @property
    def served(self) -> ModelSpec:
        """The model that is served: one's own, else the catalogue's."""
        return self.model or catalog.model(self.model_id).spec()
