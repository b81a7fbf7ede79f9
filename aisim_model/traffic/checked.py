"""A replay whose times a 64-bit float can hold: a bandwidth next to nothing is refused before any work."""

from __future__ import annotations

import numpy as np

from aisim_model.errors import InputError
from aisim_model.handoff import transfer_delay_ms
from aisim_model.replay import Progress, ReplayConfig, ReplayResult, replay
from aisim_model.replay.result import timed_bytes
from aisim_model.traces import Trace

LONGEST_TRANSFER_MS = 1e12  # thirty years; beyond, a millisecond is lost in the sum of a trace


def checked_replay(trace: Trace, config: ReplayConfig, progress: Progress | None = None) -> ReplayResult:
    """Replay a trace as `replay.replay` does, if its longest transfer ends at all.

    Parameters
    ----------
    trace, config, progress
        As in `replay.replay`.

    Raises
    ------
    InputError
        For a transfer of more than thirty years, and as in `replay.replay`.
    ReplayStoppedError
        Where `progress` asked for it.

    Examples
    --------
    >>> import numpy as np
    >>> trace = Trace(np.array([0.0]), np.array([1000]), np.array([1]))
    >>> config = ReplayConfig(
    ...     prefill_workers=1, decode_workers=1, bandwidth_gb_s=1e-12, kv_bytes_per_token=1e6
    ... )
    >>> checked_replay(trace, config)
    Traceback (most recent call last):
    ...
    aisim_model.errors.InputError: bandwidth_gb_s = 1e-12: makes a transfer of 1,000 tokens take 1e+15 ms. \
Enter a larger one.
    """
    tokens = int(trace.input_tokens.max())
    longest_ms = _transfer_ms(tokens, config)
    if not longest_ms <= LONGEST_TRANSFER_MS:
        problem = f"makes a transfer of {tokens:,} tokens take {longest_ms:.3g} ms"
        raise InputError("bandwidth_gb_s", config.bandwidth_gb_s, problem, "Enter a larger one.")
    return replay(trace, config, progress)


def _transfer_ms(tokens: int, config: ReplayConfig) -> float:
    """Return the time of a transfer alone, 0 where bytes or bandwidth are unknown [ms]."""
    if config.aggregated or not config.bandwidth_gb_s or config.kv_bytes_per_token is None:
        return 0.0
    sent_bytes = float(timed_bytes(np.array([tokens]), config)[0])
    return transfer_delay_ms(sent_bytes, 1.0, 0.0, config.bandwidth_gb_s)
