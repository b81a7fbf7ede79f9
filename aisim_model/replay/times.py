"""Time of a pass as numbers that compiled code can use, so that any model of prefill and decode fits."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from aisim_model.errors import InputError
from aisim_model.replay.layout import MOST_POINTS, SETTINGS
from aisim_model.units import MS_PER_S

if TYPE_CHECKING:
    from aisim_model.replay.compiled import Records

Coefficient = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]
Positive = Annotated[float, Field(ge=0.0, le=1e15, allow_inf_nan=False)]

INSTANT_STEP_MS = 1e-6  # one nanosecond, the shortest step that still has a length


class PrefillTime(BaseModel):
    """Time that the new prompt tokens of one pass take, rounded to whole nanoseconds.

    ``max(squared * T^2 + per_token * T + constant + attended * A, floor + floor_context * K)`` with T the new
    tokens of the pass, A the sum over its prompts of (tokens reached^2 - tokens there before^2), twice the
    token pairs that attention looks at, and K the sum of tokens reached. Or a table over T.

    Parameters
    ----------
    constant_ms : float
        Time of any pass [ms].
    per_token_ms, squared_ms : float
        Times T and times T^2 [ms].
    attended_ms : float
        Times A [ms].
    floor_ms, floor_context_ms : float
        What a pass takes at least, and times K [ms]: reading weights and KV.
    table : tuple of (float, float)
        Points (tokens, ms) to read between; where given, they stand instead of all of the above.

    Examples
    --------
    >>> PrefillTime.rate(20_000).pass_ms(1000)
    50.0
    >>> PrefillTime.polynomial().pass_ms(8192)
    169.136918
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    constant_ms: Coefficient = 0.0
    per_token_ms: Coefficient = 0.0
    squared_ms: Coefficient = 0.0
    attended_ms: Coefficient = 0.0
    floor_ms: Positive = 0.0
    floor_context_ms: Positive = 0.0
    table: Annotated[tuple[tuple[Positive, Positive], ...], Field(max_length=MOST_POINTS)] = ()

    @model_validator(mode="after")
    def _table_rises(self) -> Self:
        tokens = [point[0] for point in self.table]
        if any(after <= before for before, after in pairwise(tokens)):
            raise InputError(
                "table", tokens, "must rise from one token count to the next", "Sort its points."
            )
        times = [point[1] for point in self.table]
        if len(times) > 1 and times[-1] < times[-2]:
            raise InputError("table", times[-2:], "must not fall at its end, where it is extrapolated")
        return self

    @classmethod
    def polynomial(cls) -> Self:
        """Return the reference engine's polynomial, which knows no model."""
        return cls(squared_ms=4.209989e-07, per_token_ms=1.518344e-02, constant_ms=1.650142e01)

    @classmethod
    def fixed(cls, pass_ms: float) -> Self:
        """Return a time that is the same for every pass [ms]."""
        return cls(constant_ms=pass_ms)

    @classmethod
    def rate(cls, tokens_per_s: float) -> Self:
        """Return a time in proportion to the tokens [1/s].

        Raises
        ------
        InputError
            For a rate that isn't above 0 and finite.
        """
        if not (tokens_per_s > 0.0 and np.isfinite(tokens_per_s)):
            raise InputError(
                "tokens_per_s", tokens_per_s, "must be above 0 and finite", "Enter a token rate."
            )
        return cls(per_token_ms=MS_PER_S / tokens_per_s)

    @property
    def is_additive(self) -> bool:
        """Whether passes of one prompt take together what one pass of all its tokens would."""
        return (
            not self.table
            and self.constant_ms == self.squared_ms == self.floor_ms == self.floor_context_ms == 0.0
        )

    def pass_ms(self, tokens: float, cached_tokens: float = 0.0) -> float:
        """Return the time of a pass of one prompt.

        Parameters
        ----------
        tokens : float
            New tokens [-].
        cached_tokens : float
            Tokens of the prompt that are there already [-].

        Returns
        -------
        float
            Time [ms].
        """
        from aisim_model.replay.timing import prefill_ms

        settings = settings_of_times(self, DecodeTime.instant())
        reached = cached_tokens + tokens
        attended = reached * reached - cached_tokens * cached_tokens
        return float(prefill_ms(settings[0], tokens, attended, reached))


class DecodeTime(BaseModel):
    """Time of a pass that gives each of n sequences one token, rounded to whole nanoseconds.

    ``max(share_squared * p^2 + share * p + constant + per_sequence * n + per_context_token * c, floor)`` with
    c the tokens that the sequences hold together and p = c over the tokens of the worker's pool, at most 1.

    Parameters
    ----------
    constant_ms : float
        Time of any step [ms].
    per_sequence_ms, per_context_token_ms : float
        Times n and times c [ms].
    share_ms, share_squared_ms : float
        Times p and times p^2 [ms].
    floor_ms : float
        What a step takes at least [ms].

    Examples
    --------
    >>> DecodeTime.fixed(5.0).is_constant, DecodeTime.polynomial().is_constant
    (True, False)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    constant_ms: Positive = 0.0
    per_sequence_ms: Positive = 0.0
    per_context_token_ms: Positive = 0.0
    share_ms: Coefficient = 0.0
    share_squared_ms: Coefficient = 0.0
    floor_ms: Positive = 0.0

    @classmethod
    def polynomial(cls) -> Self:
        """Return the reference engine's polynomial over the used share of the pool."""
        return cls(share_squared_ms=-25.74, share_ms=54.01, constant_ms=5.74, floor_ms=1.0)

    @classmethod
    def fixed(cls, step_ms: float) -> Self:
        """Return a step that is always the same [ms]."""
        return cls(constant_ms=step_ms)

    @classmethod
    def instant(cls) -> Self:
        """Return a step that is as good as none: one nanosecond."""
        return cls(constant_ms=INSTANT_STEP_MS)

    @property
    def is_constant(self) -> bool:
        """Whether every step takes the same time."""
        return not (
            self.per_sequence_ms or self.per_context_token_ms or self.share_ms or self.share_squared_ms
        )


def settings_of_times(prefill: PrefillTime, decode: DecodeTime) -> Records:
    """Return one settings record with the numbers of the two times, and a pool of one token."""
    settings = np.zeros(1, SETTINGS).view(np.recarray)
    record = settings[0]
    record.prefill_constant, record.prefill_per_token = prefill.constant_ms, prefill.per_token_ms
    record.prefill_squared, record.prefill_attended = prefill.squared_ms, prefill.attended_ms
    record.prefill_floor, record.prefill_floor_context = prefill.floor_ms, prefill.floor_context_ms
    record.decode_constant, record.decode_per_sequence = decode.constant_ms, decode.per_sequence_ms
    record.decode_per_context, record.decode_floor = decode.per_context_token_ms, decode.floor_ms
    record.decode_share, record.decode_share_squared = decode.share_ms, decode.share_squared_ms
    record.pool_tokens = 1.0
    record.points = len(prefill.table)
    for point, (tokens, time_ms) in enumerate(prefill.table):
        record.table_tokens[point], record.table_ms[point] = tokens, time_ms
    return settings
