"""The `aisim` command: one module a subcommand, so that a new one is one file and one line here."""

from __future__ import annotations

import sys

import typer
from pydantic import ValidationError

from aisim_model.errors import InputError, sentences
from aisim_ui.cli import delay

app = typer.Typer(
    name="aisim",
    help="Plan the KV handoff of disaggregated LLM serving.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def about() -> None:
    """Plan the KV handoff of disaggregated LLM serving."""


app.command("delay")(delay.delay)


def main() -> None:
    """Run the command; an input that is refused is a sentence on standard error and status 2."""
    try:
        app()
    except (InputError, ValidationError) as error:
        for line in sentences(error) if isinstance(error, ValidationError) else [str(error)]:
            print(f"aisim: {line}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
