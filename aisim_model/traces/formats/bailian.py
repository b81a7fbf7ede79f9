"""Qwen-Bailian: conversations of a cloud service in seconds, with hash ids of small blocks."""

from aisim_model.traces.formats.base import TraceFormat

BAILIAN = TraceFormat(
    id="bailian",
    label="Qwen-Bailian",
    source="https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon (seconds, blocks of 16 tokens)",
    container="jsonl",
    arrival="timestamp",
    input_tokens="input_length",
    output_tokens="output_length",
    hash_ids="hash_ids",
    marks=("chat_id", "parent_chat_id", "hash_ids"),
    time_unit="s",
    block_tokens=16,
)
