"""How many requests a second each resource of a row can carry: prefill, link and decode.

A first estimate without a trace: requests all like the workload's, resources that never wait for each other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import decode_step_ms, prefill_ms, transfer_ms
from aisim_model.units import MS_PER_S

MAX_SEQUENCES = 4096


@dataclass(frozen=True)
class Capacity:
    """Requests a second that each resource carries when it never idles; infinite where it isn't used.

    Parameters
    ----------
    prefill_per_s, link_per_s, decode_per_s : float
        Of all the row's workers [requests/s]. In an aggregated row prefill and decode are the same workers:
        both hold what they carry together.
    decode_sequences : int
        Sequences that one decode worker runs at a time: what its pool holds within the SLO on ITL.
    """

    prefill_per_s: float
    link_per_s: float
    decode_per_s: float
    decode_sequences: int

    @property
    def busiest(self) -> str:
        """The resource that is full first."""
        carried = {"prefill": self.prefill_per_s, "link": self.link_per_s, "decode": self.decode_per_s}
        return min(carried, key=carried.__getitem__)

    @property
    def requests_per_s(self) -> float:
        """What the row carries: the least of the three [requests/s]."""
        return min(self.prefill_per_s, self.link_per_s, self.decode_per_s)


def decode_sequences(x: ResolvedRow, itl_slo_ms: float, output_tokens: int) -> int:
    """Count the sequences that a decode worker runs at a time: its pool holds them and a step meets the SLO.

    At least 1 where one fits the pool, even when its step misses the SLO.
    """
    context = float(x.prompt_tokens) + output_tokens
    if not x.pool_tokens >= context:
        return 0
    low, high = 1, int(min(MAX_SEQUENCES, x.pool_tokens // context))
    while low < high:
        middle = (low + high + 1) // 2
        meets = decode_step_ms(x, context, float(middle)) <= itl_slo_ms
        low, high = (middle, high) if meets else (low, middle - 1)
    return low


def capacity(x: ResolvedRow, itl_slo_ms: float, output_tokens: int) -> Capacity:
    """Estimate what each resource of a row carries.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones.
    itl_slo_ms : float
        Service level on inter-token latency [ms].
    output_tokens : int
        Tokens of an answer [-].

    Returns
    -------
    Capacity
        Requests a second by resource; decode 0 where not even one request fits the pool.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> capacity(resolve(example.workload, example.selected), 25.0, 340).busiest
    'prefill'
    """
    sequences = decode_sequences(x, itl_slo_ms, output_tokens)
    computed_ms = prefill_ms(x)
    step_ms = decode_step_ms(x, float(x.prompt_tokens) + output_tokens, float(max(sequences, 1)))
    decoded_ms = output_tokens * step_ms / sequences if sequences else math.inf
    if not x.row.split:
        together = _per_s(computed_ms + decoded_ms, x.row.prefill_workers)
        return Capacity(together, math.inf, together, sequences)
    sent_ms = transfer_ms(x)
    links = min(x.row.prefill_workers, x.row.decode_workers)
    return Capacity(
        prefill_per_s=_per_s(computed_ms, x.row.prefill_workers),
        link_per_s=0.0 if math.isnan(sent_ms) else _per_s(sent_ms, links),
        decode_per_s=_per_s(decoded_ms, x.row.decode_workers),
        decode_sequences=sequences,
    )


def _per_s(service_ms: float, servers: int) -> float:
    return servers * MS_PER_S / service_ms if service_ms > 0 else math.inf
