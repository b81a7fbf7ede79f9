"""What one layer keeps of a request, in elements: the pieces that every family is made of.

A piece knows three things: its bytes in a KV dtype, over how many heads tensor parallelism can split it,
and whether it grows with the tokens, stops at a window or is constant.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from aisim_model.models.kv_cache.dtypes import KvDtype

MAX_BYTES = 10**30  # beyond what any keys within their bounds make, and within a 64-bit float
Positive = Annotated[int, Field(ge=1, le=10**12)]
Size = Annotated[int, Field(ge=0, le=MAX_BYTES)]


class Part(BaseModel):
    """Base of the pieces: frozen, and of known keys only."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class HeadKv(Part):
    """Keys and values by head: MHA, GQA, MQA; in a window where `window_tokens` is set.

    Parameters
    ----------
    kv_heads : int
        Heads that keep keys and values, which ranks split [-].
    key_elements, value_elements : int
        Elements of one head's key and value [-].
    window_tokens : int or None
        Tokens kept, None for all [-].
    chunked : bool
        Whether the window is a chunk that starts anew: the window is then an upper bound.
    """

    kind: Literal["heads"] = "heads"
    kv_heads: Positive
    key_elements: Positive
    value_elements: Positive
    window_tokens: Positive | None = None
    chunked: bool = False

    @property
    def shards(self) -> int | None:
        """Heads that tensor parallelism can split."""
        return self.kv_heads

    def token_bytes(self, dtype: KvDtype) -> Fraction:
        """Bytes of one token [B]."""
        return dtype.heads_bytes(self.kv_heads, self.key_elements, self.value_elements)


class LatentKv(Part):
    """One compressed latent for all heads (MLA), or one shared key that is its own value.

    Parameters
    ----------
    latent_elements, rope_elements : int
        Elements of the latent and of the rotary part beside it [-].
    tokens_per_entry : int
        Tokens that share one entry [-].
    window_tokens : int or None
        Tokens kept, None for all [-].
    """

    kind: Literal["latent"] = "latent"
    latent_elements: Positive
    rope_elements: Size = 0
    tokens_per_entry: Positive = 1
    window_tokens: Positive | None = None

    @property
    def shards(self) -> int | None:
        """None: a latent stands whole on every rank."""
        return None

    def token_bytes(self, dtype: KvDtype) -> Fraction:
        """Bytes of one token [B]."""
        return dtype.latent_bytes(self.latent_elements, self.rope_elements) / self.tokens_per_entry


class IndexKeys(Part):
    """Keys by which sparse attention picks its tokens, in a format of their own whatever the KV dtype.

    Parameters
    ----------
    entry_bytes : int
        Bytes of one entry, scale counted [B].
    tokens_per_entry : int
        Tokens that share one entry [-].
    """

    kind: Literal["index"] = "index"
    entry_bytes: Positive
    tokens_per_entry: Positive = 1

    @property
    def shards(self) -> int | None:
        """None: the keys stand whole on every rank."""
        return None

    def token_bytes(self, dtype: KvDtype) -> Fraction:
        """Bytes of one token [B]; `dtype` has no say."""
        return Fraction(self.entry_bytes, self.tokens_per_entry)


class State(Part):
    """Recurrent and convolution state: constant, in dtypes of its own.

    Parameters
    ----------
    heads : int
        Heads or channels that ranks split [-].
    recurrent_bytes, conv_bytes : int
        Bytes of the recurrent state and of the convolution's last inputs [B].
    """

    kind: Literal["state"] = "state"
    heads: Positive
    recurrent_bytes: Size
    conv_bytes: Size = 0

    @property
    def shards(self) -> int | None:
        """Heads or channels that tensor parallelism can split."""
        return self.heads

    @property
    def constant_bytes(self) -> int:
        """Bytes of one request [B]."""
        return self.recurrent_bytes + self.conv_bytes


class CrossKv(Part):
    """Keys and values of a source: an encoder's output, an image.

    Parameters
    ----------
    kv_heads, key_elements, value_elements : int
        As in `HeadKv` [-].
    source_tokens : int or None
        Source positions of every request, where the config fixes them [-].
    """

    kind: Literal["cross"] = "cross"
    kv_heads: Positive
    key_elements: Positive
    value_elements: Positive
    source_tokens: Positive | None = None

    @property
    def shards(self) -> int | None:
        """Heads that tensor parallelism can split."""
        return self.kv_heads

    def token_bytes(self, dtype: KvDtype) -> Fraction:
        """Bytes of one source position [B]."""
        return dtype.heads_bytes(self.kv_heads, self.key_elements, self.value_elements)


AnyPart = Annotated[HeadKv | LatentKv | IndexKeys | State | CrossKv, Field(discriminator="kind")]
Layer = tuple[AnyPart, ...]
