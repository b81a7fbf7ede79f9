"""Measured operating points, one a row: what was run, and its mean TTFT and TPOT.

Source of the rows: `silicon_sample.csv` of PyPI aiconfigurator-core 0.12.0 (Apache-2.0, NVIDIA Corporation
& Affiliates): exports of the InferenceX database (github.com/SemiAnalysisAI/InferenceX, Apache-2.0) and
NVIDIA's own AIPerf runs, cleaned.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.evidence.silicon.workers import SiliconWorker, parts_of
from aisim_model.models.weights.formats import FORMATS, OTHER_NAMES

NEEDED = (
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
    "decode_tp",
    "decode_dp",
    "ttft_ms",
    "tpot_ms",
)


class SiliconRow(NamedTuple):
    """One operating point.

    Parameters
    ----------
    id, config : str
        Name of the row, and of the deployment that it was measured on.
    worker : SiliconWorker
        What decodes.
    aggregated : bool
        Whether the same worker prefills.
    prompt_tokens, output_tokens : float
        Nominal lengths [-].
    concurrency : float
        Requests in flight in the closed loop [-].
    most_sequences : float
        Requests in flight for each decode worker: the most that it can hold [-].
    decoding_sequences : float
        Those of them that decode, on average, by Little's law on the row's own times [-]; the most where the
        row doesn't say.
    ttft_ms, tpot_ms : float
        Means over requests [ms].
    use_tpot, use_ttft_low : bool
        Whether the row's batch is known well enough for TPOT, and whether its TTFT is nearly an idle one.
    experts : tuple of (int, int)
        Ranks that share an expert, and groups of experts [-]; all ranks share each where the row doesn't say.
    gpus : float
        Of the deployment [-]; the decode worker's where the row doesn't say.
    """

    id: str
    config: str
    worker: SiliconWorker
    aggregated: bool
    prompt_tokens: float
    output_tokens: float
    concurrency: float
    most_sequences: float
    decoding_sequences: float
    ttft_ms: float
    tpot_ms: float
    use_tpot: bool
    use_ttft_low: bool
    experts: tuple[int, int]
    gpus: float


class Silicon(NamedTuple):
    """Rows that can be timed, and how many can't, by reason."""

    rows: tuple[SiliconRow, ...]
    left_out: Mapping[str, int]


def read_silicon(path: Path) -> Silicon:
    """Read a file of operating points.

    Parameters
    ----------
    path : Path
        CSV with the columns of the silicon rows; others are passed over.

    Returns
    -------
    Silicon

    Raises
    ------
    InputError
        For a file that can't be read, is no table, or lacks a column that is needed.
    """
    remedy = "Give a CSV file with the columns of the silicon rows."
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            table = csv.DictReader(lines)
            if missing := [name for name in NEEDED if name not in (table.fieldnames or ())]:
                raise InputError("silicon rows", path.name, f"lacks {', '.join(missing)}", remedy)
            return parse_rows(table)
    except OSError as error:
        raise InputError("silicon rows", path.name, f"can't be read ({error.strerror})", remedy) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError("silicon rows", path.name, f"is no table of text ({error})", remedy) from None


def parse_rows(records: Iterable[Mapping[str, str]]) -> Silicon:
    """Turn records of a table into rows, and count those that can't be timed by reason.

    Examples
    --------
    >>> record = dict.fromkeys(NEEDED, "1") | {"system": "h200", "precision": "fp8", "model": "llama-9"}
    >>> parse_rows([record]).left_out
    {'model llama-9 is not in the catalogue': 1}
    """
    rows, left_out = [], Counter[str]()
    models, gpus = {m.id for m in catalog.models()}, {gpu.id for gpu in catalog.gpus()}
    for record in records:
        try:
            row = _row(record, models, gpus)
        except _UntimedError as reason:
            left_out[str(reason)] += 1
        else:
            rows.append(row)
    return Silicon(tuple(rows), dict(left_out))


class _UntimedError(Exception):
    """Why a row can't be timed."""


def _row(record: Mapping[str, str], models: set[str], gpus: set[str]) -> SiliconRow:
    """Return a record as a row, or raise why it can't be timed."""
    if record["model"] not in models:
        raise _UntimedError(f"model {record['model']} is not in the catalogue")
    if record["system"] not in gpus:
        raise _UntimedError(f"GPU {record['system']} is not in the catalogue")
    if OTHER_NAMES.get(record["precision"], record["precision"]) not in FORMATS:
        raise _UntimedError(f"precision {record['precision'] or 'unknown'} has no roofline")
    numbers = {name: _positive(record, name) for name in NEEDED[6:]}
    worker = SiliconWorker(
        record["model"],
        record["system"],
        record["backend"],
        record["precision"],
        int(numbers["decode_tp"]),
        int(numbers["decode_dp"]),
        int(record.get("decode_moe_ep") or 1),
    )
    try:
        parts_of(worker)
    except InputError as error:
        raise _UntimedError(f"{error.field} is out of range") from None
    decoding = record.get("decode_batch") or record["batch_per_worker"]
    return SiliconRow(
        id=record.get("id", ""),
        config=record["config"],
        worker=worker,
        aggregated=record["mode"] == "agg",
        prompt_tokens=numbers["isl"],
        output_tokens=numbers["osl"],
        concurrency=numbers["concurrency"],
        most_sequences=numbers["batch_per_worker"],
        decoding_sequences=_positive({"decode_batch": decoding}, "decode_batch"),
        ttft_ms=numbers["ttft_ms"],
        tpot_ms=numbers["tpot_ms"],
        use_tpot=record.get("use_tpot", "1") == "1",
        use_ttft_low=record.get("use_ttft_low", "0") == "1",
        experts=_experts(record, worker),
        gpus=_positive(record, "gpus")
        if record.get("gpus")
        else worker.tensor_parallel * worker.data_parallel,
    )


def _experts(record: Mapping[str, str], worker: SiliconWorker) -> tuple[int, int]:
    """Return how experts are spread, all ranks sharing each where the row doesn't say."""
    given = [record.get(name) for name in ("decode_moe_tp", "decode_moe_ep")]
    if not all(given):
        return worker.tensor_parallel * worker.data_parallel, 1
    return int(_positive(record, "decode_moe_tp")), int(_positive(record, "decode_moe_ep"))


def _positive(record: Mapping[str, str], name: str) -> float:
    """Return a cell as a number above 0, or raise that it is none."""
    try:
        value = float(record[name] or "")
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise _UntimedError(f"{name} is not a number above 0")
    return value
