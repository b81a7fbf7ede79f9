"""The parts of a TTFT, listed once: what each is called, and the resource that it uses or waits for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from aisim_model.arrays import Values, unboxed

Resource = Literal["prefill", "link", "decode", "orchestration"]


def _part(label: str, resource: Resource, waits: bool = False) -> dict[str, Any]:
    return {"label": label, "resource": resource, "waits": waits}


@dataclass(frozen=True)
class TtftBreakdown:
    """The parts of a TTFT, in the order in which they pass [ms]; each a float or an array.

    Parameters
    ----------
    queue_ms, prefill_ms, orchestration_ms, reservation_ms, link_queue_ms, transfer_ms, activation_ms
        What passes before the decode worker can go on; `transfer_ms` is the exposed part.
    decode_step_ms
        The step that makes the first token, where the decode worker makes it.

    Examples
    --------
    >>> TtftBreakdown(prefill_ms=400.0, transfer_ms=16.0, decode_step_ms=7.0).ttft_ms
    423.0
    """

    queue_ms: Values = field(default=0.0, metadata=_part("Queue", "prefill", waits=True))
    prefill_ms: Values = field(default=0.0, metadata=_part("Prefill", "prefill"))
    orchestration_ms: Values = field(default=0.0, metadata=_part("Orchestration", "orchestration"))
    reservation_ms: Values = field(default=0.0, metadata=_part("Reservation", "decode", waits=True))
    link_queue_ms: Values = field(default=0.0, metadata=_part("Link queue", "link", waits=True))
    transfer_ms: Values = field(default=0.0, metadata=_part("Transfer", "link"))
    activation_ms: Values = field(default=0.0, metadata=_part("Activation", "decode", waits=True))
    decode_step_ms: Values = field(default=0.0, metadata=_part("First decode step", "decode"))

    @property
    def ttft_ms(self) -> Values:
        """The sum of the parts [ms]; NaN where a part is not known."""
        total: Values = 0.0
        for part in PARTS:
            total = total + getattr(self, part.name)
        return total

    @property
    def handoff_ms(self) -> Values:
        """What the handoff adds: all between the end of prefill and the decode worker's step [ms]."""
        return (
            self.orchestration_ms
            + self.reservation_ms
            + self.link_queue_ms
            + self.transfer_ms
            + self.activation_ms
        )


@dataclass(frozen=True)
class Part:
    """A part of a TTFT.

    Parameters
    ----------
    name : str
        Its column, in milliseconds.
    label : str
        What a chart or a table calls it.
    resource : {"prefill", "link", "decode", "orchestration"}
        What it uses or waits for.
    waits : bool
        Whether the request waits in it, and nothing is done for it.
    """

    name: str
    label: str
    resource: Resource
    waits: bool


def share_of_ttft(handoff_ms: Values, ttft_ms: Values) -> Values:
    """Share of a TTFT that its handoff is [-]; 0 of no time, NaN where a time is not known.

    Examples
    --------
    >>> share_of_ttft(16.0, 400.0), share_of_ttft(0.0, 0.0)
    (0.04, 0.0)
    """
    total = np.asarray(ttft_ms)
    share: Values = np.divide(handoff_ms, total, out=np.zeros(total.shape), where=total != 0)
    return unboxed(share)


PARTS = tuple(Part(name=one.name, **one.metadata) for one in fields(TtftBreakdown))
"""The parts in the order in which they pass; they add up to the TTFT."""

PART_NAMES = tuple(part.name for part in PARTS)
