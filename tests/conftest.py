"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Return the folder of facts and acceptance tables that lies beside the project."""
    if not SHARED.is_dir():
        pytest.skip("the folder of facts beside the project is not here")
    return SHARED
