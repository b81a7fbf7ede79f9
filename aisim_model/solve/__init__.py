"""The inverse questions: what bandwidth, prompt, share of the prompt, load or workers meet a target.

Exact where the formula inverts, by bracketing where it doesn't; "always" and "never" are answers.
"""

from __future__ import annotations

from aisim_model.solve.bandwidth import Links, bandwidth_for, bandwidth_for_ttft, links_for
from aisim_model.solve.break_even import BreakEven, aggregated_for, break_even
from aisim_model.solve.carried import Division, best_division, most_within
from aisim_model.solve.prompt import (
    cached_tokens_for,
    longest_allowed,
    longest_prompt,
    sending_what_decode_lacks,
    with_prompt,
)
from aisim_model.solve.target import Target, target_of

__all__ = [
    "BreakEven",
    "Division",
    "Links",
    "Target",
    "aggregated_for",
    "bandwidth_for",
    "bandwidth_for_ttft",
    "best_division",
    "break_even",
    "cached_tokens_for",
    "links_for",
    "longest_allowed",
    "longest_prompt",
    "most_within",
    "sending_what_decode_lacks",
    "target_of",
    "with_prompt",
]
