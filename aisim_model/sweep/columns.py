"""What a sweep says of each point: the columns, by the scalar model's own functions.

A row that doesn't fit its GPUs has no times but those of the link, which ask for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import breakdown, curve_bytes, handoff, sent_tokens, wire_bytes
from aisim_model.sweep.loaded import LOADED, Loaded
from aisim_model.ttft_parts import TtftBreakdown, share_of_ttft

COLUMNS = (
    "sent_tokens",
    "wire_bytes",
    "prefill_ms",
    "transfer_ms",
    "handoff_ms",
    "decode_step_ms",
    "ttft_ms",
    "handoff_share",
    "meets_ttft_slo",
    "fits",
)
DTYPES = MappingProxyType(
    {"sent_tokens": np.int64, "meets_ttft_slo": np.bool_, "fits": np.bool_}
)  # float64 where not here


@dataclass(frozen=True)
class PerToken:
    """A byte curve that only grows, for many bytes per token at once.

    Parameters
    ----------
    per_token_bytes : array of float64
        Bytes of one token [B].
    """

    per_token_bytes: npt.NDArray[np.float64]

    fixed_bytes = recurrent_bytes = source_bytes = 0.0
    windowed = ()

    def state_bytes(self, tokens: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return no bytes beside those of the tokens, as `KvCurve.state_bytes` has them [B]."""
        return np.zeros(tokens.shape)


@dataclass(frozen=True)
class Columns:
    """Columns of a sweep, each worked out when it is asked for, no larger than what it depends on.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers arrays of a mesh.
    ttft_slo_ms : float or array
        Target of TTFT [ms].
    output_tokens : int
        Tokens of an answer, which a decode worker keeps beside the prompt [-].
    asked : dict or None
        Load and targets, as `Loaded` takes them; None for one request alone.
    """

    x: ResolvedRow
    ttft_slo_ms: Any
    output_tokens: int
    asked: dict[str, Any] | None = None

    @cached_property
    def loaded(self) -> Loaded:
        """What only a load has."""
        assert self.asked is not None  # else the sweep has no such columns
        return Loaded(self.x, self.output_tokens, self.asked)

    def values(self, name: str) -> Any:
        """Return one of the columns that the sweep has."""
        return self.loaded.column(name) if name in LOADED else getattr(self, name)

    @cached_property
    def parts(self) -> TtftBreakdown:
        """Parts of TTFT [ms]."""
        return breakdown(self.x)

    @cached_property
    def after_prefill(self) -> TtftBreakdown:
        """What lies between prefill and the decode worker's first token, whichever is shown first [ms]."""
        return handoff(self.x) if self.falls_later or "parts" not in vars(self) else self.parts

    @property
    def falls_later(self) -> bool:
        """Whether the first token that is shown doesn't wait for the handoff."""
        return self.x.profile.first_token_from == "prefill"

    @cached_property
    def fits(self) -> Any:
        """Whether every worker's KV pool holds a request, as `aisim_model.row.memory` has it."""
        x, row = self.x, self.x.row
        prompt = np.asarray(x.prompt_tokens)
        whole = prompt + self.output_tokens
        if row.pool_tokens is None:
            holds = curve_bytes(x.held_decode, whole) <= x.decode_room.pool_bytes
        else:
            holds = whole <= row.pool_tokens
        if not row.split:
            return holds
        if row.prefill_pool_tokens is not None:
            return holds & (prompt <= row.prefill_pool_tokens)
        return holds & (curve_bytes(x.held_prefill, prompt) <= x.prefill_room.pool_bytes)

    def _timed(self, time_ms: Any) -> Any:
        """Blank a time where the row doesn't fit."""
        return time_ms if np.all(self.fits) else np.where(self.fits, time_ms, np.nan)

    @property
    def sent_tokens(self) -> Any:
        """Tokens that cross the link [-]."""
        return np.asarray(sent_tokens(self.x)).astype(np.int64)

    @property
    def wire_bytes(self) -> Any:
        """Bytes that cross the link [B]."""
        return wire_bytes(self.x)

    @property
    def prefill_ms(self) -> Any:
        """Time to compute the prompt [ms]."""
        return self._timed(self.parts.prefill_ms)

    @property
    def transfer_ms(self) -> Any:
        """Time on the link that is not overlapped by prefill [ms]."""
        return self.after_prefill.transfer_ms

    @cached_property
    def handoff_ms(self) -> Any:
        """What the handoff adds, with orchestration [ms]."""
        return self.after_prefill.handoff_ms

    @property
    def decode_step_ms(self) -> Any:
        """Decode step that TTFT has in it [ms]."""
        return self._timed(self.parts.decode_step_ms)

    @cached_property
    def ttft_ms(self) -> Any:
        """Time to first token [ms]."""
        return self._timed(self.parts.ttft_ms)

    @property
    def handoff_share(self) -> Any:
        """Share of TTFT that the handoff is [-]; 0 where it falls after the first token."""
        if self.falls_later:
            return self._timed(0.0)
        return share_of_ttft(self.handoff_ms, self.ttft_ms)

    @property
    def meets_ttft_slo(self) -> Any:
        """Whether TTFT is within its target."""
        return np.less_equal(self.ttft_ms, self.ttft_slo_ms)
