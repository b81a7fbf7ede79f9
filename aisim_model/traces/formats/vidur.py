"""Vidur: arrival in seconds after the first request, and both token counts."""

from aisim_model.traces.formats.base import TraceFormat

VIDUR = TraceFormat(
    id="vidur",
    label="Vidur",
    source="https://github.com/microsoft/vidur (arrived_at in s)",
    container="csv",
    arrival="arrived_at",
    input_tokens="num_prefill_tokens",
    output_tokens="num_decode_tokens",
    time_unit="s",
)
