"""LLMServingSim: arrival in nanoseconds; the token ids beside the counts are not used."""

from aisim_model.traces.formats.base import TraceFormat

LLMSERVINGSIM = TraceFormat(
    id="llmservingsim",
    label="LLMServingSim",
    source="https://github.com/casys-kaist/LLMServingSim (arrival_time_ns in ns)",
    container="jsonl",
    arrival="arrival_time_ns",
    input_tokens="input_toks",
    output_tokens="output_toks",
    time_unit="ns",
)
