"""The Explore page as a planner uses it, in a real browser: a point that is clicked becomes the scenario."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from playwright.sync_api import Locator, Page, expect

Open = Callable[..., Page]
Settled = Callable[[Page], None]


def map_of(page: Page, number: int) -> Locator:
    """Return a chart whose map is drawn."""
    chart = page.locator("[data-testid=stPlotlyChart]").nth(number)
    expect(chart.locator(".heatmaplayer image").first).to_be_visible()
    return chart


def prompt(page: Page) -> Locator:
    return page.locator("[data-testid=stSidebar]").get_by_role("textbox", name="Prompt [tokens]")


def test_a_click_on_the_map_makes_the_point_the_scenario_and_undo_brings_it_back(
    app_url: str, opened: Open, settled: Settled, click_chart: Callable[..., None]
) -> None:
    page = opened(f"{app_url}/explore")
    click_chart(map_of(page, 0), ".nsewdrag")
    # halfway between 128 and 131,072 on a log axis is 4,096; the nearest point that can be clicked is near it
    expect(prompt(page)).not_to_have_value("12,000")
    settled(page)
    tokens = int(prompt(page).input_value().replace(",", ""))
    assert 3000 < tokens < 5500
    page.get_by_role("button", name="Undo").click()
    expect(prompt(page)).to_have_value("12,000")


def test_a_click_on_which_is_best_selects_that_deployment(
    app_url: str, opened: Open, click_chart: Callable[..., None]
) -> None:
    page = opened(f"{app_url}/explore")
    expect(page.locator("h4").first).to_contain_text("Split, 400G NIC per GPU")
    click_chart(map_of(page, 1), ".nsewdrag", across=0.3, up=0.6)
    expect(page.locator("h4").first).to_contain_text("Split, 400G, fp8 KV")


def test_every_point_comes_as_csv(app_url: str, opened: Open, tmp_path: Path) -> None:
    page = opened(f"{app_url}/explore")
    with page.expect_download() as download:
        page.get_by_role("button", name="All 18,000 points as CSV").click()
    file = tmp_path / "points.csv"
    download.value.save_as(file)
    assert len(pd.read_csv(file)) == 18_000


def test_the_link_brings_the_fields_and_their_ranges(app_url: str, opened: Open, settled: Settled) -> None:
    page = opened(f"{app_url}/explore")
    box = page.get_by_role("textbox", name="From").first
    box.fill("1,000")
    box.press("Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    settled(page)
    page.locator("[data-testid=stSidebar]").get_by_role("button", name="Share").click()
    expect(page.locator("[data-testid=stCode]")).to_contain_text(app_url)
    link = page.locator("[data-testid=stCode]").inner_text().replace("\n", "").strip()
    assert len(link) <= 2000
    other = opened(link)
    expect(other.get_by_role("textbox", name="From").first).to_have_value("1,000")


def test_the_report_draws_the_maps(app_url: str, opened: Open, tmp_path: Path) -> None:
    page = opened(f"{app_url}/explore")
    with page.expect_download() as download:
        page.get_by_role("button", name="Report").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    report = page.context.new_page()
    report.goto(file.as_uri())
    expect(report.locator(".answer")).to_contain_text("meets the SLO of 2 s up to 32,487 tokens")
    expect(report.locator(".js-plotly-plot")).to_have_count(3)
    expect(report.locator(".heatmaplayer image").first).to_be_visible()
