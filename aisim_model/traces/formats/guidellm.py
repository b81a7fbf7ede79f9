"""GuideLLM: the field names of Mooncake with the time in seconds."""

from dataclasses import replace

from aisim_model.traces.formats.mooncake import MOONCAKE

GUIDELLM = replace(
    MOONCAKE,
    id="guidellm",
    label="Mooncake fields in seconds (GuideLLM)",
    source="https://github.com/vllm-project/guidellm (timestamp in s)",
    time_unit="s",
)
