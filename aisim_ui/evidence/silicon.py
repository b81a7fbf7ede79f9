"""Silicon rows as tables for the page: filtered, predicted, grouped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from aisim_model.evidence.silicon.committed import NAMES, committed
from aisim_model.evidence.silicon.picks import picks
from aisim_model.evidence.silicon.scores import masks, score

GROUPS = {
    "model": "Model",
    "gpu": "GPU",
    "engine": "Engine",
    "precision": "Precision",
    "kind": "Kind",
    "prompt": "Prompt",
    "batch": "Batch",
}
QUANTITIES = {"tpot": "TPOT", "ttft_low": "TTFT at low load"}
BATCHES, PROMPTS = (0, 1, 4, 16, 64, 256, 1e9), (0, 512, 1536, 4096, 1e9)
BATCH_NAMES = ("1", "2 to 4", "5 to 16", "17 to 64", "65 to 256", "more")
PROMPT_NAMES = ("up to 512", "up to 1,536", "up to 4,096", "longer")


def every_row() -> pd.DataFrame:
    """Return the rows with each model's predictions of both quantities, in milliseconds."""
    found = committed()
    rows = found.silicon.rows
    counted = masks(rows)
    table = pd.DataFrame(
        {
            "model": [row.worker.model_id for row in rows],
            "gpu": [row.worker.gpu_id for row in rows],
            "engine": [row.worker.engine for row in rows],
            "precision": [row.worker.precision for row in rows],
            "kind": ["aggregated" if row.aggregated else "split" for row in rows],
            "prompt_tokens": [row.prompt_tokens for row in rows],
            "output_tokens": [row.output_tokens for row in rows],
            "in_flight": [row.concurrency for row in rows],
            "tensor_parallel": [row.worker.tensor_parallel for row in rows],
            "data_parallel": [row.worker.data_parallel for row in rows],
            "batch": pd.cut([row.decoding_sequences for row in rows], BATCHES, labels=BATCH_NAMES),
            "prompt": pd.cut([row.prompt_tokens for row in rows], PROMPTS, labels=PROMPT_NAMES),
            "counts_tpot": counted.tpot,
            "counts_ttft_low": counted.ttft_low,
            "measured_tpot_ms": [row.tpot_ms for row in rows],
            "measured_ttft_low_ms": [row.ttft_ms for row in rows],
        }
    )
    for name, predicted in found.predicted.items():
        table[f"{name}_tpot_ms"] = predicted.tpot_ms
        table[f"{name}_ttft_low_ms"] = predicted.ttft_ms
    return table


def shown_rows(table: pd.DataFrame, quantity: str, rival: str) -> pd.DataFrame:
    """Return the rows that count for a quantity and that a model predicts, with its error in percent."""
    rows = table[table[f"counts_{quantity}"] & table[f"{rival}_{quantity}_ms"].notna()]
    measured, predicted = rows[f"measured_{quantity}_ms"], rows[f"{rival}_{quantity}_ms"]
    hover = [
        f"{one.model}, {one.gpu}, {one.engine}, {one.precision}, TP{one.tensor_parallel}"
        f"{f' DP{one.data_parallel}' if one.data_parallel > 1 else ''}, {one.prompt_tokens:,.0f} in, "
        f"{one.output_tokens:,.0f} out, {one.in_flight:,.0f} in flight"
        for one in rows.itertuples()
    ]
    return rows.assign(
        measured_ms=measured,
        predicted_ms=predicted,
        error=100 * (predicted / measured - 1).abs(),
        hover=hover,
    )


def by_field(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the median error and the number of rows by prompt and batch."""
    fields = rows.groupby(["prompt", "batch"], observed=True)["error"]
    return fields.agg(error="median", n="size").reset_index()


def by_group(table: pd.DataFrame, quantity: str, group: str | None) -> pd.DataFrame:
    """Score every model by a group of rows, or on all of them."""
    found: list[dict[str, Any]] = []
    groups = [("all", table)] if group is None else list(table.groupby(group, observed=True))
    for key, rows in groups:
        for rival, name in NAMES.items():
            asked = rows[rows[f"counts_{quantity}"]]
            predicted = asked[f"{rival}_{quantity}_ms"].to_numpy(dtype=np.float64)
            one = score(predicted, asked[f"measured_{quantity}_ms"].to_numpy(dtype=np.float64))
            if one.n:
                found.append({"group": str(key), "model": name, **one._asdict()})
    return pd.DataFrame(found)


def picked() -> pd.DataFrame:
    """Return how far behind the best measured configuration one would have been by each model's first."""
    found = committed()
    return pd.DataFrame(
        [
            {
                "model": name,
                "tpot_limit_ms": one.limit_ms,
                "n": one.n,
                "regret": one.median,
                "worst": one.worst,
            }
            for rival, name in NAMES.items()
            for one in picks(found.silicon.rows, found.predicted[rival])
        ]
    )


def ablation() -> pd.DataFrame:
    """Return how far off the roofline is with and without each of its terms, on configurations unseen."""
    from aisim_model.evidence.fit_silicon import ABLATION_FILE

    table = pd.read_csv(ABLATION_FILE)
    return pd.DataFrame(
        {
            "variant": table["variant"],
            "median": table["tpot_median"],
            "mape": table["tpot_mape"],
            "within_25": table["tpot_within_25"],
            "low_batch_median": table["tpot_low_batch_median"],
            "ttft_low_median": table["ttft_low_median"],
        }
    )
