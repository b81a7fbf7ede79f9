"""What compiled code does where it is installed."""

from __future__ import annotations

import pytest
from numba.core import caching

from aisim_model.replay.compiled import entry


def doubled(value: int) -> int:
    return 2 * value


def test_a_place_that_can_not_be_written_to_compiles_anew(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])  # as where no folder is writable
    assert entry(doubled)(21) == 42
