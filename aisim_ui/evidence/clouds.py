"""Five published end-to-end runs beside the models, as a table and in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from aisim_model.evidence.cloud_scenario import CloudVerdict
from aisim_ui.words import percent

SAYS = {True: "prefill-bound", False: "keeps up"}


def cloud_table(verdicts: tuple[CloudVerdict, ...]) -> pd.DataFrame:
    """Lay out each run: what it is offered, what the models say, and what was measured."""
    return pd.DataFrame(
        [
            {
                "run": one.run.name,
                "gpu": one.gpu,
                "prefill_load": one.prefill_load,
                "link_load": one.link_load,
                "says": SAYS[one.prefill_bound],
                "measured": SAYS[one.run.prefill_bound],
                "measured_mean_ttft_s": one.run.mean_ttft_s,
                "mean_ttft_s": one.mean_ttft_s,
                "relative_error": _error(one),
                "roofline_mean_ttft_s": one.roofline_mean_ttft_s,
                "source": one.run.source,
                "note": one.run.note,
            }
            for one in verdicts
        ]
    )


def _error(one: CloudVerdict) -> float | None:
    if one.mean_ttft_s is None or one.run.mean_ttft_s is None:
        return None
    return one.mean_ttft_s / one.run.mean_ttft_s - 1.0


def _and(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def cloud_sentence(verdicts: tuple[CloudVerdict, ...]) -> str:
    """Say which runs the model finds bound, whether it was measured so, and how near the mean TTFT is."""
    bound = _and(one.gpu for one in verdicts if one.prefill_bound)
    keeping = _and(one.gpu for one in verdicts if not one.prefill_bound)
    right = sum(one.prefill_bound == one.run.prefill_bound for one in verdicts)
    errors = [abs(error) for one in verdicts if (error := _error(one)) is not None]
    return (
        f"**Qwen3-32B on five clouds, one trace of 12,031 requests:** prefill is the bottleneck on {bound}; "
        f"{keeping} keep up; {right} of {len(verdicts)} as measured. Where prompts queued, mean TTFT at the "
        f"run's own prefill rate is within {percent(max(errors))} of the measured; no link is asked for more "
        f"than {percent(max(one.link_load for one in verdicts))} of what it carries."
    )
