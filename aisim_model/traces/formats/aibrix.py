"""AIBrix workload files: a line an instant, with the list of requests that are sent then."""

from aisim_model.traces.formats.base import TraceFormat

AIBRIX = TraceFormat(
    id="aibrix",
    label="AIBrix workload",
    source="https://github.com/vllm-project/aibrix, benchmarks (timestamp in ms)",
    container="jsonl",
    arrival="timestamp",
    input_tokens="prompt_length",
    output_tokens="output_length",
    time_unit="ms",
    nested="requests",
    missing_output_is_one=True,
)
