"""The frontier: tokens a second that a user sees over those that a GPU makes, of layouts at several loads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aisim_model.row.load import Service, under_load
from aisim_model.row.targets import reached
from aisim_model.scenario import Workload
from aisim_model.units import MS_PER_S

LOADS = (0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.96)  # shares of what a layout carries

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Points:
    """Layouts at a load each; arrays of one element a point.

    Parameters
    ----------
    tokens_per_s_user : array of float64
        Output tokens a second of one request, by the mean ITL [tokens/s].
    tokens_per_s_gpu : array of float64
        Output tokens a second of all requests, for each GPU [tokens/s].
    arrivals_per_s : array of float64
        The load [requests/s].
    order : array of int
        Place of the layout in the order of the search [-].
    """

    tokens_per_s_user: Floats
    tokens_per_s_gpu: Floats
    arrivals_per_s: Floats
    order: npt.NDArray[np.int64]

    def taken(self, which: npt.NDArray[np.intp]) -> Points:
        """Return some of the points."""
        return Points(*(values[which] for values in vars(self).values()))


def points(
    served: Service,
    most_per_s: Floats,
    gpus: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    workload: Workload,
) -> Points:
    """Return the best points of stacked layouts, of the loads at which TTFT meets its target.

    Parameters
    ----------
    served : Service
        The layouts, stacked.
    most_per_s : array of float64
        What each carries [requests/s].
    gpus, order : array of int
        GPUs of each, and its place in the search [-].
    workload : Workload
        For the target of TTFT and the tokens of an answer.
    """
    found = []
    for share in LOADS:
        with np.errstate(all="ignore"):
            rate = share * most_per_s
            load = under_load(served, rate)
            ttft_ms = reached(served, load, workload).ttft_ms
            users = np.broadcast_to(MS_PER_S / np.asarray(load.itl_ms, dtype=np.float64), rate.shape)
            made = rate * workload.mean_output_tokens / gpus
            there = np.flatnonzero((ttft_ms <= workload.ttft_slo_ms) & (users > 0) & np.isfinite(users))
        found.append(best(Points(users[there], made[there], rate[there], order[there])))
    return best(joined(found))


def joined(parts: list[Points]) -> Points:
    """Return the points of all parts."""
    return Points(
        *(np.concatenate(values) for values in zip(*(vars(one).values() for one in parts), strict=True))
    )


def best(found: Points) -> Points:
    """Return the points that no other beats on both, the most tokens a GPU first.

    Examples
    --------
    >>> ones = np.ones(3)
    >>> best(Points(np.array([1.0, 2.0, 1.5]), np.array([9.0, 3.0, 2.0]), ones, ones)).tokens_per_s_user
    array([1., 2.])
    """
    order = np.lexsort((-found.tokens_per_s_user, -found.tokens_per_s_gpu))
    users = found.tokens_per_s_user[order]
    ahead = users > np.concatenate(([-np.inf], np.maximum.accumulate(users)[:-1]))
    return found.taken(order[ahead])
