"""The `aisim` command: one module a subcommand, so that a new one is one file and one line here."""

from __future__ import annotations

import sys

import typer
from pydantic import ValidationError

from aisim_cli import app as pages
from aisim_cli import (
    calibrate,
    catalog,
    delay,
    evidence,
    import_,
    kv,
    recommend,
    replay,
    solve,
    study,
    sweep,
    ttft,
)
from aisim_cli.refusal import refusals
from aisim_model.errors import InputError
from aisim_model.plain_text import printable

app = typer.Typer(
    name="aisim",
    help="Plan the KV handoff of disaggregated LLM serving.",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def about() -> None:
    """Plan the KV handoff of disaggregated LLM serving."""


app.command("app")(pages.app)
app.command("calibrate")(calibrate.calibrate)
app.command("catalog")(catalog.catalog)
app.command("delay")(delay.delay)
app.command("evidence")(evidence.evidence)
app.command("import")(import_.import_)
app.command("kv")(kv.kv)
app.command("recommend")(recommend.recommend)
app.command("replay")(replay.replay)
app.command("solve")(solve.solve)
app.command("study")(study.study)
app.command("sweep")(sweep.sweep)
app.command("ttft")(ttft.ttft)


def main() -> None:
    """Run the command; an input that is refused is a sentence on standard error and status 2."""
    arguments = sys.argv[1:] or ["--help"]
    try:
        status = app(arguments, prog_name="aisim", standalone_mode=False)
    except (InputError, ValidationError, typer.TyperException) as error:
        for line in refusals(error, arguments):
            print(f"aisim: {printable(line)}", file=sys.stderr)
        sys.exit(2)
    sys.exit(status)


if __name__ == "__main__":
    main()
