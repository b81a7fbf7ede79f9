"""The load that is asked of a row, in words."""

from __future__ import annotations

from aisim_model.scenario import Workload
from aisim_ui.words import significant


def at_load(workload: Workload) -> str:
    """Say what is asked: arrivals, requests in flight, or one request.

    Examples
    --------
    >>> at_load(Workload()), at_load(Workload(arrivals_per_s=4)), at_load(Workload(requests_in_flight=64))
    ('for one request', 'at 4 requests/s', 'with 64 requests in flight')
    """
    if workload.requests_in_flight:
        many = workload.requests_in_flight != 1
        return f"with {workload.requests_in_flight:,} request{'s' if many else ''} in flight"
    if workload.arrivals_per_s:
        return f"at {significant(workload.arrivals_per_s)} requests/s"
    return "for one request"
