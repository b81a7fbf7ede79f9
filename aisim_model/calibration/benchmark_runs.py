"""Runs of serving benchmarks, as their tools write them: lengths, load, TTFT and TPOT, a row a run.

Read are result files of ``vllm bench serve`` and SGLang's ``bench_serving`` (JSON, or a JSON line a run, with
or without their requests), AIPerf's ``profile_export_aiperf.json`` and its records, GuideLLM's JSON,
InferenceX results, and a table of one's own: prompt, output, concurrency or rate, TTFT, TPOT. Values are
found by the tools' own names, `benchmark_names`, at whatever depth they stand.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from aisim_model.calibration.benchmark_names import BARE, NAMES, TOTALS
from aisim_model.errors import InputError
from aisim_model.units import MS_PER_S

MOST_RUNS = 500
LEAST_TPOT_MS, MOST_TPOT_MS = 0.05, 10_000.0
TOKEN_ROLES, TIME_ROLES = ("prompt", "output"), ("ttft", "tpot")
FALLS = 0.9  # of the TPOT of fewer in flight: less isn't noise
EXPECTED = "Give a benchmark's result file, or a table of prompt, output, concurrency, ttft_ms and tpot_ms."


class BenchmarkRun(NamedTuple):
    """One run, or one row of a table.

    Parameters
    ----------
    row : int
        Its place in what was read, the first being 1.
    prompt_tokens, output_tokens : int
        Of the mean request [-].
    in_flight : int or None
        Requests in flight [-]; None where they came at a rate.
    per_s : float or None
        Arrivals [requests/s].
    ttft_ms, tpot_ms : float or None
        Means [ms]; None where not measured.
    """

    row: int
    prompt_tokens: int
    output_tokens: int
    in_flight: int | None
    per_s: float | None
    ttft_ms: float | None
    tpot_ms: float | None


def is_benchmark(source: str | bytes) -> bool:
    """Say whether a text is of runs rather than of transfers: it has a TTFT, a TPOT or an ITL.

    Examples
    --------
    >>> is_benchmark("prompt,output,concurrency,tpot_ms"), is_benchmark("bytes,milliseconds")
    (True, False)
    """
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    head = text[:200_000].lower()
    named = re.search(r"ttft|tpot|\bitl|time_to_first_token|inter_token_latency", head) is not None
    return named and not head.lstrip().startswith("kv transfer")


def read_runs(source: str | bytes) -> tuple[BenchmarkRun, ...]:
    r"""Read the runs of a benchmark's file.

    Raises
    ------
    InputError
        A sentence that names the row and what is wrong with it.

    Examples
    --------
    >>> read_runs("prompt,output,concurrency,tpot_ms\n1000,128,1,6.5\n1000,128,8,7.1\n")[1].tpot_ms
    7.1
    >>> read_runs('{"completed": 10, "total_input_tokens": 1000, "total_output_tokens": 80,'
    ...     ' "max_concurrency": 2, "mean_ttft_ms": 40, "mean_tpot_ms": 7}')[0].prompt_tokens
    100
    """
    text = source if isinstance(source, str) else source.decode("utf-8-sig", "replace")
    text = text.strip()
    if not text:
        raise InputError("benchmark", "nothing", "holds no run", EXPECTED)
    found = _records(text) if text[0] in "[{" else _table(text)
    runs = tuple(_run(number, record) for number, record in enumerate(found, 1))
    if not runs:
        raise InputError("benchmark", "no run", "holds no run", EXPECTED)
    if len(runs) > MOST_RUNS:
        raise InputError("benchmark", f"{len(runs):,} runs", f"are more than {MOST_RUNS}", "Give fewer.")
    _refuse_falling(runs)
    return runs


def _records(text: str) -> list[dict[str, Any]]:
    """Return the runs of JSON, each with flat names."""
    lines = [line for line in text.splitlines() if line.strip()]
    a_line_each = len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines[:2])
    whole: Any = []
    try:
        for part in lines if a_line_each else [text]:
            whole.append(json.loads(part))
    except json.JSONDecodeError as error:
        cut = "Unterminated" in error.msg or not error.doc[error.pos + 1 :].strip()
        problem = "ends in the middle of a value: it was cut" if cut else f"is no JSON ({error.msg})"
        place = f"line {len(whole) + 1 if a_line_each else error.lineno}"
        raise InputError("benchmark", place, problem, "Give the whole file.") from None
    if not a_line_each:
        (whole,) = whole
    if isinstance(whole, dict):
        whole = whole.get("benchmarks", whole)
    listed = whole if isinstance(whole, list) else [whole]
    flat = [dict(_flat(one)) for one in listed if isinstance(one, dict)]
    if flat and all("metadata.request_start_ns" in one for one in flat):
        return [_of_requests(flat)]
    return flat


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Return numbers and lists by dotted names; a pair of value and unit in milliseconds."""
    if isinstance(value, dict):
        unit = str(value.get("unit", "")).lower()
        scale = {"ms": 1.0, "s": MS_PER_S, "sec": MS_PER_S, "us": 1e-3, "ns": 1e-6}.get(unit)
        for key, inner in value.items():
            if scale is not None and isinstance(inner, (int, float)) and not isinstance(inner, bool):
                yield f"{name}{key}", inner * scale
            else:
                yield from _flat(inner, f"{name}{key}.")
    else:
        yield name.rstrip("."), value


def _of_requests(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Make one run of the records of its requests; those that failed have no metrics."""
    done = [one for one in records if "metrics.time_to_first_token.value" in one]
    if not done:
        raise InputError("benchmark", f"{len(records):,} requests", "none of them succeeded", EXPECTED)

    def mean(name: str) -> float | None:
        values = [one[f"metrics.{name}.value"] for one in done if f"metrics.{name}.value" in one]
        return statistics.fmean(values) if values else None

    starts = [one["metadata.request_start_ns"] for one in done]
    ends = [one.get("metadata.request_end_ns", start) for one, start in zip(done, starts, strict=True)]
    busy, span = sum(ends) - sum(starts), max(ends) - min(starts)
    return {
        "prompt_tokens": mean("input_sequence_length"),
        "output_tokens": mean("output_sequence_length") or mean("output_token_count"),
        "concurrency": max(round(busy / span), 1) if span > 0 else 1,  # Little's law over the run
        "ttft_ms": mean("time_to_first_token"),
        "tpot_ms": mean("inter_token_latency"),
    }


def _table(text: str) -> list[dict[str, Any]]:
    first = text.splitlines()[0]
    delimiter = max(",;\t|", key=first.count)
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter)
    return [
        {(key or "").strip().lower(): (cell or "").strip() for key, cell in row.items() if key}
        for row in rows
    ]


def _run(number: int, record: Mapping[str, Any]) -> BenchmarkRun:
    row = f"row {number}"
    found = {role: _value(record, names, role, row) for role, names in NAMES.items()}
    completed = found["completed"]
    if completed is not None and completed < 1:
        raise InputError(row, "completed 0", "has no request that ended", "Run it again, or leave it out.")
    if completed:
        for role, total in TOTALS.items():
            if isinstance(sum_of := _given(record, total), (int, float)):
                found[role] = sum_of / completed
    lengths = _given(record, "output_lens")
    if isinstance(lengths, list) and any(length == 0 for length in lengths):
        empty = sum(length == 0 for length in lengths)
        if completed is not None and completed > len(lengths) - empty:
            problem = f"counts {empty:,} requests without a token as ended: failures are in its means"
            raise InputError(row, f"completed {completed:,.0f}", problem, "Run it again without failures.")
    for role in TOKEN_ROLES:
        value = found[role]
        if value is None or not value >= 1.0:
            problem = f"has no {role} length of at least one token"
            raise InputError(row, value, problem, f"Name a column {NAMES[role][0]}.")
    if found["ttft"] is None and found["tpot"] is None:
        raise InputError(row, None, "has neither TTFT nor TPOT", EXPECTED)
    times = {role: _ms(record, role, value, row) for role in TIME_ROLES if (value := found[role]) is not None}
    in_flight, per_s = found["in_flight"], found["per_s"]
    if in_flight is None and (per_s is None or not math.isfinite(per_s)):
        problem = "says neither how many requests were in flight nor at what rate they came"
        raise InputError(row, None, problem, "Add a column concurrency, or rate.")
    if in_flight is not None and not in_flight >= 1:
        raise InputError(row, in_flight, "must have at least 1 request in flight", "Give the concurrency.")
    return BenchmarkRun(
        number,
        round(found["prompt"] or 0),
        round(found["output"] or 0),
        None if in_flight is None else round(in_flight),
        None if in_flight is not None else per_s,
        times.get("ttft"),
        times.get("tpot"),
    )


def _given(record: Mapping[str, Any], name: str) -> Any:
    """Return what stands under a name, alone or at the end of a dotted one."""
    if name in record:
        return record[name]
    ending = f".{name}"
    return next((value for key, value in record.items() if key.endswith(ending)), None)


def _value(record: Mapping[str, Any], names: tuple[str, ...], role: str, row: str) -> float | None:
    for name in names:
        given = _given(record, name)
        if given is None or given == "" or isinstance(given, (bool, list)):
            continue
        try:
            value = float(str(given).replace(",", ".") if isinstance(given, str) else given)
        except ValueError:
            raise InputError(f"{row}, {name}", given, "is no number", "Enter one.") from None
        if role == "per_s" and math.isinf(value):
            continue  # all at once, up to the concurrency
        if math.isnan(value) or value < 0:
            raise InputError(
                f"{row}, {name}", given, "must be 0 or more", "Correct it, or leave the row out."
            )
        return value
    return None


def _ms(record: Mapping[str, Any], role: str, value: float, row: str) -> float:
    """Return a time in milliseconds: names without a unit are in seconds where that is the tool's way."""
    name = next(name for name in NAMES[role] if _given(record, name) not in (None, ""))
    bare = name in BARE
    time_ms = value * MS_PER_S if bare and value < (10.0 if role == "ttft" else 1.0) else value
    if role == "tpot" and not LEAST_TPOT_MS <= time_ms <= MOST_TPOT_MS:
        problem = f"would be {time_ms:g} ms a token, which no engine takes: another unit?"
        raise InputError(f"{row}, {name}", value, problem, "Give milliseconds in a column tpot_ms.")
    return time_ms


def _refuse_falling(runs: tuple[BenchmarkRun, ...]) -> None:
    """Refuse a TPOT that falls as more are in flight: columns are mixed up, or runs are."""
    alike: dict[tuple[int, int], list[BenchmarkRun]] = defaultdict(list)
    for one in runs:
        if one.in_flight is not None and one.tpot_ms is not None:
            alike[one.prompt_tokens, one.output_tokens].append(one)
    for group in alike.values():
        group.sort(key=lambda one: one.in_flight or 0)
        highest = group[0]
        for one in group[1:]:
            if (one.tpot_ms or 0) < FALLS * (highest.tpot_ms or 0) and one.in_flight != highest.in_flight:
                problem = (
                    f"is less than the {highest.tpot_ms:g} ms of {highest.in_flight} in flight (row "
                    f"{highest.row}), though {one.in_flight} are"
                )
                raise InputError(f"row {one.row}, TPOT", one.tpot_ms, problem, "Leave the odd run out.")
            highest = max(highest, one, key=lambda each: each.tpot_ms or 0)
