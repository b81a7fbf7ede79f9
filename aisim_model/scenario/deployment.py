"""One row of a scenario; the defaults and bounds of its fields are here alone."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.handoff import TransferTimingMode
from aisim_model.link import GPUS_PER_NODE, Overlap, PrefixCredit
from aisim_model.models.kv_cache import MlaCopies, WindowLayers, kv_dtype_of
from aisim_model.models.kv_cache.dtypes import OWN as OWN_KV_DTYPE
from aisim_model.models.weights.formats import CHECKPOINT, WEIGHT_FORMATS, weight_format
from aisim_model.passes.measured_table import checked_table
from aisim_model.passes.plane import MOST_ENTRIES, checked_plane
from aisim_model.passes.registry import DECODE_MODELS, PREFILL_MODELS
from aisim_model.plain_text import ON_ONE_LINE
from aisim_model.scenario.engines import EngineProfile, FirstTokenFrom, HandoffOrder, engine
from aisim_model.scenario.logged_pool import VLLM_BLOCK_TOKENS, logged_tokens
from aisim_model.scenario.older_names import with_weight_format
from aisim_model.scenario.sides import Price, Ranks, SideName, Sides
from aisim_model.scenario.workload import Milliseconds

MOST_ROWS = 40
MOST_WORKERS = 100_000
LEAST_GB_S = 1e-6
# what a chosen model of a pass asks of its row
NEEDED_FIELDS = MappingProxyType(
    {
        ("prefill_model", "rate"): "prefill_tokens_per_s",
        ("prefill_model", "fixed"): "prefill_pass_ms",
        ("prefill_model", "table"): "prefill_table",
        ("decode_model", "fixed"): "decode_step_ms",
        ("decode_model", "table"): "decode_table",
    }
)

TABLES = MappingProxyType(
    {
        "prefill_table": "table of tokens and milliseconds",
        "decode_table": "table of sequences, context tokens and milliseconds",
    }
)

Kind = Literal["split", "aggregated"]
LinkModel = Literal["reference", "calibrated"]

Workers = Annotated[int, Field(ge=1, le=MOST_WORKERS)]
Share = Annotated[float, Field(ge=0.001, le=1, allow_inf_nan=False)]


class Deployment(Sides):
    """One row: how prompts are computed, handed over and answered. None leaves a choice to the engine.

    An aggregated row has `prefill_workers` workers of `prefill_tp` GPUs that do both; its decode fields and
    its link don't count.

    Examples
    --------
    >>> Deployment(id="a", name="Split 1 + 1").gpus
    8
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,23}$")]
    name: Annotated[str, Field(min_length=1, max_length=60), ON_ONE_LINE]
    color: Annotated[int, Field(ge=0, lt=MOST_ROWS)] = Field(
        0, title="Colour", description="Slot in the palette, kept through every page and order."
    )
    kind: Kind = Field(
        "split", title="Kind", description="Split hands the KV cache over; aggregated doesn't."
    )
    prefill_tp: Ranks = Field(
        4, title="Prefill TP", description="GPUs that split the heads of a request in a prefill worker."
    )
    prefill_workers: Workers = Field(1, title="Prefill workers", description="Workers that prefill.")
    decode_tp: Ranks = Field(
        4, title="Decode TP", description="GPUs that split the heads of a request in a decode worker."
    )
    decode_workers: Workers = Field(1, title="Decode workers", description="Workers that decode.")
    kv_dtype: str = Field(
        "bf16", title="KV dtype", description=f"Precision of the KV cache: a name, or {OWN_KV_DTYPE}."
    )
    weight_format: str = Field(
        CHECKPOINT,
        title="Weights",
        description="Format they are stored in; checkpoint is what the model's config.json says.",
        json_schema_extra={"enum": list(WEIGHT_FORMATS)},
    )
    link: str = Field("ib-ndr-400", title="Link", description="What prefill and decode workers share.")
    nics_per_gpu: Annotated[float, Field(ge=0.01, le=16, allow_inf_nan=False)] = Field(
        1.0,
        title="NICs per GPU",
        description="0.25 is one NIC for four GPUs; counts for links rated per NIC.",
    )
    engine: str = Field("vllm", title="Engine", description="Sets what the fields below leave open.")
    timing_mode: TransferTimingMode = Field(
        TransferTimingMode.FULL_PROMPT,
        title="Send",
        description="The whole prompt, or only what decode lacks.",
    )
    link_model: LinkModel = Field(
        "reference", title="Link model", description="Bytes over bandwidth, or with measured costs beside it."
    )
    prefill_model: str = Field(
        "roofline",
        title="Prefill time",
        description="Which model times it.",
        json_schema_extra={"enum": list(PREFILL_MODELS)},
    )
    decode_model: str = Field(
        "roofline",
        title="Decode step",
        description="Which model times it.",
        json_schema_extra={"enum": list(DECODE_MODELS)},
    )

    bandwidth_gb_s: Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)] | None = Field(
        None, title="Bandwidth", description="What one handoff gets in all; 0 or below sends nothing."
    )
    kv_bytes_per_token: Annotated[int, Field(ge=0, le=1_000_000_000)] | None = Field(
        None, title="KV bytes per token", description="On the wire, in place of the model's own curve."
    )
    gpus_per_node: Ranks = Field(
        GPUS_PER_NODE, title="GPUs per node", description="For links rated per node."
    )
    window_layers: WindowLayers = Field(
        "window",
        title="Window layers",
        description="Kept in their window, or in full by engines without pages.",
    )
    mla_copies: MlaCopies = Field(
        "per_rank", title="MLA copies", description="Sent to each decode rank, or once and broadcast."
    )
    block_size: Annotated[int, Field(ge=1, le=65_536)] | None = Field(
        None, title="Block size", description="Tokens of a KV block."
    )
    prefix_credit: PrefixCredit | None = Field(
        None, title="Prefix credit", description="How a hit on the decode worker counts."
    )
    order: HandoffOrder | None = Field(
        None, title="Order", description="Prefill first, or reservation first."
    )
    overlap: Overlap | None = Field(
        None, title="Overlap", description="What of the transfer runs beside prefill."
    )
    first_token_from: FirstTokenFrom | None = Field(
        None, title="First token from", description="Which token the client sees first."
    )
    chunk_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = Field(
        None,
        title="Pass budget",
        description="New tokens of a pass, or chunk; the engine's on this GPU where left open.",
    )
    orchestration_ms: Milliseconds = Field(
        0.0, title="Orchestration", description="What the handover costs beside the wire."
    )
    alpha_ms: Milliseconds = Field(0.0, title="Start-up", description="Cost of any transfer, however small.")
    per_descriptor_us: Milliseconds = Field(
        0.0, title="Per descriptor", description="Cost of one descriptor of a rank."
    )
    link_efficiency: Share = Field(1.0, title="Link efficiency", description="Share of bandwidth reached.")
    prefill_tokens_per_s: Annotated[float, Field(ge=0.1, le=1e9, allow_inf_nan=False)] | None = Field(
        None, title="Prefill rate", description="Measured, of one prefill worker."
    )
    prefill_pass_ms: Milliseconds | None = Field(None, title="Prefill pass time", description="Fixed.")
    prefill_table: tuple[tuple[float, float], ...] | None = Field(
        None, title="Prefill table", description="Measured tokens and milliseconds.", max_length=64
    )
    decode_table: tuple[tuple[float, float, float], ...] | None = Field(
        None,
        title="Decode table",
        description="Measured sequences, context tokens and milliseconds of a step.",
        max_length=MOST_ENTRIES,
    )
    decode_step_ms: Milliseconds | None = Field(None, title="Decode step", description="Measured or fixed.")
    mfu: Share | None = Field(
        None, title="MFU", description="Share of the dense peak that weights reach; the model's where open."
    )
    memory_efficiency: Share | None = Field(
        None, title="Memory efficiency", description="Share of HBM bandwidth; the model's where open."
    )
    floor_scale: Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)] | None = Field(
        None, title="Floor", description="Of a pass, times the fitted one; 1 where open."
    )
    weight_efficiency: Share | None = Field(
        None, title="Weight efficiency", description="Share of HBM bandwidth that weights are read at."
    )
    kv_efficiency: Share | None = Field(
        None, title="KV efficiency", description="Share of HBM bandwidth that the cache is read at."
    )
    kv_pool_share: Share | None = Field(
        None,
        title="HBM for weights and KV",
        description="Share of GPU memory that they may fill; the engine's where left open.",
    )
    pool_tokens: Annotated[int, Field(ge=1, le=10**12)] | None = Field(
        None,
        title="KV pool",
        description="Tokens that a decode (or aggregated) worker holds, or its line of an engine's log; from "
        "memory where left open.",
    )
    prefill_pool_tokens: Annotated[int, Field(ge=1, le=10**12)] | None = Field(
        None,
        title="KV pool, prefill",
        description="The same of a prefill worker.",
    )
    max_sequences: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None,
        title="Most sequences",
        description="That a worker runs at a time; the engine's where left open.",
    )
    usd_per_gpu_hour: Price | None = Field(
        None, title="Price", description="Of one GPU; the catalogue's where left open."
    )

    @model_validator(mode="before")
    @classmethod
    def _older_name(cls, data: Any) -> Any:
        return with_weight_format(data)

    @field_validator("pool_tokens", "prefill_pool_tokens", mode="before")
    @classmethod
    def _as_logged(cls, value: Any, info: ValidationInfo) -> Any:
        block = info.data.get("block_size") or VLLM_BLOCK_TOKENS
        found = logged_tokens(value, block) if isinstance(value, str) else None
        return value if found is None else found

    @field_validator("weight_format")
    @classmethod
    def _known_format(cls, value: str) -> str:
        return weight_format(value)

    @field_validator("gpu", "link", "engine", "kv_dtype")
    @classmethod
    def _known(cls, value: str, info: ValidationInfo) -> str:
        if info.field_name == "gpu":
            return catalog.gpu(value).id
        if info.field_name == "link":
            return catalog.link(value).id
        if info.field_name == "engine":
            return engine(value).id
        return kv_dtype_of(value).name

    @field_validator("prefill_model", "decode_model")
    @classmethod
    def _times_it(cls, value: str, info: ValidationInfo) -> str:
        value = "table" if value == "measured" else value  # as others call it
        known = PREFILL_MODELS if info.field_name == "prefill_model" else DECODE_MODELS
        if value not in known:
            problem = f"must be one of {', '.join(known)}"
            raise InputError(str(info.field_name), value, problem, "Choose one of them.")
        return value

    @field_validator("bandwidth_gb_s")
    @classmethod
    def _none_or_a_bandwidth(cls, value: float | None) -> float | None:
        if value is not None and 0 < value < LEAST_GB_S:  # so little that times run out of floats
            problem = f"must be 0 or below for none, else at least {LEAST_GB_S:.6f} GB/s"
            raise InputError("bandwidth_gb_s", value, problem, "Enter 0, or more.")
        return value

    @field_validator("prefill_table")
    @classmethod
    def _table(cls, value: tuple[tuple[float, float], ...] | None) -> tuple[tuple[float, float], ...] | None:
        if value is not None:
            checked_table([tokens for tokens, _ in value], [time_ms for _, time_ms in value])
        return value

    @field_validator("decode_table")
    @classmethod
    def _plane(
        cls, value: tuple[tuple[float, float, float], ...] | None
    ) -> tuple[tuple[float, float, float], ...] | None:
        return None if value is None else checked_plane(value)

    @model_validator(mode="after")
    def _chosen_model_has_its_number(self) -> Self:
        for (chooser, choice), field in NEEDED_FIELDS.items():
            if getattr(self, chooser) == choice and getattr(self, field) is None:
                what = TABLES.get(field, "number")
                problem = f"needs a {what} in {field}"
                raise InputError(chooser, choice, problem, "Enter it, or choose another model.")
        return self

    @property
    def split(self) -> bool:
        """Whether the row hands KV over."""
        return self.kind == "split"

    @property
    def gpus(self) -> int:
        """GPUs of the row in all."""
        return sum(self.gpus_of(name) for name in ("prefill", "decode"))

    def gpus_of(self, name: SideName) -> int:
        """GPUs of all workers of a side [-]; an aggregated row has no decode workers beside the others."""
        if name == "prefill":
            return self.prefill_workers * self.side("prefill").gpus
        return self.decode_workers * self.side("decode").gpus if self.split else 0

    @property
    def profile(self) -> EngineProfile:
        """What the engine fills in where a field is left open, overridden where it isn't."""
        chosen = engine(self.engine)
        fields = ("block_size", "prefix_credit", "order", "overlap", "first_token_from")
        own = {name: value for name in fields if (value := getattr(self, name)) is not None}
        return chosen.model_copy(update=own)
