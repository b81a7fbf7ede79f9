"""Numbers as a planner reads them: two or three digits that matter, with a unit that fits."""

from __future__ import annotations

import html
import math
import re
import textwrap

MARKUP = re.compile(r"([\\`*{}\[\]()<>#+\-.!|~$:&@=]|_(?!\w)|(?<!\w)_)")  # inside a word _ marks nothing
ADDRESS = re.compile(r"(?<=[a-z]:)(?=//)|(?<=\bwww)(?=\.)|(?=@)", re.IGNORECASE)
TYPED_SIGN = re.compile(r"(?:(?<=\s[<>~-])|(?<=^[<>~-]))(?=[-=>]{1,2}(?:\s|$))")  # as in a -> b
JOINER = "\u2060"  # seen by nobody; an escaped address would still become a link, -> an arrow
LEAST_GB_S = 0.001
HEADER_LETTER_PX, HEADER_EDGES_PX = 7.5, 20
LINE_LETTERS, MOST_LINES = 28, 2


def milliseconds(value: float, digits: int = 3) -> str:
    """Write a time.

    Examples
    --------
    >>> milliseconds(15.72864), milliseconds(2516.6), milliseconds(0.0032), milliseconds(float("nan"))
    ('15.7 ms', '2.52 s', '3.2 µs', 'no delay')
    """
    if math.isnan(value):
        return "no delay"
    if math.isinf(value):
        return "never"
    if abs(value) >= 1000:
        return f"{significant(value / 1000, digits)} s"
    if 0 < abs(value) < 0.1:
        return f"{significant(value * 1000, digits)} µs"
    return f"{significant(value, digits)} ms"


def significant(value: float, digits: int = 3) -> str:
    """Write a number with so many significant digits, thousands apart.

    Examples
    --------
    >>> significant(1234.5), significant(0.012345), significant(15.0, 2), significant(0.0)
    ('1,230', '0.0123', '15', '0')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞" if value > 0 else "-∞"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    text = f"{rounded:,.{max(decimals, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def written(value: float) -> str:
    """Write a number as it is: thousands apart, no trailing zeros.

    Examples
    --------
    >>> written(12000), written(0.25)
    ('12,000', '0.25')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,g}"


def percent(share: float) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.0312), percent(0.0004), percent(0.0)
    ('3.1%', '<0.1%', '0%')
    """
    if 0 < share < 0.001:
        return "<0.1%"
    return f"{significant(share * 100, 2)}%"


def size(number_of_bytes: float) -> str:
    """Write a size in decimal units.

    Examples
    --------
    >>> size(3_145_728_000), size(512)
    ('3.15 GB', '512 B')
    """
    for factor, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(number_of_bytes) >= factor:
            return f"{significant(number_of_bytes / factor)} {unit}"
    return f"{significant(number_of_bytes)} B"


def bandwidth(gb_s: float) -> str:
    """Write a bandwidth, in the GB/s of the model and the Gb/s of a NIC.

    Examples
    --------
    >>> bandwidth(50.0), bandwidth(0.0)
    ('50 GB/s (400 Gb/s)', '0 GB/s')
    """
    return rate(gb_s) + (f" ({significant(gb_s * 8)} Gb/s)" if gb_s >= LEAST_GB_S else "")


def rate(gb_s: float) -> str:
    """Write a bandwidth in GB/s, one far below in the unit that fits.

    Examples
    --------
    >>> rate(2.0144), rate(7.28e-8), rate(0.0)
    ('2.01 GB/s', '72.8 B/s', '0 GB/s')
    """
    return f"{size(gb_s * 1e9)}/s" if 0 < gb_s < LEAST_GB_S else f"{significant(gb_s)} GB/s"


def escape_markdown(text: str) -> str:
    """Return text from outside as Markdown that shows it as it is: no markup counts, no address is a link.

    Examples
    --------
    >>> escape_markdown("**a** <b>")
    '\\\\*\\\\*a\\\\*\\\\* \\\\<b\\\\>'
    """
    return MARKUP.sub(r"\\\1", TYPED_SIGN.sub(JOINER, ADDRESS.sub(JOINER, text)))


def label(text: str) -> str:
    """Return text from outside as a chart's label, in which a few HTML tags would count.

    Examples
    --------
    >>> label("a < b")
    'a &lt; b'
    """
    return html.escape(text, quote=False)


def short_label(text: str) -> str:
    """Return text from outside as a label of one line, its end left out where it is long.

    Examples
    --------
    >>> short_label("A deployment with a name of many words")
    'A deployment with a name of…'
    """
    return label(text if len(text) <= LINE_LETTERS else text[: LINE_LETTERS - 1].rstrip() + "…")


def name_label(text: str) -> str:
    """Return a name from outside as a label of two lines at most, so that a chart keeps its room.

    Examples
    --------
    >>> name_label("Split, 400G NIC per GPU"), name_label("A deployment with a name of many words")
    ('Split, 400G NIC per GPU', 'A deployment with a name of<br>many words')
    """
    lines = textwrap.wrap(text, LINE_LETTERS)
    if len(lines) > MOST_LINES:
        lines[MOST_LINES - 1 :] = [" ".join(lines[MOST_LINES - 1 :])]
    return "<br>".join(short_label(line) for line in lines)


def header_px(title: str) -> int:
    """Return the width of a column that shows its header in full; a table guesses those out of sight."""
    return round(HEADER_LETTER_PX * len(title) + HEADER_EDGES_PX)
