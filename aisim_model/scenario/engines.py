"""What each serving engine does by default when it hands KV over, and what only when asked.

One choice sets block size, rounding, order, overlap, first token and prefix credit together; a deployment
may override each. Defaults move from version to version: `source` says where they were read.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from aisim_model.errors import InputError
from aisim_model.link import Overlap, PrefixCredit

HandoffOrder = Literal["source_first", "destination_first"]
FirstTokenFrom = Literal["decode_step", "shipped", "prefill"]


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
    pass_tokens : int
        Token budget of a prefill pass, and so of a chunk [-].
    max_sequences : int
        Sequences that a worker runs at a time at most [-].
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
    pass_tokens: int
    max_sequences: int
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


_PROFILES = (
    EngineProfile(
        id="vllm",
        name="vLLM (NixlConnector)",
        block_size=16,
        prefix_credit="blocks",
        order="source_first",
        overlap="none",
        first_token_from="decode_step",
        pass_tokens=8192,
        max_sequences=1024,
        opt_in=(
            OptIn(setting="block_size", value="64", how="--block-size 64: a quarter of the descriptors"),
            OptIn(
                setting="overlap",
                value="layer",
                how="a connector that saves layer by layer; NixlConnector pulls once prefill has ended",
            ),
            OptIn(setting="first_token_from", value="prefill", how="a proxy that passes on prefill's token"),
        ),
        source="docs.vllm.ai features/nixl_connector_usage; github.com/vllm-project/vllm issue 50913",
    ),
    EngineProfile(
        id="sglang",
        name="SGLang (PD disaggregation)",
        block_size=1,
        prefix_credit="blocks",
        order="destination_first",
        overlap="chunk",
        first_token_from="shipped",
        pass_tokens=8192,
        max_sequences=2048,
        opt_in=(
            OptIn(
                setting="prefix_credit",
                value="blocks",
                how="--disaggregation-decode-enable-radix-cache on the decode worker",
            ),
            OptIn(setting="block_size", value="64", how="--page-size 64"),
        ),
        source="docs.sglang.ai advanced_features/pd_disaggregation; github.com/sgl-project/sglang pull 7990",
    ),
    EngineProfile(
        id="trtllm",
        name="TensorRT-LLM (cache transceiver)",
        block_size=32,
        prefix_credit="none",
        order="source_first",
        overlap="none",
        first_token_from="shipped",
        pass_tokens=8192,
        max_sequences=2048,
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
            " github.com/NVIDIA/TensorRT-LLM issue 9212, pull 15727"
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
        pass_tokens=8192,
        max_sequences=256,
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
