"""What a worker's ranks send each other in a pass: collectives of a group, exchanges between DP groups."""

from __future__ import annotations

import numpy as np

from aisim_model.arrays import Values
from aisim_model.models.shape import Shape
from aisim_model.passes.constants import Constants
from aisim_model.passes.speeds import Speeds
from aisim_model.units import BYTES_PER_TB, MS_PER_S

COLLECTIVES_PER_LAYER = 2.0  # after attention and after the MLP
ACTIVATION_BYTES = 2.0  # bf16
FP8_BYTES = 1.0  # what a token is dispatched in where experts multiply in eight bits or fewer
EXCHANGES_PER_LAYER = 2.0  # dispatch and combine


def links(
    shape: Shape, speeds: Speeds, constants: Constants, tensor: Values, data: Values, expert: Values
) -> tuple[Values, Values]:
    """Return the floor with the collectives' start-ups [us], and their time for each token of a group [ms].

    Across nodes both are slower by what a NIC is slower than the link inside. With several DP groups only
    what is shared within one is a collective; each layer of experts exchanges tokens between the groups.
    """
    ranks = tensor * data
    grouped = data > 1.0
    shared = np.where(grouped, tensor, ranks) if np.any(grouped) else ranks
    exchanged = shape.expert_layers * grouped
    collectives = (COLLECTIVES_PER_LAYER * shape.layers - exchanged) * (shared > 1.0)
    slower = np.maximum(speeds.nvlink_tb_s / speeds.nic_tb_s, 1.0)
    times = 1.0 + (slower - 1.0) * (shared > speeds.nvlink_gpus)
    layers_us = shape.layers * constants.layer_us + shape.expert_layers * constants.expert_layer_us
    floor_us = layers_us * constants.engine_floor + collectives * constants.collective_us * times
    sent_bytes = shape.hidden_size * ACTIVATION_BYTES * 2.0 * (shared - 1.0) / shared
    link = speeds.nvlink_tb_s * BYTES_PER_TB * constants.link_share
    token_ms = collectives * sent_bytes / link * times * MS_PER_S
    if not np.any(grouped):
        return floor_us, token_ms
    floor_us = floor_us + exchanged * EXCHANGES_PER_LAYER * constants.collective_us
    return floor_us, token_ms + exchanged * _exchange_ms(shape, speeds, constants, tensor, data, expert)


def _exchange_ms(
    shape: Shape, speeds: Speeds, constants: Constants, tensor: Values, data: Values, expert: Values
) -> Values:
    """Return what a layer's dispatch and combine take for each token of a group [ms].

    Experts dealt out whole: a token goes once to each rank, and across nodes once to each node, that has any
    of those it chose, ``(ranks - 1) (1 - (1 - 1/ranks)^chosen)`` of them; the NICs and the links inside work
    at a time, and each rank of a group sends its share. Experts in slices: every rank gets the tokens of all
    groups, and sends what it made of them back.
    """
    ranks = tensor * data
    nodes = np.maximum(np.ceil(ranks / speeds.nvlink_gpus), 1.0)
    near_s = 1.0 / (speeds.nvlink_tb_s * BYTES_PER_TB * constants.link_share)
    far_s = 1.0 / (speeds.nic_tb_s * BYTES_PER_TB * constants.exchange_share)
    sent = np.where(speeds.expert_bytes <= 1.0, FP8_BYTES, ACTIVATION_BYTES) + ACTIVATION_BYTES
    near, far = (
        (places - 1.0) * (1.0 - (1.0 - 1.0 / places) ** shape.chosen_experts)
        for places in (np.maximum(expert, 1.0), nodes)
    )
    dealt_s = shape.hidden_size * sent * np.maximum(near * near_s, far * far_s) / tensor
    gathered = 2.0 * ACTIVATION_BYTES * (ranks - 1.0) / ranks * data
    slices_s = shape.hidden_size * gathered * np.where(nodes > 1.0, far_s, near_s)
    return np.where(expert > 1.0, dealt_s, slices_s) * MS_PER_S
