"""A place in a scenario: any field of any part, read, changed and known by its path."""

from __future__ import annotations

from typing import Any

import pytest

from aisim_model.scenario import Scenario
from aisim_model.scenario.explore import Ends
from aisim_model.scenario.traffic import TraceFile
from aisim_ui.place import Place

WITH_FILE = Scenario().changed(
    traffic=Scenario().traffic.changed(file=TraceFile(name="a.csv", sha256="0" * 64))
)


@pytest.mark.parametrize(
    ("path", "value", "label"),
    [
        ("workload.prompt_tokens", 8192, "Prompt"),
        ("deployments.split-tcp.bandwidth_gb_s", 3.0, "Bandwidth"),
        ("traffic.contention", "fifo", "Transfers on one link"),
        ("traffic.synthetic.seed", 7, "Seed"),
        ("traffic.file.time_unit", "ms", "Arrivals are in"),
        ("explore.share", 0.2, "Line at a share"),
        ("explore.ranges.mfu", Ends(0.3, 0.6, "lin"), "mfu"),
        ("selected_id", "split-tcp", "selected_id"),
    ],
)
def test_what_is_put_in_a_place_is_there_and_nothing_else_changes(path: str, value: Any, label: str) -> None:
    place = Place(path)
    before = place.value(WITH_FILE)
    after = place.put(WITH_FILE, value)
    assert place.value(after) == value
    assert place.put(after, before) == WITH_FILE
    assert place.field.label == label
    assert place.name == path.split(".")[-1]


def test_a_part_that_isnt_there_has_no_value() -> None:
    assert Place("traffic.file.time_unit").value(Scenario()) is None


def test_a_row_is_named_by_its_id_and_keys_are_all_different() -> None:
    assert Place.of_row("split-tcp", "link").key == "split-tcp.link"
    assert Place("workload.kv_bytes_per_token").key != Place.of_row("workload", "link").key


def test_a_choice_knows_its_options() -> None:
    assert Place("traffic.level").field.options == ("fifo", "engine")
    assert Place.of_row("split-tcp", "order").field.options == ("source_first", "destination_first")
    assert Place.of_row("split-tcp", "timing_mode").field.options == ("full_prompt", "destination_missing")
    assert Place("workload.prompt_tokens").field.options == ()
