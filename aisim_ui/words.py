"""Numbers as a planner reads them: two or three digits that matter, with a unit that fits."""

from __future__ import annotations

import html
import math
import re

MARKUP = re.compile(r"([\\`*{}\[\]()<>#+\-.!|~$:&@=]|_(?!\w)|(?<!\w)_)")  # inside a word _ marks nothing


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
    return f"{significant(gb_s)} GB/s" + (f" ({significant(gb_s * 8)} Gb/s)" if gb_s > 0 else "")


def literal(text: str) -> str:
    """Return text from outside as Markdown that shows it as it is: no markup in it counts.

    Examples
    --------
    >>> literal("**a** <b>")
    '\\\\*\\\\*a\\\\*\\\\* \\\\<b\\\\>'
    """
    return MARKUP.sub(r"\\\1", text)


def label(text: str) -> str:
    """Return text from outside as a chart's label, in which a few HTML tags would count.

    Examples
    --------
    >>> label("a < b")
    'a &lt; b'
    """
    return html.escape(text, quote=False)
