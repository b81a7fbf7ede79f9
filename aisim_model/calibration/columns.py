"""What a column of measured transfers holds, by its name; which columns known tools' tables go by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from aisim_model.errors import InputError

# a column's name says what it holds: the last of its words that is known counts
_SIZES = MappingProxyType(
    {"bytes": 1.0, "byte": 1.0, "b": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9}
    | {"kib": 2**10, "mib": 2**20, "gib": 2**30}
)
_TIMES = MappingProxyType(
    {"milliseconds": 1.0, "millisecond": 1.0, "msec": 1.0, "ms": 1.0, "microseconds": 1e-3, "usec": 1e-3}
    | {
        "ns": 1e-6,
        "nsec": 1e-6,
        "nanoseconds": 1e-6,
        "us": 1e-3,
        "seconds": 1e3,
        "second": 1e3,
        "sec": 1e3,
        "s": 1e3,
    }
)
_TOKENS = frozenset({"tokens", "token", "isl"})
_SEQUENCES = frozenset({"sequences", "sequence", "batch", "concurrency", "seqs"})
_CONTEXTS = frozenset({"context", "contexts", "ctx"})
BLOCKS = frozenset({"blocks", "block"})
_DESCRIPTORS = frozenset({"descriptors", "descriptor", "descs"}) | BLOCKS
RATE_COLUMN = "kv_bytes_per_token"
REPLICATION_COLUMN = "kv_head_replication"
_RATES = re.compile(
    r"_per_|(^|_)(tokens?|requests?|ops|msgs?|blocks?)_s(ec|econd)?s?$|(^|_)[kmgt]?i?b(it|yte)?s?_s$|(^|_)block_size(_b)?$|^batch_size"
)  # bytes per token, gb_s, tokens of a block: neither a size nor a time nor a count
# MB/s, Gb/sec, GiB/s, Gbps, GBps, gb_s: a capital B, or snake case, for bytes; Gb and gbps for bits
_SPEED = re.compile(
    r"(?<![A-Za-z])([KMGTkmgt])(i)?([bB])(it|yte)?s?\s*(/|_per_|per\s|_|p|(?=s\W*$))\s*[sS](ec|econd)?s?\b"
)
_RATIO = re.compile(r"([A-Za-z]+)\s*/\s*([A-Za-z]+)")  # tokens/s and ms/token, not size/KB
_MOMENT = re.compile(r"timestamp|(^|_)epoch(_|$)")
_BITS_OR_BYTES = re.compile(r"(?<![A-Za-z])[KMGT]i?b(?![A-Za-z])")
_POWERS = MappingProxyType({"k": 1, "m": 2, "g": 3, "t": 4})
_NOT_ACHIEVED = re.compile(r"nominal|peak|max|min|busbw|line_rate|link")
Kind = Literal["size", "tokens", "time", "descriptors", "rate", "copies", "speed", "sequences", "context", ""]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    index : int
        Its place.
    name : str
        Its name in small letters, with _ between words.
    kind : str
        What it holds; empty where that isn't told.
    scale : float
        Factor to bytes, milliseconds, or bytes a second.
    """

    index: int
    name: str
    kind: Kind
    scale: float = 1.0


def plain(name: str) -> str:
    """Return a column's name in small letters, with _ between words."""
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower().replace("µ", "u").replace("μ", "u")).strip("_")


def column(index: int, written: str) -> Column:
    """Tell what a column holds by its name's words, from the last to the first.

    Examples
    --------
    >>> column(1, "BW average[Gb/sec]")
    Column(index=1, name='bw_average_gb_sec', kind='speed', scale=125000000.0)
    """
    name = plain(written)
    if name == RATE_COLUMN:
        return Column(index, name, "rate")
    if name == REPLICATION_COLUMN:
        return Column(index, name, "copies")
    speed = None if _NOT_ACHIEVED.search(name) else _SPEED.search(written)
    if speed is not None:
        return Column(index, name, "speed", _speed_scale(speed))
    if _RATES.search(name) or _SPEED.search(written) or _is_ratio(written) or _MOMENT.search(name):
        return Column(index, name, "")
    for word in reversed(name.split("_")):
        if word in _TIMES:
            return Column(index, name, "time", _TIMES[word])
        if word in _SIZES and (word != "b" or "size" in name):
            if (unit := _BITS_OR_BYTES.search(written)) is not None:
                problem = f"may be bits or bytes in {unit[0]}"
                remedy = f"Name the column {unit[0].lower()} or {unit[0][:-1]}B for bytes."
                raise InputError("column", written, problem, remedy)
            return Column(index, name, "size", _SIZES[word])
        if word in _SEQUENCES:
            return Column(index, name, "sequences")
        if word in _CONTEXTS or (word in _TOKENS and _CONTEXTS & set(name.split("_"))):
            return Column(index, name, "context")
        if word in _TOKENS:
            return Column(index, name, "tokens")
        if word in _DESCRIPTORS:
            return Column(index, name, "descriptors")
    return Column(index, name, "")


def _is_ratio(written: str) -> bool:
    """Whether a name is one unit over another."""
    known = {*_SIZES, *_TIMES, *_TOKENS, *_DESCRIPTORS, "request", "requests", "transfers", "msgs", "ops"}
    return any({one.lower(), other.lower()} <= known for one, other in _RATIO.findall(written))


def _speed_scale(found: re.Match[str]) -> float:
    """Return bytes a second of one unit of a speed."""
    prefix, binary, letter, word, per = found[1], found[2], found[3], found[4], found[5]
    bits = word == "it" or (letter == "b" and word is None and (prefix.isupper() or per == "p"))
    base = 1024.0 if binary else 1000.0
    return base ** _POWERS[prefix.lower()] / (8.0 if bits else 1.0)


class Tool(NamedTuple):
    """A tool's table: how it is known, and the columns that it goes by, each a pattern of names.

    Parameters
    ----------
    name : str
        What it is called, for the notes.
    known_by : tuple of str
        Patterns that some column's name each matches.
    size, time, speed, counts : str
        Patterns of the columns that are read; empty where there is none.
    scale : float
        Factor to bytes, or to milliseconds, of a column whose name has no unit.
    speed_scale : float
        Bytes a second of one unit of the speed where its name means another than it says; 0 where not.
    """

    name: str
    known_by: tuple[str, ...]
    size: str = ""
    time: str = ""
    speed: str = ""
    counts: str = ""
    scale: float = 1.0
    speed_scale: float = 0.0


_MIB_S = 2.0**20  # perftest's MB/sec: github.com/linux-rdma/perftest src/perftest_resources.c
TOOLS = (
    Tool("nccl-tests", (r"^algbw", r"^busbw"), size=r"^size", time=r"^time"),
    # the time is of a batch or of a block by version, so that the size is taken as rate x time
    Tool(
        "nixlbench",
        (r"^block_size", r"^batch_size", r"^avg_lat"),
        time=r"^avg_lat",
        speed=r"^b_?w_gb",
        counts=r"^batch_size",
        scale=1e-3,
    ),
    Tool(
        "perftest", (r"^bytes", r"^bw_average_mb"), size=r"^bytes", speed=r"^bw_average", speed_scale=_MIB_S
    ),
    Tool("perftest", (r"^bytes", r"^bw_average"), size=r"^bytes", speed=r"^bw_average"),
    Tool("perftest", (r"^bytes", r"^t_avg"), size=r"^bytes", time=r"^t_avg"),
    Tool("perftest", (r"^bytes", r"^t_typical"), size=r"^bytes", time=r"^t_typical"),
    Tool(
        "TensorRT-LLM",
        (r"^transfer_size", r"^transfer_latency"),
        size=r"^transfer_size",
        time=r"^transfer_latency",
    ),
    Tool("TensorRT-LLM", (r"^duration", r"^bandwidth_gb"), time=r"^duration", speed=r"^bandwidth"),
    Tool("OSU", (r"^size$", r"^(avg_)?lat(ency)?_us"), size=r"^size$", time=r"^(avg_)?lat(ency)?_us"),
    Tool("OSU", (r"^size$", r"^(bandwidth_)?mb_s"), size=r"^size$", speed=r"^(bandwidth_)?mb_s"),
)


def tool_of(columns: Sequence[Column]) -> Tool | None:
    """Return the tool whose table this is by its columns' names; None for any other table."""
    names = [one.name for one in columns]
    for tool in TOOLS:
        if all(any(re.search(pattern, name) for name in names) for pattern in tool.known_by):
            return tool
    return None


def matching(columns: Sequence[Column], pattern: str, kind: Kind, scale: float) -> list[Column]:
    """Return the columns that a tool's pattern names; the unit is the tool's where the name has none."""
    found = [one for one in columns if pattern and re.search(pattern, one.name)]
    return [
        one if one.kind == kind else Column(one.index, one.name, kind, scale if kind == "time" else 1.0)
        for one in found
    ]


def only(columns: Sequence[Column], kind: str, preferred: str) -> Column | None:
    """Choose the column of the plain name, else the only one; two that could be meant are asked about."""
    found = [one for one in columns if one.kind == kind]
    exact = [one for one in found if one.name == preferred] or found
    if len(exact) > 1:
        named = ", ".join(one.name for one in exact)
        problem = f"has more than one column that could be the {kind}"
        raise InputError("header", named, problem, f"Name the one that is meant `{preferred}`.")
    return exact[0] if exact else None


def needed(columns: Sequence[Column], what: str, expected: str, *kinds: tuple[str, str]) -> Column:
    """Return the first column that there is of these kinds, each with its preferred name, or ask for it."""
    found = next((one for kind, name in kinds if (one := only(columns, kind, name))), None)
    if found is None:
        header = ", ".join(one.name for one in columns)
        raise InputError("header", header, f"has no column of {what}", expected)
    return found
