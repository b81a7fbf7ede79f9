"""The names under which benchmarks write what a run was and took; the first that a run has counts."""

from __future__ import annotations

from types import MappingProxyType

NAMES = MappingProxyType(
    {
        "prompt": (
            *("prompt_tokens", "input_tokens", "prompt", "input", "isl", "input_len", "random_input_len"),
            *("input_sequence_length.avg", "prompt_token_count.successful.mean", "input_length"),
        ),
        "output": (
            *("output_tokens", "output", "osl", "output_len", "random_output_len"),
            *("output_sequence_length.avg", "output_token_count.successful.mean", "output_length"),
        ),
        "in_flight": (
            *("max_concurrency", "concurrency", "conc", "in_flight", "requests_in_flight"),
            *("loadgen.concurrency", "strategy.streams"),
        ),
        "per_s": (
            *("request_rate", "rate", "arrivals_per_s", "requests_per_s"),
            *("loadgen.request_rate", "strategy.rate"),
        ),
        "ttft": (
            *("mean_ttft_ms", "ttft_ms", "mean_ttft", "ttft", "time_to_first_token.avg", "median_ttft_ms"),
            "time_to_first_token_ms.successful.mean",
        ),
        "tpot": (
            *("mean_tpot_ms", "tpot_ms", "mean_tpot", "tpot", "itl_ms", "mean_itl_ms", "itl"),
            *("inter_token_latency.avg", "inter_token_latency_ms.successful.mean"),
            "time_per_output_token_ms.successful.mean",
        ),
        "completed": ("completed", "request_count.avg", "request_totals.successful"),
    }
)
TOTALS = MappingProxyType({"prompt": "total_input_tokens", "output": "total_output_tokens"})
BARE = frozenset({"mean_ttft", "ttft", "mean_tpot", "tpot", "itl"})  # in seconds where they are small
