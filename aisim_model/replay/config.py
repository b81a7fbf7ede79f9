"""What a replay is told: workers, link, sizes and times, validated once."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, PlainSerializer, model_validator

from aisim_model.errors import InputError
from aisim_model.handoff import TransferTimingMode
from aisim_model.passes import PassModel, fixed, polynomial
from aisim_model.replay.layout import MOST_WINDOWS

INSTANT_STEP_MS = 1e-6  # one nanosecond, the shortest step that still has a length
MOST_WORKERS = 1_000_000
MOST_TOKENS = 10**9
MOST_SEQUENCES = 10**9
ENGINE_SEQUENCES = 256  # sequences of a pass, the reference engine's default

Workers = Annotated[int, Field(ge=1, le=MOST_WORKERS)]
Milliseconds = Annotated[float, Field(ge=0.0, le=1e12, allow_inf_nan=False)]
Bytes = Annotated[float, Field(ge=0.0, le=1e18, allow_inf_nan=False)]
PassTimes = Annotated[
    InstanceOf[PassModel], PlainSerializer(lambda model: [int(model.kind), *model.numbers], return_type=list)
]


class KvWindowBytes(BaseModel):
    """Layers whose KV stops growing at a window.

    Parameters
    ----------
    bytes_per_token : float
        Bytes of one token in these layers together [B].
    window_tokens : int
        Tokens that they keep [-].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes_per_token: Bytes
    window_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)]


class ReplayConfig(BaseModel):
    """Settings of a replay: either prefill and decode workers, or aggregated ones.

    Parameters
    ----------
    prefill_workers, decode_workers : int or None
        Workers of the two pools of a split deployment [-].
    aggregated_workers : int or None
        Workers that prefill and decode [-]; instead of the two pools.
    level : {"fifo", "engine"} or None
        ``fifo``: one prompt a prefill pass, a constant decode step, caches without bound. ``engine``: passes
        as the reference engine makes them. None: ``fifo`` for a split deployment, ``engine`` for aggregated.
    bandwidth_gb_s : float or None
        What one transfer gets, or what a shared link carries in all [GB/s, decimal]; None or 0: unknown.
    kv_bytes_per_token : float or None
        Bytes on the wire of one token in the layers that grow [B]; None: unknown.
    state_bytes : float
        Bytes sent once a request, whatever its prompt [B].
    windows : tuple of KvWindowBytes
        Layers that stop growing.
    mode : TransferTimingMode
        Whether every prompt token is sent, or those of the blocks that the decode worker lacks.
    fallback_delay_ms : float
        Time of a transfer whose bytes or bandwidth are unknown [ms].
    orchestration_ms : float
        What a handoff costs beside the wire, between source held and the next step [ms].
    order : {"source_first", "destination_first"}
        Whether a prompt is computed before room is asked on the decode worker, or after it is granted.
    first_token_from : {"decode_step", "shipped", "prefill"}
        Which token is the first that a client sees; matters for split deployments only.
    block_size : int
        Tokens of a KV block [-].
    prefix_caching : bool
        Whether workers reuse blocks of prompts that they have seen.
    prefill : PassModel
        Time of the new prompt tokens of a pass; the reference polynomial by default.
    decode : PassModel or None
        Time of a decode step. None: the reference polynomial at level ``engine``; 1e-6 ms, which is as good
        as instant, at level ``fifo``.
    prefill_chunk_tokens : int
        Tokens that a pass takes at most [-].
    pool_blocks : int
        KV blocks of each worker at level ``engine`` [-].
    max_sequences : int or None
        Sequences [-]. At level ``engine`` those of a pass; None: 256, the reference engine's default. At
        level ``fifo`` those that a decode worker has room for, from the grant of their reservation to their
        last token; None: any number.
    concurrency : int or None
        Requests in flight, a closed loop: each is followed by the next of the trace the moment it ends, and
        the arrivals of the trace don't count [-]. None: requests come when the trace says.
    contention : {"none", "fifo", "fair"}
        Whether transfers of one link ignore each other, queue, or share its bandwidth at every moment.
    scope : {"source", "destination", "shared"}
        Which transfers share a link: those of a prefill worker, of a decode worker, or all.
    cancellations : tuple of (int, float)
        Requests, numbered from 0 in order of arrival, and when each is cancelled [ms after first arrival].

    Raises
    ------
    pydantic.ValidationError
        For a value outside its range, or workers that are neither the two pools nor aggregated; by field.

    Examples
    --------
    >>> ReplayConfig(prefill_workers=4, decode_workers=2, bandwidth_gb_s=25.0).resolved_level
    'fifo'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prefill_workers: Workers | None = None
    decode_workers: Workers | None = None
    aggregated_workers: Workers | None = None
    level: Literal["fifo", "engine"] | None = None
    bandwidth_gb_s: Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)] | None = None
    kv_bytes_per_token: Bytes | None = None
    state_bytes: Bytes = 0.0
    windows: Annotated[tuple[KvWindowBytes, ...], Field(max_length=MOST_WINDOWS)] = ()
    mode: TransferTimingMode = TransferTimingMode.FULL_PROMPT
    fallback_delay_ms: Milliseconds = 0.0
    orchestration_ms: Milliseconds = 0.0
    order: Literal["source_first", "destination_first"] = "source_first"
    first_token_from: Literal["decode_step", "shipped", "prefill"] = "decode_step"
    block_size: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 512
    prefix_caching: bool = False
    prefill: PassTimes = Field(default_factory=polynomial)
    decode: PassTimes | None = None
    prefill_chunk_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 8192
    pool_blocks: Annotated[int, Field(ge=1, le=10**12)] = 200_000
    max_sequences: Annotated[int, Field(ge=1, le=MOST_SEQUENCES)] | None = None
    concurrency: Annotated[int, Field(ge=1, le=10**9)] | None = None
    contention: Literal["none", "fifo", "fair"] = "none"
    scope: Literal["source", "destination", "shared"] = "source"
    cancellations: tuple[tuple[Annotated[int, Field(ge=0)], Milliseconds], ...] = ()

    @model_validator(mode="after")
    def _one_kind_of_workers(self) -> Self:
        split = self.prefill_workers is not None and self.decode_workers is not None
        if self.aggregated_workers is not None:
            if self.prefill_workers is not None or self.decode_workers is not None:
                problem = "stands instead of prefill_workers and decode_workers, not beside them"
                raise InputError(
                    "aggregated_workers", self.aggregated_workers, problem, "Give one or the other."
                )
        elif not split:
            problem = "both are needed for a split deployment"
            given = (self.prefill_workers, self.decode_workers)
            remedy = "Give both, or aggregated_workers."
            raise InputError("prefill_workers, decode_workers", given, problem, remedy)
        if self.resolved_level == "fifo":
            self._check_fifo()
        return self

    def _check_fifo(self) -> None:
        if self.aggregated_workers is not None:
            problem = "knows no aggregated workers, which batch prompts and decoding in one pass"
            raise InputError("level", "fifo", problem, "Choose level engine.")
        if not self.resolved_decode.is_constant:
            problem = "takes a constant decode step"
            raise InputError("level", "fifo", problem, "Give a decode step in ms, or choose level engine.")

    @property
    def aggregated(self) -> bool:
        """Whether workers prefill and decode both."""
        return self.aggregated_workers is not None

    @property
    def resolved_level(self) -> Literal["fifo", "engine"]:
        """The level that is meant where none is given."""
        return self.level or ("engine" if self.aggregated else "fifo")

    @property
    def resolved_decode(self) -> PassModel:
        """The decode time that is meant where none is given."""
        if self.decode is not None:
            return self.decode
        return polynomial() if self.resolved_level == "engine" else fixed(INSTANT_STEP_MS)

    @property
    def pass_sequences(self) -> int:
        """Sequences of a pass at level ``engine`` [-]."""
        return self.max_sequences or ENGINE_SEQUENCES
