"""Worked scenarios to start from, each a real model with its published or worked answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from aisim_model.handoff import TransferTimingMode
from aisim_model.scenario import MOST_ROWS, Deployment, Scenario, Workload
from aisim_model.scenario.published import PUBLISHED

SCENARIOS = MappingProxyType(
    {
        "Qwen3-32B, five ways on 8 H200": Scenario(),
        "Llama-3.1-70B, one 400G NIC, and what prefix reuse saves": Scenario(
            workload=Workload(model_id="llama-3.1-70b", prompt_tokens=8192, decode_cached_tokens=6144),
            deployments=(
                Deployment(id="aggregated", name="Aggregated 2 x TP4", kind="aggregated", prefill_workers=2),
                Deployment(id="one-400g", name="Whole prompt, one 400G NIC", color=1, nics_per_gpu=0.25),
                Deployment(
                    id="missing",
                    name="Only what decode lacks",
                    color=2,
                    nics_per_gpu=0.25,
                    timing_mode=TransferTimingMode.DESTINATION_MISSING,
                ),
                Deployment(id="tp8", name="TP8 to TP8, a NIC per GPU", color=3, prefill_tp=8, decode_tp=8),
                Deployment(
                    id="roce-100", name="One 100G RoCE NIC", color=4, link="roce-100", nics_per_gpu=0.25
                ),
            ),
            selected_id="one-400g",
        ),
        "DeepSeek-V3, a latent that stands on every rank": Scenario(
            workload=Workload(model_id="deepseek-v3", prompt_tokens=8192),
            deployments=(
                Deployment(
                    id="aggregated",
                    name="Aggregated 2 x TP8",
                    kind="aggregated",
                    prefill_tp=8,
                    prefill_workers=2,
                    weight_format="fp8",
                ),
                Deployment(
                    id="per-rank",
                    name="TP8 to TP8, a copy per rank",
                    color=1,
                    prefill_tp=8,
                    decode_tp=8,
                    weight_format="fp8",
                ),
                Deployment(
                    id="once",
                    name="TP8 to TP8, one copy broadcast",
                    color=2,
                    prefill_tp=8,
                    decode_tp=8,
                    mla_copies="once",
                    weight_format="fp8",
                ),
            ),
            selected_id="per-rank",
        ),
        "Llama-3.1-8B, 100,000 tokens of context": Scenario(
            workload=Workload(model_id="llama-3.1-8b", prompt_tokens=100_000, ttft_slo_ms=10_000.0),
            deployments=(
                Deployment(
                    id="aggregated",
                    name="Aggregated 2 x TP1",
                    kind="aggregated",
                    prefill_tp=1,
                    prefill_workers=2,
                ),
                Deployment(id="nvlink", name="NVLink", color=1, link="nvlink4", prefill_tp=1, decode_tp=1),
                Deployment(id="ndr", name="InfiniBand NDR 400G", color=2, prefill_tp=1, decode_tp=1),
                Deployment(id="pcie", name="PCIe 5.0", color=3, link="pcie5-x16", prefill_tp=1, decode_tp=1),
                Deployment(id="tcp", name="Ethernet 25G", color=4, link="eth-25", prefill_tp=1, decode_tp=1),
            ),
            selected_id="ndr",
        ),
        **PUBLISHED,
    }
)

ROWS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "Aggregated 2 x TP4": {"kind": "aggregated", "prefill_workers": 2},
        "Split 1 + 1, 400G NIC per GPU": {},
        "Split 1 + 1, NVLink": {"link": "nvlink4"},
        "Split 1 + 1, fp8 KV": {"kv_dtype": "fp8"},
        "Split 1 + 1, one 400G NIC": {"nics_per_gpu": 0.25},
        "Split 1 + 1, one 100G RoCE": {"link": "roce-100", "nics_per_gpu": 0.25},
        "Split 1 + 1, one 100G TCP": {"link": "eth-100", "nics_per_gpu": 0.25},
        "Split 1 + 1, only what decode lacks": {"timing_mode": TransferTimingMode.DESTINATION_MISSING},
        "Split 1 + 1, SGLang": {"engine": "sglang"},
        "Split 1 + 1, TensorRT-LLM": {"engine": "trtllm"},
        "Split 1 + 1, layer by layer": {"overlap": "layer"},
        "Split 2 + 1 workers of TP4": {"prefill_workers": 2},
    }
)


def added(scenario: Scenario, name: str) -> Scenario:
    """Return a scenario with a preset row at its end, selected; its id, name and colour are free ones.

    Examples
    --------
    >>> added(Scenario(), "Split 1 + 1, NVLink").selected.link
    'nvlink4'
    """
    return appended(scenario, Deployment.model_validate({**ROWS[name], "id": "new", "name": name}))


def appended(scenario: Scenario, row: Deployment) -> Scenario:
    """Return a scenario with a row at its end, selected, under the first free id, name and colour.

    Examples
    --------
    >>> twice = appended(Scenario(), Scenario().selected)
    >>> twice.selected.id, twice.selected.name
    ('row-6', 'Split, 400G NIC per GPU (2)')
    """
    rows = scenario.deployments
    ids, names, colors = ({getattr(one, part) for one in rows} for part in ("id", "name", "color"))
    row_id = next(f"row-{n}" for n in range(len(rows) + 1, 100) if f"row-{n}" not in ids)
    name = next(
        text for text in (row.name, *(f"{row.name[:54]} ({n})" for n in range(2, 100))) if text not in names
    )
    color = next((slot for slot in range(MOST_ROWS) if slot not in colors), 0)
    new = row.changed(id=row_id, name=name, color=color)
    return scenario.changed(deployments=(*rows, new), selected_id=row_id)
