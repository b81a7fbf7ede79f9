"""Mean TTFT of a published end-to-end run: its trace in a queue before its prefill workers."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from aisim_model.catalog.measurements import CloudRun
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import breakdown
from aisim_model.scenario import Deployment, Workload
from aisim_model.traces import Trace, example_trace
from aisim_model.units import MS_PER_S

Floats = npt.NDArray[np.float64]

# of the prompt tokens in the trace's first 2,000 requests, those that no earlier request had in front: what a
# prefix cache without bound leaves to compute. The runs don't report their hits; vLLM caches by default.
COMPUTED_SHARE = 0.706


@lru_cache(maxsize=1)
def conversation() -> Trace:
    """Return the trace of the five runs: arrivals and lengths of its 12,031 requests.

    Source: github.com/kvcache-ai/Mooncake.

    Examples
    --------
    >>> conversation().total_input_tokens
    144793823
    """
    return example_trace("mooncake_conversation_hour")[0]


def fifo_wait_ms(arrival_ms: Floats, service_ms: Floats) -> Floats:
    """Time that each request waits for a worker which serves one at a time, in order of arrival.

    ``end[i] = max(arrival[i], end[i - 1]) + service[i]``, without a loop: an end is the latest arrival of any
    request before, plus all service from it on.

    Parameters
    ----------
    arrival_ms, service_ms : array of float64
        When each request arrives, and how long it is served [ms].

    Returns
    -------
    array of float64
        Time from arrival to the start of service [ms].

    Examples
    --------
    >>> fifo_wait_ms(np.array([0.0, 10.0, 100.0]), np.array([30.0, 5.0, 5.0]))
    array([ 0., 20.,  0.])
    """
    served_ms = np.cumsum(service_ms)
    before_ms = served_ms - service_ms
    started_ms = np.maximum.accumulate(arrival_ms - before_ms) + before_ms
    return np.asarray(np.maximum(started_ms - arrival_ms, 0.0))


def queued_mean_ttft_s(
    run: CloudRun, prefill_tokens_per_s: float | None = None, computed_share: float = 1.0
) -> float:
    """Put the trace to a run's deployment, each prompt in its turn; only prefill is waited for.

    A replay at level ``fifo`` gives the same but for the wait for a running decode step.

    Parameters
    ----------
    run : CloudRun
        The run; its links are taken as 400 Gb/s a GPU, as all five clouds have them.
    prefill_tokens_per_s : float, optional
        Rate of all prefill workers [tokens/s]; prompts are timed by the roofline where left out.
    computed_share : float
        Share of a prompt's time that is left where the rest of it was hit in a prefix cache [-].

    Returns
    -------
    float
        Mean TTFT [s].

    Examples
    --------
    5.96 GB/s of KV at 262,144 bytes a token on the H200, where 1,510 s were measured:

    >>> from aisim_model.catalog.measurements import cloud_runs
    >>> round(queued_mean_ttft_s(cloud_runs()[2], 5.96e9 / 262_144))
    1465
    """
    trace, workers = conversation(), run.prefill_workers
    prompts = trace.input_tokens.astype(np.float64)
    x = resolve(Workload(model_id=run.model_id), row_of(run, prefill_tokens_per_s))
    idle = breakdown(replace(x, prompt_tokens=prompts))
    ttft_ms = np.asarray(idle.ttft_ms, dtype=np.float64)
    hit_ms = np.asarray(idle.prefill_ms, dtype=np.float64) * (1.0 - computed_share)
    prefill_ms = np.asarray(idle.prefill_ms, dtype=np.float64) - hit_ms
    ttft_ms = ttft_ms - hit_ms
    for worker in range(workers):
        turn = slice(worker, None, workers)
        ttft_ms[turn] += fifo_wait_ms(trace.arrival_ms[turn], prefill_ms[turn])
    return float(ttft_ms.mean()) / MS_PER_S


def row_of(run: CloudRun, prefill_tokens_per_s: float | None = None) -> Deployment:
    """Return a run as a row, its prefill at a measured rate of all workers or by the roofline."""
    row = Deployment(
        id="run",
        name=run.name,
        gpu=run.gpu,
        prefill_tp=run.prefill_tp,
        decode_tp=run.decode_tp,
        prefill_workers=run.prefill_workers,
        decode_workers=run.decode_workers,
    )
    if prefill_tokens_per_s is None:
        return row
    each = prefill_tokens_per_s / run.prefill_workers
    return row.changed(prefill_model="rate", prefill_tokens_per_s=each)
