"""How a worker of each side is built: GPU, tensor, data, expert and pipeline parallelism.

One field fills both sides; its twin, `decode_...`, gives decode workers another value.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.scenario.engines import engine
from aisim_model.scenario.reserve import spans_nodes
from aisim_model.scenario.side import Side
from aisim_model.scenario.speculation import Speculation

Ranks = Annotated[int, Field(ge=1, le=512)]
Price = Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]
SideName = Literal["prefill", "decode"]
WITHIN_NODE = frozenset({"NVLink", "Infinity Fabric", "PCIe"})  # families of links that leave no node
OTHER_FP8 = frozenset({"mi300x", "mi325x"})  # their fp8 is e4m3fnuz, all others' e4m3fn


class Sides(Speculation):
    """The fields of a row that say how its workers are built, beside the TP of each side."""

    gpu: str = Field("h200", title="GPU", description="GPU of every worker; of prefill where decode differs.")
    decode_gpu: str | None = Field(
        None, title="Decode GPU", description="GPU of decode workers; the prefill workers' where left open."
    )
    attention_dp: Ranks = Field(
        1,
        title="Attention DP",
        description="Groups of TP ranks of a worker, each with its own requests and KV pool.",
    )
    decode_attention_dp: Ranks | None = Field(
        None, title="Attention DP, decode", description="Of decode workers; as prefill where left open."
    )
    expert_parallel: Ranks = Field(
        1,
        title="EP",
        description="Ranks that experts are dealt out to whole; 1: each rank has a slice of all.",
    )
    decode_expert_parallel: Ranks | None = Field(
        None, title="EP, decode", description="Of decode workers; as prefill where left open."
    )
    pipeline: Ranks = Field(
        1, title="PP", description="Pipeline stages of a worker; their time isn't modelled, only measured."
    )
    decode_pipeline: Ranks | None = Field(
        None, title="PP, decode", description="Of decode workers; as prefill where left open."
    )
    decode_usd_per_gpu_hour: Price | None = Field(
        None,
        title="Price, decode",
        description="Of one GPU of decode workers; the row's price, or the catalogue's for another GPU.",
    )

    usd_per_kwh: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = Field(
        None, title="Price of energy", description="Of a kWh, for the cost of energy beside that of GPUs."
    )

    @field_validator("decode_gpu")
    @classmethod
    def _known_gpu(cls, value: str | None) -> str | None:
        return None if value is None else catalog.gpu(value).id

    @model_validator(mode="after")
    def _can_be_built(self) -> Self:
        row: Any = self
        for name in ("prefill", "decode") if row.split else ("prefill",):
            _check_side(row.side(name), name, row)
        if row.split:
            _check_pair(row.side("prefill"), row.side("decode"), row)
        return self

    def side(self, name: SideName) -> Side:
        """Return how a worker of a side is built; an aggregated row's workers are its prefill workers.

        Examples
        --------
        >>> from aisim_model.scenario.deployment import Deployment
        >>> row = Deployment(id="a", name="a", decode_tp=1, decode_attention_dp=8, decode_expert_parallel=8)
        >>> row.side("prefill").shape, row.side("decode").shape, row.gpus
        ('TP4', 'DEP8', 12)
        """
        row: Any = self
        if name == "prefill" or not row.split:
            return Side(self.gpu, row.prefill_tp, self.attention_dp, self.expert_parallel, self.pipeline)
        return Side(
            self.decode_gpu or self.gpu,
            row.decode_tp,
            self.decode_attention_dp or self.attention_dp,
            self.decode_expert_parallel or self.expert_parallel,
            self.decode_pipeline or self.pipeline,
        )

    @property
    def simple(self) -> bool:
        """Whether all its workers are tensor parallel alone, on one kind of GPU."""
        return all(
            side[2:] == (1, 1, 1) and side.gpu == self.gpu
            for side in (self.side("prefill"), self.side("decode"))
        )

    @property
    def pass_tokens(self) -> int:
        """Token budget of a prefill worker's pass, of each of its DP groups [-], see `pass_tokens_of`."""
        return self.pass_tokens_of("prefill")

    def pass_tokens_of(self, name: SideName) -> int:
        """Token budget of a pass [-]: the row's own number, else its engine's on the side's GPU."""
        row: Any = self
        own = engine(row.engine).pass_tokens_on(catalog.gpu(self.side(name).gpu))
        return own if row.chunk_tokens is None else int(row.chunk_tokens)

    @property
    def sequences_limit(self) -> int:
        """Sequences that a decode worker runs at a time at most, see `sequences_limit_of`."""
        return self.sequences_limit_of("decode")

    def sequences_limit_of(self, name: SideName) -> int:
        """Sequences that a worker, or each of its DP groups, runs at most [-]: own, else the engine's."""
        row: Any = self
        if row.max_sequences is not None:
            return int(row.max_sequences)
        profile = engine(row.engine)
        own = profile.max_sequences_on(catalog.gpu(self.side(name).gpu))
        return min(own, self.pass_tokens_of(name)) if profile.sequences_within_pass else own

    def memory_share(self, name: SideName, gpus: int | None = None) -> float:
        """Return the share of GPU memory that weights and pool of a worker of so many GPUs may fill [-]."""
        row: Any = self
        if row.kv_pool_share is not None:
            return float(row.kv_pool_share)
        side = self.side(name)
        ranks, far = side.gpus if gpus is None else gpus, engine(row.engine).far_memory_share
        if far is not None and side.exchanges and spans_nodes(side):
            return far
        return engine(row.engine).memory_share_on(catalog.gpu(side.gpu), self.pass_tokens_of(name), ranks)


def _field_of(name: str, field: str, row: Any) -> str:
    """Return the field that a side's value comes from."""
    own = f"decode_{field}"
    return own if name == "decode" and getattr(row, own) is not None else field


def _check_side(side: Side, name: str, row: Any) -> None:
    """Refuse a worker that can't be built."""
    profile = engine(row.engine)
    for field, ways in (("attention_dp", side.attention_dp), ("pipeline", side.pipeline)):
        if ways > 1 and field not in profile.parallel:
            problem = f"is nothing that {profile.name} has"
            raise InputError(_field_of(name, field, row), ways, problem, "Give 1, or choose another engine.")
    if side.stage_ranks % side.expert_parallel:
        problem = (
            f"must divide the {side.stage_ranks} ranks of a {name} worker's stage "
            f"(TP {side.tensor_parallel} x attention DP {side.attention_dp})"
        )
        field = _field_of(name, "expert_parallel", row)
        raise InputError(field, side.expert_parallel, problem, f"Give {side.stage_ranks}, or 1.")


def _check_pair(prefill: Side, decode: Side, row: Any) -> None:
    """Refuse a handoff between GPUs that no link or no KV dtype has in common."""
    if prefill.gpu == decode.gpu:
        return
    one, other = catalog.gpu(prefill.gpu), catalog.gpu(decode.gpu)
    link = catalog.link(row.link)
    if link.family in WITHIN_NODE:
        problem = f"joins GPUs of one node, which {one.name} and {other.name} never share"
        raise InputError("link", row.link, problem, "Choose a network between nodes, such as ib-ndr-400.")
    if row.kv_dtype.startswith("fp8"):
        apart = (prefill.gpu in OTHER_FP8) != (decode.gpu in OTHER_FP8)
        lacking = [gpu.name for gpu in (one, other) if gpu.fp8_dense_tflops is None]
        if apart or lacking:
            why = f"{lacking[0]} has no fp8" if lacking else "their fp8 formats differ (e4m3fnuz and e4m3fn)"
            problem = f"is no KV dtype that {one.name} and {other.name} have in common: {why}"
            raise InputError("kv_dtype", row.kv_dtype, problem, "Choose bf16.")
    if row.kv_dtype in ("nvfp4", "mxfp4"):
        lacking = [gpu.name for gpu in (one, other) if gpu.fp4_dense_tflops is None]
        if lacking and len(lacking) < 2:
            problem = (
                f"is no KV dtype that {one.name} and {other.name} have in common: {lacking[0]} has no fp4"
            )
            raise InputError("kv_dtype", row.kv_dtype, problem, "Choose fp8 or bf16.")
