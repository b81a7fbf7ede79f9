"""What a trace format is: which columns hold what, and what its authors say of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Container = Literal["jsonl", "csv", "json"]


@dataclass(frozen=True)
class TraceFormat:
    """A trace format as data; a reader needs no code of its own for it.

    Parameters
    ----------
    id : str
        Name in options and links.
    label : str
        Name for people.
    source : str
        Where it is described.
    container : {"jsonl", "csv", "json"}
        JSON lines, a table with a header, or JSON whose requests lie at any depth, under dotted names.
    arrival, input_tokens, output_tokens : str
        Columns of the arrival time and of both token counts.
    hash_ids : str or None
        Column with the ids of the prompt's blocks.
    marks : tuple of str
        Further columns that a file of this format has, and others lack.
    time_unit : str or None
        Unit of `arrival` as documented.
    unit_is_certain : bool
        Whether files of this format keep to that unit; else it is checked against the span.
    block_tokens : int or None
        Tokens that a hash id stands for, as documented [-].
    session, delay : str or None
        Columns of the conversation and of the wait after its turn before; a row without `arrival` has them.
    nested : str or None
        Column with a list of requests that arrive together; both token counts are theirs.
    missing_output_is_one : bool
        Whether the format leaves the output length open; 1 is then counted, and said.
    notes : tuple of str
        What a reader of the result has to know.
    block_size : str or None
        Column of the tokens that a hash id stands for, where rows say it.
    measured_unit : {"ms", "s"} or None
        Unit of measured times whose names don't say it.
    """

    id: str
    label: str
    source: str
    container: Container
    arrival: str
    input_tokens: str
    output_tokens: str
    hash_ids: str | None = None
    marks: tuple[str, ...] = ()
    time_unit: str | None = None
    unit_is_certain: bool = True
    block_tokens: int | None = None
    session: str | None = None
    delay: str | None = None
    nested: str | None = None
    missing_output_is_one: bool = False
    notes: tuple[str, ...] = ()
    block_size: str | None = None
    measured_unit: Literal["ms", "s"] | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns without which a file is not of this format."""
        counts = (self.nested,) if self.nested else (self.input_tokens, self.output_tokens)
        return tuple(column for column in (self.arrival, *counts, *self.marks) if column)
