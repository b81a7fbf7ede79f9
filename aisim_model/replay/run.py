"""Run a replay."""

from __future__ import annotations

import numpy as np

from aisim_model.errors import InputError
from aisim_model.replay.config import ReplayConfig
from aisim_model.replay.coordinator import run
from aisim_model.replay.layout import COMPLETED
from aisim_model.replay.result import ReplayResult, result_of
from aisim_model.replay.settings import state_of
from aisim_model.traces.trace import Trace


class Progress:
    """How far a replay is, and a way to stop it; to be shared between the thread that runs it and others.

    Examples
    --------
    >>> Progress().finished
    0
    """

    def __init__(self) -> None:
        self.control = np.zeros(3, np.int64)

    @property
    def finished(self) -> int:
        """Requests that are done so far [-]."""
        return int(self.control[1])

    def stop(self) -> None:
        """Ask the replay to stop soon."""
        self.control[0] = 1


class ReplayStoppedError(Exception):
    """A replay that was asked to stop before its end."""


def replay(trace: Trace, config: ReplayConfig, progress: Progress | None = None) -> ReplayResult:
    """Replay a trace on a deployment and say what every request waited for.

    Parameters
    ----------
    trace : Trace
        Requests in order of arrival.
    config : ReplayConfig
        The deployment.
    progress : Progress, optional
        To watch and stop it from another thread; compiled code lets other threads run.

    Returns
    -------
    ReplayResult
        One record a request.

    Raises
    ------
    InputError
        For a trace that the deployment can't carry at all, such as a prompt larger than a pool.
    ReplayStoppedError
        Where `progress` asked for it.

    Examples
    --------
    >>> import numpy as np
    >>> from aisim_model.passes import fixed, polynomial, rate
    >>> trace = Trace(np.array([0.0, 1000.0]), np.array([128, 256]), np.array([3, 3]))
    >>> config = ReplayConfig(
    ...     prefill_workers=1, decode_workers=1, bandwidth_gb_s=1.0, kv_bytes_per_token=1_000_000,
    ...     prefill=fixed(10.0), decode=fixed(5.0),
    ... )
    >>> replay(trace, config).column("ttft_ms")
    array([143., 271.])
    """
    control = progress.control if progress is not None else np.zeros(3, np.int64)
    core, caches, pools = state_of(trace, config)
    links = None if config.contention == "none" else core.workers
    if not run(core, caches, pools, links, control):
        raise ReplayStoppedError(f"stopped after {int(control[1]):,} of {len(trace):,} requests")
    del caches, pools  # a replay of a million requests has no room for them beside its records
    waiting = int((core.requests["stage"] < COMPLETED).sum())
    if waiting:
        problem = (
            f"are too few: {waiting:,} of {len(trace):,} requests end up waiting for each other's blocks"
        )
        raise InputError("pool_blocks", config.pool_blocks, problem, "Enlarge the pool, or add workers.")
    return result_of(trace, config, core)
