"""Azure LLM inference traces of 2023 and 2024: dates and token counts, nothing on prefixes."""

from aisim_model.traces.formats.base import TraceFormat

AZURE = TraceFormat(
    id="azure",
    label="Azure LLM inference trace",
    source="https://github.com/Azure/AzurePublicDataset (2023: date without zone; 2024: with +00:00)",
    container="csv",
    arrival="TIMESTAMP",
    input_tokens="ContextTokens",
    output_tokens="GeneratedTokens",
)
