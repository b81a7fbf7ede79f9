"""One part of a study: a deployment on a trace, its file and what that depends on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Scenario
from aisim_model.study.records import records
from aisim_model.traces import Trace
from aisim_model.traffic.row_replay import replay_config
from aisim_model.traffic.scenario_replay import RowOutcome, row_outcome

FIGURES = b"aisim.figures"  # a key of the file's metadata

Figures = dict[str, Any]


@dataclass(frozen=True, eq=False)
class StudyTrace:
    """A trace of a study.

    Parameters
    ----------
    trace : Trace
        The requests.
    rows_left_out : int
        Faulty rows of its file that were left out [-].
    """

    trace: Trace
    rows_left_out: int = 0


@dataclass(frozen=True, eq=False)
class Part:
    """One deployment on one trace.

    Parameters
    ----------
    scenario : Scenario
        What the row is of.
    row_id : str
        The deployment.
    requests : StudyTrace
        The trace.
    model_version : str
        Version of the model that asks, which a worker's has to be.
    """

    scenario: Scenario
    row_id: str
    requests: StudyTrace
    model_version: str = MODEL_VERSION

    def identity(self) -> Figures:
        """Return what the part is of, the first columns of the summary."""
        trace = self.requests.trace
        return {
            "deployment_id": self.row_id,
            "deployment": self.scenario.row(self.row_id).name,
            "trace": trace.name,
            "rows": len(trace),
            "rows_left_out": self.requests.rows_left_out,
            "span_s": trace.span_s,
            "total_input_tokens": trace.total_input_tokens,
        }

    def file_name(self) -> str:
        """Return the name of the part's file, which tells all that it depends on from all else.

        Raises
        ------
        InputError, ValidationError
            For a row that can't be replayed at all.
        """
        workload, row, traffic = self.scenario.workload, self.scenario.row(self.row_id), self.scenario.traffic
        config = replay_config(
            workload,
            row,
            self.requests.trace,
            level=traffic.level,
            contention=traffic.contention,
            scope=traffic.scope,
            prefix_caching=traffic.prefix_caching,
            concurrency=traffic.concurrency,
        )
        depends_on = (
            self.model_version,
            config.model_dump_json(),
            resolve(workload, row).wire.model_dump_json(),
            workload.ttft_slo_ms,
            workload.itl_slo_ms,
            self.requests.rows_left_out,
            trace_digest(self.requests.trace),
        )
        digest = hashlib.sha256(json.dumps(depends_on).encode()).hexdigest()[:16]
        return f"{self.row_id}.{_slug(self.requests.trace.name)}.{digest}.parquet"


def trace_digest(trace: Trace) -> str:
    """Return a hash of a trace's requests.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0]), np.array([100]), np.array([2]), name="a")
    >>> trace_digest(trace) == trace_digest(trace.repeated(2)), len(trace_digest(trace))
    (False, 64)
    """
    digest = hashlib.sha256(str(trace.block_tokens).encode())
    for column in ("arrival_ms", "input_tokens", "output_tokens", "hash_ids", "hash_offsets", "source_rows"):
        values = getattr(trace, column)
        digest.update(len(values).to_bytes(8, "little"))
        digest.update(values.astype(values.dtype.newbyteorder("<"), copy=False).data)
    return digest.hexdigest()


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "trace"


def part_bytes(part: Part) -> tuple[Figures, bytes | None]:
    """Replay a part, on the worker: its figures, and its file unless the row can't carry the trace.

    Raises
    ------
    InputError
        Where the worker has another version of the model.
    """
    if part.model_version != MODEL_VERSION:
        problem = f"is the model of a worker, where {part.model_version} is asked for"
        raise InputError("model_version", MODEL_VERSION, problem, "Install the same version everywhere.")
    outcome = row_outcome(part.scenario, part.scenario.row(part.row_id), part.requests.trace)
    figures = {**part.identity(), **_flat(outcome)}
    if outcome.result is None:
        return figures, None
    table = records({part.row_id: outcome.result}, part.requests.rows_left_out)
    table = table.replace_schema_metadata({FIGURES: json.dumps(figures, allow_nan=False).encode()})
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink)
    return figures, bytes(sink.getvalue())


def _flat(outcome: RowOutcome) -> Figures:
    """Return an outcome's figures a column each: ``ttft_p99_ms`` and the like."""
    flat: Figures = {}
    figures = {} if outcome.figures is None else outcome.figures.record()
    for name, value in {**figures, "refused": outcome.refused}.items():
        if isinstance(value, Mapping):
            unit = "_ms" if name.endswith("_ms") else ""
            for part, number in value.items():
                flat[f"{name.removesuffix('_ms')}_{part.removesuffix('_ms')}{unit}"] = number
        elif value is not None or not name.endswith("_ms"):  # what nothing was handed over in
            flat[name] = value
    return flat
