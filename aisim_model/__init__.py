"""The handoff of disaggregated LLM serving: bytes, time on the link, TTFT, replay."""

from aisim_model.handoff import (
    HandoffId,
    HandoffTransferTiming,
    TransferTimingMode,
    WorkerType,
    compute_prefill_handoff_delay_ms,
    prefill_handoff_delay_ms,
    prefill_handoff_transfer_timing,
)

MODEL_VERSION = "0.3.0"

__all__ = [
    "MODEL_VERSION",
    "HandoffId",
    "HandoffTransferTiming",
    "TransferTimingMode",
    "WorkerType",
    "compute_prefill_handoff_delay_ms",
    "prefill_handoff_delay_ms",
    "prefill_handoff_transfer_timing",
]
