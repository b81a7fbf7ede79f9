"""Handoff delay over prompt lengths of a scenario's rows, as tidy columns for a chart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from aisim_model.handoff import TransferTimingMode
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.row.ttft import handoff
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_ui.modes import other_mode

POINTS = 49
SHORTEST, LONGEST = 128, 1_000_000


def delay_over_prompt(scenario: Scenario) -> dict[str, list[Any]]:
    """Model the handoff of every split row over prompt lengths; of the selected row both modes, and its band.

    Returns
    -------
    dict of lists
        `deployment_id`, `deployment`, `series`, `label`, `prompt_tokens`, `handoff_ms`.
    """
    tokens = np.round(np.geomspace(SHORTEST, LONGEST, POINTS))
    lines: list[tuple[Deployment, str, str, ResolvedRow]] = []
    for row in scenario.deployments:
        if not row.split:
            continue
        x = resolve(scenario.workload, row)
        lines.append((row, "row", "", x))
        if row.id != scenario.selected_id:
            continue
        if x.measured_low_gb_s is not None:
            slow = replace(x, bandwidth_gb_s=x.measured_low_gb_s)
            lines.append((row, "measured low", "lowest bandwidth reached", slow))
        mode, label = other_mode(row.timing_mode)
        lines.append((row, "other mode", label, _in_mode(scenario.workload, row, mode)))
    delays = [_delays_ms(x, tokens) for *_, x in lines]
    every = [line for line in lines for _ in tokens]
    return {
        "deployment_id": [row.id for row, *_ in every],
        "deployment": [row.name for row, *_ in every],
        "series": [series for _, series, *_ in every],
        "label": [label for _, _, label, _ in every],
        "prompt_tokens": tokens.astype(np.int64).tolist() * len(lines),
        "handoff_ms": [delay for line in delays for delay in line.tolist()],
    }


def _in_mode(workload: Workload, row: Deployment, mode: TransferTimingMode) -> ResolvedRow:
    return resolve(workload, row.changed(timing_mode=mode))


def _delays_ms(x: ResolvedRow, tokens: np.ndarray) -> np.ndarray:
    at_decode = np.minimum(x.decode_cached_tokens, tokens)
    cached = np.minimum(x.prefill_cached_tokens, tokens)
    over = replace(x, prompt_tokens=tokens, decode_cached_tokens=at_decode, prefill_cached_tokens=cached)
    return np.broadcast_to(handoff(over).handoff_ms, tokens.shape)
