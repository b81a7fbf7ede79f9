"""The results of the deployments as tables for people: one view a question, over the same exact table."""

from __future__ import annotations

from types import MappingProxyType

from aisim_model.compare.columns import COST, MEMORY, ONE_REQUEST, UNDER_LOAD

VIEWS = MappingProxyType(
    {
        "One request": ONE_REQUEST,
        "Under load (estimate)": UNDER_LOAD,
        "Memory": MEMORY,
        "Cost and rank": COST,
    }
)
SAYS = MappingProxyType(
    {
        "One request": "One request, nothing else running.",
        "Under load (estimate)": (
            "Means, if requests like this one arrive at random: queues M/D/1 or M/D/c, decoding by Little's "
            "law, the tail of an aggregated row's ITL one mixed pass. Traffic replays each request."
        ),
        "Memory": (
            "Of a worker: weights, and a KV pool in what is left of the share of HBM that may be filled. "
            "Weights of a model whose size isn't known count as none."
        ),
        "Cost and rank": (
            "All GPUs of the row, busy or not, at the most load that meets both SLOs by the estimate under "
            "load; only tokens of answers count. Prices are list prices where the row has none of its own."
        ),
    }
)
