"""The KV pool as an engine's own log has it: tokens of one worker, or blocks of them."""

from __future__ import annotations

import re

from aisim_model.errors import InputError

VLLM_BLOCK_TOKENS = 16  # of the versions that log blocks alone
MOST_TEXT = 4_000
_NUMBER = r"([0-9][0-9,_]*)"
_TOKENS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"GPU KV cache size:\s*{_NUMBER}\s*tokens",  # vLLM
        rf"max_total_num_tokens\s*=\s*{_NUMBER}",  # SGLang
        rf"KV Cache is allocated.*?#tokens:\s*{_NUMBER}",
        rf"max tokens in paged KV cache\s*\({_NUMBER}\)",  # TensorRT-LLM
        rf"Max KV cache[^0-9\n]*?{_NUMBER}\s*tokens",
        rf"{_NUMBER}\s*tokens in paged KV cache",
    )
)
_BLOCKS = re.compile(rf"#\s*(?:GPU|CUDA) blocks:\s*{_NUMBER}", re.IGNORECASE)


def logged_tokens(text: str, block_tokens: int = VLLM_BLOCK_TOKENS) -> int | None:
    """Return the tokens of a pool that a pasted line of a log says; None where it says none.

    Parameters
    ----------
    text : str
        A line, or several: of vLLM, SGLang or TensorRT-LLM. The last figure counts.
    block_tokens : int
        Tokens of a block, where only blocks are logged [-].

    Raises
    ------
    InputError
        For a log that found no room at all.

    Examples
    --------
    >>> logged_tokens("INFO kv_cache_utils.py:634] GPU KV cache size: 178,880 tokens")
    178880
    >>> logged_tokens("# GPU blocks: 507, # CPU blocks: 1024"), logged_tokens("12345")
    (8112, None)
    """
    shown = text[:MOST_TEXT]
    for pattern in _TOKENS:
        if found := pattern.findall(shown):
            return _counted(shown, found[-1], 1)
    blocks = _BLOCKS.findall(shown)
    return _counted(shown, blocks[-1], block_tokens) if blocks else None


def _counted(text: str, digits: str, times: int) -> int:
    tokens = int(digits.replace(",", "").replace("_", "")) * times
    if tokens < 1:
        problem = "says that the engine found no room for a KV cache"
        raise InputError("pool_tokens", text, problem, "Give the line of a run that started.")
    return tokens
