"""The app as a test drives it, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture
def app() -> AppTest:
    """Return the app after its first run, on the Handoff page."""
    return AppTest.from_file(str(APP), default_timeout=60).run()
