"""Links as mail, chat and documents hand them on: escaped, wrapped, with punctuation after them.

A packed scenario is letters, digits, `-` and `_` alone and ends in a checksum. So whatever else stands in it
was put there on the way and can go: should that ever make another text, the checksum tells.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import unquote

MAX_RAW = 200_000
MAX_DECODED = 4  # a link that passed through more hands than this is asked for again
_ESCAPED = re.compile(r"^(?:amp;|#38;|#x26;)+", re.IGNORECASE)
_OUTSIDE = re.compile(r"[^A-Za-z0-9_-]+")
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")


def mended(parameters: Mapping[str, str], packed: str, version: str) -> dict[str, str]:
    """Return a URL's parameters as they were made.

    Parameters
    ----------
    parameters : Mapping
        Names and values as the browser sent them.
    packed, version : str
        Names of the packed scenario and of the version.

    Examples
    --------
    >>> mended({"v": "0.2.0", "amp;s": "eNrt V-_\\u00ad.)"}, "s", "v")
    {'v': '0.2.0', 's': 'eNrtV-_'}
    """
    found = {_ESCAPED.sub("", name): value for name, value in parameters.items()}
    if packed not in found:
        found |= _within(found, packed, version)
    if packed in found and len(found[packed]) <= MAX_RAW:
        found[packed] = _characters(found[packed])
    stated = _VERSION.search(found.get(version, ""))
    if stated is not None and packed in found:
        found[version] = stated[0]
    return found


def _within(parameters: dict[str, str], packed: str, version: str) -> dict[str, str]:
    """Return the packed scenario and its version where the query was escaped whole and is one text."""
    names = [name for name, value in parameters.items() if f"{packed}=" in _decoded(f"{name}={value}")]
    for name in names:
        text = _decoded(f"{name}={parameters[name]}")
        found = {key: re.search(rf"(?:^|[?&;]){key}=([^&#]*)", text) for key in (packed, version)}
        if found[packed] is not None:
            del parameters[name]
            return {key: one[1] for key, one in found.items() if one is not None}
    return {}


def _decoded(text: str) -> str:
    """Return a text without percent and HTML escapes, however often they were put on, within reason."""
    for _ in range(MAX_DECODED):
        plain = html.unescape(unquote(text))
        if plain == text:
            break
        text = plain
    return text


def _characters(text: str) -> str:
    """Return a packed text without what was put into it: escapes, wraps, soft hyphens, marks around it."""
    plain = _decoded(text)
    plain = plain.removeprefix("3D")  # of mail's quoted-printable, which no packed text begins with
    return _OUTSIDE.sub("", plain.translate(str.maketrans("+/", "-_")))
