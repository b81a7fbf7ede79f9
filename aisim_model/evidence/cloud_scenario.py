"""The five published end-to-end runs as a scenario to replay, and what they ask of prefill and links."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from aisim_model import catalog
from aisim_model.catalog.measurements import CloudRun, cloud_runs
from aisim_model.evidence.cloud import prefill_tokens_per_s
from aisim_model.evidence.cloud_ttft import COMPUTED_SHARE, conversation, queued_mean_ttft_s, row_of
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import prefill_ms
from aisim_model.scenario import Scenario, Workload
from aisim_model.scenario.traffic import Traffic


@dataclass(frozen=True)
class CloudVerdict:
    """What a run's trace asks of its deployment by the roofline, beside what was measured.

    Parameters
    ----------
    run : CloudRun
        The run.
    gpu : str
        Its GPU, for people.
    prefill_load, link_load : float
        Work offered over what prefill and the links can do, over the trace's span, less what a prefix cache
        hits [-].
    mean_ttft_s : float or None
        With prompts in a queue at the run's own prefill rate, which is known where they queued [s].
    roofline_mean_ttft_s : float
        The same with prompts timed by the roofline, less what a prefix cache hits [s].
    """

    run: CloudRun
    gpu: str
    prefill_load: float
    link_load: float
    mean_ttft_s: float | None
    roofline_mean_ttft_s: float

    @property
    def prefill_bound(self) -> bool:
        """Whether prefill is asked for more than it can do."""
        return self.prefill_load > 1.0


def cloud_verdicts() -> tuple[CloudVerdict, ...]:
    """Return what the models say of each run, the first whose prefill keeps up coming first.

    Examples
    --------
    >>> [(one.gpu, one.prefill_bound) for one in cloud_verdicts()[1:4]]
    [('B200', False), ('H200', True), ('H100 SXM', True)]
    """
    return tuple(_verdict(run) for run in cloud_runs())


def _verdict(run: CloudRun) -> CloudVerdict:
    trace, x = conversation(), resolve(Workload(model_id=run.model_id), row_of(run))
    spent_ms = COMPUTED_SHARE * np.asarray(
        prefill_ms(replace(x, prompt_tokens=trace.input_tokens.astype(np.float64)))
    )
    own = queued_mean_ttft_s(run, prefill_tokens_per_s(run)) if run.prefill_bound else None
    return CloudVerdict(
        run=run,
        gpu=catalog.gpu(run.gpu).name,
        prefill_load=float(spent_ms.sum()) / trace.span_ms / run.prefill_workers,
        link_load=(trace.offered_gb_s(float(x.wire.per_token_bytes)) or 0.0) / float(x.bandwidth_gb_s),
        mean_ttft_s=own,
        roofline_mean_ttft_s=queued_mean_ttft_s(run, computed_share=COMPUTED_SHARE),
    )


def cloud_scenario() -> Scenario:
    """Return the runs as rows under their trace, to be replayed one prompt a prefill pass.

    Prefill is at the run's own rate where prompts queued, else by the roofline.

    Examples
    --------
    >>> [row.id for row in cloud_scenario().deployments]
    ['gke-a4x', 'nscale', 'nebius', 'aws-p5', 'aks']
    """
    rows = []
    for color, run in enumerate(cloud_runs()):
        row = row_of(run, prefill_tokens_per_s(run) if run.prefill_bound else None)
        name = f"{run.name}, {catalog.gpu(run.gpu).name}"
        rows.append(row.changed(id=run.id, name=name, color=color))
    return Scenario(
        deployments=tuple(rows),
        selected_id="nebius",
        baseline_id="gke-a4x",
        traffic=Traffic(
            example_id="mooncake_conversation_hour", level="fifo", contention="fifo", prefix_caching=False
        ),
    )
