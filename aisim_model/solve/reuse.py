"""Load or recompute: a prefix's KV out of a storage tier against prefilling its tokens again."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import Values
from aisim_model.catalog import Tier
from aisim_model.link import calibrated_ms, lanes
from aisim_model.row.resolved import ResolvedRow
from aisim_model.row.ttft import curve_bytes, prefill_ms

STEPS = 512
LONGEST_TOKENS = 131_072  # where a model's config says none


@dataclass(frozen=True)
class Reuse:
    """From which prefix on loading its KV takes less time than computing it.

    Parameters
    ----------
    answer : {"found", "always", "never"}
        ``always``: from the first token on. ``never``: for no prefix up to the longest that was asked for.
    from_tokens : int or None
        The shortest prefix that loads faster [tokens]; None where none does.
    """

    answer: Literal["found", "always", "never"]
    from_tokens: int | None


def load_ms(x: ResolvedRow, prefix_tokens: Values, tier: Tier) -> Values:
    """Time to bring a prefix's KV from a tier to a prefill worker [ms].

    ``start-up + bytes / bandwidth``: the bytes that the worker's ranks hold, which load side by side as far
    as the tier's bandwidth is per GPU or per NIC.

    Parameters
    ----------
    x : ResolvedRow
        The row whose prefill workers load.
    prefix_tokens : float or array of float64
        Tokens of the prefix [-].
    tier : Tier
        Where its KV lies.

    Examples
    --------
    >>> from aisim_model.catalog import tier
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> row = Deployment(id="a", name="One GPU", kind="aggregated", prefill_tp=1)
    >>> round(load_ms(resolve(Workload(model_id="llama-3.1-8b"), row), 10_000.0, tier("host-pcie5")), 3)
    26.214
    """
    ranks = x.row.side("prefill").group_gpus
    ways = lanes(tier.scope, ranks, ranks, x.row.nics_per_gpu, x.row.gpus_per_node)
    held = curve_bytes(x.held_prefill, prefix_tokens)
    return calibrated_ms(held, tier.bandwidth_gb_s * ways, tier.start_up_ms)


def recompute_ms(x: ResolvedRow, prefix_tokens: Values) -> Values:
    """Time to prefill a prefix of which nothing is cached, by the row's own time of a pass [ms]."""
    return prefill_ms(replace(x, prompt_tokens=prefix_tokens, prefill_cached_tokens=prefix_tokens * 0.0))


def loads_faster_from(x: ResolvedRow, tier: Tier, longest_tokens: int) -> Reuse:
    """Find the shortest prefix whose KV is loaded in less time than it is computed.

    Both times rise with the prefix, in steps where a pass begins, and may cross more than once: the first
    crossing is the answer, sought over a grid and then to the token.

    Parameters
    ----------
    x : ResolvedRow
        The row whose prefill workers load or compute.
    tier : Tier
        Where the KV lies.
    longest_tokens : int
        The longest prefix to look at [tokens], at least 1.

    Examples
    --------
    >>> from aisim_model.catalog import tier
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> row = Deployment(id="a", name="One GPU", kind="aggregated", prefill_tp=1)
    >>> loads_faster_from(resolve(Workload(), row), tier("host-pcie5"), 100_000).answer
    'always'
    """
    grid = np.unique(np.geomspace(1.0, float(longest_tokens), STEPS).round())

    def faster(tokens: Values) -> npt.NDArray[np.bool_]:
        return np.asarray(load_ms(x, tokens, tier) < recompute_ms(x, tokens))

    won = np.broadcast_to(faster(grid), grid.shape)
    if not won.any():
        return Reuse("never", None)
    first = int(won.argmax())
    if first == 0:
        return Reuse("always", 1)
    low, high = int(grid[first - 1]) + 1, int(grid[first])
    inside = bisect_left(range(low, high), True, key=lambda tokens: bool(faster(float(tokens))))
    return Reuse("found", low + inside)
