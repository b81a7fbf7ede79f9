"""Mean TTFT of a published end-to-end run, by a replay of the trace that it was put to."""

from __future__ import annotations

from functools import lru_cache

from aisim_model.catalog.measurements import CloudRun
from aisim_model.row_replay import replay_row
from aisim_model.scenario import Deployment, Workload
from aisim_model.traces import Trace, example_trace
from aisim_model.units import MS_PER_S


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


@lru_cache(maxsize=16)
def replayed_mean_ttft_s(run: CloudRun, prefill_tokens_per_s: float | None = None) -> float:
    """Replay the trace on a run's deployment.

    Parameters
    ----------
    run : CloudRun
        The run; its links are taken as 400 Gb/s a GPU, as all five clouds have them.
    prefill_tokens_per_s : float, optional
        Rate of all prefill workers [tokens/s], by which prompts are computed one by one; by the roofline, in
        passes as engines batch them, where left out.

    Returns
    -------
    float
        Mean TTFT [s].

    Examples
    --------
    5.96 GB/s of KV at 262,144 bytes a token on the H200, where 1,510 s were measured:

    >>> from aisim_model.catalog.measurements import cloud_runs
    >>> round(replayed_mean_ttft_s(cloud_runs()[2], 5.96e9 / 262_144))
    1465
    """
    row = Deployment(
        id="run",
        name=run.name,
        gpu=run.gpu,
        prefill_tp=run.prefill_tp,
        decode_tp=run.decode_tp,
        prefill_workers=run.prefill_workers,
        decode_workers=run.decode_workers,
    )
    if prefill_tokens_per_s is not None:
        each = prefill_tokens_per_s / run.prefill_workers
        row = row.changed(prefill_model="rate", prefill_tokens_per_s=each)
    found = replay_row(
        Workload(model_id=run.model_id),
        row,
        conversation(),
        level="engine" if prefill_tokens_per_s is None else "fifo",
    )
    return float(found.column("ttft_ms").mean()) / MS_PER_S
