"""What others measured and published: transfers, sizes, end-to-end runs, and where splitting paid."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from aisim_model.catalog.records import Positive, Record, Table, Text

Count = Annotated[int, Field(ge=1)]
Quantity = Literal[
    "transfer_ms", "bytes", "offered_gb_s", "handover_ms", "effective_gb_s", "ttft_added_ms", "ttft_ms"
]


class PublishedMeasurement(Record):
    """One figure that someone published, with what is known of how it came about.

    Parameters
    ----------
    name, deployment : str
        Model, and what it ran on.
    fit_group : str or None
        Rows that are calibrated together; None is never fitted.
    model_id : str or None
        The model in this catalogue.
    tokens : int or None
        Tokens of the prompt, or of all that was sent [-].
    span_s : float or None
        Time over which they were sent [s].
    kv_bytes_per_token, kv_head_replication : int or None
        Unique KV bytes of a token [B], and how many ranks hold each head [-].
    tensor_parallel : int or None
        Ranks of a worker [-].
    nominal_gb_s : float or None
        What the handoff would get on paper in all [GB/s].
    gpu : str or None
        The GPU in this catalogue.
    quantity : str
        What was measured, with its unit.
    reported : float
        The figure.
    ttft_ms : float or None
        Time to first token reported beside it [ms].
    consistent : bool
        Whether the figures published together agree with each other; where not, it is shown and never fitted.

    Examples
    --------
    >>> published_measurements()[0].reported
    0.54
    """

    deployment: str = ""
    fit_group: str | None = None
    model_id: str | None = None
    tokens: Count | None = None
    span_s: Positive | None = None
    kv_bytes_per_token: Count | None = None
    kv_head_replication: Count = 1
    tensor_parallel: Count | None = None
    nominal_gb_s: Positive | None = None
    gpu: str | None = None
    quantity: Quantity
    reported: Positive
    ttft_ms: Positive | None = None
    consistent: bool

    @model_validator(mode="after")
    def _first_token_can_be_predicted(self) -> Self:
        needed = ("fit_group", "model_id", "tokens", "kv_bytes_per_token", "tensor_parallel", "nominal_gb_s")
        missing = [name for name in (*needed, "gpu") if getattr(self, name) is None]
        if self.ttft_ms is not None and missing:
            raise ValueError(f"a ttft_ms needs {', '.join(missing)} beside it")
        return self

    @property
    def wire_bytes_per_token(self) -> int | None:
        """KV bytes of a token on the wire, replicated heads counted [B]."""
        return None if self.kv_bytes_per_token is None else self.kv_bytes_per_token * self.kv_head_replication


class CloudRun(Record):
    """One of five end-to-end runs of the same model, topology and trace on different clouds.

    Parameters
    ----------
    gpu, model_id : str
        In this catalogue.
    transport : str
        Network and library.
    prefill_tp, decode_tp, prefill_workers, decode_workers : int
        Topology [-].
    kv_gb_s : float
        KV bytes of all ranks over wall time [GB/s].
    mean_itl_ms, mean_ttft_s : float or None
        As reported [ms], [s].
    completed_percent : float
        Requests that completed [%].
    prefill_bound : bool
        Whether prompts queued, so that the KV rate is what prefill could do and not what was offered.

    Examples
    --------
    >>> [run.id for run in cloud_runs() if not run.prefill_bound]
    ['gke-a4x', 'nscale']
    """

    gpu: Text
    transport: Text
    model_id: Text
    prefill_tp: Count
    decode_tp: Count
    prefill_workers: Count
    decode_workers: Count
    kv_gb_s: Positive
    mean_itl_ms: Positive | None = None
    mean_ttft_s: Positive | None = None
    completed_percent: Annotated[float, Field(ge=0, le=100)]
    prefill_bound: bool


class BreakEven(Record):
    """What splitting changed against aggregated serving, at one prompt length.

    Parameters
    ----------
    link : str
        Network and load.
    prompt_tokens : int
        Prompt length [-].
    throughput_change_percent, itl_change_percent : float
        Change of throughput and of inter-token latency [%].

    Examples
    --------
    >>> [row.throughput_change_percent for row in break_even()]
    [0.0, 3.0, 14.0, 22.0]
    """

    link: Text
    prompt_tokens: Count
    throughput_change_percent: float
    itl_change_percent: float


published_measurements = Table(PublishedMeasurement, "published_measurements.csv").all
cloud_runs = Table(CloudRun, "cloud_runs.csv").all
break_even = Table(BreakEven, "break_even.csv").all
