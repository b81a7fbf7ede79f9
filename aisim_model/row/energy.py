"""What a row draws: watts of its GPUs, idle and busy apart, and energy for its tokens. All of it estimates.

A busy GPU is taken to draw all that its catalogue entry allows, an upper bound; an idle one with a model
loaded `IDLE_SHARE` of it. Hosts, networks and cooling come on top and are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from aisim_model.catalog import Gpu
from aisim_model.row.load import Load
from aisim_model.row.resolved import ResolvedRow

IDLE_SHARE = 0.15  # an assumption: 70 W of 700 asleep, more with clocks up and a model loaded
W_PER_KW, J_PER_KWH, TOKENS_PER_MILLION = 1e3, 3.6e6, 1e6


@dataclass(frozen=True)
class Energy:
    """Power of a row, and energy of its tokens at a load.

    Parameters
    ----------
    idle_watts : float
        Of all its GPUs with nothing to do [W]; NaN where a GPU's power isn't known.
    busy_watts : float
        What the load adds to it [W].
    tokens_per_s : float
        Output tokens at that load [tokens/s].
    usd_per_kwh : float or None
        Price of energy [USD/kWh]; None where it isn't given.
    """

    idle_watts: float
    busy_watts: float
    tokens_per_s: float
    usd_per_kwh: float | None = None

    @property
    def watts(self) -> float:
        """Of all its GPUs at the load [W]."""
        return self.idle_watts + self.busy_watts

    @property
    def tokens_per_joule(self) -> float:
        """Output tokens for a joule [1/J]; 0 without a load, NaN where no power is known."""
        return self.tokens_per_s / self.watts

    @property
    def kwh_per_million_tokens(self) -> float:
        """Energy of a million output tokens [kWh]; infinite without a load, NaN where no power is known.

        Examples
        --------
        1,000 W for 1,000 tokens a second: a joule each.

        >>> round(Energy(400.0, 600.0, 1000.0).kwh_per_million_tokens, 4)
        0.2778
        """
        if math.isnan(self.watts):
            return math.nan
        return (
            self.watts / self.tokens_per_s * TOKENS_PER_MILLION / J_PER_KWH if self.tokens_per_s else math.inf
        )

    @property
    def usd_per_million_tokens(self) -> float:
        """Price of that energy [USD]; NaN where no price is given."""
        return math.nan if self.usd_per_kwh is None else self.usd_per_kwh * self.kwh_per_million_tokens


def energy(x: ResolvedRow, load: Load, output_tokens: float) -> Energy:
    """Work out what a row draws at a load.

    Parameters
    ----------
    x : ResolvedRow
        The row.
    load : Load
        Its load, by the estimate; more than it carries counts as what it carries.
    output_tokens : float
        Tokens of an answer [-].

    Examples
    --------
    Eight H200 of 700 W, idle:

    >>> from aisim_model.row.load import service, under_load
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> x = resolve(Workload(), Deployment(id="a", name="a"))
    >>> round(energy(x, under_load(service(x, 340), 0.0), 340).watts)
    840
    """
    row = x.row
    sides: tuple[tuple[Gpu, int, float], ...]
    if row.split:
        sides = (
            (x.gpu, row.gpus_of("prefill"), float(load.prefill_utilisation)),
            (x.decode_gpu, row.gpus_of("decode"), float(load.decode_utilisation)),
        )
    else:
        sides = ((x.gpu, row.gpus, float(load.prefill_utilisation) + float(load.decode_utilisation)),)
    idle = sum(_watts(gpu) * count for gpu, count, _ in sides) * IDLE_SHARE
    busy = sum(
        _watts(gpu) * count * (1.0 - IDLE_SHARE) * min(max(share, 0.0), 1.0) for gpu, count, share in sides
    )
    carried = load.arrivals_per_s / max(float(load.utilisation), 1.0)
    return Energy(idle, busy, float(carried) * output_tokens, row.usd_per_kwh)


def _watts(gpu: Gpu) -> float:
    return math.nan if gpu.watts is None else gpu.watts
