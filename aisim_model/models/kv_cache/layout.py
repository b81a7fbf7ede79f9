"""What each layer of a model keeps, whatever the KV dtype, and the byte curves that follow from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from aisim_model.errors import InputError
from aisim_model.models.kv_cache.curve import KvCross, KvCurve, KvWindow, Tokens, whole
from aisim_model.models.kv_cache.dtypes import kv_dtype_of
from aisim_model.models.kv_cache.explain import LayerGroup, explained
from aisim_model.models.kv_cache.keys import MAX_LAYERS
from aisim_model.models.kv_cache.parts import AnyPart, CrossKv, HeadKv, IndexKeys, LatentKv, Layer, State
from aisim_model.models.kv_cache.wire import (
    Amount,
    MlaCopies,
    WireBytes,
    checked_ranks,
    held,
    latent_copies,
    sent,
    stages,
)
from aisim_model.plain_text import ON_ONE_LINE

WindowLayers = Literal["window", "full"]
MAX_ORDER = 4 * MAX_LAYERS  # a layer may stand for two blocks, and MTP layers follow
MAX_BLOCKS = 512  # of layers that keep different things; no model has a tenth of it
MAX_PARTS, MAX_NOTES, MAX_NOTE = 512, 32, 1_000  # a layer run 64 times keeps each of its parts as often
Note = Annotated[str, Field(max_length=MAX_NOTE), ON_ONE_LINE]


class KvLayout(BaseModel):
    """What each layer of a model keeps; compact enough for a share link.

    Parameters
    ----------
    blocks : tuple of tuple of parts
        The distinct kinds of layers, each the parts that such a layer keeps.
    order : tuple of int
        The kind of each layer, first layer first, as an index into `blocks`.
    max_position_embeddings : int or None
        Longest prompt that the config names [-].
    notes : tuple of str
        What was assumed, and what a figure leaves out.

    Examples
    --------
    >>> layout = KvLayout.of([(HeadKv(kv_heads=8, key_elements=128, value_elements=128),)] * 80)
    >>> layout.curve("bf16").growing_bytes_per_token
    327680
    >>> layout.wire("bf16", 8192, decode_tp=16).wire_bytes
    5368709120
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    blocks: Annotated[tuple[Annotated[Layer, Field(max_length=MAX_PARTS)], ...], Field(max_length=MAX_BLOCKS)]
    order: Annotated[tuple[int, ...], Field(min_length=1, max_length=MAX_ORDER)]
    max_position_embeddings: Annotated[int, Field(ge=1)] | None = None
    notes: Annotated[tuple[Note, ...], Field(max_length=MAX_NOTES)] = ()

    @model_validator(mode="after")
    def _known_blocks(self) -> KvLayout:
        if not all(0 <= index < len(self.blocks) for index in self.order):
            raise ValueError("order must hold indices of blocks")
        return self

    @classmethod
    def of(
        cls,
        layers: Sequence[Layer],
        max_position_embeddings: int | None = None,
        notes: Sequence[str] = (),
    ) -> KvLayout:
        """Build a layout from its layers, first layer first."""
        blocks = tuple(dict.fromkeys(layers))
        places = {block: index for index, block in enumerate(blocks)}
        return cls(
            blocks=blocks,
            order=tuple(places[layer] for layer in layers),
            max_position_embeddings=max_position_embeddings,
            notes=tuple(dict.fromkeys(note[:MAX_NOTE] for note in notes))[:MAX_NOTES],
        )

    @property
    def layers(self) -> int:
        """Number of layers [-]."""
        return len(self.order)

    @property
    def attention_layers(self) -> int:
        """Number of layers with attention over the request's own tokens [-]."""
        counts = Counter(self.order)
        return sum(
            counts[index]
            for index, block in enumerate(self.blocks)
            if any(isinstance(part, HeadKv | LatentKv) for part in block)
        )

    @property
    def cache_tensors(self) -> int:
        """Tensors in which engines keep the cache: keys and values apart, a latent or index keys as one [-].

        Examples
        --------
        >>> KvLayout.of([(LatentKv(latent_elements=512, rope_elements=64),)] * 61).cache_tensors
        61
        """
        counts = Counter(self.order)
        each = [
            sum(2 if isinstance(part, HeadKv) else isinstance(part, LatentKv | IndexKeys) for part in block)
            for block in self.blocks
        ]
        return sum(counts[index] * tensors for index, tensors in enumerate(each))

    def curve(self, kv_dtype: str = "bf16", window_layers: WindowLayers = "window") -> KvCurve:
        """Byte curve of the cache, each byte counted once.

        Parameters
        ----------
        kv_dtype : str
            A name of `KV_DTYPES`.
        window_layers : {"window", "full"}
            Whether window layers keep their window, or every token as engines without hybrid pages do.

        Returns
        -------
        KvCurve

        Raises
        ------
        InputError
            For an unknown name, or an MLA layout on a model that has other layers.
        """
        return self._curve(self.order, kv_dtype, window_layers, lambda part: Fraction(1))

    def wire_curve(
        self,
        kv_dtype: str = "bf16",
        decode_tp: int = 1,
        window_layers: WindowLayers = "window",
        mla_copies: MlaCopies | int = "per_rank",
    ) -> KvCurve:
        """Byte curve of what crosses the link to a decode worker of `decode_tp` ranks.

        Each rank holds ceil(heads / TP) heads, so heads are sent more than once where TP exceeds them; what
        stands whole on every rank is sent once a rank, once in all, or so many times, by `mla_copies`.
        """
        ranks = checked_ranks("decode_tp", decode_tp)
        copies = latent_copies(ranks, mla_copies)
        return self._curve(self.order, kv_dtype, window_layers, lambda part: sent(part, ranks, copies))

    def wire(
        self,
        kv_dtype: str,
        tokens: int | Tokens,
        *,
        prefill_tp: int = 1,
        decode_tp: int = 1,
        prefill_pp: int = 1,
        decode_pp: int = 1,
        window_layers: WindowLayers = "window",
        mla_copies: MlaCopies | int = "per_rank",
    ) -> WireBytes:
        """Bytes of one handoff of `tokens` tokens.

        Parameters
        ----------
        kv_dtype : str
            A name of `KV_DTYPES`.
        tokens : int or array
            Tokens handed over [-].
        prefill_tp, decode_tp : int
            Ranks of tensor parallelism of a prefill and of a decode worker [-].
        prefill_pp, decode_pp : int
            Stages of pipeline parallelism [-]. Layers are split in order, the first stages one layer longer.
        window_layers : {"window", "full"}
            As in `curve`.
        mla_copies : {"per_rank", "once"} or int
            How often a latent is sent: once for each decode rank, once and broadcast there, or this often.

        Returns
        -------
        WireBytes

        Raises
        ------
        InputError
            For a count that is out of range, more stages than layers, or an unknown name.
        """
        decode, prefill = checked_ranks("decode_tp", decode_tp), checked_ranks("prefill_tp", prefill_tp)
        copies = latent_copies(decode, mla_copies)

        def sharded(part: AnyPart) -> Fraction:
            return Fraction(0) if part.shards is None else sent(part, decode, 1)

        def replicated(part: AnyPart) -> Fraction:
            return Fraction(1 if part.shards is None else 0)

        split = self._curve(self.order, kv_dtype, window_layers, sharded).bytes(tokens)
        copy = self._curve(self.order, kv_dtype, window_layers, replicated).bytes(tokens)
        return WireBytes(
            unique_bytes=self.curve(kv_dtype, window_layers).bytes(tokens),
            wire_bytes=split + copy * copies,
            bytes_per_rank=self._fullest(kv_dtype, tokens, window_layers, decode, "decode_pp", decode_pp),
            prefill_bytes_per_rank=self._fullest(
                kv_dtype, tokens, window_layers, prefill, "prefill_pp", prefill_pp
            ),
            sharded_wire_bytes=split,
            replicated_copy_bytes=copy,
            replicated_copies=copies,
        )

    def checked_stages(self, name: str, stages: int) -> int:
        """Return a number of pipeline stages, or refuse more than layers, by the name it has there."""
        if checked_ranks(name, stages) > self.layers:
            problem = f"is more stages than the {self.layers} layers"
            raise InputError(name, stages, problem, "Enter fewer stages.")
        return int(stages)

    def _fullest(
        self, kv_dtype: str, tokens: int | Tokens, window_layers: WindowLayers, ranks: int, name: str, pp: int
    ) -> Amount:
        """Bytes that a rank of the fullest pipeline stage holds."""
        self.checked_stages(name, pp)
        curves = [
            self._curve(stage, kv_dtype, window_layers, lambda part: held(part, ranks))
            for stage in set(stages(self.order, pp))
        ]
        if isinstance(tokens, np.ndarray):
            fullest = np.zeros(tokens.shape)
            for curve in curves:
                fullest = np.maximum(fullest, curve.bytes(tokens))
            return fullest
        return max(curve.bytes(tokens) for curve in curves)

    def _curve(
        self,
        order: Sequence[int],
        kv_dtype: str,
        window_layers: WindowLayers,
        times: Callable[[AnyPart], Fraction],
    ) -> KvCurve:
        """Add up the parts of the layers in `order`, each counted `times(part)` times."""
        if window_layers not in ("window", "full"):
            raise InputError("window_layers", window_layers, "must be window or full", "Choose one of them.")
        dtype = kv_dtype_of(kv_dtype)
        growing, indexer, constant, cross = Fraction(0), Fraction(0), Fraction(0), Fraction(0)
        source_tokens: int | None = None
        windows: dict[int, Fraction] = {}
        for index, count in Counter(order).items():
            for part in self.blocks[index]:
                amount = count * times(part)
                if isinstance(part, State):
                    constant += amount * part.constant_bytes
                    continue
                if dtype.latent_only and isinstance(part, HeadKv | CrossKv):
                    problem = "is a layout of MLA latents, and this model has layers with KV heads"
                    raise InputError("kv_dtype", kv_dtype, problem, "Choose fp8 or another dtype.")
                amount *= part.token_bytes(dtype)
                if isinstance(part, CrossKv):
                    cross, source_tokens = cross + amount, part.source_tokens
                elif isinstance(part, IndexKeys):
                    indexer += amount
                elif part.window_tokens is None or window_layers == "full":
                    growing += amount
                else:
                    windows[part.window_tokens] = windows.get(part.window_tokens, Fraction(0)) + amount
        return KvCurve(
            growing_bytes_per_token=whole(growing),
            indexer_bytes_per_token=whole(indexer),
            windowed=tuple(
                KvWindow(bytes_per_token=whole(amount), window_tokens=window)
                for window, amount in sorted(windows.items())
                if amount
            ),
            constant_bytes=whole(constant),
            cross_attention=(
                KvCross(bytes_per_source_token=whole(cross), source_tokens=source_tokens) if cross else None
            ),
        )

    def explain(self, kv_dtype: str = "bf16") -> tuple[LayerGroup, ...]:
        """Return how the bytes are worked out: a record for each part of each kind of layer.

        Examples
        --------
        >>> layout = KvLayout.of([(HeadKv(kv_heads=8, key_elements=128, value_elements=128),)] * 80)
        >>> layout.explain()[0].working
        '80 layers x 8 KV heads x (128 + 128) x 2 B'
        """
        return explained(self.blocks, self.order, kv_dtype_of(kv_dtype))
