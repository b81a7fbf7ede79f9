"""`aisim app`: the pages in a browser, where what serves them is installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Annotated

import typer

NEEDED = ("plotly", "streamlit", "uvicorn")


def app(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; else HOST, else this machine alone.")
    ] = None,
    port: Annotated[str | None, typer.Option(help="Port to listen on; else PORT, else 8501.")] = None,
) -> None:
    """Serve the pages until interrupted."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        print(
            f"aisim: the app needs {', '.join(missing)}. Install it with: pip install 'aisim[app]'",
            file=sys.stderr,
        )
        raise typer.Exit(2)
    from aisim_ui.serve import serve

    serve(host, port)
