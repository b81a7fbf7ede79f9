"""Serve the app on an address of one's choice, as `make run` and `aisim app` do."""

from __future__ import annotations

import gc
import os
import socket
import sys

from aisim_model.errors import InputError


def serve(host: str | None = None, port: str | None = None) -> None:
    """Serve the app until it is stopped; what isn't given is HOST and PORT of the environment.

    Raises
    ------
    InputError
        For an address that isn't one, or that can't be listened on.
    """
    gc.disable()  # nothing loaded here becomes garbage; looking for it would take a fifth of the start
    import streamlit as st
    import uvicorn

    from aisim_ui.server import app

    served = app()
    # read before Uvicorn starts, for Streamlit sets Uvicorn's log level as it reads its settings
    usual_host, usual_port = st.get_option("server.address"), str(st.get_option("server.port"))
    listening = listen(
        os.environ.get("HOST", usual_host) if host is None else host,
        os.environ.get("PORT", usual_port) if port is None else port,
    )
    gc.freeze()
    gc.enable()
    name, number = listening.getsockname()[:2]
    shown = "localhost" if name == "127.0.0.1" else f"[{name}]" if ":" in name else name
    print(f"AISim handoff planner: http://{shown}:{number}", flush=True)
    uvicorn.Server(uvicorn.Config(served, log_level="warning", access_log=False)).run(sockets=[listening])


def listen(host: str, port: str) -> socket.socket:
    """Return a socket that listens on an address."""
    if not (port.isascii() and port.isdecimal() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise InputError("PORT", port, "must be a whole number from 1 to 65535", "Choose one such as 8501.")
    if not host.strip():
        raise InputError("HOST", host, "is empty", "Name one such as 127.0.0.1, which is this machine alone.")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, int(port)), family=family)
    except (OSError, UnicodeError) as error:
        why = str(getattr(error, "strerror", None) or error).partition(" (while")[0]
        problem = f"can't be listened on ({why})"
        remedy = "Choose another with HOST and PORT, or end what listens there."
        raise InputError("address", f"{host}:{port}", problem, remedy) from None
    # its connections send small messages at once; else the system would hold them back for 40 ms (Nagle)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def main() -> None:
    """Serve where HOST and PORT say; what is wrong with them is a sentence and status 2."""
    try:
        serve()
    except InputError as error:
        print(f"aisim: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
