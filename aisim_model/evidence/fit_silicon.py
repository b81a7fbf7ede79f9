"""Fit the constants of the roofline with a floor to measured operating points, and say what a term is worth.

``python -m aisim_model.evidence.fit_silicon silicon_shared.csv`` writes the fitted values into the constants'
file and a table of refits with one term left out, scored on rows of configurations that the fit hasn't seen.

Least squares on logarithms of predicted over measured, softened (soft L1) since one measurement in ten is off
by 43%. What prompts of 1k and 8k can't tell apart is not fitted: see `roofline_constants.csv`.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares

from aisim_model import catalog
from aisim_model.evidence.silicon.committed import FILE, write_rows
from aisim_model.evidence.silicon.operators import ask_operators
from aisim_model.evidence.silicon.rivals import Column, Predicted, predict, stacked_parts
from aisim_model.evidence.silicon.rows import SiliconRow, read_silicon
from aisim_model.evidence.silicon.scores import Mask, Score, batches, masks, score
from aisim_model.evidence.silicon.workers import Parts
from aisim_model.passes.constants import CONSTANTS_FILE, DATA, ClientConstants, Constants, values

ABLATION_FILE = DATA / "roofline_ablation.csv"

# where the search starts, whatever the constants' file holds
START: Mapping[str, float] = MappingProxyType(
    {
        "layer_us": 36.0,
        "expert_layer_us": 30.0,
        "engine_floor_trtllm": 1.0,
        "collective_us": 23.0,
        "sequence_us": 10.0,
        "link_share": 0.3,
        "weight_share": 0.7,
        "first_token_ms": 47.0,
        "streamed_steps_trtllm": 7.0,
        "streamed_steps_sglang": 30.0,
    }
)
FITTED = tuple(START)
FOLDS = 5
SOFT_FROM = 0.12  # beyond 12% off a residual counts by its size, no longer by its square
TTFT_WEIGHT = 0.7  # TTFT repeats half as well as TPOT, and holds what the client adds
MOST_ROUNDS = 80
DIGITS = 3
LOW_BATCH = 4.0
FLOORS = ("layer_us", "expert_layer_us", "collective_us", "sequence_us")
NOTHING: Mapping[str, float] = MappingProxyType({})


class Data(NamedTuple):
    """Rows as arrays, ready to be predicted again and again."""

    rows: tuple[SiliconRow, ...]
    parts: Parts
    sequences: Column
    measured: Predicted
    tpot: Mask
    ttft: Mask
    fold: npt.NDArray[np.int64]


class Variant(NamedTuple):
    """One way to fit: all terms, or with one left out.

    Parameters
    ----------
    name : str
        What is different.
    fixed : mapping of str to float
        Constants that are held at a value.
    start : mapping of str to float
        Constants that are fitted beside the usual ones, and where their search starts.
    changed : callable or None
        What to do to the workers' parts before.
    """

    name: str
    fixed: Mapping[str, float] = NOTHING
    start: Mapping[str, float] = NOTHING
    changed: Callable[[Data], Parts] | None = None


def prepare(rows: Sequence[SiliconRow]) -> Data:
    """Turn rows into arrays, each configuration in one of five folds."""
    used = masks(rows)
    return Data(
        rows=tuple(rows),
        parts=stacked_parts(rows),
        sequences=batches(rows),
        measured=Predicted(np.array([row.tpot_ms for row in rows]), np.array([row.ttft_ms for row in rows])),
        tpot=used.tpot,
        ttft=used.ttft_low,
        fold=np.array([fold_of(row.config) for row in rows]),
    )


def fold_of(config: str) -> int:
    """Return the fold of a configuration, by its hash.

    Examples
    --------
    >>> fold_of("13e432cd5c")
    1
    """
    return int(hashlib.sha256(config.encode()).hexdigest()[:8], 16) % FOLDS


def predicted(data: Data, chosen: Mapping[str, float]) -> Predicted:
    """Predict all rows by a choice of constants."""
    engines = [row.worker.engine for row in data.rows]
    floor = np.array([chosen.get(f"engine_floor_{engine}", 1.0) for engine in engines])
    streamed = np.array([chosen.get(f"streamed_steps_{engine}", 0.0) for engine in engines])
    made = Constants(*(floor if name == "engine_floor" else chosen[name] for name in Constants._fields))
    client = ClientConstants(chosen["first_token_ms"], chosen["burst_share"], streamed)
    return predict(data.rows, data.parts, made, client, data.sequences)


def fit(data: Data, start: Mapping[str, float], names: Sequence[str], seen: Mask) -> dict[str, float]:
    """Fit constants to the rows that are seen.

    Parameters
    ----------
    data : Data
        All rows.
    start : mapping of str to float
        Every constant; those of `names`, above 0, are where the search starts.
    names : sequence of str
        Constants to fit.
    seen : array of bool
        Rows to fit to.

    Returns
    -------
    dict
        Every constant.
    """

    def at(logarithms: Column) -> dict[str, float]:
        return {**start, **dict(zip(names, np.exp(logarithms).tolist(), strict=True))}

    def residuals(logarithms: Column) -> Column:
        found = predicted(data, at(logarithms))
        tpot, ttft = data.tpot & seen, data.ttft & seen
        return np.concatenate(
            [
                np.log(found.tpot_ms[tpot] / data.measured.tpot_ms[tpot]),
                TTFT_WEIGHT * np.log(found.ttft_ms[ttft] / data.measured.ttft_ms[ttft]),
            ]
        )

    first = np.log([start[name] for name in names])
    found = least_squares(residuals, first, loss="soft_l1", f_scale=SOFT_FROM, max_nfev=MOST_ROUNDS)
    return at(found.x)


def fit_variant(data: Data, variant: Variant) -> tuple[dict[str, float], Predicted]:
    """Fit a variant to all rows, and predict each row by a fit that hasn't seen its configuration."""
    if variant.changed:
        data = data._replace(parts=variant.changed(data))
    start = {**values(), **START, **variant.start, **variant.fixed}
    names = [name for name in (*FITTED, *variant.start) if name not in variant.fixed]
    whole = fit(data, start, names, np.ones(len(data.rows), dtype=bool))
    unseen = Predicted(np.full(len(data.rows), np.nan), np.full(len(data.rows), np.nan))
    for fold in range(FOLDS):
        apart = data.fold == fold
        found = predicted(data, fit(data, whole, names, ~apart))
        unseen.tpot_ms[apart], unseen.ttft_ms[apart] = found.tpot_ms[apart], found.ttft_ms[apart]
    return whole, unseen


def _without_arithmetic(data: Data) -> Parts:
    return data.parts._replace(shape=data.parts.shape._replace(decode_flops_per_token=0.0))


def _one_node(data: Data) -> Parts:
    return data.parts._replace(speeds=data.parts.speeds._replace(nvlink_gpus=np.inf))


def _whole_embedding(data: Data) -> Parts:
    looked_up = {
        model_id: catalog.model(model_id).spec().experts.looked_up_parameters
        for model_id in {row.worker.model_id for row in data.rows}
    }
    more = np.array([looked_up[row.worker.model_id] for row in data.rows], dtype=np.float64)
    shape = data.parts.shape
    return data.parts._replace(shape=shape._replace(dense_parameters=shape.dense_parameters + more))


def _first_form(data: Data) -> Parts:
    for change in (_without_arithmetic, _one_node, _whole_embedding):
        data = data._replace(parts=change(data))
    return data.parts


ONE_FLOOR: Mapping[str, float] = MappingProxyType({"engine_floor_trtllm": 1.0})
KV_SHARE: Mapping[str, float] = MappingProxyType({"kv_share": 0.87})
MFUS: Mapping[str, float] = MappingProxyType({"mfu": 0.6, "attention_mfu": 0.45})
VARIANTS = (
    Variant("all terms"),
    Variant("no floor of a layer", {"layer_us": 0.0, "expert_layer_us": 0.0, **ONE_FLOOR}),
    Variant("no more for a layer with experts", {"expert_layer_us": 0.0}),
    Variant("one floor for all engines", ONE_FLOOR),
    Variant("a floor of SGLang's own too", start={"engine_floor_sglang": 1.0}),
    Variant("no start-up of a collective", {"collective_us": 0.0}),
    Variant("collectives send at no cost", {"link_share": np.inf}),
    Variant("no cost of a sequence", {"sequence_us": 0.0}),
    Variant("no floor, no start-up, no sequence", {**dict.fromkeys(FLOORS, 0.0), **ONE_FLOOR}),
    Variant("an embedding is read whole", changed=_whole_embedding),
    Variant("decode attention reads and never computes", changed=_without_arithmetic),
    Variant("collectives as fast across nodes as inside", changed=_one_node),
    Variant("share of the cache's bandwidth fitted too", start=KV_SHARE),
    Variant("both MFUs fitted too", start=MFUS),
    Variant(
        "a floor a layer and a collective, no more",
        {"expert_layer_us": 0.0, "sequence_us": 0.0, **ONE_FLOOR},
        KV_SHARE,
        _first_form,
    ),
)


def summary(data: Data, found: Predicted) -> dict[str, Score]:
    """Score predictions: TPOT, that of small batches, that of data parallelism, and TTFT at low load."""
    low = np.array([row.most_sequences <= LOW_BATCH for row in data.rows])
    spread = np.array([row.worker.data_parallel > 1 for row in data.rows])

    def of(mask: Mask, quantity: str) -> Score:
        return score(getattr(found, quantity)[mask], getattr(data.measured, quantity)[mask])

    return {
        "tpot": of(data.tpot, "tpot_ms"),
        "tpot_low_batch": of(data.tpot & low, "tpot_ms"),
        "tpot_dp": of(data.tpot & spread, "tpot_ms"),
        "ttft_low": of(data.ttft, "ttft_ms"),
    }


def write_constants(found: Mapping[str, float], path: Path = CONSTANTS_FILE) -> None:
    """Write fitted values into the constants' file; all else in it stays."""
    with path.open(encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))
    for row in table:
        if row["name"] in FITTED:
            row["value"] = f"{found[row['name']]:.{DIGITS}g}"
    _write(path, table)


def _write(path: Path, table: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def main() -> None:
    """Fit every variant, write the constants of the first and the table of all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "silicon", type=Path, nargs="?", default=FILE, help="CSV of operating points to fit to"
    )
    source = parser.parse_args().silicon
    data = prepare(read_silicon(source).rows)
    table: list[dict[str, Any]] = []
    for variant in VARIANTS:
        found, unseen = fit_variant(data, variant)
        line: dict[str, Any] = {"variant": variant.name}
        for name, one in summary(data, unseen).items():
            line |= {f"{name}_{key}": value for key, value in one._asdict().items()}
        line |= {name: f"{found[name]:.{DIGITS}g}" for name in (*FITTED, "kv_share", "mfu", "attention_mfu")}
        table.append(line)
        print(*(f"{key}={value}" for key, value in line.items()), flush=True)
        if variant is VARIANTS[0]:
            best, best_unseen = found, unseen
    write_constants(best)  # after the loop, so that every variant starts from the same values
    _write(ABLATION_FILE, table)
    asked = ask_operators(data.rows, batches(data.rows))
    print(asked.left_out, flush=True)
    write_rows(source, {"unseen": best_unseen, "aiconfigurator": asked.predicted})


if __name__ == "__main__":
    main()
