"""Hash ids: how many tokens one stands for, told from prompt lengths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aisim_model.traces.trace import Integers

# A file whose rows mostly fit no size has ids cut off, not blocks of another size.
NEARLY_ALL = 0.95
USUAL_BLOCK_TOKENS = (512, 16, 64, 32, 128, 256, 1024, 2048)


def rows_that_fit(input_tokens: Integers, ids_per_row: Integers, block_tokens: int) -> npt.NDArray[np.bool_]:
    """Tell for each row whether its ids are as many as its prompt has blocks, the last one begun counted.

    Examples
    --------
    >>> rows_that_fit(np.array([512, 513]), np.array([1, 1]), 512)
    array([ True, False])
    """
    return np.equal(-(-input_tokens // block_tokens), ids_per_row)


def block_size(input_tokens: Integers, ids_per_row: Integers, documented: int | None) -> tuple[int, str]:
    """Return the tokens that a hash id stands for, and why.

    The documented size counts unless another usual one fits more rows, and nearly all.

    Parameters
    ----------
    input_tokens, ids_per_row : array of int64
        Prompt tokens [-] and number of ids of the rows that have ids.
    documented : int or None
        Size that the format's authors state [-].

    Returns
    -------
    tuple of int and str
        Block size [-], and a sentence.

    Examples
    --------
    >>> print(block_size(np.array([10, 20, 15]), np.array([1, 2, 1]), 512)[1])
    Blocks of 16 tokens, told from the lengths: 3 of 3 rows fit, 2 with the documented 512.
    """
    order = ((documented,) if documented else ()) + USUAL_BLOCK_TOKENS
    fits = {size: int(rows_that_fit(input_tokens, ids_per_row, size).sum()) for size in order}
    best = max(order, key=lambda size: (fits[size], size == documented))
    if documented and fits[best] < NEARLY_ALL * input_tokens.size:
        best = documented
    said = f"{fits[best]:,} of {input_tokens.size:,} rows fit"
    if best == documented:
        return best, f"Blocks of {best} tokens as documented: {said}."
    against = f", {fits[documented]:,} with the documented {documented}" if documented else ""
    return best, f"Blocks of {best} tokens, told from the lengths: {said}{against}."


def without_surplus_ids(
    hash_ids: Integers, offsets: Integers, input_tokens: Integers, block_tokens: int
) -> tuple[Integers, Integers, int]:
    """Drop ids beyond a prompt's last block: no prompt has them.

    Parameters
    ----------
    hash_ids, offsets : array of int64
        Ids of all rows, and where each row's begin.
    input_tokens : array of int64
        Prompt tokens of the rows [-].
    block_tokens : int
        Tokens an id stands for [-].

    Returns
    -------
    tuple of array, array and int
        Ids and offsets that are left, and the rows that had too many.

    Examples
    --------
    >>> without_surplus_ids(np.array([1, 2, 3]), np.array([0, 3]), np.array([1024]), 512)
    (array([1, 2]), array([0, 2]), 1)
    """
    lengths = np.diff(offsets)
    most = -(-input_tokens // block_tokens)
    surplus = lengths > most
    if not surplus.any():
        return hash_ids, offsets, 0
    kept = np.minimum(lengths, most)
    place_in_row = np.arange(hash_ids.size) - np.repeat(offsets[:-1], lengths)
    left = hash_ids[place_in_row < np.repeat(kept, lengths)]
    return left, np.append(0, kept.cumsum()), int(surplus.sum())


def ids_of_rows(hash_ids: Integers, offsets: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """Return the ids of some rows, in their order.

    Examples
    --------
    >>> ids_of_rows(np.array([1, 2, 3]), np.array([0, 1, 3]), np.array([1, 0]))
    (array([2, 3, 1]), array([0, 2, 3]))
    """
    lengths = np.diff(offsets)[rows]
    taken = np.append(0, lengths.cumsum())
    places = np.repeat(offsets[:-1][rows] - taken[:-1], lengths) + np.arange(taken[-1])
    return hash_ids[places], taken
