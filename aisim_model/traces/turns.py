"""Conversations: when a turn arrives that has a wait after the turn before it instead of a time."""

from __future__ import annotations

import math

import pyarrow as pa

Cell = str | float | None


def arrivals_of_turns(arrival: pa.Array, sessions: pa.Array, delays: pa.Array) -> pa.Array:
    """Place a turn without a time of its own after the turn before it in its conversation.

    A time that is no number stays as it is written; a turn after one that has no place has no time.

    Examples
    --------
    >>> times, names = pa.array([5.0, None, None]), pa.array(["a", "a", "b"])
    >>> arrivals_of_turns(times, names, pa.array([None, 2.0, 2.0])).to_pylist()
    [5.0, 7.0, None]
    """
    ends: dict[object, float] = {}
    placed: list[float | None] = []
    strange: dict[int, str] = {}
    cells = zip(arrival.to_pylist(), sessions.to_pylist(), delays.to_pylist(), strict=True)
    for place, (given, session, wait) in enumerate(cells):
        at, delay = _number(given), _number(wait)
        if not _is_empty(given):
            if at is None:
                strange[place] = str(given)
        elif delay is not None and delay >= 0.0 and session in ends:
            at = ends[session] + delay
        if at is None:
            ends.pop(session, None)
        elif session is not None:
            ends[session] = at
        placed.append(at)
    if not strange:
        return pa.array(placed, pa.float64())
    texts = [strange.get(place, None if at is None else repr(at)) for place, at in enumerate(placed)]
    return pa.array(texts, pa.string())


def used_delays(arrival: pa.Array, delays: pa.Array) -> pa.Array:
    """Return the delays of the turns that have no time of their own.

    Examples
    --------
    >>> used_delays(pa.array([5.0, None]), pa.array([1.0, 2.0])).to_pylist()
    [None, 2.0]
    """
    cells = zip(arrival.to_pylist(), delays.to_pylist(), strict=True)
    return pa.array([delay if _is_empty(given) else None for given, delay in cells], delays.type)


def _is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _number(cell: Cell) -> float | None:
    try:
        number = math.nan if cell is None else float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
