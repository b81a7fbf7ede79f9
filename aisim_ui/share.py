"""The state as a link: a scenario as compact JSON, compressed, in a URL, and back.

Each wrong value gets a sentence. Only JSON is read, bounded before and after unpacking.
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
from aisim_model.scenario.explore import Ends
from aisim_model.scenario.older_names import OLDER_WEIGHTS, weight_format_of
from aisim_model.scenario.sides import Sides
from aisim_ui.link_text import mended

PARAMETER = "s"
VERSION_PARAMETER = "v"
MAX_PACKED = 30_000
MAX_UNPACKED = 400_000
MAX_VALUE = 2_000
MAX_FIXES = 200
MAX_CHAT_CHARACTERS = 2_048  # what chat clients and mail programs take for a link; the rest is cut off
OPEN = "as the engine or catalogue has it"


def packed(scenario: Scenario) -> str:
    """Pack a scenario: every value written out, so that later defaults don't change old links.

    Of workers' sides, which few rows say anything of, what is left open is left out: None is its default.
    """
    data = scenario.model_dump(mode="json")
    for row in data["deployments"]:
        for name in [name for name in Sides.model_fields if row[name] is None]:
            del row[name]
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def link(base_url: str, scenario: Scenario) -> str:
    """Return the URL that rebuilds the page."""
    page = base_url.split("?")[0].split("#")[0]
    return f"{page}?{VERSION_PARAMETER}={MODEL_VERSION}&{PARAMETER}={packed(scenario)}"


def unpacked(text: str, sent: str | None = None) -> Any:
    """Unpack what `packed` made.

    Parameters
    ----------
    text : str
        Letters, digits, `-` and `_`.
    sent : str, optional
        What the link held before it was mended, for the sentences.

    Raises
    ------
    InputError
        For what is no such text, or too large.
    """

    def refused(problem: str) -> InputError:
        remedy = "Ask for the link again; it may have been cut."
        return InputError(PARAMETER, text if sent is None else sent, problem, remedy)

    if len(text) > MAX_PACKED:
        raise refused(f"is longer than {MAX_PACKED:,} characters")
    if not text:
        raise refused("holds no scenario")
    text = text[:-1] if len(text) % 4 == 1 else text  # a letter after the end, which the checksum judges
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        text_of_json = unpack.decompress(raw, MAX_UNPACKED)
        if unpack.unconsumed_tail or not unpack.eof:
            raise refused("is cut, or holds more than a scenario")
        return json.loads(text_of_json)
    except zlib.error:
        raise refused("holds no scenario: it is cut or altered, for its checksum does not fit") from None
    except (binascii.Error, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise refused("holds no scenario") from None


def as_sent(data: Any, version: str) -> list[str]:
    """Rename in data of an older link what has another name now, and say so; its numbers stay as they were.

    Until 0.2.0 the only roofline was what is the simple one today.
    """
    rows = data.get("deployments") if isinstance(data, dict) and version in ("0.1.0", "0.2.0") else None
    renamed = False
    for row in rows if isinstance(rows, list) else ():
        for name in ("prefill_model", "decode_model"):
            if isinstance(row, dict) and row.get(name) == "roofline":
                row[name], renamed = "simple_roofline", True
    if not renamed:
        return []
    return [
        "The link times passes by what is called the simple roofline today, and opens with it. "
        "Choose roofline for times that are fitted to measured ones."
    ]


def repaired(data: Any) -> tuple[Scenario, list[str]]:
    """Validate data field by field: a wrong one is said and left at its default, the others stay.

    Returns
    -------
    tuple
        The scenario and a sentence for each value that was not taken.
    """
    said: dict[str, None] = {}
    for _ in range(MAX_FIXES):
        try:
            return Scenario.model_validate(data), list(said)
        except ValidationError as error:
            said.update(dict.fromkeys(sentences(error)))
            wrong = {_field_of(item) for item in error.errors(include_url=False)}
            if not _without(data, wrong):
                break
    return Scenario(), list(said)


def _field_of(item: Any) -> tuple[Any, ...]:
    """Return the way to the field of a scenario that an error is about, however deep in it the fault lies."""
    way: tuple[Any, ...] = item["loc"]
    depth = 3 if way[:1] == ("deployments",) else 2
    cause = item.get("ctx", {}).get("error")
    if len(way) < depth and isinstance(cause, InputError):  # about a whole part, which names its field
        way = (*way, cause.field)
    return way[:depth]


def _without(data: Any, wrong: set[tuple[Any, ...]]) -> bool:
    """Take the wrong fields out of data, and rows that lack what they need; say whether anything changed."""
    if not isinstance(data, dict):
        return False
    rows = data.get("deployments")
    rows_out = set()
    changed = False
    for way in wrong:
        match way:
            case ("deployments", int(at), *field):
                row = rows[at] if isinstance(rows, list) else None
                if isinstance(row, dict) and field and field[0] in row:
                    del row[field[0]]
                else:
                    rows_out.add(at)
                changed = True
            case (part, field) if isinstance(values := data.get(part), dict) and field in values:
                del values[field]
                changed = True
            case (("selected_id" | "baseline_id") as name,) if data.get(name) != (first := _first_id(data)):
                data[name] = first  # the default may be none of these rows
                changed = True
            case (name, *_) if name in data:
                del data[name]
                changed = True
    if rows_out and data.get("deployments") is rows:
        data["deployments"] = [row for at, row in enumerate(rows) if at not in rows_out]
    return changed


def _first_id(data: dict[str, Any]) -> Any:
    rows = data.get("deployments")
    return rows[0].get("id") if isinstance(rows, list) and rows and isinstance(rows[0], dict) else None


def read(parameters: Mapping[str, str]) -> tuple[Scenario | None, list[str]]:
    """Read a URL's parameters: a packed scenario, then single fields by name over it.

    Single fields are those of the workload and of the selected row, as in ``?prompt_tokens=8192``.

    Returns
    -------
    tuple
        The scenario, None where the URL asks for nothing, and a sentence for each value not taken.
    """
    sent = parameters.get(PARAMETER)
    parameters = mended(parameters, PARAMETER, VERSION_PARAMETER)
    scenario, said = None, []
    if PARAMETER in parameters:
        try:
            data = unpacked(parameters[PARAMETER], sent)
            said = as_sent(data, parameters.get(VERSION_PARAMETER, MODEL_VERSION))
            scenario, wrong = repaired(data)
            said += wrong
        except InputError as error:
            said.append(f"This link can't be read: {error}")
    version = parameters.get(VERSION_PARAMETER, MODEL_VERSION)
    if version != MODEL_VERSION:
        said.append(
            f"The link was made by model {shown(version)}, this is {MODEL_VERSION}: results may differ."
        )
    if set(parameters) == {VERSION_PARAMETER}:  # as where # stood in it, behind which browsers send nothing
        said.append("This link holds no scenario: it was cut on the way. Ask for it again.")
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
    if name == OLDER_WEIGHTS:
        stored = scenario.workload.served.stored
        return scenario.with_row(scenario.selected_id, weight_format=weight_format_of(text, stored))
    if name in Deployment.model_fields and name not in ("id", "color", "prefill_table", "decode_table"):
        return scenario.with_row(scenario.selected_id, **{name: value})
    if name in Workload.model_fields and name != "model":
        return scenario.with_workload(**{name: value})
    if name in ("selected_id", "baseline_id"):
        return scenario.changed(**{name: value})
    raise InputError(name[:40], text, "is no field of a scenario", "It was left out.")


def of_handoff(parameters: Mapping[str, str]) -> bool:
    """Say whether a link to the first page was made when that was Handoff: it holds no plan.

    Examples
    --------
    >>> of_handoff({"prompt_tokens": "8192"}), of_handoff({PARAMETER: packed(Scenario())}), of_handoff({})
    (True, False, False)
    """
    parameters = mended(parameters, PARAMETER, VERSION_PARAMETER)
    if PARAMETER not in parameters:
        return bool(parameters)
    try:
        data = unpacked(parameters[PARAMETER])
    except InputError:
        return True
    return not (isinstance(data, dict) and "plan" in data)


def changes(before: Scenario, after: Scenario) -> list[str]:
    """List what differs between two scenarios, a line each."""
    found = _differing(before.workload, after.workload, "")
    rows = {row.id: row for row in before.deployments}
    for row in after.deployments:
        if row.id not in rows:
            found.append(f"{row.name}: added")
        else:
            found += _differing(rows.pop(row.id), row, f"{row.name}: ")
    found += [f"{row.name}: removed" for row in rows.values()]
    old, new = before.traffic, after.traffic
    found += _differing(old.synthetic, new.synthetic, "Traffic: ", "left open")
    found += _differing(old, new.changed(synthetic=old.synthetic), "Traffic: ", "left open")
    found += _differing(before.plan, after.plan, "Plan: ", "searched")
    looked, looks = before.explore, after.explore
    found += _differing(looked, looks.changed(ranges=looked.ranges), "Explore: ", "nothing")
    return found + _differing(looked.ranges, looks.ranges, "Explore, range of ")


def _differing(before: BaseModel, after: BaseModel, prefix: str, empty: str = OPEN) -> list[str]:
    lines = []
    for name, info in type(before).model_fields.items():
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            lines.append(f"{prefix}{info.title or name} {_short(old, empty)} → {_short(new, empty)}")
    return lines


def _short(value: Any, empty: str) -> str:
    if isinstance(value, BaseModel):
        return str(getattr(value, "name", "own"))
    if isinstance(value, Ends):
        return f"{value.low:g} to {value.high:g} ({value.scale})"
    return empty if value is None else f"{value:,}" if type(value) is int else str(value)
