"""A measured run beside its replay, in words: how far off a metric is, and which part that points to."""

from __future__ import annotations

from aisim_model.traffic.measured import Off

LABELS = {"ttft_ms": "TTFT", "itl_ms": "ITL", "e2e_ms": "Request time"}


def off_sentence(off: Off) -> str:
    """Say how far measured times are from predicted ones, and what kind of difference it is.

    Examples
    --------
    >>> print(off_sentence(Off("ttft_ms", (230.0,) * 3, (50.0,) * 3, ((5, 180.0),), ((0, 180.0),), "fixed")))
    Measured TTFT is 180 ms above at all lengths: a fixed cost that the row doesn't have.
    """
    label = LABELS[off.metric]
    if off.shape == "none":
        return f"Measured {label} is within 10% of the replay at the median."
    size = abs(off.difference_ms)
    side = "above" if off.difference_ms > 0 else "below"
    head = f"Measured {label} is {size:,.3g} ms {side}"
    has = "that the row doesn't have" if off.difference_ms > 0 else "that the row has and the run hadn't"
    if off.shape == "fixed":
        return f"{head} at all lengths: a fixed cost {has}."
    (short, at_short), (long, at_long) = off.by_prompt[0], off.by_prompt[-1]
    if off.shape == "per_token":
        return (
            f"{head} at the median, from {at_short:,.3g} ms at {short:,.0f} prompt tokens to "
            f"{at_long:,.3g} ms at {long:,.0f}: the time of each token differs, not a fixed cost."
        )
    if off.shape == "grows":
        return (
            f"{head} at the median, from {off.by_time[0][1]:,.3g} ms early in the run to "
            f"{off.by_time[-1][1]:,.3g} ms late: queues differ, so one of the two carries less."
        )
    return f"{head} at the median, unlike at short and long prompts, early and late."


def within_sentence(requests: int, measured: int, predicted: int) -> str:
    """Say how many requests meet both service levels, measured and in the replay.

    Examples
    --------
    >>> within_sentence(100, 73, 81)
    '73 of 100 within both service levels as measured, 81 of 100 in the replay.'
    """
    return (
        f"{measured:,} of {requests:,} within both service levels as measured, "
        f"{predicted:,} of {requests:,} in the replay."
    )
