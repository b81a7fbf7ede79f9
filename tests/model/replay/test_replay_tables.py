"""The seven tables of the reference engine: 2,000 rows of a real trace, every row and column."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aisim_model.passes import fixed, rate
from aisim_model.replay import ReplayConfig, replay, verdict
from aisim_model.traces.trace import Trace

SPLIT = {
    "prefill_workers": 4,
    "decode_workers": 2,
    "bandwidth_gb_s": 25.0,
    "kv_bytes_per_token": 131_072,
}
CACHED = {"mode": "destination_missing", "prefix_caching": True}
FIXED = {"prefill": fixed(100.0), "decode": fixed(20.0)}
TABLES = {
    "replay_conversation_2000_full_prompt": ReplayConfig(**SPLIT),
    "replay_conversation_2000_destination_missing_cached": ReplayConfig(**SPLIT, **CACHED),
    "replay_conversation_2000_fixed_pass_aligned": ReplayConfig(**SPLIT, **FIXED),
    "engine_conversation_2000_aggregated": ReplayConfig(aggregated_workers=8),
    "engine_conversation_2000_split_batched": ReplayConfig(**SPLIT, **CACHED, level="engine"),
}
CLOSED = {"level": "engine", "bandwidth_gb_s": 50.0, "kv_bytes_per_token": 262_144, **CACHED}
TABLES |= {
    "closed_conversation_2000_aggregated_32": ReplayConfig(aggregated_workers=4, concurrency=32, **CLOSED),
    "closed_conversation_2000_split_16": ReplayConfig(
        prefill_workers=4, decode_workers=2, concurrency=16, **CLOSED
    ),
}
OUR_NAMES = {"prefill_admit_ms": "prefill_start_ms", "first_admit_ms": "start_ms"}
REUSED = {True: "reused_tokens", False: "prefill_reused_tokens"}
# the engine leaves destination_reused_tokens at 0 whatever was hit
NOT_COMPARED = ("row", "input_length", "destination_reused_tokens", "decode_reused_input_tokens")


def mooncake(path: Path, rows: int | None = None) -> Trace:
    """Return the first rows of a Mooncake trace, read apart from the readers under test elsewhere."""
    with path.open() as lines:
        records = [json.loads(line) for line in lines][:rows]
    ids = [record["hash_ids"] for record in records]
    return Trace(
        np.array([float(record["timestamp"]) for record in records]) - records[0]["timestamp"],
        np.array([record["input_length"] for record in records]),
        np.array([record["output_length"] for record in records]),
        np.concatenate(ids),
        np.cumsum([0, *map(len, ids)]),
        512,
    )


@pytest.fixture(scope="module")
def conversation(shared_dir: Path) -> Path:
    return shared_dir / "facts" / "traces" / "mooncake_conversation_trace.jsonl"


@pytest.mark.shared
@pytest.mark.parametrize("name", TABLES)
def test_every_row_is_that_of_the_reference(name: str, conversation: Path, shared_dir: Path):
    expected = pd.read_csv(shared_dir / "acceptance" / f"{name}.csv")
    result = replay(mooncake(conversation, len(expected)), TABLES[name])
    for column in expected.columns.difference(NOT_COMPARED):
        # the tables hold six decimals: half of the last one is what they can be off by
        reused = column == "reused_input_tokens"
        ours = REUSED[result.config.aggregated] if reused else OUR_NAMES.get(column, column)
        np.testing.assert_allclose(result.column(ours), expected[column], rtol=0, atol=6e-7, err_msg=column)


@pytest.mark.shared
@pytest.mark.parametrize(("kv_gb_s", "measured_s"), [(5.96, 1510.0), (5.64, 1703.0)])
def test_cloud_runs_are_bound_by_prefill(kv_gb_s: float, measured_s: float, conversation: Path):
    """One prefill worker at the rate that the reported KV bandwidth implies: Qwen3-32B, 262,144 B a token."""
    config = ReplayConfig(
        prefill_workers=1,
        decode_workers=1,
        bandwidth_gb_s=200.0,
        kv_bytes_per_token=262_144,
        prefill=rate(kv_gb_s * 1e9 / 262_144),
    )
    result = replay(mooncake(conversation), config)
    mean_s = result.column("ttft_ms").mean() / 1e3
    assert mean_s == pytest.approx({5.96: 1470.0, 5.64: 1650.0}[kv_gb_s], abs=5.0)
    assert mean_s == pytest.approx(measured_s, rel=0.05)
    judged = verdict(result)
    assert judged.bottleneck == "prefill"
    assert judged.link_utilisation == pytest.approx(0.03, abs=0.005)
    assert judged.offered_gb_s == pytest.approx(10.73, abs=0.01)
    assert not judged.carried
