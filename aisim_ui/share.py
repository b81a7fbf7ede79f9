"""The state as a link: a scenario as compact JSON, compressed, in a URL, and back.

Each wrong value gets a sentence. No pickle, no eval; bounded before and after unpacking.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from aisim_model import MODEL_VERSION
from aisim_model.errors import InputError, sentences, shown
from aisim_model.scenario import Deployment, Scenario, Workload

PARAMETER = "s"
VERSION_PARAMETER = "v"
MAX_PACKED = 30_000
MAX_UNPACKED = 400_000
MAX_VALUE = 2_000
MAX_FIXES = 200


def packed(scenario: Scenario) -> str:
    """Pack a scenario: every value written out, so that later defaults don't change old links."""
    text = json.dumps(scenario.model_dump(mode="json"), separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def link(base_url: str, scenario: Scenario) -> str:
    """Return the URL that rebuilds the page."""
    page = base_url.split("?")[0].split("#")[0]
    return f"{page}?{VERSION_PARAMETER}={MODEL_VERSION}&{PARAMETER}={packed(scenario)}"


def unpacked(text: str) -> Any:
    """Unpack what `packed` made.

    Raises
    ------
    InputError
        For what is no such text, or too large.
    """
    remedy = "Ask for the link again; it may have been cut."
    if len(text) > MAX_PACKED:
        raise InputError(PARAMETER, text, f"is longer than {MAX_PACKED:,} characters", remedy)
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        plain = unpack.decompress(raw, MAX_UNPACKED)
        if unpack.unconsumed_tail or not unpack.eof:
            raise InputError(PARAMETER, text, "is cut, or holds more than a scenario", remedy)
        return json.loads(plain)
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(PARAMETER, text, "holds no scenario", remedy) from None


def repaired(data: Any, kind: type[BaseModel] = Scenario) -> tuple[Any, list[str]]:
    """Validate data field by field: a wrong one is said and left at its default, the others stay.

    Returns
    -------
    tuple
        The model and a sentence for each value that was not taken.
    """
    said: list[str] = []
    for _ in range(MAX_FIXES):
        try:
            return kind.model_validate(data), said
        except ValidationError as error:
            said += [line for line in sentences(error) if line not in said]
            for item in error.errors(include_url=False):
                cause = item.get("ctx", {}).get("error")
                ends = (cause.field,) if isinstance(cause, InputError) and item["loc"] else ()
                if not _without(data, (*item["loc"], *ends)) and not _without(data, item["loc"]):
                    return kind(), said
    return kind(), said


def _without(data: Any, path: tuple[Any, ...]) -> bool:
    """Take out the value at a path, or the row that lacks what it needs; say whether there was one."""
    *way, last = path or (None,)
    holder = data
    for step in way:
        try:
            holder = holder[step]
        except (KeyError, IndexError, TypeError):
            return False
    if isinstance(holder, dict) and last in holder:
        del holder[last]
        return True
    if isinstance(holder, list) and isinstance(last, int) and last < len(holder):
        del holder[last]
        return True
    if isinstance(holder, dict) and way and isinstance(way[-1], int):  # a row without a name it needs
        return _without(data, tuple(way))
    return False


def read(parameters: Mapping[str, str]) -> tuple[Scenario | None, list[str]]:
    """Read a URL's parameters: a packed scenario, then single fields by name over it.

    Single fields are those of the workload and of the selected row, as in ``?prompt_tokens=8192``.

    Returns
    -------
    tuple
        The scenario, None where the URL asks for nothing, and a sentence for each value not taken.
    """
    scenario, said = None, []
    if PARAMETER in parameters:
        try:
            scenario, said = repaired(unpacked(parameters[PARAMETER]))
        except InputError as error:
            said.append(f"This link can't be read: {error}")
    version = parameters.get(VERSION_PARAMETER, MODEL_VERSION)
    if version != MODEL_VERSION:
        said.append(
            f"The link was made by model {shown(version)}, this is {MODEL_VERSION}: results may differ."
        )
    for name, text in parameters.items():
        if name in (PARAMETER, VERSION_PARAMETER):
            continue
        try:
            scenario = _with_field(scenario or Scenario(), name, text)
        except InputError as error:
            said.append(f"In the link, {error}")
        except ValidationError as error:
            said += [f"In the link, {line}" for line in sentences(error)]
    return scenario, said


def _with_field(scenario: Scenario, name: str, text: str) -> Scenario:
    """Return a scenario with one field of its workload or selected row as the URL has it."""
    if len(text) > MAX_VALUE:
        raise InputError(name, text, f"is longer than {MAX_VALUE:,} characters", "The default stays.")
    value: Any = None if text == "" else text
    if name in Deployment.model_fields and name not in ("id", "color", "prefill_table"):
        return scenario.with_row(scenario.selected_id, **{name: value})
    if name in Workload.model_fields and name != "model":
        return scenario.with_workload(**{name: value})
    if name in ("selected_id", "baseline_id"):
        return scenario.changed(**{name: value})
    raise InputError(name[:40], text, "is no field of a scenario", "It was left out.")


def changes(before: Scenario, after: Scenario) -> list[str]:
    """List what differs between two scenarios, a line each."""
    found = _differing(before.workload, after.workload, "")
    rows = {row.id: row for row in before.deployments}
    for row in after.deployments:
        if row.id not in rows:
            found.append(f"{row.name}: added")
        else:
            found += _differing(rows.pop(row.id), row, f"{row.name}: ")
    return found + [f"{row.name}: removed" for row in rows.values()]


def _differing(before: BaseModel, after: BaseModel, prefix: str) -> list[str]:
    lines = []
    for name, info in type(before).model_fields.items():
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            lines.append(f"{prefix}{info.title or name} {_short(old)} → {_short(new)}")
    return lines


def _short(value: Any) -> str:
    if isinstance(value, BaseModel):
        return str(getattr(value, "name", "own"))
    return (
        "as the engine or catalogue has it"
        if value is None
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )
