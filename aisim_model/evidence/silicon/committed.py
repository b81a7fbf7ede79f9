"""Our copy of the silicon rows, with what was predicted of them beforehand.

`make fit` writes it: predictions of the roofline fitted without a row's configuration, and those of
aiconfigurator-core 0.12.0, which take a minute to ask. All else is predicted as it is shown.

Source: `silicon_sample.csv` of PyPI aiconfigurator-core 0.12.0, Apache-2.0, (c) NVIDIA Corporation &
Affiliates, which holds exports of the InferenceX database (Apache-2.0) and NVIDIA's own runs. Rows that count
TP x EP as GPUs are corrected; rows without worker counts or concurrency, and repeats, are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from aisim_model.evidence.silicon.rivals import Predicted, roofline, simple_roofline
from aisim_model.evidence.silicon.rows import Silicon, read_silicon
from aisim_model.evidence.silicon.scores import batches

FILE = Path(__file__).parents[1] / "data" / "silicon_rows.csv"
KEPT = (
    "config",
    "model",
    "system",
    "backend",
    "precision",
    "mode",
    "isl",
    "osl",
    "concurrency",
    "batch_per_worker",
    "decode_batch",
    "gpus",
    "decode_tp",
    "decode_dp",
    "decode_moe_tp",
    "decode_moe_ep",
    "ttft_ms",
    "tpot_ms",
    "use_tpot",
    "use_ttft_low",
    "measured",
)
BEFOREHAND = ("unseen", "aiconfigurator")
# how each is shown; the first is what the pages' own numbers are to be judged by
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "unseen": "roofline, configuration unseen",
        "roofline": "roofline",
        "simple_roofline": "simple roofline",
        "aiconfigurator": "aiconfigurator-core 0.12.0",
    }
)


class Committed(NamedTuple):
    """The rows, and what each model predicts of them, by the keys of `NAMES`."""

    silicon: Silicon
    predicted: Mapping[str, Predicted]


@lru_cache(maxsize=1)
def committed() -> Committed:
    """Return our copy of the rows, with every model's predictions.

    Examples
    --------
    >>> found = committed()
    >>> len(found.silicon.rows), list(found.predicted)
    (2096, ['unseen', 'roofline', 'simple_roofline', 'aiconfigurator'])
    """
    silicon = read_silicon(FILE)
    sequences = batches(silicon.rows)
    with FILE.open(encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))

    def beforehand(name: str) -> Predicted:
        return Predicted(*(_column(table, f"{name}_{quantity}") for quantity in Predicted._fields))

    return Committed(
        silicon,
        {
            "unseen": beforehand("unseen"),
            "roofline": roofline(silicon.rows, sequences),
            "simple_roofline": simple_roofline(silicon.rows, sequences),
            "aiconfigurator": beforehand("aiconfigurator"),
        },
    )


def _column(table: list[dict[str, str]], name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([float(row[name] or "nan") for row in table])


def write_rows(source: Path, beforehand: Mapping[str, Predicted], to: Path = FILE) -> None:
    """Write the rows of a file with what was predicted of them.

    Parameters
    ----------
    source : Path
        CSV with the columns of the silicon rows, every one of which can be timed.
    beforehand : mapping of str to Predicted
        Predictions, by the names of `BEFOREHAND`, one a row.
    to : Path
        Where to.
    """
    with source.open(encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))
    with to.open("w", encoding="utf-8", newline="") as lines:
        names = [f"{name}_{quantity}" for name in BEFOREHAND for quantity in Predicted._fields]
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow((*KEPT, *names))
        for place, row in enumerate(table):
            numbers = (column[place] for name in BEFOREHAND for column in beforehand[name])
            said = (f"{number:.5g}" if np.isfinite(number) else "" for number in numbers)
            writer.writerow((*(row[name] for name in KEPT), *said))
