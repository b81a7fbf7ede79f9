"""Splitwise-sim: one request a row, arrival in seconds."""

from aisim_model.traces.formats.base import TraceFormat

SPLITWISE = TraceFormat(
    id="splitwise",
    label="splitwise-sim",
    source="https://github.com/Mutinifni/splitwise-sim (arrival_timestamp in s)",
    container="csv",
    arrival="arrival_timestamp",
    input_tokens="prompt_size",
    output_tokens="token_size",
    time_unit="s",
)
