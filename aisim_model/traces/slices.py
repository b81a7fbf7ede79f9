"""What a part of a trace says of the whole."""

from __future__ import annotations

from aisim_model.traces.trace import Trace


def slice_warning(whole: Trace, part: Trace) -> str | None:
    """Say how a part of a trace differs from all of it, or nothing where it is the whole.

    Parameters
    ----------
    whole, part : Trace
        The trace, and what `head` or `window` took of it.

    Returns
    -------
    str or None
        A sentence with both rates and both mean prompts.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0, 500.0, 600.0]), np.array([10, 20, 60]), np.array([8, 8, 8]))
    >>> print(slice_warning(trace, trace.head(2)))  # doctest: +ELLIPSIS
    A slice of 2 of 3 requests is biased: 4 requests/s against 5 in the whole, mean prompt 15 tokens...
    """
    if len(part) == len(whole):
        return None
    part_rate, whole_rate = (
        "all at once" if rate is None else f"{rate:.3g}"
        for rate in (part.requests_per_s(), whole.requests_per_s())
    )
    return (
        f"A slice of {len(part):,} of {len(whole):,} requests is biased: {part_rate} requests/s against "
        f"{whole_rate} in the whole, mean prompt {part.input_tokens.mean():,.0f} tokens against "
        f"{whole.input_tokens.mean():,.0f}."
    )
