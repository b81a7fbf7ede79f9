"""A catalogue model in bf16 on so many GPUs, as the rooflines take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aisim_model.catalog.models import model
from aisim_model.passes import decode, prefill

BF16_BYTES = 2.0


@dataclass(frozen=True)
class Machine:
    """One worker.

    Parameters
    ----------
    model_id : str
        In the catalogue.
    peak_tflops, hbm_tb_s : float
        Of one GPU [TFLOPS], [TB/s].
    tensor_parallel : int
        Ranks [-].

    Examples
    --------
    >>> h200 = Machine("qwen3-32b", 989.0, 4.8, 4)
    >>> round(h200.prefill_ms(12_000.0)), round(h200.step_ms(12_000), 1)
    (431, 7.2)
    """

    model_id: str
    peak_tflops: float
    hbm_tb_s: float
    tensor_parallel: int

    def prefill_ms(self, tokens: float) -> float:
        """Roofline prefill time of a prompt that isn't cached [ms]."""
        time_ms: float = prefill.roofline_ms(tokens, **self._roofline())
        return time_ms

    def step_ms(self, context_tokens: int, batch: float = 1.0) -> float:
        """Roofline decode step of a batch of sequences of one context [ms]."""
        kv_bytes = float(model(self.model_id).spec().kv.curve("bf16").bytes(context_tokens))
        step_ms: float = decode.roofline_ms(float(context_tokens), kv_bytes, batch=batch, **self._roofline())
        return step_ms

    def _roofline(self) -> dict[str, Any]:
        spec = model(self.model_id).spec()
        return {
            "active_parameters": spec.active_parameters,
            "total_parameters": spec.total_parameters,
            "layers": spec.attention_layers,
            "attention_heads": spec.attention_heads,
            "head_dim": spec.head_dim,
            "weight_bytes_per_parameter": BF16_BYTES,
            "peak_tflops": self.peak_tflops,
            "hbm_tb_s": self.hbm_tb_s,
            "tensor_parallel": self.tensor_parallel,
        }
