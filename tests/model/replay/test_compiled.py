"""What compiled code does where it is installed."""

from __future__ import annotations

import pytest
from numba.core import caching

from aisim_model.replay.capacity import may_run_full
from aisim_model.replay.compiled import entry
from aisim_model.replay.warm import kinds, small_trace


def doubled(value: int) -> int:
    return 2 * value


def test_a_place_that_can_not_be_written_to_compiles_anew(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])  # as where no folder is writable
    assert entry(doubled)(21) == 42


def test_what_is_compiled_ahead_is_every_kind_there_is() -> None:
    # pools that can run full or not, links that are shared or not: what a set-up leaves out, processes that
    # start together compile at the same time into the same place, and may load each other's
    trace = small_trace()
    found = {(may_run_full(trace, config), config.contention != "none") for config in kinds()}
    assert found == {(False, False), (False, True), (True, False), (True, True)}
    assert all(config.prefix_caching for config in kinds())
