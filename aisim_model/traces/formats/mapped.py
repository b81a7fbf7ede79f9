"""Any CSV or JSON lines: columns named by the user, or told by the usual names for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aisim_model.errors import InputError
from aisim_model.traces.formats.base import Container, TraceFormat
from aisim_model.traces.formats.names import ROLES, told
from aisim_model.traces.time_units import unit_of_name

REQUIRED_ROLES = ROLES[:3]


def mapped_format(
    columns: Mapping[str, str], container: Container, optional: Iterable[str] = ()
) -> TraceFormat:
    """Return the format that a user's mapping of columns describes.

    Parameters
    ----------
    columns : mapping of str to str
        Column of ``arrival``, ``input_tokens``, ``output_tokens`` and, if there is one, ``hash_ids``.
    container : {"jsonl", "csv"}
        What the file is.
    optional : iterable of str
        Roles that may be left out: what they hold was asked for.

    Raises
    ------
    InputError
        For an unknown role, a missing one, or one column with two roles.

    Examples
    --------
    >>> mapped_format({"arrival": "t_ms", "input_tokens": "in", "output_tokens": "out"}, "csv").time_unit
    'ms'
    """
    for role in columns:
        if role not in ROLES:
            raise InputError("columns", role, f"must map {', '.join(ROLES)}")
    chosen = [columns[role] for role in ROLES if columns.get(role)]
    for role in REQUIRED_ROLES:
        if not columns.get(role) and role not in optional:
            raise InputError("columns", dict(columns), f"must name the column of {role}")
    if len(set(chosen)) < len(chosen):
        raise InputError("columns", dict(columns), "must name a column of its own for each")
    arrival = columns.get("arrival", "")
    unit = unit_of_name(arrival)
    return TraceFormat(
        id="mapped",
        label="Columns as mapped",
        source="the user",
        container=container,
        arrival=arrival,
        input_tokens=columns.get("input_tokens", ""),
        output_tokens=columns.get("output_tokens", ""),
        hash_ids=columns.get("hash_ids") or None,
        time_unit=unit,
        unit_is_certain=unit is not None,
    )


def guessed_columns(present: Iterable[str], *, nested: bool = False) -> dict[str, str]:
    """Return the columns whose names say what they hold, where one only does for a role.

    Parameters
    ----------
    present : iterable of str
        Names.
    nested : bool
        Whether they are dotted names of nested rows: of several the least nested is then taken.

    Examples
    --------
    >>> guessed_columns(["Prompt tokens", "output_len", "time", "user"])
    {'arrival': 'time', 'input_tokens': 'Prompt tokens', 'output_tokens': 'output_len'}
    """
    columns = list(dict.fromkeys(present))
    found = {role: told(columns, role, nested=nested) for role in ROLES}
    return {role: names[0] for role, names in found.items() if len(names) == 1}
