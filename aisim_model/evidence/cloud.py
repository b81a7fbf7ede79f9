"""Five published end-to-end runs beside the models: prefill rate, inter-token latency and TTFT."""

from __future__ import annotations

from dataclasses import replace

from aisim_model.catalog.hardware import gpu
from aisim_model.catalog.measurements import CloudRun, cloud_runs
from aisim_model.catalog.models import model
from aisim_model.evidence.cloud_ttft import COMPUTED_SHARE, queued_mean_ttft_s, row_of
from aisim_model.evidence.record import Evidence
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import prefill_ms
from aisim_model.scenario import Workload
from aisim_model.units import BYTES_PER_GB, MS_PER_S

# of the Mooncake conversation trace (github.com/kvcache-ai/Mooncake): 12,031 requests
MEAN_PROMPT_TOKENS = 12_035.06
MEAN_ANSWER_TOKENS = 342.62
TOKEN_WEIGHTED_PROMPT_TOKENS = 32_778.69  # squares of the prompt lengths over their sum: what attention feels


def cloud_evidence() -> tuple[Evidence, ...]:
    """Put the five runs beside the roofline.

    Nothing of the roofline was fitted to them. Their prefix hits aren't reported: of each prompt the share is
    computed that the trace doesn't repeat. Mean TTFT is that of the trace in a queue.

    Examples
    --------
    >>> a100 = next(row for row in cloud_evidence() if row.id == "aks-prefill")
    >>> a100.fitted, f"{a100.relative_error('roofline'):.0%}"
    (False, '17%')
    """
    return tuple(row for run in cloud_runs() for row in _figures(run))


def prefill_tokens_per_s(run: CloudRun) -> float:
    """Tokens that a run prefilled in a second, by the KV that it moved [tokens/s].

    Examples
    --------
    >>> round(prefill_tokens_per_s(cloud_runs()[2]))
    22736
    """
    kv_bytes_per_token = model(run.model_id).spec().kv.curve("bf16").growing_bytes_per_token
    return run.kv_gb_s * BYTES_PER_GB / kv_bytes_per_token


def _figures(run: CloudRun) -> list[Evidence]:
    rate, x = prefill_tokens_per_s(run), resolve(Workload(model_id=run.model_id), row_of(run))
    found = []
    if run.prefill_bound:
        weighted_ms = float(prefill_ms(replace(x, prompt_tokens=TOKEN_WEIGHTED_PROMPT_TOKENS)))
        predicted = TOKEN_WEIGHTED_PROMPT_TOKENS / (weighted_ms * COMPUTED_SHARE) * MS_PER_S
        how = (
            "at the trace's token-weighted prompt length, 71% of it computed, the rest hit; reported: KV "
            "bandwidth over bytes per token"
        )
        found.append(
            _row(run, "prefill", "prefill_tokens_per_s", rate, how, roofline=predicted * run.prefill_workers)
        )
    if run.mean_itl_ms is not None:
        how = "decode step of as many sequences as the run's own rate keeps in decode (Little's law)"
        served = service(replace(x, prompt_tokens=MEAN_PROMPT_TOKENS), MEAN_ANSWER_TOKENS)
        load = under_load(served, rate / MEAN_PROMPT_TOKENS)
        found.append(_row(run, "itl", "itl_ms", run.mean_itl_ms, how, roofline=load.itl_ms))
    if run.mean_ttft_s is not None:
        how = (
            "the trace's prompts one by one through prefill, 71% of each computed; calibrated: at the run's "
            "own prefill rate, by its KV bandwidth, known where prompts queued"
        )
        own = queued_mean_ttft_s(run, rate) if run.prefill_bound else None
        roofline = queued_mean_ttft_s(run, computed_share=COMPUTED_SHARE)
        found.append(
            _row(run, "ttft", "mean_ttft_s", run.mean_ttft_s, how, calibrated=own, roofline=roofline)
        )
    return found


def _row(
    run: CloudRun,
    part: str,
    quantity: str,
    reported: float,
    how: str,
    *,
    roofline: float,
    calibrated: float | None = None,
) -> Evidence:
    return Evidence(
        id=f"{run.id}-{part}",
        name=run.name,
        deployment=f"{gpu(run.gpu).name}, TP{run.prefill_tp} to TP{run.decode_tp}, {run.transport}",
        quantity=quantity,
        tokens=None,
        reported=reported,
        reference=None,
        calibrated=calibrated,
        calibrated_left_out=None,
        roofline=roofline,
        fitted=False,
        consistent=True,
        how=how,
        source=run.source,
        note=run.note,
    )
