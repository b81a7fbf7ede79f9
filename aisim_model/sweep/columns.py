"""What a sweep says of each point: the columns, by the scalar model's own functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from aisim_model.inputs import Inputs
from aisim_model.ttft import TtftBreakdown, breakdown, handoff, sent_tokens, wire_bytes

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
)
DTYPES = MappingProxyType({"sent_tokens": np.int64, "meets_ttft_slo": np.bool_})  # float64 where not here


@dataclass(frozen=True)
class PerToken:
    """A byte curve that only grows, for many bytes per token at once.

    Parameters
    ----------
    per_token_bytes : array of float64
        Bytes of one token [B].
    """

    per_token_bytes: npt.NDArray[np.float64]

    def state_bytes(self, tokens: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return no bytes beside those of the tokens, as `KvCurve.state_bytes` has them [B]."""
        return np.zeros(tokens.shape)


@dataclass(frozen=True)
class Columns:
    """Columns of a sweep, each worked out when it is asked for, no larger than what it depends on.

    Parameters
    ----------
    x : Inputs
        A resolved row, its numbers arrays of a mesh.
    ttft_slo_ms : float or array
        Target of TTFT [ms].
    """

    x: Inputs
    ttft_slo_ms: Any

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
        return self.parts.prefill_ms

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
        return self.parts.decode_step_ms

    @cached_property
    def ttft_ms(self) -> Any:
        """Time to first token [ms]."""
        return self.parts.ttft_ms

    @property
    def handoff_share(self) -> Any:
        """Share of TTFT that the handoff is [-]; 0 where it falls after the first token."""
        if self.falls_later:
            return 0.0
        total = np.asarray(self.ttft_ms)
        return np.divide(self.handoff_ms, total, out=np.zeros(total.shape), where=total != 0)

    @property
    def meets_ttft_slo(self) -> Any:
        """Whether TTFT is within its target."""
        return np.less_equal(self.ttft_ms, self.ttft_slo_ms)
