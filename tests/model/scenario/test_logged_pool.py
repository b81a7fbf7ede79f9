"""A KV pool as an engine's own log has it."""

from __future__ import annotations

import pytest

from aisim_model.errors import InputError
from aisim_model.row.memory import row_memory
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.scenario.file import read_scenario
from aisim_model.scenario.logged_pool import logged_tokens


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("INFO 07-22 [kv_cache_utils.py:716] GPU KV cache size: 1,234,567 tokens", 1_234_567),
        (
            "(EngineCore pid=326) INFO GPU KV cache size: 460,496 tokens, Maximum concurrency for 131,072",
            460_496,
        ),
        ("INFO distributed_gpu_executor.py:45] # GPU blocks: 507, # CPU blocks: 1024", 8112),
        ("INFO executor_base.py:95] # CUDA blocks: 6001, # CPU blocks: 1638", 96_016),
        ("max_total_num_tokens=2086558, chunked_prefill_size=8192, max_prefill_tokens=16384", 2_086_558),
        ("KV Cache is allocated. #tokens: 367404, K size: 8.23 GB, V size: 8.23 GB", 367_404),
        ("[MemUsageChange] Allocated 4.53 GiB for max tokens in paged KV cache (395776).", 395_776),
        ("[TensorRT-LLM][INFO] Using 132608 tokens in paged KV cache.", 132_608),
        ("[TRT-LLM] [I] Max KV cache size is 40,960 tokens", 40_960),
    ],
)
def test_lines_of_each_engine(line: str, tokens: int) -> None:
    assert logged_tokens(line) == tokens
    assert Deployment(id="a", name="a", pool_tokens=line).pool_tokens == tokens
    assert Deployment(id="a", name="a", prefill_pool_tokens=line).prefill_pool_tokens == tokens


def test_blocks_are_of_the_rows_own_size() -> None:
    assert Deployment(id="a", name="a", block_size=64, pool_tokens="# GPU blocks: 100").pool_tokens == 6400


def test_a_log_without_room_or_without_a_pool_is_refused() -> None:
    with pytest.raises(InputError, match="found no room"):
        logged_tokens("# GPU blocks: 0, # CPU blocks: 4096")
    with pytest.raises(ValueError, match="pool_tokens"):
        Deployment(id="a", name="a", pool_tokens="Model loading took 14.2 GiB")


def test_a_file_gives_each_side_its_own() -> None:
    text = """
deployments:
  - name: a
    pool_tokens: "GPU KV cache size: 50,000 tokens"
    prefill_pool_tokens: max_total_num_tokens=26000
"""
    row = read_scenario(text).deployments[0]
    prefill, decode = row_memory(resolve(Workload(), row), 340).workers
    assert (prefill.requests, decode.requests) == (2, 4)  # 26,000 // 12,000 and 50,000 // 12,340
