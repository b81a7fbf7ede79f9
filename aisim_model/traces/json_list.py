"""One JSON list as a line for each of its items, without building any of them."""

from __future__ import annotations

import numpy as np

CHUNK_BYTES = 2 << 20
QUOTE, BACKSLASH, COMMA, FEED, RETURN, SPACE = (ord(c) for c in '"\\,\n\r ')


def list_as_lines(text: bytes) -> bytes:
    r"""Return the items of a JSON list, a line each; feeds between the tokens of an item become blanks.

    Brackets and quotes are counted piece by piece, in a few times the size of a piece; what the list's own
    end leaves over stays on the last line, where a reader names it.

    Parameters
    ----------
    text : bytes
        UTF-8 text that begins with ``[``.

    Examples
    --------
    >>> list_as_lines(b'[{"a": "x,]\\""},\n {"a":\n [1, 2]}]\n')
    b' {"a": "x,]\\""}\n  {"a":  [1, 2]} \n'
    """
    data = np.frombuffer(text, dtype=np.uint8).copy()
    depth, inside, escaped = 0, False, False
    opens, closes = _table(b"[{"), _table(b"]}")
    for start in range(0, data.size, CHUNK_BYTES):
        piece = data[start : start + CHUNK_BYTES]
        quotes = piece == QUOTE
        real, escaped = _unescaped(piece, quotes, escaped)
        in_string = np.logical_xor(np.bitwise_xor.accumulate(real.astype(np.uint8)).astype(bool), inside)
        inside = bool(in_string[-1])
        outside = ~in_string & ~real
        steps = opens[piece].astype(np.int32) - closes[piece]
        steps[~outside] = 0
        level = steps.cumsum() + depth
        depth = int(level[-1])
        piece[outside & ((piece == FEED) | (piece == RETURN))] = SPACE
        piece[outside & (piece == COMMA) & (level == 1)] = FEED
        # the list's own brackets
        piece[outside & (((steps > 0) & (level == 1)) | ((steps < 0) & (level == 0)))] = SPACE
    return bytes(data.tobytes().rstrip(b" ") + b" \n")


def _table(characters: bytes) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    table = np.zeros(256, dtype=np.int8)
    table[list(characters)] = 1
    return table


def _unescaped(
    piece: np.ndarray[tuple[int], np.dtype[np.uint8]],
    quotes: np.ndarray[tuple[int], np.dtype[np.bool_]],
    escaped: bool,
) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], bool]:
    """Return the quotes that open or close a string, and whether the next piece begins escaped."""
    slashes = piece == BACKSLASH
    if not slashes.any():
        if escaped:
            quotes = quotes.copy()
            quotes[0] = False
        return quotes, False
    # a run of backslashes escapes what follows where it is odd; one carried over counts to the first run
    place = np.arange(piece.size)
    last_other = np.maximum.accumulate(np.where(slashes, -1, place))
    run = np.where(slashes, place - last_other, 0) + (slashes & (last_other == -1) & escaped)
    odd = np.zeros(piece.size, dtype=np.bool_)
    odd[1:] = run[:-1] % 2 == 1
    odd[0] = escaped and not slashes[0]
    ends_odd = bool(run[-1] % 2 == 1)
    return quotes & ~odd, ends_odd
