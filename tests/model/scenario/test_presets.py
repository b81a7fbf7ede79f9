"""Every preset is a scenario that the model answers; added rows are free of what is taken."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError

from aisim_model.compare.table import compare
from aisim_model.scenario import Scenario
from aisim_model.scenario.presets import ROWS, SCENARIOS, added, appended


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_worked_scenario_has_an_answer_in_every_row(name: str) -> None:
    scenario = SCENARIOS[name]
    colors = [row.color for row in scenario.deployments]
    assert len(set(colors)) == len(colors)
    assert scenario.baseline.kind == "aggregated"
    for one in compare(scenario):
        assert 0 < one.parts.ttft_ms < math.inf
        assert one.capacity.requests_per_s > 0


@pytest.mark.parametrize("name", ROWS)
def test_every_row_preset_can_be_added_to_every_scenario(name: str) -> None:
    for scenario in SCENARIOS.values():
        more = added(scenario, name)
        assert more.deployments[:-1] == scenario.deployments
        assert more.selected == more.deployments[-1]
        assert compare(more)[-1].parts.ttft_ms > 0


def test_the_same_row_twice_gets_a_name_and_a_colour_of_its_own() -> None:
    name = "Split 1 + 1, NVLink"
    twice = added(added(Scenario(), name), name)
    first, second = twice.deployments[-2:]
    assert (first.name, second.name) == (name, f"{name} (2)")
    assert len({row.color for row in twice.deployments}) == 7
    assert len({row.id for row in twice.deployments}) == 7


def test_a_long_name_leaves_room_for_its_number() -> None:
    row = Scenario().selected.changed(name="x" * 60)
    twice = appended(appended(Scenario(), row), row)
    assert [len(one.name) for one in twice.deployments[-2:]] == [60, 58]


def test_forty_rows_are_enough() -> None:
    scenario = Scenario()
    while len(scenario.deployments) < 40:
        scenario = appended(scenario, scenario.selected)
    assert len({row.color for row in scenario.deployments}) == 40
    with pytest.raises(ValidationError, match="at most 40"):
        appended(scenario, scenario.selected)
