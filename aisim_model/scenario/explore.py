"""What a scenario is looked at over: one or two of its fields, from where to where, and what is shown.

Small enough for a link; the values themselves are `aisim_model.sweep`'s to make.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple, Self, get_args

from pydantic import Field, ValidationInfo, field_validator, model_validator

from aisim_model.errors import InputError
from aisim_model.scenario.frozen import Frozen

Quantity = Literal["ttft_ms", "handoff_ms", "handoff_share"]
AxisField = Literal[
    "prompt_tokens",
    "bandwidth_gb_s",
    "kv_bytes_per_token",
    "prefill_cached_tokens",
    "decode_cached_tokens",
    "orchestration_ms",
    "alpha_ms",
    "link_efficiency",
    "mfu",
    "memory_efficiency",
]
AXIS_FIELDS: tuple[AxisField, ...] = get_args(AxisField)

OF = "A field of the workload, or of every deployment."
End = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]


class Ends(NamedTuple):
    """Both ends of a range in the field's unit, and whether steps between them are even or of even ratio."""

    low: End
    high: End
    scale: Literal["lin", "log"]


class Ranges(Frozen):
    """The range of each field that can be an axis.

    Examples
    --------
    >>> Ranges().bandwidth_gb_s
    Ends(low=1.0, high=400.0, scale='log')
    """

    prompt_tokens: Ends = Ends(128.0, 131_072.0, "log")
    bandwidth_gb_s: Ends = Ends(1.0, 400.0, "log")
    kv_bytes_per_token: Ends = Ends(10_000.0, 1_000_000.0, "log")
    prefill_cached_tokens: Ends = Ends(0.0, 8000.0, "lin")
    decode_cached_tokens: Ends = Ends(0.0, 8000.0, "lin")
    orchestration_ms: Ends = Ends(1.0, 1000.0, "log")
    alpha_ms: Ends = Ends(0.0, 10.0, "lin")
    link_efficiency: Ends = Ends(0.1, 1.0, "lin")
    mfu: Ends = Ends(0.2, 0.8, "lin")
    memory_efficiency: Ends = Ends(0.2, 0.9, "lin")

    @field_validator("*")
    @classmethod
    def _forwards(cls, value: Ends, info: ValidationInfo) -> Ends:
        name, text = info.field_name or "ranges", f"{value.low:g} to {value.high:g}"
        if value.low >= value.high:
            raise InputError(
                name, text, "must run from a low end to a higher one", "Enter the lower value first."
            )
        if value.scale == "log" and value.low <= 0:
            raise InputError(
                name, text, "has no logarithm: both ends must be above 0", "Begin above 0, or use lin."
            )
        return value


class Explore(Frozen):
    """What is looked at; the rest of the scenario says where all else stands.

    Parameters
    ----------
    x, y : str
        Fields along the axes; without the second the picture is curves.
    quantity : str
        Column that is shown.
    count : int
        Values of each field [-].
    share : float
        Share of TTFT that the handoff's contour line stands for [-].
    aggregated : bool
        Whether rows that hand nothing over compete for the best.
    ranges : Ranges
        Where each field begins and ends.

    Examples
    --------
    >>> Explore().fields, Explore(y=None).fields
    (('prompt_tokens', 'bandwidth_gb_s'), ('prompt_tokens',))
    """

    x: AxisField = Field("prompt_tokens", title="Across", description=OF)
    y: AxisField | None = Field("bandwidth_gb_s", title="Up", description=OF)
    quantity: Quantity = Field("ttft_ms", title="Shown", description="Of one request, nothing else running.")
    count: Annotated[int, Field(ge=2, le=1000)] = Field(
        60, title="Values of a field", description="The CSV has every point, the picture a part."
    )
    share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = Field(
        0.1,
        title="Line at a share",
        description="Where the handoff is this share of TTFT, the picture has a line.",
    )
    aggregated: bool = Field(
        False,
        title="Aggregated rows too",
        description="One request on an idle system is always first where nothing is handed over; what "
        "splitting brings is inter-token latency, on the Deployments page.",
    )
    ranges: Ranges = Ranges()

    @model_validator(mode="after")
    def _two_fields(self) -> Self:
        if self.x == self.y:
            raise InputError("y", self.y, "is already the field across", "Choose another field, or none.")
        return self

    @property
    def fields(self) -> tuple[AxisField, ...]:
        """Fields along the axes."""
        return (self.x,) if self.y is None else (self.x, self.y)

    def ends(self, name: str) -> Ends:
        """Return the range of a field."""
        found: Ends = getattr(self.ranges, name)
        return found
