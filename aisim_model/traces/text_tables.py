"""Tables as programs print them: columns parted by blanks, headers behind # or over two lines.

Traces and measured transfers are both read through this. Lines keep their numbers: what belongs to no table
becomes an empty line.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence

SEPARATORS = (",", ";", "|")
HEADER_REACH = 8  # lines above the first row among which the header is sought
MOST_CHARACTERS = 2_000_000  # beyond this no program's printed table
MOST_COLUMNS = 200
_STARTS = tuple('+-."0123456789')  # of a row
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_RULE = re.compile(r"[\s\-=+*|_#:]*")
_TAG = re.compile(r"^\[\d+,\d+\]<std(?:out|err)>:\s?")  # of mpirun --tag-output
_UNITS = re.compile(r"\([^()]*\)(\s+\([^()]*\))*")
_REMARK = re.compile(r"^#\s*[^\s:(]+( [^\s:(]+)*\s*:")


def as_separated(text: str) -> str:
    r"""Return a printed table with tabs between its cells, without remarks; any other text as it is.

    Examples
    --------
    >>> as_separated("# OSU Latency Test\n# Size     Latency (us)\n65536        12.50\n")
    '\nSize\tLatency (us)\n65536\t12.50\n'
    >>> as_separated("bytes,ms\n1,2\n")
    'bytes,ms\n1,2\n'
    """
    if len(text) > MOST_CHARACTERS:
        return text
    try:
        return _separated(text)
    except csv.Error:  # a cell beyond what a table may hold, which the reader refuses by its line
        return text


def _separated(text: str) -> str:
    lines = [_TAG.sub("", line) for line in text.splitlines()]
    if any(line.lstrip().startswith("|") for line in lines):
        lines = [_without_frame(line) for line in lines]
        if lines != text.splitlines():
            return "\n".join(lines) + "\n"
    first = next((index for index, line in enumerate(lines) if _is_row(line)), None)
    if first is None:
        return text
    separator = _separator(lines[first])
    if separator is not None and not any(line.lstrip().startswith("#") for line in lines[:first]):
        return text
    found = _header(lines, first, separator)
    if found is None:
        return text
    at, names = found
    rows = ["" if index < at else _row(line, separator) for index, line in enumerate(lines)]
    rows[at] = "\t".join(names) if separator is None else lines[at].lstrip().removeprefix("#")
    return "\n".join(rows) + "\n"


def separated(text: bytes) -> bytes:
    r"""Return what `as_separated` makes of a text in UTF-8.

    Examples
    --------
    >>> separated(b"# arrived  tokens\n0.5  12\n")
    b'arrived\ttokens\n0.5\t12\n'
    """
    return text if len(text) > MOST_CHARACTERS else as_separated(text.decode()).encode()


def _without_frame(line: str) -> str:
    """Return a line of a table drawn with bars, as in Markdown, without them; a rule as nothing."""
    if _RULE.fullmatch(line):
        return ""
    cells = line.strip().removeprefix("|").removesuffix("|")
    return "\t".join(cell.strip() for cell in cells.split("|")) if line.lstrip().startswith("|") else line


def _separator(line: str) -> str | None:
    """Return what separates a row's cells; None for blanks, among which a tab may be one."""
    mark = next((mark for mark in SEPARATORS if mark in line), None)
    if mark is None and "\t" in line and all(len(cell.split()) == 1 for cell in line.split("\t")):
        return "\t"
    return mark


def _cells(line: str, separator: str | None) -> list[str]:
    if separator is None:
        return line.split()
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]


def _is_row(line: str) -> bool:
    """Whether a line begins with a number and has another."""
    if not line.lstrip().startswith(_STARTS):
        return False
    cells = _cells(line, _separator(line))
    numbers = [bool(_NUMBER.fullmatch(cell)) for cell in cells]
    return len(cells) > 1 and numbers[0] and sum(numbers) > 1


def _row(line: str, separator: str | None) -> str:
    """Return a row, with tabs where blanks part its cells; nothing for a line that is none."""
    if line.lstrip().startswith("#"):
        return ""
    if separator is not None:
        return line
    cells = line.split()
    return "\t".join(cells) if cells and _NUMBER.fullmatch(cells[0]) else ""


def _header(lines: Sequence[str], first: int, separator: str | None) -> tuple[int, list[str]] | None:
    """Return on which line the header ends, and its names: as many as most rows have cells."""
    counts = Counter(len(_cells(line, separator)) for line in lines[first:] if _is_row(line))
    columns = counts.most_common(1)[0][0]
    if columns > MOST_COLUMNS:
        return None
    for at in range(first - 1, max(first - 1 - HEADER_REACH, -1), -1):
        line = lines[at]
        if not re.search(r"[A-Za-z]", line) or _RULE.fullmatch(line) or _REMARK.match(line.strip()):
            continue
        names = (
            _cells(line.lstrip().removeprefix("#"), separator)
            if separator is not None
            else _names(line, lines[first], columns)
        )
        if separator is None and _UNITS.fullmatch(line.strip().removeprefix("#").strip()):
            names = _with_units(lines[:at], line)
        if len(names) == columns:
            return at, [name.lstrip("#").strip() for name in names]
    return None


def _names(line: str, row: str, columns: int) -> list[str]:
    """Return a header's names, parted by two blanks, by #, or by the cells that stand beneath them."""
    plain = re.sub(r"^(\s*)#(?=\s)", r"\1 ", line)
    parts = [part for part in re.split(r"\s{2,}|\t", plain.strip()) if part]
    if len(parts) != columns:
        parts = [one for part in parts for one in re.split(r"\s+(?=#)", part)]
    if len(parts) != columns:
        parts = re.split(r"\s+(?![(\[])", plain.strip())
    return parts if len(parts) == columns else _by_place(plain, row)


def _by_place(line: str, row: str) -> list[str]:
    """Return a name for each cell of a row: the words of the header that stand nearest to it."""
    spans = [(found.start(), found.end()) for found in re.finditer(r"\S+", row)]
    names: list[list[str]] = [[] for _ in spans]
    for word in re.finditer(r"\S+", line):
        apart = [max(start - word.end(), word.start() - end, 0) for start, end in spans]
        names[apart.index(min(apart))].append(word[0])
    return [" ".join(words) for words in names] if all(names) else []


def _with_units(above: Sequence[str], units: str) -> list[str]:
    """Return the names of the line above, each with the unit that ends nearest to where it ends."""
    line = next((one for one in reversed(above) if re.search(r"[A-Za-z]", one)), "")
    words = [(found[0], found.end()) for found in re.finditer(r"\S+", re.sub(r"^(\s*)#", r"\1 ", line))]
    names = [word for word, _end in words]
    for unit in re.finditer(r"\([^()]*\)", units):
        apart = [abs(end - unit.end()) for _word, end in words]
        if apart:
            names[apart.index(min(apart))] += f" {unit[0]}"
    return names
