"""Worked scenarios after deployments that others published, each with its source beside it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from aisim_model.scenario import Deployment, Scenario, Workload

PUBLISHED: Mapping[str, Scenario] = MappingProxyType(
    {
        # llm-d.github.io blog/2026-07-22_serving-glm-5-2-agentic-workloads-on-llm-d.mdx, appendix
        "GLM-5.2, DEP16 to DEP16 on H200": Scenario(
            workload=Workload(
                model_id="glm-5.2", prompt_tokens=50000, output_tokens=317, prefill_cached_tokens=47000
            ),
            deployments=(
                Deployment(
                    id="tp8",
                    name="Aggregated 4 x TP8",
                    kind="aggregated",
                    prefill_tp=8,
                    prefill_workers=4,
                    weight_format="fp8",
                    kv_dtype="fp8",
                ),
                Deployment(
                    id="dep16",
                    name="DEP16 to DEP16",
                    color=1,
                    prefill_tp=1,
                    decode_tp=1,
                    attention_dp=16,
                    expert_parallel=16,
                    weight_format="fp8",
                    kv_dtype="fp8",
                ),
                Deployment(
                    id="dep16-mtp",
                    name="DEP16 to DEP16, three drafts",
                    color=2,
                    draft_tokens=3,
                    accepted_tokens=2.95,
                    prefill_tp=1,
                    decode_tp=1,
                    attention_dp=16,
                    expert_parallel=16,
                    weight_format="fp8",
                    kv_dtype="fp8",
                ),
            ),
            selected_id="dep16",
            baseline_id="tp8",
        ),
        # github.com/SemiAnalysisAI/InferenceX db-dump 2026-04-27, config 483, run 268
        "DeepSeek-R1, 4 x DEP4 to DEP32 on GB200": Scenario(
            workload=Workload(model_id="deepseek-r1", prompt_tokens=1024, output_tokens=1024),
            deployments=(
                Deployment(
                    id="tp8",
                    name="Aggregated 6 x TP8",
                    kind="aggregated",
                    prefill_tp=8,
                    prefill_workers=6,
                    gpu="gb200",
                    engine="sglang",
                    weight_format="nvfp4",
                    kv_dtype="fp8",
                ),
                Deployment(
                    id="wide",
                    name="4 x DEP4 to DEP32",
                    color=1,
                    link="nvlink5",
                    prefill_tp=1,
                    decode_tp=1,
                    prefill_workers=4,
                    attention_dp=4,
                    expert_parallel=4,
                    decode_attention_dp=32,
                    decode_expert_parallel=32,
                    gpu="gb200",
                    engine="sglang",
                    weight_format="nvfp4",
                    kv_dtype="fp8",
                ),
            ),
            selected_id="wide",
            baseline_id="tp8",
        ),
        # huggingface.co/openai/gpt-oss-120b: its mxfp4 weights fit one GPU of 80 GB
        "gpt-oss-120b, one H100 or one B200": Scenario(
            workload=Workload(model_id="gpt-oss-120b", prompt_tokens=8192),
            deployments=(
                Deployment(
                    id="h100",
                    name="One H100",
                    kind="aggregated",
                    gpu="h100-sxm",
                    prefill_tp=1,
                ),
                Deployment(
                    id="b200",
                    name="One B200",
                    color=1,
                    kind="aggregated",
                    gpu="b200",
                    prefill_tp=1,
                ),
            ),
            selected_id="h100",
            baseline_id="h100",
        ),
        # docs.vllm.ai serving/parallelism_scaling: tensor parallelism within a node, a worker a node
        "Llama-3.3-70B, two nodes of H100": Scenario(
            workload=Workload(model_id="llama-3.3-70b", prompt_tokens=8192),
            deployments=(
                Deployment(
                    id="aggregated",
                    name="Aggregated 2 x TP8",
                    kind="aggregated",
                    gpu="h100-sxm",
                    prefill_tp=8,
                    prefill_workers=2,
                ),
                Deployment(
                    id="split",
                    name="Split TP8 to TP8",
                    color=1,
                    gpu="h100-sxm",
                    prefill_tp=8,
                    decode_tp=8,
                ),
            ),
            selected_id="split",
            baseline_id="aggregated",
        ),
    }
)
