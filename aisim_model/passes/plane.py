"""Decode steps as they were measured: a table of sequences and contexts, read between its entries.

A pass with a prompt and sequences takes what the two tables say of each, added: what they share, such as the
reading of weights, was measured in both, so that a mixed pass comes out rather too long than too short.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from aisim_model.arrays import Floats, Values
from aisim_model.errors import InputError
from aisim_model.passes.operator_pass import between, read_plane
from aisim_model.passes.worker import DecodeTable

ROWS, COLUMNS, AXES = 0, 1, 2  # places in the numbers: how many of each, then both axes and the times
MOST_ENTRIES = 512


def checked_plane(table: DecodeTable) -> DecodeTable:
    """Return a table of sequences, context tokens and milliseconds in its order, or refuse it by its fault.

    Raises
    ------
    InputError
        For fewer than two numbers of sequences or contexts, a pair that is missing or there twice, and times
        that fall as sequences are added, each with its row.

    Examples
    --------
    >>> checked_plane(((8, 1000, 9), (1, 1000, 7), (1, 4000, 8), (8, 4000, 12)))
    ((1.0, 1000.0, 7.0), (1.0, 4000.0, 8.0), (8.0, 1000.0, 9.0), (8.0, 4000.0, 12.0))
    """
    remedy = "Give the time of each number of sequences at each context, at least two of both."
    entries: dict[tuple[float, float], float] = {}
    for number, (sequences, context, time_ms) in enumerate(table, 1):
        row = f"decode_table, row {number}"
        if not all(np.isfinite(cell) and cell > 0 for cell in (sequences, context, time_ms)):
            raise InputError(row, (sequences, context, time_ms), "must be numbers above 0", remedy)
        if (sequences, context) in entries:
            pair = f"{sequences:g} sequences of {context:g} tokens"
            raise InputError(row, pair, "stand in the table twice", "Keep one time for each.")
        entries[float(sequences), float(context)] = float(time_ms)
    rows, columns = (sorted({pair[place] for pair in entries}) for place in (0, 1))
    if len(rows) < 2 or len(columns) < 2:
        raise InputError("decode_table", f"{len(entries)} entries", "has too few to read between", remedy)
    for context in columns:
        for fewer, more in pairwise(rows):
            for sequences in (fewer, more):
                if (sequences, context) not in entries:
                    pair = f"{sequences:g} sequences of {context:g} tokens"
                    raise InputError("decode_table", pair, "have no time", remedy)
            if entries[more, context] < entries[fewer, context]:
                said = f"{entries[more, context]:g} ms for {more:g} sequences of {context:g} tokens"
                problem = f"is less than {entries[fewer, context]:g} ms for {fewer:g}"
                raise InputError("decode_table", said, problem, "Measure again, or leave the odd one out.")
    return tuple((*pair, entries[pair]) for pair in sorted(entries))


def numbers(table: DecodeTable) -> tuple[float, ...]:
    """Return a checked table as the numbers that `step_ms` takes."""
    rows, columns = (sorted({entry[place] for entry in table}) for place in (0, 1))
    return float(len(rows)), float(len(columns)), *rows, *columns, *(time_ms for *_, time_ms in table)


def step_ms(numbers: Floats | tuple[Values, ...], sequences: Values, context_tokens: Values) -> Values:
    """Time of a decode step [ms].

    Parameters
    ----------
    numbers : array or tuple of float
        From `numbers`.
    sequences, context_tokens
        As in `PassWork`; beyond the table its last stretches are extrapolated, never below 0.

    Examples
    --------
    Halfway between 1 and 3 sequences, and between 1,000 and 2,000 tokens: the mean of all four times.

    >>> float(step_ms((2.0, 2.0, 1.0, 3.0, 1000.0, 2000.0, 6.0, 8.0, 10.0, 12.0), 2.0, 3000.0))
    9.0
    """
    row = np.asarray(numbers)
    rows, columns = int(row[ROWS]), int(row[COLUMNS])
    start, times = AXES + rows, AXES + rows + columns
    running = np.maximum(sequences, 1.0) * 1.0
    place = between(row[AXES:start], running)
    across = between(row[start:times], context_tokens / running)
    found: Values = np.maximum(
        read_plane(row[times : times + rows * columns], columns, place, across), 0.0
    ) * (sequences > 0)
    return found
