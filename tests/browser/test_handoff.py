"""The Handoff page as a planner uses it, in a real browser."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from aisim_model.compare.table import compare, table
from aisim_model.scenario import Scenario

Open = Callable[..., Page]
Settled = Callable[[Page], None]
ADDED = "[data-testid=stMetric]:has-text('Added by the handoff') [data-testid=stMetricValue]"


def test_the_answer_is_first(app_url: str, opened: Open) -> None:
    page = opened(f"{app_url}/handoff")
    expect(page.locator("h4").first).to_contain_text("The handoff adds 16 ms")
    expect(page.locator("[data-testid=stPlotlyChart]")).to_have_count(2)


def test_a_slider_moved_with_the_keyboard_changes_the_number(app_url: str, opened: Open) -> None:
    page = opened(f"{app_url}/handoff")
    thumb = page.get_by_role("slider", name=re.compile("Prompt"))
    thumb.focus()
    for tokens in ("12,500", "15,000", "20,000"):
        thumb.press("ArrowRight")
        expect(thumb).to_have_attribute("aria-valuetext", tokens)
    # 20,000 x 262,144 B over 200 GB/s: 26.2 ms
    expect(page.locator(ADDED)).to_have_text("26 ms")
    expect(page.get_by_role("textbox", name=re.compile("Prompt")).first).to_have_value("20,000")


def test_a_click_on_a_bar_selects_its_row(
    app_url: str, opened: Open, click_chart: Callable[..., None]
) -> None:
    page = opened(f"{app_url}/handoff")
    fourth = ".barlayer .trace.bars >> nth=0 >> .point path >> nth=3"
    click_chart(page.locator("[data-testid=stPlotlyChart]").first, fourth)
    expect(page.locator(ADDED)).to_contain_text("250 to 310 ms")
    page.get_by_role("link", name="Deployments").first.click()
    expect(page.locator("[data-testid=stPlotlyChart]").first).to_contain_text("Split, one 100G RoCE ◂")


def test_the_share_link_rebuilds_the_page_in_another_browser(
    app_url: str, opened: Open, settled: Settled
) -> None:
    page = opened(f"{app_url}/handoff")
    box = page.get_by_role("textbox", name=re.compile("Prompt")).first
    box.fill("8192")
    box.press("Enter")
    expect(page.locator(ADDED)).to_have_text("11 ms")  # 8,192 x 262,144 B over 200 GB/s: 10.74 ms
    settled(page)
    page.get_by_role("button", name="Share").click()
    expect(page.locator("[data-testid=stCode]")).to_contain_text(app_url)
    link = page.locator("[data-testid=stCode]").inner_text().replace("\n", "").strip()
    assert link.startswith(app_url)
    other = opened(link)
    expect(other.locator(ADDED)).to_have_text("11 ms")
    expect(other.get_by_role("textbox", name=re.compile("Prompt")).first).to_have_value("8,192")


def test_the_csv_is_the_table(app_url: str, opened: Open) -> None:
    page = opened(f"{app_url}/handoff")
    with page.expect_download() as download:
        page.get_by_role("button", name="Exact values as CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    expected = table(Scenario(), compare(Scenario()))
    assert [row["deployment"] for row in rows] == expected["deployment"].tolist()
    for column in ("wire_bytes", "handoff_ms", "ttft_ms", "itl_ms"):
        assert [float(row[column]) for row in rows] == expected[column].tolist()


@pytest.mark.parametrize(("picture", "start"), [("PNG", b"\x89PNG\r\n\x1a\n"), ("SVG", b"<svg")])
def test_a_chart_is_saved_as_a_picture(
    app_url: str, opened: Open, settled: Settled, picture: str, start: bytes
) -> None:
    page = opened(f"{app_url}/handoff")
    if picture == "SVG":
        page.get_by_role("button", name="Share").click()
        page.get_by_role("radio", name="SVG").or_(page.get_by_role("button", name="SVG")).first.click()
        page.keyboard.press("Escape")
        expect(page.get_by_text("camera icon: SVG").first).to_be_visible()
        settled(page)
    chart = page.locator("[data-testid=stPlotlyChart]").first
    chart.hover()
    with page.expect_download() as download:
        chart.get_by_role("button", name=re.compile("Download plot")).click()
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(start)
    assert len(content) > 5_000
    assert download.value.suggested_filename.startswith("aisim-ttft-by-part")


def test_the_report_stands_alone_and_draws_its_charts(app_url: str, opened: Open, tmp_path: Path) -> None:
    page = opened(f"{app_url}/handoff")
    with page.expect_download() as download:
        page.get_by_role("button", name="Report").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name.startswith("aisim-handoff")
    report = page.context.new_page()
    report.goto(file.as_uri())
    expect(report.locator(".answer")).to_contain_text("The handoff adds 16 ms")
    expect(report.locator(".main-svg .barlayer path").first).to_be_visible()
    expect(report.locator(".js-plotly-plot")).to_have_count(2)
    expect(report.locator("table").first).to_contain_text("3,145,728,000")


def test_a_wrong_number_is_a_sentence_and_nothing_is_lost(
    app_url: str, opened: Open, settled: Settled
) -> None:
    page = opened(f"{app_url}/handoff")
    box = page.get_by_role("textbox", name=re.compile("Prompt")).first
    box.fill("<img src=http://192.0.2.1/x.png>")
    box.press("Enter")
    expect(page.get_by_text("must be a whole number from 1 to 10,000,000").first).to_be_visible()
    settled(page)
    expect(page.locator(ADDED)).to_have_text("16 ms")
    expect(box).to_have_value("<img src=http://192.0.2.1/x.png>")
