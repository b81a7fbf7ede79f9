"""Serve the app, as `make run` and `aisim app` do: with security headers, on an address of one's choice."""

from __future__ import annotations

import gc

gc.disable()  # nothing loaded here becomes garbage; looking for it would take a fifth of the start

import os
import socket
import sys

import streamlit as st
import uvicorn
from starlette.middleware import Middleware

from aisim_model.errors import InputError
from aisim_ui.navigation import FIRST, HOME
from aisim_ui.server import SecurityHeaders, page_routes
from aisim_ui.warm import load

APP = HOME / "app.py"
load(APP, FIRST["page"])
gc.freeze()
gc.enable()
app = st.App(APP, routes=page_routes(), middleware=[Middleware(SecurityHeaders)])


def serve(host: str | None = None, port: str | None = None) -> None:
    """Serve the app until it is stopped; what isn't given is HOST and PORT of the environment.

    Raises
    ------
    InputError
        For an address that isn't one, or that can't be listened on.
    """
    listening = listen(
        os.environ.get("HOST", st.get_option("server.address")) if host is None else host,
        os.environ.get("PORT", str(st.get_option("server.port"))) if port is None else port,
    )
    name, number = listening.getsockname()[:2]
    shown = "localhost" if name == "127.0.0.1" else f"[{name}]" if ":" in name else name
    print(f"AISim handoff planner: http://{shown}:{number}", flush=True)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    server.run(sockets=[listening])


def listen(host: str, port: str) -> socket.socket:
    """Return a socket that listens on an address."""
    if not (port.isascii() and port.isdecimal() and 1 <= int(port) <= 65535):
        raise InputError("PORT", port, "must be a whole number from 1 to 65535", "8501 is the usual one.")
    if not host.strip():
        raise InputError(
            "HOST", host, "is empty", "Name an address, such as 127.0.0.1 for this machine alone."
        )
    try:
        # with its protocol named, asyncio sends small messages at once; else they wait for 40 ms (Nagle)
        family, kind, protocol, _, place = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen()
    except OSError as error:
        problem = f"can't be listened on ({error.strerror or error})"
        raise InputError(
            "HOST:PORT", f"{host}:{port}", problem, "Choose another, or end what has it."
        ) from None
    return listening


def main() -> None:
    """Serve the app where HOST and PORT say; what is wrong with them is a sentence."""
    try:
        serve()
    except InputError as error:
        print(f"aisim: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
