"""Mooncake: requests of a chat and agent service, with the hash ids of their prompt blocks."""

from aisim_model.traces.formats.base import TraceFormat

MOONCAKE = TraceFormat(
    id="mooncake",
    label="Mooncake JSON lines",
    source="https://github.com/kvcache-ai/Mooncake (timestamp in ms, blocks of 512 tokens)",
    container="jsonl",
    arrival="timestamp",
    input_tokens="input_length",
    output_tokens="output_length",
    hash_ids="hash_ids",
    marks=("hash_ids",),
    time_unit="ms",
    unit_is_certain=False,
    block_tokens=512,
)
