"""What each serving engine does by default when it hands KV over, and what it does only when asked.

One choice sets block size, rounding, order, overlap, first token and prefix credit together; a deployment
may override each. These are defaults of the versions named in `source`: they move, so the text says which.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, ConfigDict

from aisim_model.errors import InputError
from aisim_model.transfer import Overlap, PrefixCredit

HandoffOrder = Literal["source_first", "destination_first"]
FirstTokenFrom = Literal["decode_step", "shipped", "prefill"]


class EngineProfile(BaseModel):
    """Handoff behaviour of one engine, as it comes.

    Parameters
    ----------
    id, name : str
        Key and name for people.
    block_size : int
        Tokens of a KV block [-].
    whole_blocks : bool
        Whether a prompt's last block is sent whole, so that 130 tokens in blocks of 16 are 144.
    prefix_credit : {"blocks", "tokens", "none"}
        How a hit on the decode side shortens the transfer, see `transfer.destination_missing_tokens`.
    order : {"source_first", "destination_first"}
        Whether the prompt is prefilled before the decode worker reserves room, or after.
    overlap : {"none", "layer", "chunk"}
        What of the transfer runs beside prefill.
    first_token_from : {"decode_step", "shipped", "prefill"}
        Which token the client sees first.
    pass_tokens : int
        Token budget of a prefill pass, and so of a chunk [-].
    opt_in : tuple of str
        What the engine can do too, and how it is asked to, a sentence each.
    source : str
        Where this is written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    block_size: int
    whole_blocks: bool
    prefix_credit: PrefixCredit
    order: HandoffOrder
    overlap: Overlap
    first_token_from: FirstTokenFrom
    pass_tokens: int
    opt_in: tuple[str, ...] = ()
    source: str


_PROFILES = (
    EngineProfile(
        id="vllm",
        name="vLLM (NixlConnector)",
        block_size=16,
        whole_blocks=True,
        prefix_credit="blocks",
        order="source_first",
        overlap="none",
        first_token_from="decode_step",
        pass_tokens=8192,
        opt_in=(
            "Other block sizes: --block-size (64 posts a quarter of the descriptors).",
            "Layer by layer: another connector that saves each layer; NixlConnector pulls after prefill.",
        ),
        source="docs.vllm.ai features/nixl_connector_usage; github.com/vllm-project/vllm issue 50913",
    ),
    EngineProfile(
        id="sglang",
        name="SGLang (PD disaggregation)",
        block_size=1,
        whole_blocks=True,
        prefix_credit="none",
        order="destination_first",
        overlap="chunk",
        first_token_from="shipped",
        pass_tokens=8192,
        opt_in=(
            "Credit for prefixes held by the decode worker: --disaggregation-decode-enable-radix-cache.",
            "Other page sizes: --page-size; prompts of one chunk (--chunked-prefill-size) overlap nothing.",
        ),
        source="docs.sglang.ai/advanced_features/pd_disaggregation; github.com/sgl-project/sglang pull 7990",
    ),
    EngineProfile(
        id="trtllm",
        name="TensorRT-LLM (cache transceiver)",
        block_size=32,
        whole_blocks=True,
        prefix_credit="none",
        order="source_first",
        overlap="none",
        first_token_from="shipped",
        pass_tokens=8192,
        opt_in=(
            "Layer by layer: TRTLLM_DISAGG_LAYERWISE=1.",
            "Chunk by chunk: enable_pipelined_transfer of the cache transceiver, in recent versions.",
        ),
        source=(
            "nvidia.github.io/TensorRT-LLM/features/disagg-serving;"
            " github.com/NVIDIA/TensorRT-LLM issue 9212, pull 15727"
        ),
    ),
    EngineProfile(
        id="reference",
        name="Reference (aisimulate engine)",
        block_size=64,
        whole_blocks=False,
        prefix_credit="tokens",
        order="source_first",
        overlap="none",
        first_token_from="decode_step",
        pass_tokens=8192,
        opt_in=("Destination first, as SGLang: it still takes a decode step for the first token.",),
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
