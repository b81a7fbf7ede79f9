"""AIPerf: fixed schedules with or without hash ids, and conversations whose later turns have a delay."""

from dataclasses import replace

from aisim_model.traces.formats.base import TraceFormat

AIPERF = TraceFormat(
    id="aiperf",
    label="AIPerf fixed schedule",
    source="https://docs.nvidia.com/aiperf (timestamp and delay in ms, blocks of 512 tokens)",
    container="jsonl",
    arrival="timestamp",
    input_tokens="input_length",
    output_tokens="output_length",
    hash_ids="hash_ids",
    time_unit="ms",
    unit_is_certain=False,
    block_tokens=512,
)

AIPERF_SESSIONS = replace(
    AIPERF,
    id="aiperf_sessions",
    label="AIPerf conversations",
    marks=("session_id", "delay"),
    unit_is_certain=True,
    session="session_id",
    delay="delay",
    notes=(
        "A later turn arrives its delay after the turn before it; how long that one took to serve is not in "
        "the file and is left out.",
        "Prompt lengths are those of the file: what a turn adds, not the conversation so far.",
    ),
)
