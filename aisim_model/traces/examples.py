"""Real traces that come with the package, to begin with."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from aisim_model.errors import InputError
from aisim_model.traces.reader import read_trace
from aisim_model.traces.report import TraceReport
from aisim_model.traces.trace import Trace


@dataclass(frozen=True)
class ExampleTrace:
    """A trace that comes with the package.

    Parameters
    ----------
    id : str
        Name in options and links.
    label : str
        Name for people.
    file : str
        Its file among the package's data.
    licence, source : str
        Under which licence it is passed on, and where it is from.
    caution : str
        What it is not.
    """

    id: str
    label: str
    file: str
    licence: str
    source: str
    caution: str


EXAMPLES = (
    ExampleTrace(
        id="mooncake_conversation",
        label="Mooncake conversation, first 2,000 requests",
        file="mooncake_conversation_2000.jsonl.gz",
        licence="Apache-2.0",
        source="https://github.com/kvcache-ai/Mooncake",
        caution="The first eleven minutes of an hour; the head of a trace is seldom like the rest.",
    ),
    ExampleTrace(
        id="azure_code",
        label="Azure code completion, November 2023",
        file="azure_code_2023.csv.gz",
        licence="CC-BY-4.0",
        source="https://github.com/Azure/AzurePublicDataset",
        caution="It says nothing on prefixes: hits count as none.",
    ),
    ExampleTrace(
        id="mooncake_conversation_hour",
        label="Mooncake conversation, all 12,031 requests, lengths only",
        file="mooncake_conversation_lengths.csv.gz",
        licence="Apache-2.0",
        source="https://github.com/kvcache-ai/Mooncake",
        caution="Block ids are left out: prefix hits count as none.",
    ),
)


def example_trace(example_id: str) -> tuple[Trace, TraceReport]:
    """Return an example and how it was read.

    Raises
    ------
    InputError
        For an id that is not known; it lists those that are.

    Examples
    --------
    >>> len(example_trace("azure_code")[0])
    8819
    """
    for example in EXAMPLES:
        if example.id == example_id:
            return read_trace(
                (files("aisim_model.traces") / "data" / example.file).read_bytes(), example.label
            )
    known = ", ".join(example.id for example in EXAMPLES)
    raise InputError("example", example_id, f"must be one of {known}", "Choose one of them.")
