"""The reference model of a KV handoff: how NVIDIA aisimulate-core times a transfer, exact to the bit.

A *prefill* worker computes the prompt's KV cache and hands it to a *decode* worker over a link; an
*aggregated* worker hands nothing over. Every operation is a 64-bit float step in the reference's order.

Source: NVIDIA aisimulate-core 0.12, engine handoff (`state_bytes` as in newer versions).
"""

from __future__ import annotations

import logging
import math
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
)

from aisim_model.arrays import Number, unboxed
from aisim_model.errors import InputError
from aisim_model.units import BYTES_PER_GB, MS_PER_S

logger = logging.getLogger(__name__)

Count = Annotated[int, Field(ge=0, lt=2**64, strict=True)]


class WorkerType(StrEnum):
    """What a worker does for a request."""

    AGGREGATED = "aggregated"
    PREFILL = "prefill"
    DECODE = "decode"


class TransferTimingMode(StrEnum):
    """Which tokens of a prompt are sent: all, or those that the decode worker does not hold yet."""

    FULL_PROMPT = "full_prompt"
    DESTINATION_MISSING = "destination_missing"


class HandoffId(RootModel[UUID]):
    """UUID of one handoff attempt, owned by the caller; the model keeps and echoes it.

    Examples
    --------
    >>> HandoffId.model_validate("12345678-1234-5678-1234-567812345678").model_dump_json()
    '"12345678-1234-5678-1234-567812345678"'
    """

    model_config = ConfigDict(frozen=True)

    def __str__(self) -> str:
        return str(self.root)


def transfer_delay_ms(
    tokens: Number, kv_bytes_per_token: Number, state_bytes: Number, bandwidth_gb_s: Number
) -> Number:
    """Time to send a prompt's KV cache and state over a link, over floats or arrays.

    ``(tokens * kv_bytes_per_token + state_bytes) / (bandwidth_gb_s * 1e9) * 1000``, in that order.

    Parameters
    ----------
    tokens, kv_bytes_per_token, state_bytes : float or array of float64
        Tokens sent [-], bytes of each [B], bytes sent once whatever the prompt [B].
    bandwidth_gb_s : float or array of float64
        What this one handoff gets in all [GB/s, decimal, one direction]; above 0.

    Returns
    -------
    float or array of float64
        Delay [ms].

    Examples
    --------
    >>> transfer_delay_ms(128.0, 1e6, 0.0, 1.0)
    128.0
    """
    return (tokens * kv_bytes_per_token + state_bytes) / (bandwidth_gb_s * BYTES_PER_GB) * MS_PER_S


class HandoffTransferTiming(BaseModel):
    """What is known of one handoff's transfer, and the delay that follows from it.

    Parameters
    ----------
    mode : TransferTimingMode
        Which tokens are sent.
    full_prompt_tokens : int
        Tokens of the prompt [-].
    kv_bytes_per_token : int or None
        KV bytes of one token [B]; None where it is unknown.
    bandwidth_gb_s : float or None
        What the handoff gets in all [GB/s, decimal, one direction]; None, 0 and below mean no delay is known.
    state_bytes : int
        Bytes sent once whatever the prompt, such as recurrent state [B].

    Raises
    ------
    pydantic.ValidationError
        For a negative or fractional count, NaN or an infinite bandwidth, text or a truth value in place of a
        number; it names the field.

    Examples
    --------
    >>> timing = HandoffTransferTiming(
    ...     mode="destination_missing", full_prompt_tokens=100, kv_bytes_per_token=1000, bandwidth_gb_s=1.0
    ... )
    >>> timing.delay_ms(20), timing.full_prompt_delay_ms()
    (0.02, 0.1)
    >>> timing.model_dump_json()
    '{"mode":"destination_missing","full_prompt_tokens":100,"kv_bytes_per_token":1000,"bandwidth_gb_s":1.0}'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: TransferTimingMode = TransferTimingMode.FULL_PROMPT
    full_prompt_tokens: Count
    kv_bytes_per_token: Count | None = None
    bandwidth_gb_s: Annotated[float, Field(allow_inf_nan=False, strict=True)] | None = None
    state_bytes: Count = 0

    @field_validator(
        "full_prompt_tokens", "kv_bytes_per_token", "bandwidth_gb_s", "state_bytes", mode="before"
    )
    @classmethod
    def _number(cls, value: Any) -> Any:
        """Take NumPy's numbers as Python's."""
        return unboxed(value)

    @model_serializer(mode="wrap")
    def _as_reference(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out a state of 0, so that versions without the field read what we write."""
        data: dict[str, Any] = handler(self)
        return data if self.state_bytes else {k: v for k, v in data.items() if k != "state_bytes"}

    def delay_ms(self, destination_missing_tokens: int) -> float | None:
        """Delay of this handoff, given how many tokens the decode worker lacks.

        Parameters
        ----------
        destination_missing_tokens : int
            Tokens that the decode worker does not hold yet [-]; counts in mode ``destination_missing`` only.

        Returns
        -------
        float or None
            Delay [ms]; None where bytes or bandwidth are unknown, or bandwidth is 0 or below.

        Raises
        ------
        InputError
            For a negative or fractional count.
        """
        missing = whole_count("destination_missing_tokens", destination_missing_tokens)
        return self._delay_of(
            self.full_prompt_tokens if self.mode is TransferTimingMode.FULL_PROMPT else missing
        )

    def full_prompt_delay_ms(self) -> float | None:
        """Delay of the full prompt, whatever the mode [ms]; None as in `delay_ms`."""
        return self._delay_of(self.full_prompt_tokens)

    def _delay_of(self, tokens: int) -> float | None:
        if self.kv_bytes_per_token is None or self.bandwidth_gb_s is None or self.bandwidth_gb_s <= 0:
            return None
        per_token, state = float(self.kv_bytes_per_token), float(self.state_bytes)
        delay = transfer_delay_ms(float(tokens), per_token, state, self.bandwidth_gb_s)
        if not math.isfinite(delay):
            problem = "is too small for these bytes: the delay is beyond a 64-bit float"
            raise InputError("bandwidth_gb_s", self.bandwidth_gb_s, problem, "Enter a larger bandwidth.")
        return delay


def whole_count(field: str, value: object) -> int:
    """Return a count as an int, or refuse it by name.

    Examples
    --------
    >>> whole_count("tokens", 3)
    3
    """
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= value < 2**64:
        return int(value)
    raise InputError(
        field, value, "must be a whole number from 0 to 2^64 - 1", "Enter a count of tokens or bytes."
    )


def prefill_handoff_transfer_timing(
    num_input_tokens: int,
    kv_transfer_bandwidth: float | None,
    kv_bytes_per_token: int | None,
    mode: TransferTimingMode = TransferTimingMode.FULL_PROMPT,
) -> HandoffTransferTiming:
    """Build the timing of a handoff from a scheduler's own names.

    Parameters
    ----------
    num_input_tokens : int
        Tokens of the prompt [-].
    kv_transfer_bandwidth : float or None
        What the handoff gets in all [GB/s].
    kv_bytes_per_token : int or None
        KV bytes of one token [B].
    mode : TransferTimingMode
        Which tokens are sent.

    Examples
    --------
    >>> prefill_handoff_transfer_timing(128, 1.0, 1_000_000).full_prompt_delay_ms()
    128.0
    """
    return HandoffTransferTiming(
        mode=mode,
        full_prompt_tokens=num_input_tokens,
        kv_bytes_per_token=kv_bytes_per_token,
        bandwidth_gb_s=kv_transfer_bandwidth,
    )


def prefill_handoff_delay_ms(
    worker_type: WorkerType,
    completed: bool,
    num_input_tokens: int,
    bandwidth_gb_s: float | None,
    kv_bytes_per_token: int | None,
) -> float | None:
    """Delay that a client sees after prefill: the full prompt's, for a completed request of a prefill worker.

    Parameters
    ----------
    worker_type : WorkerType
        Only a prefill worker hands over.
    completed : bool
        Whether the prefill is complete.
    num_input_tokens : int
        Tokens of the prompt [-].
    bandwidth_gb_s : float or None
        What the handoff gets in all [GB/s].
    kv_bytes_per_token : int or None
        KV bytes of one token [B].

    Returns
    -------
    float or None
        Delay [ms], or None where there is no handoff or its delay is unknown.

    Raises
    ------
    InputError
        For another worker type.

    Examples
    --------
    >>> prefill_handoff_delay_ms(WorkerType.PREFILL, True, 128, 1.0, 1_000_000)
    128.0
    >>> prefill_handoff_delay_ms(WorkerType.DECODE, True, 128, 1.0, 1_000_000) is None
    True
    """
    timing = prefill_handoff_transfer_timing(num_input_tokens, bandwidth_gb_s, kv_bytes_per_token)
    if worker_type not in tuple(WorkerType):
        known = ", ".join(WorkerType)
        raise InputError("worker_type", worker_type, f"must be one of {known}", "Choose one of them.")
    if worker_type != WorkerType.PREFILL or not completed:
        return None
    return timing.full_prompt_delay_ms()


def compute_prefill_handoff_delay_ms(
    worker_type: WorkerType,
    completed: bool,
    num_input_tokens: int,
    bandwidth_gb_s: float | None,
    kv_bytes_per_token: int | None,
) -> float | None:
    """Do as `prefill_handoff_delay_ms`, and leave a debug log record of tokens, bandwidth and delay.

    Parameters and result are those of `prefill_handoff_delay_ms`.

    Examples
    --------
    >>> compute_prefill_handoff_delay_ms(WorkerType.PREFILL, True, 100, 1.0, 1000)
    0.1
    """
    delay_ms = prefill_handoff_delay_ms(
        worker_type, completed, num_input_tokens, bandwidth_gb_s, kv_bytes_per_token
    )
    if delay_ms is not None:
        logger.debug(
            "prefill handoff: num_input_tokens=%d bandwidth_gb_s=%s delay_ms=%s",
            num_input_tokens,
            bandwidth_gb_s,
            delay_ms,
        )
    return delay_ms
