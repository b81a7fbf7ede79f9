"""Serve the app as the environment says, for `make run`, `make serve` and `aisim app`."""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from aisim_model.errors import InputError

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

    from aisim_ui.hosting.settings import Settings


def serve(host: str | None = None, port: str | None = None) -> None:
    """Serve the app until it is stopped; what isn't given is as `hosting.settings` reads it.

    Raises
    ------
    InputError
        For a setting that is none, or an address that can't be listened on.
    """
    from aisim_ui.hosting.settings import Settings

    settings = Settings.from_environment(os.environ, host=host, port=port)
    listening = listen(settings.host, settings.port)
    name, number = listening.getsockname()[:2]
    shown = "localhost" if name == "127.0.0.1" else f"[{name}]" if ":" in name else name
    address = f"http://{shown}:{number}{'/' + settings.path if settings.path else ''}"
    processes = settings.processes or os.cpu_count() or 1
    if processes > 1 and os.name == "posix":
        from aisim_ui.hosting.handing import share

        os.environ["HOST"] = settings.host  # as was given here, for the processes too
        print(f"AISim handoff planner: {address}, by {processes} processes", flush=True)
        share(listening, processes, settings.stop_s)
        return

    import uvicorn

    served = configured(settings)
    print(f"AISim handoff planner: {address}", flush=True)
    uvicorn.Server(served).run(sockets=[listening])


def configured(settings: Settings, around: Callable[[ASGIApp], ASGIApp] = lambda app: app) -> uvicorn.Config:
    """Return the app, and what a server process does with it; `around` is a layer outside of all others."""
    gc.disable()  # nothing loaded here becomes garbage; looking for it would take a fifth of the start
    import uvicorn

    from aisim_ui.server import app

    served = around(app(settings))
    gc.freeze()
    gc.enable()
    return uvicorn.Config(
        served,
        log_level="warning",
        access_log=False,
        server_header=False,
        forwarded_allow_ips=list(settings.trusted_proxies),
        ws_max_size=settings.message_mb * 1024 * 1024,
        timeout_graceful_shutdown=int(settings.stop_s),
    )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
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
