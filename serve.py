"""Serve the app as `make run` does: with security headers, and pages that connect at the first attempt."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from aisim_ui.server import SecurityHeaders, page_routes

app = st.App(Path(__file__).parent / "app.py", routes=page_routes(), middleware=[Middleware(SecurityHeaders)])
