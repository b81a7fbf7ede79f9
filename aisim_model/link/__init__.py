"""Time on the link: rival models of one transfer side by side, each over floats or arrays.

The first argument may be a float or an array of float64; the others broadcast against it. Nothing here
checks its inputs: bounds stand in the scenario. `handoff.transfer_delay_ms` is the *reference* rival.
"""

from aisim_model.link.bandwidth import GPUS_PER_NODE, LinkScope, effective_bandwidth_gb_s, lanes
from aisim_model.link.overlap import (
    Overlap,
    chunk_overlap_exposed_ms,
    layer_overlap_exposed_ms,
    scheduled_overlap_exposed_ms,
)
from aisim_model.link.wire import (
    KV_TENSORS_PER_LAYER,
    PrefixCredit,
    calibrated_ms,
    descriptors_per_rank,
    destination_missing_tokens,
)

__all__ = [
    "GPUS_PER_NODE",
    "KV_TENSORS_PER_LAYER",
    "LinkScope",
    "Overlap",
    "PrefixCredit",
    "calibrated_ms",
    "chunk_overlap_exposed_ms",
    "descriptors_per_rank",
    "destination_missing_tokens",
    "effective_bandwidth_gb_s",
    "lanes",
    "layer_overlap_exposed_ms",
    "scheduled_overlap_exposed_ms",
]
