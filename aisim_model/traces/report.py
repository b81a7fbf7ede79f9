"""What was found while a trace was read: shown on the page, and kept in exports."""

from __future__ import annotations

from dataclasses import dataclass

from aisim_model.traces.faults import RowFault


@dataclass(frozen=True)
class TraceReport:
    """How a file was read, and what came of it.

    Parameters
    ----------
    name : str
        The trace.
    format_id, format_label, format_source : str
        Which format, and where it is described.
    why : tuple of str
        Why this format, a sentence each.
    time_unit : str
        ``ns``, ``us``, ``ms``, ``s`` or ``datetime``.
    time_unit_why : str
        Why this unit.
    encoding : str
        Encoding of the text.
    packed_with : str or None
        ``gzip``, ``zip`` or None.
    rows : int
        Requests read [-].
    rows_left_out : int
        Faulty rows left out [-].
    faults : tuple of RowFault
        The first of them.
    zero_outputs : int
        Requests whose output of 0 tokens counts as 1 [-].
    block_tokens : int or None
        Tokens of a hash id [-].
    span_s : float
        From the first arrival to the last [s].
    total_input_tokens, total_output_tokens : int
        Sums over the requests read [-].
    notes : tuple of str
        Conversions made and cautions, a sentence each.
    """

    name: str
    format_id: str
    format_label: str
    format_source: str
    why: tuple[str, ...]
    time_unit: str
    time_unit_why: str
    encoding: str
    packed_with: str | None
    rows: int
    rows_left_out: int
    faults: tuple[RowFault, ...]
    zero_outputs: int
    block_tokens: int | None
    span_s: float
    total_input_tokens: int
    total_output_tokens: int
    notes: tuple[str, ...]
