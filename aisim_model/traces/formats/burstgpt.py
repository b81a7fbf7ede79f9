"""BurstGPT: seconds since the trace began; the later layout adds a session and the time it took."""

from dataclasses import replace

from aisim_model.traces.formats.base import TraceFormat

BURSTGPT = TraceFormat(
    id="burstgpt",
    label="BurstGPT",
    source="https://github.com/HPMLL/BurstGPT (whole seconds)",
    container="csv",
    arrival="Timestamp",
    input_tokens="Request tokens",
    output_tokens="Response tokens",
    marks=("Model", "Total tokens"),
    time_unit="s",
)

BURSTGPT_SESSIONS = replace(
    BURSTGPT,
    id="burstgpt_sessions",
    label="BurstGPT with sessions",
    marks=("Session ID", "Elapsed time", "Model", "Total tokens"),
)
