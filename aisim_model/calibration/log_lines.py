"""Measured transfers from vLLM's log: its periodic "KV Transfer metrics" lines.

Each rank times its own transfers and the line pools those of all ranks. So its megabytes (2^20 bytes) and
its throughput are per rank, over spans that overlap: a handoff moves them times the ranks, in the average
time. That average is what is fitted.

Source: github.com/vllm-project/vllm vllm/distributed/kv_transfer/kv_connector/v1/nixl (stats).
"""

from __future__ import annotations

import re

from aisim_model.calibration.measurements import MOST_ROWS, Measurements, measured
from aisim_model.errors import InputError
from aisim_model.units import MS_PER_S

BYTES_PER_LOGGED_MB = 2**20
MOST_WRAPPED = 16  # lines over which a console wraps one of the log
MAX_NUMBER = 64  # characters of a number and what follows it

LINE, TIME = "KV Transfer metrics:", "Avg xfer time (ms)"
_NAMES = (TIME, "xfer time", "post time", "MB per transfer", "Throughput (MB/s)", "number of descriptors")
_NUMBER = r"['\"]?\s*[=:]\s*(?:np\.float64\()?([^\s,;)\]}'\"]*)"
_COUNT = re.compile(r"Num successful transfers" + _NUMBER)
_TIME = re.compile(re.escape(TIME) + _NUMBER)
_SIZE = re.compile(r"Avg MB per transfer" + _NUMBER)
_RATE = re.compile(r"(?<!\w)Throughput \(MB/s\)" + _NUMBER)
_DESCRIPTORS = re.compile(r"Avg number of descriptors" + _NUMBER)


def is_transfer_log(text: str) -> bool:
    """Say whether a text holds lines of vLLM's transfer metrics, of whatever connector and version.

    Examples
    --------
    >>> is_transfer_log("bytes,milliseconds"), is_transfer_log("KV Transfer metrics: Num failed transfers=1")
    (False, True)
    """
    return any(
        (LINE in line or TIME in line) and not line.lstrip().startswith("#") for line in text.splitlines()
    )


def read_transfer_log(text: str, tensor_parallel: int | None) -> Measurements:
    """Read vLLM's "KV Transfer metrics" lines, one measurement a line; other lines are passed over.

    Parameters
    ----------
    text : str
        Lines of a log.
    tensor_parallel : int or None
        Ranks that a handoff is split over [-]; the log doesn't say.

    Returns
    -------
    Measurements
        Bytes of all ranks, average transfer time, and descriptors of a rank where the log has them.

    Raises
    ------
    InputError
        Without the ranks, where no line has a transfer, or for lines of a connector or a version that doesn't
        write transfer times.

    Examples
    --------
    >>> line = (
    ...     "KV Transfer metrics: Num successful transfers=4, Avg xfer time (ms)=38.7, "
    ...     "Avg MB per transfer=160.0, Throughput (MB/s)=4134.367"
    ... )
    >>> read_transfer_log(line, tensor_parallel=2).bytes_sent
    array([3.3554432e+08])
    """
    lines = [(number, line) for number, line in _records(text) if TIME in line]
    if not lines:
        other = next(line for line in text.splitlines() if LINE in line)
        problem = (
            f"are metrics without `{TIME}`, as another connector or an early version of vLLM writes them"
        )
        remedy = "Paste lines of NixlConnector or MooncakeConnector, or a table of bytes and milliseconds."
        raise InputError("log", other[other.index(LINE) :], problem, remedy)
    if tensor_parallel is None or tensor_parallel < 1:
        problem = (
            "is needed: a line's MB and MB/s are of one rank, and the log doesn't say how many there are"
        )
        raise InputError(
            "tensor_parallel", tensor_parallel, problem, "Give the ranks that a handoff is split over."
        )
    if len(lines) > MOST_ROWS:
        problem = f"are more than {MOST_ROWS:,} transfers"
        raise InputError("log", f"{len(lines):,} metric lines", problem, "Leave out some of them.")
    sizes, times, descriptors, rows = [], [], [], []
    empty = 0
    for number, line in lines:
        milliseconds = _value(_TIME, line, number, TIME)
        if _value(_COUNT, line, number, "Num successful transfers", default=1.0) == 0:
            empty += 1
            continue
        rate = _value(_RATE, line, number, "Throughput (MB/s)", default=float("nan"))
        # bytes over time, each summed over transfers, times the mean time is the mean size
        size = _value(_SIZE, line, number, "Avg MB per transfer", default=rate * milliseconds / MS_PER_S)
        sizes.append(size * BYTES_PER_LOGGED_MB * tensor_parallel)
        times.append(milliseconds)
        descriptors.append(_value(_DESCRIPTORS, line, number, "descriptors", default=float("nan")))
        rows.append(number)
    if not rows:
        problem = "has no line with a successful transfer"
        raise InputError("log", f"{empty} metric lines", problem, "Paste lines logged under load.")
    notes = [
        f"{len(rows)} log lines: average transfer time, and MB per transfer (2^20 bytes, one rank) times"
        f" {tensor_parallel} ranks."
    ]
    if empty:
        notes.append(f"{empty} lines without a successful transfer were left out.")
    counted = all(value > 0 for value in descriptors)  # NaN where a line has none
    return measured(sizes, times, descriptors if counted else None, rows, tuple(notes), tensor_parallel)


def _records(text: str) -> list[tuple[int, str]]:
    """Return each record of metrics with the number of its first line; a console may have wrapped it."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if LINE in line or (TIME in line and (not found or TIME in found[-1][1])):
            found.append((number, line))
        elif found and number - found[-1][0] < MOST_WRAPPED and any(name in line for name in _NAMES):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
    return found


def _value(
    pattern: re.Pattern[str], line: str, number: int, name: str, default: float | None = None
) -> float:
    found = pattern.search(line)
    if found is None and default is not None:
        return default
    try:
        # a sentence's full stop, or a terminal's colour, may follow the last number
        return float(re.sub(r"(\x1b\[\d*m?|[.…])+$", "", found.group(1)[:MAX_NUMBER]) if found else "")
    except ValueError as error:
        problem = "is not a number"
        raise InputError(f"line {number}, {name}", line, problem, "Mend or leave out the line.") from error
