"""How many requests a second each resource of a row can carry: the limits of the estimate under load."""

from __future__ import annotations

from dataclasses import dataclass

from aisim_model.row.service import Service


@dataclass(frozen=True)
class Capacity:
    """Requests a second that each resource carries when it is full; infinite where it isn't used.

    Parameters
    ----------
    prefill_per_s, link_per_s, decode_per_s : float
        Of all the row's workers [requests/s]. In an aggregated row prefill and decode are the same workers:
        both hold what they carry together.
    decode_sequences : int
        Sequences that one decode worker has room for, see `Service.most_sequences`.
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


def capacity(served: Service) -> Capacity:
    """Return what each resource of a row carries: the arrivals from which the estimate has it overloaded.

    Parameters
    ----------
    served : Service
        The row, from `aisim_model.row.load.service`.

    Returns
    -------
    Capacity
        Requests a second by resource; decode 0 where not even one request fits the pool.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.row.service import service
    >>> from aisim_model.scenario import Scenario
    >>> example = Scenario()
    >>> capacity(service(resolve(example.workload, example.selected), 340)).busiest
    'prefill'
    """
    together = served.decode_per_s
    return Capacity(
        prefill_per_s=served.prefill_per_s if served.x.row.split else together,
        link_per_s=served.link_per_s,
        decode_per_s=together,
        decode_sequences=int(served.most_sequences),
    )
