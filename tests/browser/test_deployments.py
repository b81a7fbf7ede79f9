"""The editable table in a real browser: rename, refuse, correct, undo."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

Open = Callable[..., Page]
Settled = Callable[[Page], None]
HEAD_PX, ROW_PX = 35, 35
NAME, PREFILL_TP = 0, 4  # places of the columns


def typed(page: Page, settled: Settled, row: int, column: int, text: str) -> None:
    """Type into a cell of the table of deployments: a canvas, so by place and keys."""
    table = page.locator("[data-testid=stDataFrame]").first
    expect(table.locator("canvas").first).to_be_visible()
    settled(page)  # the grid takes no click while it lays itself out
    table.click(position={"x": 60, "y": HEAD_PX + ROW_PX * row + ROW_PX // 2})
    for _ in range(column):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    box = page.locator("#portal").locator("input, textarea")
    expect(box).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type(text, delay=30)
    expect(box).to_have_value(text)
    settled(page)  # the cell takes its text some frames after the box has it
    page.keyboard.press("Enter")


def test_a_cell_is_edited_refused_corrected_and_undone(app_url: str, opened: Open, settled: Settled) -> None:
    page = opened(f"{app_url}/deployments")
    bars = page.locator("[data-testid=stPlotlyChart]").first
    expect(bars).to_contain_text("Split, 400G NIC per GPU ◂")
    typed(page, settled, 1, NAME, "Renamed")
    expect(bars).to_contain_text("Renamed ◂")
    typed(page, settled, 1, PREFILL_TP, "0")
    refused = page.get_by_text("Prefill TP = 0: must be a whole number from 1 to 512", exact=False)
    expect(refused).to_be_visible()
    typed(page, settled, 1, PREFILL_TP, "8")
    expect(refused).to_have_count(0)
    unequal = page.get_by_text("Not compared at equal GPUs", exact=False)
    expect(unequal).to_contain_text("Renamed has 12")
    page.get_by_role("button", name="Undo").click()
    expect(unequal).to_have_count(0)
    settled(page)  # two clicks before a run are one
    page.get_by_role("button", name="Undo").click()
    expect(bars).to_contain_text("Split, 400G NIC per GPU ◂")
