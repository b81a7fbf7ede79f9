"""RAGPulse: a university's question service, seconds as text, hash ids by part of the prompt."""

from aisim_model.traces.formats.base import TraceFormat

RAGPULSE = TraceFormat(
    id="ragpulse",
    label="RAGPulse",
    source="https://github.com/flashserve/RAGPulse (timestamp in s; hash ids of parts of unequal length)",
    container="jsonl",
    arrival="timestamp",
    input_tokens="input_length",
    output_tokens="output_length",
    marks=("hash_ids", "session_id"),
    time_unit="s",
    notes=(
        "Its hash ids name parts of a prompt of unequal length, not blocks: they give no prefix credit here.",
    ),
)
