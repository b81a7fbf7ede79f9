"""How many links one handoff uses side by side, and so its bandwidth in all."""

from __future__ import annotations

from typing import Literal

from aisim_model.arrays import Values, count_pieces

LinkScope = Literal["nic", "gpu", "node"]

GPUS_PER_NODE = 8


def lanes(
    scope: LinkScope,
    prefill_tp: int,
    decode_tp: int,
    nics_per_gpu: float = 1.0,
    gpus_per_node: int = GPUS_PER_NODE,
    copies: int | None = None,
) -> float:
    """Count the links that one handoff uses side by side.

    The smaller side's ranks send in parallel, ``r = min(prefill_tp, decode_tp)``: ``r * nics_per_gpu`` for
    a link rated per NIC, ``r`` per GPU, ``ceil(r / gpus_per_node)`` per node.

    Parameters
    ----------
    scope : {"nic", "gpu", "node"}
        What the link's bandwidth is rated for.
    prefill_tp, decode_tp : int
        Tensor parallelism of a prefill and of a decode worker [ranks].
    nics_per_gpu : float
        NICs of a GPU [-]; 0.25 is one NIC for four GPUs.
    gpus_per_node : int
        GPUs of a node [-].
    copies : int, optional
        Whole copies sent in place of shards (an MLA latent): a copy uses one rank's lanes, so more
        ranks never shorten it. One copy broadcast on arrival is ``copies=1``.

    Returns
    -------
    float
        Links in parallel [-].

    Examples
    --------
    >>> lanes("nic", 4, 8), lanes("nic", 4, 4, nics_per_gpu=0.25), lanes("node", 16, 16)
    (4.0, 1.0, 2.0)
    >>> lanes("nic", 8, 8, copies=1)
    1.0
    """
    ranks = min(prefill_tp, decode_tp) if copies is None else min(prefill_tp, decode_tp, copies)
    if scope == "node":
        return float(count_pieces(ranks, gpus_per_node))
    return ranks * nics_per_gpu if scope == "nic" else float(ranks)


def effective_bandwidth_gb_s(
    link_gb_s: Values,
    scope: LinkScope,
    prefill_tp: int,
    decode_tp: int,
    nics_per_gpu: float = 1.0,
    gpus_per_node: int = GPUS_PER_NODE,
    copies: int | None = None,
) -> Values:
    """Bandwidth that one handoff gets in all: the link's times its `lanes` [GB/s, one direction].

    Parameters
    ----------
    link_gb_s : float or array of float64
        Bandwidth of one link [GB/s, decimal, one direction].
    scope, prefill_tp, decode_tp, nics_per_gpu, gpus_per_node, copies
        As in `lanes`.

    Examples
    --------
    Llama-3.1-70B, 8,192 tokens of 327,680 bytes over 400G NICs, TP1 to TP4 and TP8 to TP8:

    >>> from aisim_model.handoff import transfer_delay_ms
    >>> [
    ...     round(transfer_delay_ms(8192.0, 327_680.0, 0.0, effective_bandwidth_gb_s(50.0, "nic", p, d)), 2)
    ...     for p, d in ((1, 4), (8, 8))
    ... ]
    [53.69, 6.71]
    """
    return link_gb_s * lanes(scope, prefill_tp, decode_tp, nics_per_gpu, gpus_per_node, copies)
