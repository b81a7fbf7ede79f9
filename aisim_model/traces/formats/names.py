"""What columns are called: the usual names of each role, compared without case, blanks and underscores."""

from __future__ import annotations

import re
from collections.abc import Iterable
from types import MappingProxyType

ROLES = ("arrival", "input_tokens", "output_tokens", "hash_ids")
MEASURED = ("ttft", "itl", "e2e", "end", "first_token")

NAMES = MappingProxyType(
    {
        "arrival": (
            "timestamp", "timestamps", "arrival", "arrival_time", "arrival_timestamp", "arrived_at",
            "arrival_ms", "arrival_s", "arrival_time_ms", "arrival_time_s", "arrival_time_us",
            "timestamp_ms", "timestamp_s", "timestamp_us", "timestamp_ns", "timestamp_start_unix_ms",
            "request_received_ms", "request_start_ns", "request_start_time", "start_time_unix_nano",
            "start_time", "start_times", "start_time_ms", "start_ms", "started_at", "request_time",
            "created_at", "created", "time", "ts",
        ),
        "input_tokens": (
            "input_tokens", "input_length", "input_len", "input_lens", "input_toks", "prompt_tokens",
            "prompt_length", "prompt_len", "prompt_lens", "prompt_size", "context_tokens",
            "num_prefill_tokens", "num_input_tokens", "num_prompt_tokens", "input_sequence_length",
            "request_tokens", "input_token_count", "prompt_token_count", "isl", "usage.input",
            "usage_details.input",
        ),
        "output_tokens": (
            "output_tokens", "output_length", "output_len", "output_lens", "output_toks",
            "completion_tokens", "generated_tokens", "num_decode_tokens", "num_output_tokens",
            "output_sequence_length", "response_tokens", "completion_token_count", "output_token_count",
            "candidates_token_count", "token_size", "osl", "usage.output", "usage_details.output",
        ),
        "hash_ids": ("hash_ids", "input_sequence_hashes"),
        "ttft": (
            "ttft", "ttfts", "ttft_ms", "ttft_s", "time_to_first_token", "time_to_first_token_ms",
            "time_to_first_token_s", "time_to_first_token_seconds", "first_token_latency",
            "first_token_latency_ms", "time_to_first_chunk",
        ),
        "itl": (
            "itl", "itls", "itl_ms", "itl_s", "avg_itl_ms", "mean_itl_ms", "inter_token_latency",
            "inter_token_latency_ms", "inter_token_latencies", "time_per_output_token",
            "time_per_output_token_ms", "tpot", "tpot_ms", "tpot_s",
        ),
        "e2e": (
            "e2e", "e2e_ms", "e2e_s", "e2el", "e2e_latency", "e2e_latency_ms", "request_latency",
            "request_latency_ms", "latency", "latencies", "latency_ms", "latency_s", "total_time_ms",
            "total_time", "total_latency", "total_latency_ms", "duration", "duration_ms", "duration_s",
            "response_time", "response_time_ms", "elapsed_ms",
        ),
        "end": (
            "request_end_ns", "request_end_time", "end_time_unix_nano", "end_time", "end_times",
            "end_time_ms", "end_ms", "ended_at", "finished_at", "completed_at", "finish_time",
        ),
        "first_token": (
            "completion_start_time", "first_token_time", "first_token_at", "first_token_ms",
            "first_token_iteration", "output_token_times",
        ),
    }
)  # fmt: skip


def plain(name: str) -> str:
    """Return a name without case, blanks and underscores; the dots stay.

    Examples
    --------
    >>> plain("Prompt Tokens"), plain("promptTokens"), plain("usage.prompt_tokens")
    ('prompttokens', 'prompttokens', 'usage.prompttokens')
    """
    return re.sub(r"[\s_\-]+", "", name).lower()


_PLAIN = {role: {plain(name): place for place, name in enumerate(names)} for role, names in NAMES.items()}


def told(columns: Iterable[str], role: str, *, nested: bool = False) -> list[str]:
    """Return the columns whose names say that they have a role.

    Parameters
    ----------
    columns : iterable of str
        Names, dotted where they were nested.
    role : str
        One of `ROLES` or `MEASURED`.
    nested : bool
        Whether the best alone is wanted: the least nested, then the usual name that stands first.

    Examples
    --------
    >>> told(["usage.prompt_tokens", "id"], "input_tokens")
    ['usage.prompt_tokens']
    """
    known = _PLAIN[role]
    found: list[tuple[int, int, str]] = []
    for column in dict.fromkeys(columns):
        parts = plain(column.strip()).split(".")
        endings = [".".join(parts[-length:]) for length in (1, 2, len(parts))]
        ranks = [known[ending] for ending in endings if ending in known]
        if ranks:
            found.append((len(parts), min(ranks), column))
    found.sort(key=lambda entry: entry[:2]) if nested else None
    return [column for _, _, column in (found[:1] if nested else found)]
