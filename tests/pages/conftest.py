"""The app as a test drives it, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from streamlit.testing.v1 import AppTest

APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture(scope="session", autouse=True)
def _no_components() -> Iterator[None]:
    """Keep AppTest from reading the metadata of every package there is: most of the time of an app."""
    with patch("streamlit.components.v2.manifest_scanner.scan_component_manifests", return_value=[]):
        yield


@pytest.fixture
def app() -> AppTest:
    """Return the app after its first run, on the Handoff page."""
    opened = AppTest.from_file(str(APP), default_timeout=60)
    opened.switch_page("pages/handoff.py")
    return opened.run()
