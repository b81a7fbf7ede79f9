"""What a row costs: all its GPUs by the hour, and a million tokens of answers at the most load it carries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from aisim_model.arrays import either, per
from aisim_model.row.resolved import ResolvedRow

S_PER_H = 3600.0
TOKENS_PER_MILLION = 1e6


@dataclass(frozen=True)
class Cost:
    """Price of a row.

    Parameters
    ----------
    usd_per_gpu_hour : float or None
        Price of one GPU [USD/h]; None where neither the row nor the catalogue has one.
    gpus : int
        GPUs of the row in all, prefill and decode workers [-].
    requests_per_s : float
        Most load within both service levels [requests/s].
    output_tokens : int
        Tokens of an answer [-].
    price_is : {"yours", "list price", "not known"}
        Where the price is from.
    """

    usd_per_gpu_hour: float | None
    gpus: int
    requests_per_s: float
    output_tokens: int
    price_is: str

    @property
    def usd_per_hour(self) -> float:
        """All the row's GPUs, busy or not [USD/h]; NaN where no price is known."""
        return math.nan if self.usd_per_gpu_hour is None else self.usd_per_gpu_hour * self.gpus

    @property
    def usd_per_million_output_tokens(self) -> float:
        """A million tokens of answers within both service levels [USD].

        Infinite where the row carries no load within them, NaN where no price is known.
        """
        return float(per_million(self.usd_per_hour, self.requests_per_s, self.output_tokens))

    @property
    def assumptions(self) -> str:
        """What the figure takes for granted, in a sentence."""
        return (
            f"All {self.gpus} GPUs, around the clock, at the most load that meets both service levels by the "
            f"estimate under load; only tokens of answers count; price: {self.price_is}."
        )


def per_million(usd_per_hour: Any, requests_per_s: Any, output_tokens: int) -> Any:
    """Price of a million tokens of answers [USD]: ``price / (requests * tokens * 3600) * 1e6``.

    Parameters
    ----------
    usd_per_hour : float or array
        Of all GPUs [USD/h].
    requests_per_s : float or array
        What they carry [requests/s].
    output_tokens : int
        Tokens of an answer [-].

    Examples
    --------
    Eight GPUs at 5.75 USD, two requests of 340 tokens a second: 46 USD for 2.448 million tokens.

    >>> round(per_million(46.0, 2.0, 340), 2)
    18.79
    >>> per_million(46.0, 0.0, 340)
    inf
    """
    none = either(usd_per_hour != usd_per_hour, math.nan, math.inf)
    price = per(usd_per_hour, requests_per_s * output_tokens * S_PER_H) * TOKENS_PER_MILLION
    return either(requests_per_s > 0.0, price, none)


def cost(x: ResolvedRow, requests_per_s: float, output_tokens: int) -> Cost:
    """Price a row at a load.

    Examples
    --------
    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment, Workload
    >>> cost(resolve(Workload(), Deployment(id="a", name="a")), 2.0, 340).usd_per_hour
    46.0
    """
    price, price_is = x.row.usd_per_gpu_hour, "yours"
    if price is None:
        price = x.gpu.usd_per_gpu_hour
        price_is = "not known" if price is None else "list price"
    return Cost(price, x.row.gpus, requests_per_s, output_tokens, price_is)
