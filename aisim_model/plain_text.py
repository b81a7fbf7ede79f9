"""Text from files and links, safe to print: a mark in place of what a terminal acts upon."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BeforeValidator

# terminal escapes, other controls, marks of direction, and halves of a pair that no encoding writes
_UNPRINTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return a text with a mark for each character that a terminal acts upon; lines and tabs stay.

    Examples
    --------
    >>> printable("\x1b]0;owned\x07a\u202eb")
    '�]0;owned�a�b'
    """
    return _UNPRINTED.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    r"""Return a text on one line, with a mark for each character that a terminal acts upon.

    Examples
    --------
    >>> one_line("Split\n1 + 1\x1b[2J")
    'Split 1 + 1�[2J'
    """
    return printable(text.replace("\r\n", " ").replace("\n", " ").replace("\t", " "))


def _if_text(value: Any) -> Any:
    return one_line(value) if isinstance(value, str) else value


# makes a field's text `one_line`; it stands behind the field's bounds
ON_ONE_LINE = BeforeValidator(_if_text)
