"""The one error that a person's input can raise, and how it reads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

# what pydantic finds wrong, as a person reads it
_PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        "greater_than_equal": "must be at least {ge:,}",
        "greater_than": "must be above {gt:,}",
        "less_than_equal": "must be at most {le:,}",
        "less_than": "must be below {lt:,}",
        "int_parsing": "must be a whole number",
        "int_parsing_size": "must be a whole number of fewer digits",
        "int_type": "must be a whole number",
        "int_from_float": "must be a whole number",
        "float_parsing": "must be a number",
        "float_type": "must be a number",
        "finite_number": "must be a finite number",
        "bool_parsing": "must be true or false",
        "bool_type": "must be true or false",
        "literal_error": "must be {expected}",
        "enum": "must be {expected}",
        "string_type": "must be text",
        "string_too_short": "must have at least {min_length} characters",
        "string_too_long": "must have at most {max_length} characters",
        "extra_forbidden": "is no known field",
        "missing": "is needed",
    }
)


class InputError(ValueError):
    """An input that is refused, said as a sentence for the person who made it.

    Parameters
    ----------
    field : str
        Name of the input, as the person knows it.
    value : object
        What was given. Long values are shortened in the sentence.
    problem : str
        What is wrong and what is allowed, without a full stop.
    remedy : str, optional
        What to do about it, a sentence.

    Examples
    --------
    >>> print(InputError("prompt_tokens", -3, "must be from 1 to 10,000,000", "Enter a prompt length."))
    prompt_tokens = -3: must be from 1 to 10,000,000. Enter a prompt length.
    """

    def __init__(self, field: str, value: object, problem: str, remedy: str = "") -> None:
        self.field, self.value, self.problem, self.remedy = field, value, problem, remedy
        super().__init__(f"{field} = {shown(value)}: {problem}." + (f" {remedy}" if remedy else ""))

    def __reduce__(self) -> tuple[type[InputError], tuple[Any, ...]]:
        """Survive the way back from a worker process."""
        return type(self), (self.field, self.value, self.problem, self.remedy)


def without_frames(error: InputError) -> InputError:
    """Return a refusal that may be kept: without the frames it came through, which hold all that was read.

    Examples
    --------
    >>> try:
    ...     raise InputError("file", "a.csv", "is empty")
    ... except InputError as error:
    ...     without_frames(error).__traceback__ is None
    True
    """
    error.__traceback__ = error.__cause__ = error.__context__ = None
    return error


def shown(value: object, limit: int = 60) -> str:
    """Return a value as it stands in a sentence: printable, on one line, cut at `limit` characters.

    Examples
    --------
    >>> shown("a" * 100, limit=8)
    "'aaaaaa…"
    """
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = "a number of more than 4,300 digits"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def sentences(error: ValidationError) -> list[str]:
    """Turn a pydantic error into one sentence a field.

    Examples
    --------
    >>> from pydantic import BaseModel, Field
    >>> class Row(BaseModel):
    ...     tokens: int = Field(ge=1)
    >>> try:
    ...     Row(tokens=0)
    ... except ValidationError as error:
    ...     sentences(error)
    ['tokens = 0: must be at least 1.']
    """
    found = []
    for item in error.errors(include_url=False):
        if isinstance(cause := item.get("ctx", {}).get("error"), InputError):
            found.append(str(cause))
            continue
        field = ".".join(str(part) for part in item["loc"]) or error.title
        given = "nothing given" if item["type"] == "missing" else shown(item["input"])
        found.append(f"{field} = {given}: {problem_of(item)}.")
    return found


def problem_of(item: Mapping[str, Any]) -> str:
    """Say what is wrong and what is allowed; in pydantic's words where it is nothing common.

    Parameters
    ----------
    item : mapping
        One of the errors that a ``ValidationError`` lists.

    Examples
    --------
    >>> problem_of({"type": "less_than_equal", "ctx": {"le": 4096}, "msg": "Input should be ..."})
    'must be at most 4,096'
    """
    if item["type"] in _PROBLEMS:
        return _PROBLEMS[item["type"]].format(**item.get("ctx", {}))
    message = item["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{message[:1].lower()}{message[1:]}"
