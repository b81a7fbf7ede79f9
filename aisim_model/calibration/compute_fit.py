"""The roofline of one row, fitted to runs of a benchmark on it.

Fitted are the floor of a pass, the shares of HBM bandwidth that weights and cache are read at, the MFU of
prompts, and what a client sees of TTFT beside the passes. Least squares on logarithms of predicted over
measured, softened (soft L1); each starts at the constants that silicon gave, which count as one more
observation of it with a deviation of `PRIOR`: what the rows can't tell stays there, and is named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares
from scipy.stats import t as student

from aisim_model.calibration.benchmark_runs import BenchmarkRun
from aisim_model.errors import InputError
from aisim_model.passes.constants import constants
from aisim_model.row.closed_load import asked_load
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.service import service
from aisim_model.scenario import Deployment, Workload

PRIOR = 0.35  # deviation of a logarithm: within a factor of two of the fitted constants
SOFT_FROM = 0.12
NOISE = 0.03  # no run repeats better
TOLD = 0.5  # an interval of at most so much of the prior's is the rows' own
CLIENT = "client_ms"
FIELDS = ("floor_scale", "weight_efficiency", "kv_efficiency", "mfu")
LABELS = MappingProxyType(
    {
        "floor_scale": "floor of a pass",
        "weight_efficiency": "weight efficiency",
        "kv_efficiency": "KV efficiency",
        "mfu": "MFU",
        CLIENT: "client's share of TTFT",
    }
)
CLIENT_PRIOR_MS = 50.0

Asked = tuple[Workload, ResolvedRow]
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ComputeFit:
    """A row's own roofline.

    Parameters
    ----------
    values : mapping of str to float
        Fields of the row, and ``client_ms``, what TTFT has beside the passes [ms].
    intervals : mapping of str to (float, float)
        95% of each.
    untold : tuple of str
        Those that the rows can't tell from the fitted constants.
    rows : tuple of dict
        Each run: what was measured, predicted, and predicted by a fit to the others.
    before_error, error, left_out_error : float
        Median of |predicted / measured - 1| by the fitted constants of all rows, by this fit, and each run by
        the others' fit [-].
    """

    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    untold: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    before_error: float
    error: float
    left_out_error: float

    @property
    def row_fields(self) -> dict[str, Any]:
        """What of the fit goes into a row: its roofline, on both sides."""
        fields = {name: float(f"{self.values[name]:.6g}") for name in FIELDS if name in self.values}
        return {"prefill_model": "roofline", "decode_model": "roofline", **fields}


def fit_compute(workload: Workload, row: Deployment, runs: Sequence[BenchmarkRun]) -> ComputeFit:
    """Fit a row's roofline to runs on it.

    Parameters
    ----------
    workload : Workload
        For the model.
    row : Deployment
        What was measured: its GPUs, ranks, workers, formats and engine.
    runs : sequence of BenchmarkRun
        At least two.

    Raises
    ------
    InputError
        For too few runs, or a row that can't be timed.

    Examples
    --------
    A worker whose steps take 30% longer than the constants say:

    >>> from aisim_model.calibration.benchmark_runs import BenchmarkRun
    >>> row = Deployment(id="a", name="a", kind="aggregated")
    >>> slow = Deployment(id="a", name="a", kind="aggregated", floor_scale=1.3, weight_efficiency=0.5)
    >>> asked = [Workload(prompt_tokens=p, output_tokens=200, requests_in_flight=1) for p in (100, 9000)]
    >>> runs = [BenchmarkRun(k, w.prompt_tokens, 200, 1, None, None, predict(w, slow)[1])
    ...     for k, w in enumerate(asked, 1)]
    >>> found = fit_compute(Workload(), row, runs)
    >>> found.error < 0.02 < found.before_error
    True
    """
    if len(runs) < 2:
        raise InputError("benchmark", f"{len(runs)} run", "is too few to fit", "Give at least two runs.")
    plain = _plain(row)
    asked = [(each, resolve(each, plain)) for each in (_workload(workload, one) for one in runs)]
    start = _start(row)
    names = _names(runs, start)
    before = [_predicted(each, {}) for each in asked]
    found = _solve(asked, runs, start, names)
    chosen = _chosen(names, found.x, start)
    told, intervals, untold = _known(found, names, start)
    others: list[tuple[float, float]] = []
    for place in range(len(runs)):
        seen = [other for other in range(len(runs)) if other != place]
        part = _solve([asked[k] for k in seen], [runs[k] for k in seen], start, names, found.x)
        others.append(_predicted(asked[place], _chosen(names, part.x, start)))
    fitted = [_predicted(each, chosen) for each in asked]
    rows = tuple(
        {
            "row": one.row,
            "prompt_tokens": one.prompt_tokens,
            "output_tokens": one.output_tokens,
            "in_flight": one.in_flight,
            "arrivals_per_s": one.per_s,
            **{
                f"{name}_{kind}_ms": value
                for place, name in enumerate(("ttft", "tpot"))
                for kind, value in (
                    ("measured", one.ttft_ms if name == "ttft" else one.tpot_ms),
                    ("before", was[place]),
                    ("predicted", now[place]),
                    ("left_out", alone[place]),
                )
            },
        }
        for one, was, now, alone in zip(runs, before, fitted, others, strict=True)
    )
    return ComputeFit(
        told, intervals, untold, rows, _median(runs, before), _median(runs, fitted), _median(runs, others)
    )


def predict(workload: Workload, row: Deployment) -> tuple[float, float]:
    """Return the mean TTFT and TPOT of a row at a workload's load, as every page has them [ms]."""
    return _predicted((workload, resolve(workload, row)), {})


def _workload(workload: Workload, one: BenchmarkRun) -> Workload:
    return workload.changed(
        prompt_tokens=one.prompt_tokens,
        output_tokens=one.output_tokens,
        prefill_cached_tokens=0,
        decode_cached_tokens=0,
        requests_in_flight=one.in_flight or 0,
        arrivals_per_s=0.0 if one.in_flight else one.per_s or 0.0,
        least_length_share=1.0,
    )


def _plain(row: Deployment) -> Deployment:
    """Return a row by the roofline with the constants that silicon gave."""
    return row.changed(
        prefill_model="roofline", decode_model="roofline", memory_efficiency=None, **dict.fromkeys(FIELDS)
    )


def _start(row: Deployment) -> dict[str, float]:
    known = constants(row.engine)
    return {
        "floor_scale": 1.0,
        "weight_efficiency": float(known.weight_share),
        "kv_efficiency": float(known.kv_share),
        "mfu": float(known.mfu),
        CLIENT: CLIENT_PRIOR_MS,
    }


def _names(runs: Sequence[BenchmarkRun], start: Mapping[str, float]) -> list[str]:
    """Return what there is anything to fit by: prompts' arithmetic and the client only by a TTFT."""
    timed = any(one.ttft_ms is not None for one in runs)
    return [name for name in start if timed or name not in ("mfu", CLIENT)]


def _chosen(names: Sequence[str], at: Vector, start: Mapping[str, float]) -> dict[str, float]:
    found = {name: start[name] * math.exp(value) for name, value in zip(names, at, strict=True)}
    return {name: min(value, 1.0) if name in FIELDS[1:] else value for name, value in found.items()}


def _predicted(asked: Asked, chosen: Mapping[str, float]) -> tuple[float, float]:
    workload, x = asked
    own: dict[str, Any] = {name: value for name, value in chosen.items() if name in FIELDS}
    load = asked_load(service(replace(x, **own), workload.mean_output_tokens), workload)
    return float(load.ttft_ms) + chosen.get(CLIENT, 0.0), float(load.itl_ms)


def _solve(
    asked: Sequence[Asked],
    runs: Sequence[BenchmarkRun],
    start: Mapping[str, float],
    names: Sequence[str],
    guess: Vector | None = None,
) -> Any:
    def off(at: Vector) -> Vector:
        chosen = _chosen(names, at, start)
        errors = []
        for each, one in zip(asked, runs, strict=True):
            for predicted, measured in zip(_predicted(each, chosen), (one.ttft_ms, one.tpot_ms), strict=True):
                if measured is not None:
                    errors.append(_log(predicted, measured) / SOFT_FROM)
        return np.array([*errors, *(at / PRIOR * (NOISE / SOFT_FROM))])

    first = np.zeros(len(names)) if guess is None else guess
    return least_squares(
        off,
        first,
        loss="soft_l1",
        x_scale=PRIOR,
        diff_step=np.array(1e-3),
        max_nfev=30 if guess is None else 8,
    )


def _log(predicted: float, measured: float) -> float:
    if not (predicted > 0.0 and math.isfinite(predicted)):
        return 3.0  # overloaded, or doesn't fit: as far off as can be
    return min(max(math.log(predicted / measured), -3.0), 3.0)


def _known(
    found: Any, names: Sequence[str], start: Mapping[str, float]
) -> tuple[dict[str, float], dict[str, tuple[float, float]], tuple[str, ...]]:
    """Return values, intervals, and what the rows can't tell."""
    rows = len(found.fun) - len(names)
    free = max(rows - len(names), 1)
    spread = max(float(np.sqrt((found.fun[:rows] ** 2).sum() / free)) * SOFT_FROM, NOISE)
    jacobian = found.jac[:rows] * SOFT_FROM / spread
    information = jacobian.T @ jacobian + np.eye(len(names)) / PRIOR**2
    deviation = np.sqrt(np.diag(np.linalg.inv(information)))
    reach = float(student.ppf(0.975, free))
    values = _chosen(names, found.x, start)
    intervals = {
        name: (values[name] * math.exp(-reach * each), values[name] * math.exp(reach * each))
        for name, each in zip(names, deviation, strict=True)
    }
    untold = tuple(name for name, each in zip(names, deviation, strict=True) if each > TOLD * PRIOR)
    return values, intervals, untold


def _median(runs: Sequence[BenchmarkRun], predicted: Sequence[tuple[float, float]]) -> float:
    errors = [
        abs(value / measured - 1.0)
        for one, pair in zip(runs, predicted, strict=True)
        for value, measured in zip(pair, (one.ttft_ms, one.tpot_ms), strict=True)
        if measured
    ]
    return float(np.median(errors))
