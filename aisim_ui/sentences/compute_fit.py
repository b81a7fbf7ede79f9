"""What a fit to runs of a benchmark found of a row's passes, in a sentence and numbers."""

from __future__ import annotations

from aisim_model.calibration.compute_fit import CLIENT, LABELS, ComputeFit
from aisim_ui.sentences.number import Number
from aisim_ui.words import escape_markdown, milliseconds, percent, significant

HOW = (
    "Fitted to the logarithms of predicted over measured. The constants that published silicon gave count as "
    "one more observation, so what the runs don't tell stays there."
)


def sentence(fit: ComputeFit, name: str) -> str:
    """Say how far off the row was before and is now."""
    runs = len(fit.rows)
    return (
        f"**{escape_markdown(name)} is off by {percent(fit.error)} at the median of its {runs} runs**, by "
        f"{percent(fit.before_error)} before, and by {percent(fit.left_out_error)} on a run that is left out."
    )


def numbers(fit: ComputeFit) -> tuple[Number, ...]:
    """Each fitted number with its 95% interval; those that the runs can't tell say so."""
    return tuple(_number(fit, name) for name in fit.values)


def _number(fit: ComputeFit, name: str) -> Number:
    value, (low, high) = fit.values[name], fit.intervals[name]
    if name == CLIENT:
        shown, beside = milliseconds(value), f"95%: {milliseconds(low)} to {milliseconds(high)}"
    elif name == "floor_scale":
        shown, beside = f"{significant(value)} x", f"95%: {significant(low)} to {significant(high)}"
    else:
        shown, beside = percent(value), f"95%: {percent(low)} to {percent(min(high, 1.0))}"
    label = LABELS[name][0].upper() + LABELS[name][1:]
    return Number(label, shown, "the runs can't tell" if name in fit.untold else beside, HOW)


def untold(fit: ComputeFit) -> str:
    """Say which parameters the runs can't tell apart; empty where they tell all."""
    if not fit.untold:
        return ""
    names = ", ".join(LABELS[name] for name in fit.untold)
    return (
        f"The runs can't tell {names}, which stay near the constants of published silicon. Runs of other "
        "prompt lengths and other numbers in flight would."
    )
