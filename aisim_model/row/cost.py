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
    usd_per_gpu_hour, decode_usd_per_gpu_hour : float or None
        Price of one GPU, of prefill (or aggregated) and of decode workers [USD/h]; None where neither the row
        nor the catalogue has one.
    gpus, decode_gpus : int
        GPUs of the row in all, and those of them in decode workers [-].
    requests_per_s : float
        Most load within both service levels [requests/s].
    output_tokens : int
        Tokens of an answer [-].
    price_is : {"yours", "list price", "yours and list price", "not known"}
        Where the price is from.
    """

    usd_per_gpu_hour: float | None
    decode_usd_per_gpu_hour: float | None
    gpus: int
    decode_gpus: int
    requests_per_s: float
    output_tokens: int
    price_is: str

    @property
    def usd_per_hour(self) -> float:
        """All the row's GPUs, busy or not [USD/h]; NaN where no price is known."""
        prices = self.usd_per_gpu_hour, self.decode_usd_per_gpu_hour
        return float(per_hour(*prices, self.gpus - self.decode_gpus, self.decode_gpus))

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


def per_hour(price: float | None, decode_price: float | None, gpus: Any, decode_gpus: Any) -> Any:
    """Price of a row's GPUs by kind, for one hour [USD/h]; NaN where a price isn't known.

    Examples
    --------
    >>> per_hour(5.0, 8.0, 4, 2), per_hour(5.0, None, 4, 0)
    (36.0, nan)
    """
    if price is None or decode_price is None:
        return math.nan
    if price == decode_price:
        return price * (gpus + decode_gpus)
    return price * gpus + decode_price * decode_gpus


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
    row, one, other = x.row, x.gpu, x.decode_gpu
    price = one.usd_per_gpu_hour if row.usd_per_gpu_hour is None else row.usd_per_gpu_hour
    own = [row.usd_per_gpu_hour]
    decode_price = price
    if row.split and row.decode_usd_per_gpu_hour is not None:
        decode_price = row.decode_usd_per_gpu_hour
        own.append(decode_price)
    elif row.split and other.id != one.id:
        decode_price = other.usd_per_gpu_hour
        own.append(None)
    known = price is not None and decode_price is not None
    given = [value is not None for value in own]
    price_is = "yours" if all(given) else "not known" if not known else "list price"
    if any(given) and not all(given) and known:
        price_is = "yours and list price"
    return Cost(price, decode_price, row.gpus, row.gpus_of("decode"), requests_per_s, output_tokens, price_is)
