"""What a reader changed since a link was opened, a line each."""

from __future__ import annotations

from aisim_model.scenario import Scenario
from aisim_model.scenario.explore import Ends, Explore, Ranges
from aisim_ui.share import changes


def test_changes_since_a_link_are_listed() -> None:
    before = Scenario()
    after = before.with_workload(prompt_tokens=500).with_row("split-tcp", bandwidth_gb_s=2.0)
    rows = tuple(row for row in after.deployments if row.id != "split-fp8")
    after = after.changed(deployments=(*rows, before.selected.changed(id="new", name="New")))
    assert changes(before, after) == [
        "Prompt 12,000 → 500",
        "Split, one 100G TCP: Bandwidth as the engine or catalogue has it → 2.0",
        "New: added",
        "Split, 400G, fp8 KV: removed",
    ]
    assert changes(before, before) == []


def test_changes_of_what_is_explored_are_listed() -> None:
    ranges = Ranges(mfu=Ends(0.3, 0.6, "lin"))
    after = Scenario(explore=Explore(y=None, quantity="handoff_ms", ranges=ranges))
    assert changes(Scenario(), after) == [
        "Explore: Up bandwidth_gb_s → nothing",
        "Explore: Shown ttft_ms → handoff_ms",
        "Explore, range of mfu 0.2 to 0.8 (lin) → 0.3 to 0.6 (lin)",
    ]
