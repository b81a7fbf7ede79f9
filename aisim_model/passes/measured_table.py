"""A measured table of prompts: what makes one, and where it has no rows on both sides."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aisim_model.arrays import Floats, Values, unboxed
from aisim_model.errors import InputError


def outside_table(tokens: Values, table_tokens: npt.ArrayLike) -> bool | npt.NDArray[np.bool_]:
    """Say where a table of measurements has no rows on both sides.

    Parameters
    ----------
    tokens : float or array of float64
        Uncached tokens [-].
    table_tokens : array-like of float64
        Tokens of the table's rows [-], rising.

    Returns
    -------
    bool or array of bool
        True where a reader of the table has to extrapolate.

    Examples
    --------
    >>> outside_table(np.array([64.0, 128.0, 9000.0]), [128, 8192])
    array([ True, False,  True])
    """
    known = np.asarray(table_tokens, dtype=np.float64)
    outside: bool | npt.NDArray[np.bool_] = unboxed(
        (np.asarray(tokens) < known[0]) | (np.asarray(tokens) > known[-1])
    )
    return outside


def checked_table(table_tokens: npt.ArrayLike, table_milliseconds: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return a table's columns as arrays, or refuse it by what is wrong.

    Raises
    ------
    InputError
        For fewer than two rows, columns of unequal length, tokens that don't rise, or times not above 0.

    Examples
    --------
    >>> checked_table([128, 256], [10, 12])
    (array([128., 256.]), array([10., 12.]))
    """
    known = np.asarray(table_tokens, dtype=np.float64)
    times = np.asarray(table_milliseconds, dtype=np.float64)
    remedy = "Give at least two rows of tokens and milliseconds, tokens rising."
    if known.ndim != 1 or known.shape != times.shape or known.size < 2:
        raise InputError("table", known.tolist(), "must have two columns of two rows or more", remedy)
    if not (np.isfinite(known).all() and (known >= 0).all() and (np.diff(known) > 0).all()):
        raise InputError("table tokens", known.tolist(), "must be counts that rise from row to row", remedy)
    if not (np.isfinite(times).all() and (times > 0).all()):
        raise InputError("table milliseconds", times.tolist(), "must be above 0", remedy)
    return known, times
