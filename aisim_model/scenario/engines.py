"""What each serving engine does by default when it hands KV over, and what only when asked.

One choice sets block size, rounding, order, overlap, first token and prefix credit together; a deployment
may override each. Defaults move from version to version: `source` says where they were read.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from aisim_model.catalog import Gpu
from aisim_model.errors import InputError
from aisim_model.link import Overlap, PrefixCredit
from aisim_model.scenario.reserve import Reserve
from aisim_model.units import BYTES_PER_GB, BYTES_PER_GIB

HandoffOrder = Literal["source_first", "destination_first"]
FirstTokenFrom = Literal["decode_step", "shipped", "prefill"]


Steps = tuple[tuple[float, int], ...]


class OptIn(BaseModel):
    """Something that an engine does only when asked.

    Parameters
    ----------
    setting, value : str
        Field of `EngineProfile` and what it then is.
    how : str
        How the engine is asked to.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    setting: str
    value: str
    how: str


class EngineProfile(BaseModel):
    """Handoff behaviour of one engine.

    Parameters
    ----------
    id, name : str
        Key and name for people.
    block_size : int
        Tokens of a KV block [-].
    prefix_credit : {"blocks", "tokens", "none"}
        How the tokens sent are rounded to blocks and a hit on the decode side is credited where only what
        decode lacks is sent, see `transfer.destination_missing_tokens`.
    order : {"source_first", "destination_first"}
        Whether the prompt is prefilled before the decode worker reserves room, or after.
    overlap : {"none", "layer", "chunk"}
        What of the transfer runs beside prefill.
    first_token_from : {"decode_step", "shipped", "prefill"}
        Which token the client sees first.
    pass_tokens, max_sequences : tuple of (float, int)
        Token budget of a pass, and sequences that a worker runs at a time at most [-], from so much GPU
        memory on [GiB].
    sequences_within_pass : bool
        Whether no more sequences run than a pass has tokens, where their number isn't given.
    least_on : tuple of str
        GPUs that get the least of both, whatever their memory.
    memory_share : float or None
        Share of GPU memory that weights and KV pool fill [-]; None: all but SGLang's reserve.
    far_memory_share : float or None
        The same where DP groups exchange tokens across nodes, beside a heap that isn't counted in it.
    share_is_of : {"total", "free"}
        Whether the share is of all memory, or of what weights leave free.
    reserve : Reserve
        What it keeps of that share for activations, graphs and communication.
    parallel : tuple of str
        Kinds of parallelism that it has beside tensor parallelism.
    opt_in : tuple of OptIn
        What the engine does only when asked.
    source : str
        Where this is written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    block_size: int
    prefix_credit: PrefixCredit
    order: HandoffOrder
    overlap: Overlap
    first_token_from: FirstTokenFrom
    pass_tokens: Steps
    max_sequences: Steps
    sequences_within_pass: bool = False
    least_on: tuple[str, ...] = ()
    memory_share: float | None
    far_memory_share: float | None = None
    share_is_of: Literal["total", "free"] = "total"
    reserve: Reserve = Reserve()
    parallel: tuple[str, ...] = ("attention_dp", "pipeline")
    opt_in: tuple[OptIn, ...] = ()
    source: str

    def assumed(self) -> tuple[OptIn, ...]:
        """Return the opt-ins that this profile itself takes as made.

        Examples
        --------
        >>> [choice.how for choice in engine("sglang").assumed()]
        ['--disaggregation-decode-enable-radix-cache on the decode worker']
        """
        return tuple(choice for choice in self.opt_in if str(getattr(self, choice.setting)) == choice.value)

    def pass_tokens_on(self, gpu: Gpu) -> int:
        """Return the token budget of a pass on a GPU [-].

        Examples
        --------
        >>> from aisim_model import catalog
        >>> [engine("vllm").pass_tokens_on(catalog.gpu(gpu)) for gpu in ("l40s", "a100-80", "h200", "b200")]
        [2048, 2048, 8192, 16384]
        """
        return self._by_memory(self.pass_tokens, gpu)

    def max_sequences_on(self, gpu: Gpu) -> int:
        """Return how many sequences a worker runs at a time at most on a GPU [-].

        Examples
        --------
        >>> from aisim_model import catalog
        >>> [engine(name).max_sequences_on(catalog.gpu("h200")) for name in ENGINES]
        [1024, 2048, 2048, 256]
        """
        return self._by_memory(self.max_sequences, gpu)

    def _by_memory(self, steps: Steps, gpu: Gpu) -> int:
        held = 0.0 if gpu.id in self.least_on else gpu.memory_gb * BYTES_PER_GB / BYTES_PER_GIB
        return next(value for least, value in reversed(steps) if held >= least)

    def memory_share_on(self, gpu: Gpu, pass_tokens: int, ranks: int) -> float:
        """Return the share of GPU memory that weights and KV pool fill [-].

        SGLang keeps ``0.5 GB + 1.5 MB * chunk + ranks / 8 GB``, and 10 GB at least above 60 GB; what it keeps
        for graphs is left out.

        Parameters
        ----------
        gpu : Gpu
            The GPU.
        pass_tokens : int
            Token budget of a pass [-].
        ranks : int
            GPUs of the worker [-].

        Examples
        --------
        >>> from aisim_model import catalog
        >>> round(engine("sglang").memory_share_on(catalog.gpu("h100-sxm"), 8192, 4), 3)
        0.845
        """
        if self.memory_share is not None:
            return self.memory_share
        reserved_gb = 0.5 + 0.0015 * pass_tokens + ranks / 8.0
        if gpu.memory_gb > 60.0:
            reserved_gb = max(reserved_gb, 10.0)
        return max(1.0 - reserved_gb / gpu.memory_gb, 0.0)


_PROFILES = (
    EngineProfile(
        id="vllm",
        name="vLLM (NixlConnector)",
        block_size=16,
        prefix_credit="blocks",
        order="source_first",
        overlap="none",
        first_token_from="decode_step",
        pass_tokens=((0.0, 2048), (70.0, 8192), (160.0, 16_384)),
        max_sequences=((0.0, 256), (70.0, 1024)),
        sequences_within_pass=True,
        least_on=("a100-80",),
        memory_share=0.92,
        far_memory_share=0.8,
        reserve=Reserve(
            fixed_gb=0.8,
            collectives_gb=0.4,
            sampler_bytes=26.0,
            activation_rows=12.0,
            expert_rows=6.5,
            exchange_gb=4.5,
            far_exchange_gb=4.1,
            source=(
                "KV pools in github.com/vllm-project/vllm issues 12569, 21348, 23278, 10511: Llama-70B and"
                " Qwen3-235B on H100, 22,096 and 178,880 tokens; the exchange: GLM-5.2 on H200, 1.77 million"
                " tokens a node at DEP8 and 5.2 million at DEP16 (llm-d.github.io"
                " blog/2026-07-22_serving-glm-5-2-agentic-workloads-on-llm-d.mdx), whose guide keeps 16 GB"
                " for NVSHMEM and lowers the share to 0.80 across nodes"
            ),
        ),
        opt_in=(
            OptIn(setting="block_size", value="64", how="--block-size 64: a quarter of the descriptors"),
            OptIn(
                setting="overlap",
                value="layer",
                how="a connector that saves layer by layer; NixlConnector pulls once prefill has ended",
            ),
            OptIn(setting="first_token_from", value="prefill", how="a proxy that passes on prefill's token"),
        ),
        source=(
            "docs.vllm.ai features/nixl_connector_usage; github.com/vllm-project/vllm issue 50913;"
            " vllm 0.33.0 engine/arg_utils.py (budget and sequences as it serves), config/cache.py (memory)"
        ),
    ),
    EngineProfile(
        id="sglang",
        name="SGLang (PD disaggregation)",
        block_size=1,
        prefix_credit="blocks",
        order="destination_first",
        overlap="chunk",
        first_token_from="shipped",
        pass_tokens=((0.0, 2048), (20.0, 4096), (60.0, 8192), (160.0, 16_384)),
        max_sequences=((0.0, 2048),),
        memory_share=None,
        reserve=Reserve(
            fixed_gb=1.4,
            collectives_gb=1.4,
            source=(
                "the KV pool of Qwen3-235B on four H100, 367,404 tokens:"
                " github.com/vllm-project/vllm issue 21348"
            ),
        ),
        opt_in=(
            OptIn(
                setting="prefix_credit",
                value="blocks",
                how="--disaggregation-decode-enable-radix-cache on the decode worker",
            ),
            OptIn(setting="block_size", value="64", how="--page-size 64"),
        ),
        source=(
            "docs.sglang.ai advanced_features/pd_disaggregation; github.com/sgl-project/sglang pull 7990;"
            " sglang 0.5.23 srt/arg_groups/memory_hook.py (budget, memory),"
            " srt/mem_cache/kv_cache_configurator.py (sequences: 2,048, and up to 4,096 in a large pool)"
        ),
    ),
    EngineProfile(
        id="trtllm",
        name="TensorRT-LLM (cache transceiver)",
        block_size=32,
        prefix_credit="none",
        order="source_first",
        overlap="none",
        first_token_from="shipped",
        pass_tokens=((0.0, 8192),),
        max_sequences=((0.0, 2048),),
        memory_share=0.9,
        share_is_of="free",
        reserve=Reserve(
            fixed_gb=0.8,
            collectives_gb=0.4,
            sampler_bytes=6.0,
            activation_rows=12.0,
            expert_rows=6.5,
            source="as vLLM's, of whose sampler it holds the logits alone; no logged pool was found",
        ),
        opt_in=(
            OptIn(setting="overlap", value="layer", how="TRTLLM_DISAGG_LAYERWISE=1"),
            OptIn(
                setting="overlap",
                value="chunk",
                how="cache_transceiver_config.enable_pipelined_transfer with chunked prefill, where there is",
            ),
        ),
        source=(
            "nvidia.github.io/TensorRT-LLM features/disagg-serving and llm-api KvCacheConfig;"
            " github.com/NVIDIA/TensorRT-LLM issue 9212, pull 15727;"
            " tensorrt_llm/llmapi/llm_args.py (budget, sequences, memory)"
        ),
    ),
    EngineProfile(
        id="reference",
        name="Reference (aisimulate engine)",
        block_size=64,
        prefix_credit="tokens",
        order="source_first",
        overlap="none",
        first_token_from="decode_step",
        pass_tokens=((0.0, 8192),),
        max_sequences=((0.0, 256),),
        memory_share=0.9,
        parallel=(),
        opt_in=(
            OptIn(
                setting="order",
                value="destination_first",
                how="the engine type sglang; it takes a decode step for the first token there too",
            ),
        ),
        source="NVIDIA aisimulate-core 0.12, ai-dynamo-runtime 1.6.1",
    ),
)

ENGINES = MappingProxyType({profile.id: profile for profile in _PROFILES})


def engine(engine_id: str) -> EngineProfile:
    """Return an engine's profile by its id.

    Raises
    ------
    InputError
        For an unknown id; it names the known ones.

    Examples
    --------
    >>> engine("sglang").order
    'destination_first'
    """
    if engine_id not in ENGINES:
        raise InputError("engine", engine_id, f"must be one of {', '.join(ENGINES)}", "Choose one of them.")
    return ENGINES[engine_id]
