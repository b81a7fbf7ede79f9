"""What a fit to measured transfers found, in a sentence and numbers, and how well it is known."""

from __future__ import annotations

from aisim_model.calibration import CalibrationFit
from aisim_ui.sentences.number import Number
from aisim_ui.words import percent, significant

HOW = (
    "Time is start-up plus size over bandwidth, plus the cost of each descriptor where they are counted; "
    "fitted by relative error, robust to a few odd rows. The interval comes from resampled residuals; as "
    "many rows as unknowns leave none."
)


def sentence(fit: CalibrationFit) -> str:
    """Say what the fit found and how well it is known."""
    told = fit.calibration
    worst = percent(fit.max_relative_error).replace("<", "less than ")
    bandwidth = f"{significant(told.bandwidth_gb_s)} GB/s"
    return (
        f"**A transfer costs {significant(told.alpha_ms)} ms to start, then goes at {bandwidth}**; "
        f"the worst of {len(fit.measurements)} rows is off by {worst}."
    )


def numbers(fit: CalibrationFit) -> tuple[Number, ...]:
    """Each fitted number with its 95% interval, and the largest error."""
    told = fit.calibration
    bandwidth = f"{significant(told.bandwidth_gb_s)} GB/s"
    found = [
        _fitted("Start-up", f"{significant(told.alpha_ms)} ms", fit.alpha_ms_interval),
        _fitted("Bandwidth", bandwidth, fit.bandwidth_gb_s_interval),
    ]
    if fit.measurements.descriptors is not None:
        dropped = fit.per_descriptor_us_interval is None and told.per_descriptor_us == 0
        cost = "not told apart" if dropped else f"{significant(told.per_descriptor_us)} µs"
        label = "Per block" if told.counted == "blocks" else "Per descriptor"
        found.append(_fitted(label, cost, fit.per_descriptor_us_interval))
    unseen = fit.max_leave_one_out_error
    beside = "too few rows to leave one out" if unseen is None else f"{percent(unseen)} on a row left out"
    how = "Fitted over measured time, less 1: of the row that is furthest off."
    return (*found, Number("Largest error", percent(fit.max_relative_error), beside, how))


def _fitted(label: str, value: str, bounds: tuple[float, float] | None) -> Number:
    beside = "no interval"
    if bounds is not None:
        beside = f"95%: {significant(bounds[0])} to {significant(bounds[1])}"
    return Number(label, value, beside, HOW)
