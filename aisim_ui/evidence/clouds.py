"""Five published end-to-end runs beside the models, as a table."""

from __future__ import annotations

import pandas as pd

from aisim_model.evidence.cloud_scenario import CloudVerdict

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
                "relative_error": mean_ttft_error(one),
                "roofline_mean_ttft_s": one.roofline_mean_ttft_s,
                "source": one.run.source,
                "note": one.run.note,
            }
            for one in verdicts
        ]
    )


def mean_ttft_error(one: CloudVerdict) -> float | None:
    """Return by how much the mean TTFT at the run's own rate is off, as a share of the measured [-]."""
    if one.mean_ttft_s is None or one.run.mean_ttft_s is None:
        return None
    return one.mean_ttft_s / one.run.mean_ttft_s - 1.0
