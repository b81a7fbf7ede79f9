"""The table of the inverse questions' answers as people read it; the CSV beside it has the exact values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st

from aisim_ui.solve.solutions import PER
from aisim_ui.words import header_px

TITLES = MappingProxyType(
    {
        "deployment": "Deployment",
        "gpus": "GPUs",
        "target": "Target",
        "target_ms": "Target [ms]",
        "answer": "Answer",
        "needed_gb_s": "Needed [GB/s]",
        "has_gb_s": "Has [GB/s]",
        "enough": "Enough as it is",
        "links": "Links needed",
        "link_is_per": "A link is",
        "nics_per_gpu": "NICs per GPU needed",
        "prompt_tokens": "Prompt [tokens]",
        "time_ms": "Time there [ms]",
        "one_more_ms": "One token more [ms]",
        "fits_prompt_tokens": "Memory holds [tokens]",
        "max_position_embeddings": "The model ends at [tokens]",
        "cached_tokens": "At decode [tokens]",
        "cached_share": "At decode [share]",
        "sent_tokens": "Sent [tokens]",
        "prefix_credit": "Engine credits hits by",
        "compared_to": "Compared to",
        "why": "Why not",
        "itl_answer": "Ahead on ITL",
        "itl_from_requests_per_s": "ITL: from [requests/s]",
        "itl_until_requests_per_s": "ITL: up to [requests/s]",
        "ttft_answer": "Ahead on TTFT",
        "ttft_from_requests_per_s": "TTFT: from [requests/s]",
        "ttft_until_requests_per_s": "TTFT: up to [requests/s]",
        "prefill_workers": "Prefill workers",
        "decode_workers": "Decode workers",
        "requests_per_s": "Carry [requests/s]",
        "now_prefill_workers": "Prefill workers now",
        "now_decode_workers": "Decode workers now",
        "now_requests_per_s": "Carry now [requests/s]",
        "fit_problem": "Doesn't fit",
    }
)
# enough to tell the last prompt within a target from the first beyond it
DIGITS = MappingProxyType({"time_ms": "%.8g", "one_more_ms": "%.8g"})
NARROW = frozenset({"itl_answer", "ttft_answer", "enough", "prefix_credit"})
WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "target": {"handoff": "handoff", "ttft": "TTFT"},
        "link_is_per": PER,
    }
)


def for_people(found: pd.DataFrame) -> pd.DataFrame:
    """Choose the columns that a person reads: those with an answer in some row.

    Parameters
    ----------
    found : DataFrame
        As `aisim_model.solve.answers.answers` has them, a row a deployment.
    """
    left_out = {"answer"} if "itl_answer" in found else set()  # there it is that of one measure alone
    shown = found[[name for name in TITLES if name in found and name not in left_out]]
    shown = shown.dropna(axis=1, how="all")
    for name in WORDS.keys() & set(shown.columns):
        shown[name] = shown[name].replace(dict(WORDS[name]))
    return shown


def settings(shown: pd.DataFrame) -> dict[str, Any]:
    """Column settings: a name with its unit, and digits that matter."""
    return {name: _column(name, shown[name]) for name in shown}


def _column(name: str, values: pd.Series[Any]) -> Any:
    title = TITLES[name]
    if name.endswith("_share"):
        return st.column_config.NumberColumn(title, format="percent", width=header_px(title))
    if pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        return st.column_config.Column(title, width=header_px(title) if name in NARROW else None)
    whole = bool((values.dropna() % 1 == 0).all())
    return st.column_config.NumberColumn(
        title, format="localized" if whole else DIGITS.get(name, "%.5g"), width=header_px(title)
    )
