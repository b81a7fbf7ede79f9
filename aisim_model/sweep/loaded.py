"""A sweep under load: the estimate of `aisim_model.row` over all points of a block at once."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aisim_model.row.closed_load import in_flight
from aisim_model.row.load import Load, under_load
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import ROW_NUMBERS, ResolvedRow
from aisim_model.row.service import Service, serving_workers
from aisim_model.row.spread import spread
from aisim_model.row.ttft import breakdown, handoff, prefill_ms, transfer_ms
from aisim_model.row.workers import decode_pass_time, prefill_pass_time
from aisim_model.ttft_parts import PART_NAMES, TtftBreakdown

LOADED = ("loaded_requests_per_s", "loaded_ttft_ms", "loaded_itl_ms", "within_slos_share")
ASKED = ("arrivals_per_s", "requests_in_flight", "itl_slo_ms", "ttft_slo_ms")
NUMBERS = ("prompt_tokens", "prefill_cached_tokens", "decode_cached_tokens", "bandwidth_gb_s", *ROW_NUMBERS)

Floats = npt.NDArray[np.float64]


class Loaded:
    """The figures under load of an open mesh.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers arrays of a mesh.
    output_tokens : int
        Tokens of the mean answer [-].
    asked : dict of str to float or array
        Arrivals [requests/s], requests in flight [-] and the two targets [ms], by their fields' names.
    """

    def __init__(self, x: ResolvedRow, output_tokens: int, asked: dict[str, Any]) -> None:
        numbers = {name: getattr(x, name) for name in NUMBERS} | asked
        given = {name: value for name, value in numbers.items() if value is not None}
        together = np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in given.values()))
        self._shape = together[0].shape
        flat: dict[str, Any] = dict(zip(given, (array.ravel() for array in together), strict=True))
        self._asked = {name: flat.pop(name) for name in asked}
        self._x, self._output_tokens = replace(x, **flat), output_tokens

    @cached_property
    def _served(self) -> Service:
        x, row, nothing = self._x, self._x.row, np.zeros(math.prod(self._shape))
        prefill_workers, decode_workers = serving_workers(row)
        idle, after_ms = breakdown(x), handoff(x).transfer_ms + nothing
        return Service(
            x=x,
            idle=TtftBreakdown(**{name: getattr(idle, name) + nothing for name in PART_NAMES}),
            prefill_ms=prefill_ms(x) + nothing,
            transfer_ms=transfer_ms(x) + nothing,
            output_tokens=self._output_tokens,
            most_sequences=self._most_sequences(),
            prefill_workers=prefill_workers,
            decode_workers=decode_workers,
            pass_tokens=float(row.pass_tokens),
            cached_tokens=x.prefill_cached_tokens,
            exposed_ms=np.where(np.isnan(after_ms), math.inf, after_ms),
            prefill_times=prefill_pass_time(x),
            decode_times=decode_pass_time(x),
        )

    def _most_sequences(self) -> Floats:
        """Return the room of a decode worker at each point, which its prompt alone decides [-]."""
        prompts, places = np.unique(self._x.prompt_tokens, return_inverse=True)
        room = [
            row_memory(replace(self._x, prompt_tokens=float(prompt)), self._output_tokens).most_sequences
            for prompt in prompts
        ]
        found: Floats = np.array(room)[places]
        return found

    @cached_property
    def _load(self) -> Load:
        arrivals, concurrency = self._asked["arrivals_per_s"], self._asked["requests_in_flight"]
        return (
            in_flight(self._served, concurrency) if concurrency.all() else under_load(self._served, arrivals)
        )

    def column(self, name: str) -> Floats:
        """Return one of the columns `LOADED`, in the shape of the mesh; NaN where the row doesn't fit."""
        load, fits = self._load, self._served.most_sequences > 0.0
        with np.errstate(all="ignore"):  # of overloaded points
            match name:
                case "loaded_requests_per_s":
                    found = load.arrivals_per_s
                case "loaded_ttft_ms":
                    found = load.ttft_ms
                case "loaded_itl_ms":
                    found = load.itl_ms
                case _:
                    met = spread(self._served, load)
                    found = met.both_within(self._asked["ttft_slo_ms"], self._asked["itl_slo_ms"])
        whole: Floats = np.where(fits, found, np.nan).reshape(self._shape)
        return whole
