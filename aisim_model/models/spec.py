"""What pages and time models need of a served model: its cache, its sizes, its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from aisim_model.models.kv_cache import KvLayout, read_config
from aisim_model.models.kv_cache.families.heads import attention_heads
from aisim_model.models.kv_cache.keys import HIDDEN, Keys
from aisim_model.models.kv_cache.parts import HeadKv
from aisim_model.models.kv_cache.read import text_keys
from aisim_model.models.shape import Experts, Shape, read_experts, shape_of
from aisim_model.models.weights import estimate_parameters
from aisim_model.models.weights.checkpoint import stored_weights_of
from aisim_model.models.weights.formats import StoredWeights
from aisim_model.plain_text import ON_ONE_LINE

Size = Annotated[int, Field(ge=1)]
MAX_NAME, MAX_SAID = 200, 1_000  # characters


class ModelSpec(BaseModel):
    """A served model, compact enough for a share link.

    Parameters
    ----------
    name, source : str
        What it is called, and where its figures are from.
    kv : KvLayout
        What each layer keeps of a request.
    layers, attention_layers : int
        All layers, and those with attention over the request's own tokens [-].
    hidden_size : int
        Width of the residual stream [-].
    attention_heads : int
        Query heads of a layer [-]; 0 for a model without attention.
    head_dim : float
        Elements of a head, the mean of its key and its value as attention's FLOPs count them [-].
    total_parameters, active_parameters : int or None
        All parameters, and those that one token runs through [-]; None where they are not known.
    parameters_from : str
        ``declared``, ``estimated``, or why they are not known.
    experts : Experts
        What its config says of experts, embedding and attention; none where it doesn't.
    stored : StoredWeights
        Formats of its checkpoint's parts, bf16 where its config names none.

    Examples
    --------
    >>> config = {"n_layer": 12, "n_embd": 768, "n_head": 12, "n_inner": 3072, "vocab_size": 50257}
    >>> spec = ModelSpec.from_config({**config, "activation_function": "gelu_new"}, "gpt2")
    >>> spec.head_dim, spec.total_parameters, spec.parameters_from
    (64.0, 123532032, 'estimated')
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(max_length=MAX_NAME), ON_ONE_LINE]
    source: Annotated[str, Field(max_length=MAX_SAID), ON_ONE_LINE] = ""
    kv: KvLayout
    layers: Size
    attention_layers: Annotated[int, Field(ge=0)]
    hidden_size: Size
    attention_heads: Annotated[int, Field(ge=0)]
    head_dim: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    total_parameters: Size | None = None
    active_parameters: Size | None = None
    parameters_from: Annotated[str, Field(max_length=MAX_SAID), ON_ONE_LINE] = "declared"
    experts: Experts = Experts()
    stored: StoredWeights = StoredWeights()

    @property
    def shape(self) -> Shape:
        """Its sizes as a pass feels them."""
        return _shape(self)

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any] | str | bytes,
        name: str,
        source: str = "",
        *,
        total_parameters: int | None = None,
        active_parameters: int | None = None,
        mtp_layers: bool = False,
        kv_quant: Mapping[str, Any] | None = None,
    ) -> ModelSpec:
        """Read a model from its config.json.

        Parameters
        ----------
        config : Mapping, str or bytes
            The file's text, or the object in it.
        name, source : str
            What it is called, and where it is from.
        total_parameters, active_parameters : int or None
            As declared elsewhere [-]; what is None is estimated from the config's sizes.
        mtp_layers, kv_quant
            As in `read_config`.

        Returns
        -------
        ModelSpec

        Raises
        ------
        ConfigError
            As `read_config`, and for a config without a hidden size.
        """
        keys = text_keys(config)
        kv = read_config(keys.outer, mtp_layers=mtp_layers, kv_quant=kv_quant)
        total, active, origin = total_parameters, active_parameters or total_parameters, "declared"
        if total is None:
            total, active, missing = estimate_parameters(keys.outer)
            origin = missing[:MAX_SAID] or "estimated"
        return cls(
            name=name,
            source=source,
            kv=kv,
            layers=kv.layers,
            attention_layers=kv.attention_layers,
            hidden_size=keys.need(*HIDDEN, what="the size of the model"),
            attention_heads=attention_heads(keys) if kv.attention_layers else 0,
            head_dim=_head_dim(keys, kv),
            total_parameters=total,
            active_parameters=active,
            parameters_from=origin,
            experts=read_experts(keys.outer),
            stored=stored_weights_of(keys.outer, kv_quant),
        )


@lru_cache(maxsize=64)
def _shape(spec: ModelSpec) -> Shape:
    return shape_of(spec)


def _head_dim(keys: Keys, kv: KvLayout) -> float:
    """Return the mean of key and value elements of a query head: QK and PV cost by their sum."""
    nope, rope, value = (
        keys.whole(key, low=0) or 0 for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
    )
    if nope and value:
        return (nope + rope + value) / 2
    for block in kv.blocks:
        for part in block:
            if isinstance(part, HeadKv):
                return (part.key_elements + part.value_elements) / 2
    return float(keys.whole("head_dim") or 0)
