"""Serve the app as `make run` does: with security headers, and pages that connect at the first attempt.

HOST and PORT of the environment say where, 127.0.0.1 and 8501 if they don't.
"""

import gc

gc.disable()  # nothing loaded here becomes garbage; looking for it would take a fifth of the start

import os
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.middleware import Middleware

from aisim_ui.pages import FIRST
from aisim_ui.server import SecurityHeaders, page_routes
from aisim_ui.warm import load

APP = Path(__file__).parent / "app.py"
load(APP, FIRST["page"])
gc.freeze()
gc.enable()
app = st.App(APP, routes=page_routes(), middleware=[Middleware(SecurityHeaders)])

if __name__ == "__main__":
    host, port = os.environ.get("HOST", st.get_option("server.address")), int(os.environ.get("PORT", 8501))
    print(f"AISim handoff planner: http://{'localhost' if host == '127.0.0.1' else host}:{port}", flush=True)
    # The socket that `streamlit run` opens holds small messages back for 40 ms (Nagle); Uvicorn's own doesn't
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False)
