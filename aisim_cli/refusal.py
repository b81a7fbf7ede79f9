"""What a person reads when an input is refused: a sentence that names the input and what was given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import typer
from pydantic import ValidationError

from aisim_model.errors import InputError, problem_of, sentences, shown

LONGEST = 400


def refusals(error: Exception, arguments: Sequence[str]) -> list[str]:
    """Return the sentences of an error, given the arguments of the command line."""
    if isinstance(error, ValidationError):
        return sentences(error)
    return [str(error) if isinstance(error, InputError) else _parse_error(error, arguments)]


def _parse_error(error: Exception, arguments: Sequence[str]) -> str:
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    problem = error.format_message() if isinstance(error, typer.TyperException) else str(error)
    if isinstance(error, typer.BadParameter) and parameter is not None and error.message:
        given = given_value(parameter.opts, arguments)
        value = "" if given is None else f" = {shown(given)}"
        cause = error.__cause__
        if isinstance(cause, ValidationError):
            said = problem_of(cause.errors(include_url=False)[0])
        else:
            said = f"{error.message[:1].lower()}{error.message[1:]}"
        problem = f"{parameter.name}{value}: {said}"
    problem = " ".join(problem.split()).rstrip(".")
    cut = problem if len(problem) <= LONGEST else problem[: LONGEST - 1] + "…"
    return f"{cut}. See {context.command_path if context else 'aisim'} --help."


def given_value(options: Sequence[str], arguments: Sequence[str]) -> str | None:
    """Return what was given last for an option on the command line, or None where it can't be told.

    Examples
    --------
    >>> given_value(["--mode"], ["delay", "--mode", "all"]), given_value(["--mode"], ["--mode=all"])
    ('all', 'all')
    """
    given = None
    for argument, following in pairwise([*arguments, ""]):
        name, equals, value = argument.partition("=")
        if name in options:
            given = value if equals else following
    return given
