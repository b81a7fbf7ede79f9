"""The longest prompt that meets a target, and the share of a prompt that decode must hold already."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from annotated_types import Le

from aisim_model.arrays import unboxed
from aisim_model.handoff import TransferTimingMode
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import ResolvedRow
from aisim_model.scenario import Workload
from aisim_model.solve.target import Target

STEPS = 512
MOST_CHUNKS = 4096
MOST_TRIED, TRIED_AT_ONCE = 1_000_000, 65_536


def with_prompt(x: ResolvedRow, prompt_tokens: Any) -> ResolvedRow:
    """Return a row asked for another prompt; of its cached tokens at most the whole prompt counts."""
    return replace(
        x,
        prompt_tokens=prompt_tokens,
        prefill_cached_tokens=unboxed(np.minimum(x.prefill_cached_tokens, prompt_tokens)),
        decode_cached_tokens=unboxed(np.minimum(x.decode_cached_tokens, prompt_tokens)),
    )


@lru_cache(maxsize=1)
def longest_allowed() -> int:
    """Return the longest prompt that a scenario may ask for [tokens]."""
    bounds: list[Any] = [b for b in Workload.model_fields["prompt_tokens"].metadata if isinstance(b, Le)]
    return int(bounds[0].le)


def longest_prompt(x: ResolvedRow, target: Target) -> int:
    """Longest prompt that meets a target as every shorter one does [tokens].

    The time rises with the prompt, but for two things: where the transfer overlaps with prefill the exposed
    part falls again as prefill takes longer, within a block and after each full chunk, and a measured table
    may fall. So the first prompt that misses is sought from below over a grid with all chunk ends and table
    rows in it, then bisected; where the time may fall, every shorter prompt of up to a million tokens is
    tried.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones; of its cached tokens at most the whole prompt counts.
    target : Target
        What has to be met.

    Returns
    -------
    int
        0 where no prompt meets it ("never"); the longest that a scenario may ask for where all do ("always").
        One token more misses the target, unless it is "always". Memory isn't looked at here: see
        `longest_held`.

    Examples
    --------
    Llama-3.1-70B over 50 GB/s within 20 ms: 3,051 tokens are 19.995 ms.

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment
    >>> row = Deployment(id="a", name="a", bandwidth_gb_s=50)
    >>> longest_prompt(resolve(Workload(model_id="llama-3.1-70b"), row), Target("handoff", 20.0))
    3051
    """
    grid = _grid(x)
    met = np.broadcast_to(target.met(with_prompt(x, grid)), grid.shape)
    misses = np.flatnonzero(~met)
    if len(misses) and misses[0] == 0:
        return 0
    meets = int(grid[misses[0] - 1] if len(misses) else grid[-1])
    fails = int(grid[misses[0]]) if len(misses) else meets + 1
    between = range(meets + 1, fails)
    meets += bisect_left(between, True, key=lambda tokens: not target.met(with_prompt(x, float(tokens))))
    return _before_any_miss(x, target, meets) if _may_fall(x) else meets


def _may_fall(x: ResolvedRow) -> bool:
    """Say whether a longer prompt may take less time."""
    measured = (x.row.prefill_model == "table" and x.row.prefill_table) or ()
    falls = any(after[1] < before[1] for before, after in pairwise(measured))
    return falls or (x.row.split and x.profile.overlap != "none")


def _before_any_miss(x: ResolvedRow, target: Target, meets: int) -> int:
    """Return the longest of the prompts up to `meets` that every shorter one meets a target with."""
    tried = min(meets, MOST_TRIED)
    for first in range(1, tried + 1, TRIED_AT_ONCE):
        prompts = np.arange(first, min(first + TRIED_AT_ONCE, tried + 1), dtype=np.float64)
        met = np.broadcast_to(target.met(with_prompt(x, prompts)), prompts.shape)
        if not met.all():
            return first + int(np.argmin(met)) - 1
    return meets


def longest_held(x: ResolvedRow, output_tokens: int) -> int:
    """Longest prompt that each of a row's workers holds, with its answer where it decodes [tokens].

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones.
    output_tokens : int
        Tokens of an answer [-].

    Returns
    -------
    int
        0 where none fits; at most the longest that a scenario may ask for.

    Examples
    --------
    Qwen3-32B keeps 262,144 bytes a token; 68.2 GB beside its weights hold 260,350, 340 of an answer:

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment
    >>> longest_held(resolve(Workload(), Deployment(id="a", name="a", prefill_tp=1, decode_tp=1)), 340)
    260010
    """

    def too_long(prompt_tokens: int) -> bool:
        return row_memory(with_prompt(x, float(prompt_tokens)), output_tokens).problem is not None

    return bisect_left(range(1, longest_allowed() + 1), True, key=too_long)


def _grid(x: ResolvedRow) -> npt.NDArray[np.float64]:
    """Return prompts to try first: steps over decades, where each chunk ends, rows of a measured table."""
    most = longest_allowed()
    steps = np.floor(np.geomspace(1, most, STEPS))
    cached = float(x.prefill_cached_tokens)
    ends = cached + x.row.pass_tokens * np.arange(1, min(MOST_CHUNKS, most // x.row.pass_tokens) + 1)
    rows = cached + np.floor([tokens for tokens, _ in x.row.prefill_table or ()])
    points = np.concatenate([steps, ends, ends + 1, rows, [most]])
    return np.unique(points[(points >= 1) & (points <= most)])


def sending_what_decode_lacks(x: ResolvedRow) -> ResolvedRow:
    """Return a row that sends only what the decode worker lacks."""
    return replace(x, row=x.row.changed(timing_mode=TransferTimingMode.DESTINATION_MISSING))


def cached_tokens_for(x: ResolvedRow, target: Target) -> int | None:
    """Fewest leading tokens of the prompt that the decode worker must hold to meet a target.

    Sending the whole prompt no hit there helps, so the row is taken to send only what decode lacks.

    Parameters
    ----------
    x : ResolvedRow
        A resolved row, its numbers single ones.
    target : Target
        What has to be met.

    Returns
    -------
    int or None
        Tokens [-]; 0 where none are needed ("always"), None where all of them don't help ("never"). One token
        less misses the target.

    Examples
    --------
    Llama-3.1-70B, 8,192 tokens over 50 GB/s within 20 ms, tokens counted exactly:

    >>> from aisim_model.row.resolved import resolve
    >>> from aisim_model.scenario import Deployment
    >>> row = Deployment(id="a", name="a", bandwidth_gb_s=50, prefix_credit="tokens")
    >>> asked = resolve(Workload(model_id="llama-3.1-70b", prompt_tokens=8192), row)
    >>> cached_tokens_for(asked, Target("handoff", 20.0))
    5141
    """
    sending = sending_what_decode_lacks(x)

    def met(cached_tokens: int) -> bool:
        return bool(target.met(replace(sending, decode_cached_tokens=float(cached_tokens))))

    prompt_tokens = int(x.prompt_tokens)
    fewest = bisect_left(range(prompt_tokens + 1), True, key=met)
    return fewest if fewest <= prompt_tokens else None
