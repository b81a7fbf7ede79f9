"""The reference model: by hand, by vectors, by property."""

from __future__ import annotations

import csv
import logging
import struct
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aisim_model import (
    HandoffId,
    HandoffTransferTiming,
    TransferTimingMode,
    WorkerType,
    compute_prefill_handoff_delay_ms,
    prefill_handoff_delay_ms,
    prefill_handoff_transfer_timing,
)
from aisim_model.errors import InputError
from aisim_model.handoff import transfer_delay_ms

OWN_VECTORS = Path(__file__).parent / "data" / "handoff_vectors.csv"


def bits(value: float | None) -> str:
    return "" if value is None else struct.pack(">d", value).hex()


def assert_vectors(path: Path, rows: int) -> None:
    with path.open(newline="") as file:
        vectors = list(csv.DictReader(file))
    assert len(vectors) == rows
    for row in vectors:
        timing = HandoffTransferTiming(
            mode=TransferTimingMode(row["mode"]),
            full_prompt_tokens=int(row["full_prompt_tokens"]),
            kv_bytes_per_token=int(row["kv_bytes_per_token"]) if row["kv_bytes_per_token"] else None,
            state_bytes=int(row["state_bytes"]),
            bandwidth_gb_s=float(row["bandwidth_gb_s"]) if row["bandwidth_gb_s"] else None,
        )
        assert bits(timing.delay_ms(int(row["destination_missing_tokens"]))) == row["delay_bits_hex"]
        assert bits(timing.full_prompt_delay_ms()) == row["full_prompt_delay_bits_hex"]


def test_our_own_vectors_to_the_last_bit() -> None:
    assert_vectors(OWN_VECTORS, rows=60)


@pytest.mark.shared
def test_all_vectors_to_the_last_bit(shared_dir: Path) -> None:
    assert_vectors(shared_dir / "acceptance" / "handoff_vectors.csv", rows=2000)


def timing(**changed: object) -> HandoffTransferTiming:
    base = {"full_prompt_tokens": 100, "kv_bytes_per_token": 1000, "bandwidth_gb_s": 1.0}
    return HandoffTransferTiming.model_validate({**base, **changed})


def test_full_prompt_by_hand() -> None:
    # 128 tokens x 1,000,000 B = 128 MB, at 1 GB/s 128 ms
    assert timing(full_prompt_tokens=128, kv_bytes_per_token=1_000_000).full_prompt_delay_ms() == 128.0


@pytest.mark.parametrize(("missing", "delay_ms"), [(0, 0.05), (20, 0.07)])
def test_state_bytes_travel_whatever_is_missing(missing: int, delay_ms: float) -> None:
    # 50,000 B of state are 0.05 ms at 1 GB/s; 20 tokens x 1,000 B add 0.02
    state = timing(mode="destination_missing", state_bytes=50_000)
    assert state.delay_ms(missing) == pytest.approx(delay_ms, rel=1e-15)
    assert state.full_prompt_delay_ms() == pytest.approx(0.15, rel=1e-15)


def test_full_prompt_mode_ignores_what_is_missing() -> None:
    assert timing().delay_ms(20) == timing().full_prompt_delay_ms() == 0.1


@pytest.mark.parametrize(
    "unknown",
    [{"kv_bytes_per_token": None}, {"bandwidth_gb_s": None}, {"bandwidth_gb_s": 0.0}, {"bandwidth_gb_s": -5}],
)
def test_no_delay_without_bytes_or_bandwidth(unknown: dict[str, object]) -> None:
    assert timing(**unknown).delay_ms(20) is None
    assert timing(**unknown).full_prompt_delay_ms() is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bandwidth_gb_s", float("nan")),
        ("bandwidth_gb_s", float("inf")),
        ("bandwidth_gb_s", "50"),
        ("bandwidth_gb_s", True),
        ("bandwidth_gb_s", np.True_),
        ("full_prompt_tokens", np.True_),
        ("full_prompt_tokens", -1),
        ("full_prompt_tokens", 1.5),
        ("full_prompt_tokens", True),
        ("kv_bytes_per_token", 2**64),
        ("state_bytes", -1),
    ],
)
def test_a_wrong_input_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        timing(**{field: value})


@pytest.mark.parametrize("missing", [-1, 0.5, True, "3", None])
def test_a_wrong_count_of_missing_tokens_is_refused(missing: object) -> None:
    with pytest.raises(InputError, match="destination_missing_tokens"):
        timing(mode="destination_missing").delay_ms(missing)


def test_a_delay_beyond_floats_is_refused() -> None:
    with pytest.raises(InputError, match="bandwidth_gb_s"):
        timing(bandwidth_gb_s=5e-324, full_prompt_tokens=2**63).full_prompt_delay_ms()


def test_json_round_trips_as_the_reference_writes_it() -> None:
    text = (
        '{"mode":"destination_missing","full_prompt_tokens":100,'
        '"kv_bytes_per_token":1000,"bandwidth_gb_s":1.0}'
    )
    read = HandoffTransferTiming.model_validate_json(text)
    assert read.delay_ms(20) == 0.02
    assert read.model_dump_json() == text
    state = timing(state_bytes=7)
    assert HandoffTransferTiming.model_validate_json(state.model_dump_json()) == state


@pytest.mark.parametrize("given", ['"1.0"', "true", "NaN", "1e400"])
def test_json_takes_only_a_finite_number_for_a_bandwidth(given: str) -> None:
    with pytest.raises(ValidationError, match="bandwidth_gb_s"):
        HandoffTransferTiming.model_validate_json(f'{{"full_prompt_tokens":1,"bandwidth_gb_s":{given}}}')


@pytest.mark.parametrize("bandwidth", [2, np.float32(2), np.int64(2)])
def test_any_kind_of_number_is_a_bandwidth(bandwidth: float) -> None:
    # 100 x 1,000 B at 2 GB/s
    assert timing(bandwidth_gb_s=bandwidth).full_prompt_delay_ms() == 0.05


def test_another_worker_is_refused_by_name() -> None:
    with pytest.raises(
        InputError, match=r"worker_type = 'router': must be one of aggregated, prefill, decode"
    ):
        prefill_handoff_delay_ms("router", True, 100, 1.0, 1000)


def test_timing_is_frozen_and_takes_numpy_counts() -> None:
    frozen = timing(full_prompt_tokens=np.int64(100))
    assert frozen.delay_ms(0) == 0.1
    with pytest.raises(ValidationError):
        frozen.full_prompt_tokens = 3


def test_a_handoff_id_is_echoed() -> None:
    uuid = UUID("12345678-1234-5678-1234-567812345678")
    assert str(HandoffId(uuid)) == str(uuid)
    assert HandoffId.model_validate_json(HandoffId(uuid).model_dump_json()) == HandoffId(uuid)


@pytest.mark.parametrize("worker", list(WorkerType))
@pytest.mark.parametrize("completed", [True, False])
def test_only_a_completed_prefill_hands_over(worker: WorkerType, completed: bool) -> None:
    delay = prefill_handoff_delay_ms(worker, completed, 128, 1.0, 1_000_000)
    assert delay == (128.0 if worker is WorkerType.PREFILL and completed else None)


def test_the_scheduler_names_build_the_same_timing() -> None:
    built = prefill_handoff_transfer_timing(100, 1.0, 1000, TransferTimingMode.DESTINATION_MISSING)
    assert built == timing(mode="destination_missing")


def test_the_logged_variant_says_tokens_bandwidth_and_delay(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger="aisim_model.handoff"):
        assert compute_prefill_handoff_delay_ms(WorkerType.PREFILL, True, 100, 1.0, 1000) == 0.1
        assert compute_prefill_handoff_delay_ms(WorkerType.DECODE, True, 100, 1.0, 1000) is None
    assert [record.args for record in caplog.records] == [(100, 1.0, 0.1)]


counts = st.integers(0, 2**53)
bandwidths = st.floats(1e-3, 1e5)


@given(counts, st.integers(0, 10**7), st.integers(0, 10**12), bandwidths, bandwidths)
def test_more_bandwidth_is_never_slower(tokens: int, per_token: int, state: int, a: float, b: float) -> None:
    slow, fast = (
        timing(
            full_prompt_tokens=tokens,
            kv_bytes_per_token=per_token,
            state_bytes=state,
            bandwidth_gb_s=bandwidth,
        ).full_prompt_delay_ms()
        for bandwidth in sorted((a, b))
    )
    assert slow is not None
    assert fast is not None
    assert fast <= slow


@given(st.lists(st.tuples(counts, bandwidths), min_size=1), st.integers(0, 10**7))
def test_arrays_equal_the_scalar_to_the_last_bit(rows: list[tuple[int, float]], per_token: int) -> None:
    tokens, bandwidth = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    together = transfer_delay_ms(tokens, np.float64(per_token), np.float64(0), bandwidth)
    alone = [
        timing(full_prompt_tokens=n, kv_bytes_per_token=per_token, bandwidth_gb_s=b).full_prompt_delay_ms()
        for n, b in rows
    ]
    assert together.tolist() == alone
