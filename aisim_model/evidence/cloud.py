"""Five published end-to-end runs beside the models: prefill rate, inter-token latency and TTFT."""

from __future__ import annotations

from aisim_model.catalog.hardware import gpu
from aisim_model.catalog.measurements import CloudRun, cloud_runs
from aisim_model.catalog.models import model
from aisim_model.evidence.cloud_ttft import queued_mean_ttft_s
from aisim_model.evidence.machine import Machine
from aisim_model.evidence.record import Evidence
from aisim_model.units import BYTES_PER_GB, MS_PER_S

# of the Mooncake conversation trace (github.com/kvcache-ai/Mooncake): 12,031 requests
MEAN_PROMPT_TOKENS = 12_035.06
MEAN_ANSWER_TOKENS = 342.62
TOKEN_WEIGHTED_PROMPT_TOKENS = 32_778.69  # squares of the prompt lengths over their sum: what attention feels

SETTLING_ROUNDS = 60  # the batch that keeps its own step time; each round takes off three quarters or more


def cloud_evidence() -> tuple[Evidence, ...]:
    """Put the five runs beside the roofline.

    The defaults of `aisim_model.roofline` come from the prefill-bound runs on H200 and H100, which are marked
    as fitted; the others test them. Mean TTFT, which nothing was fitted to, is that of the trace in a queue.

    Examples
    --------
    >>> a100 = next(row for row in cloud_evidence() if row.id == "aks-prefill")
    >>> a100.fitted, f"{a100.relative_error('roofline'):.0%}"
    (False, '-5%')
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
    hardware = gpu(run.gpu)
    rate = prefill_tokens_per_s(run)
    prefills = Machine(run.model_id, hardware.bf16_dense_tflops, hardware.hbm_tb_s, run.prefill_tp)
    decodes = Machine(run.model_id, hardware.bf16_dense_tflops, hardware.hbm_tb_s, run.decode_tp)
    found = []
    if run.prefill_bound:
        predicted = (
            TOKEN_WEIGHTED_PROMPT_TOKENS / prefills.prefill_ms(TOKEN_WEIGHTED_PROMPT_TOKENS) * MS_PER_S
        )
        how = "at the trace's token-weighted prompt length; reported: KV bandwidth over bytes per token"
        found.append(
            _row(run, "prefill", "prefill_tokens_per_s", rate, how, roofline=predicted * run.prefill_workers)
        )
    if run.mean_itl_ms is not None:
        how = "decode step of as many sequences as the run's own rate keeps in decode (Little's law)"
        predicted = _loaded_step_ms(decodes, rate / MEAN_PROMPT_TOKENS / run.decode_workers)
        found.append(_row(run, "itl", "itl_ms", run.mean_itl_ms, how, roofline=predicted))
    if run.mean_ttft_s is not None:
        how = (
            "the trace's prompts one by one through prefill, without prefix hits; calibrated: at the run's "
            "own prefill rate, by its KV bandwidth, known where prompts queued"
        )
        own = queued_mean_ttft_s(run, rate) if run.prefill_bound else None
        roofline = queued_mean_ttft_s(run)
        found.append(
            _row(run, "ttft", "mean_ttft_s", run.mean_ttft_s, how, calibrated=own, roofline=roofline)
        )
    return found


def _loaded_step_ms(machine: Machine, requests_per_s: float) -> float:
    context = round(MEAN_PROMPT_TOKENS + MEAN_ANSWER_TOKENS / 2)
    step_ms = machine.step_ms(context)
    for _ in range(SETTLING_ROUNDS):
        batch = requests_per_s * MEAN_ANSWER_TOKENS * step_ms / MS_PER_S
        step_ms = machine.step_ms(context, batch)
    return step_ms


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
        fitted=part != "ttft" and run.gpu in ("h200", "h100-sxm"),
        consistent=True,
        how=how,
        source=run.source,
        note=run.note,
    )
