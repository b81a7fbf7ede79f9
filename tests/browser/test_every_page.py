"""What holds on every page: it opens cold, fits a phone, is quiet, and keeps to this machine."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from aisim_model.scenario import Scenario
from aisim_ui.navigation import PAGES
from aisim_ui.share import link

Open = Callable[..., Page]
PATHS = ["" if entry.get("default") else str(entry["url_path"]) for entry in PAGES]
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(16, 22, 29)"
AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
OUTSIDE = "<img src=http://192.0.2.1/a.png> ![](http://192.0.2.1/b.png)"


def test_the_first_visitor_of_a_server_may_come_by_a_deep_link(fresh_url: str, opened: Open) -> None:
    url = link(f"{fresh_url}/deployments", Scenario().with_workload(prompt_tokens=8192))
    whole(opened(url), url)


def test_streamlit_run_shows_the_whole_app_for_a_cold_deep_link(
    fresh_streamlit_url: str, browser: Browser, settled: Callable[[Page], None]
) -> None:
    url = link(f"{fresh_streamlit_url}/deployments", Scenario().with_workload(prompt_tokens=8192))
    # opened without a look at the console: there Streamlit's own server leaves two errors a page
    with closing(browser.new_page()) as page:
        page.goto(url)
        settled(page)
        whole(page, url)


@pytest.mark.parametrize("path", PATHS)
def test_a_link_shows_sidebar_values_and_names_as_they_are(app_url: str, opened: Open, path: str) -> None:
    scenario = Scenario().with_workload(prompt_tokens=8192).with_row("split-400g", name=OUTSIDE)
    scenario = scenario.with_row("aggregated", name="<b>bold</b> **x** $y$", bandwidth_gb_s=0, kind="split")
    url = link(f"{app_url}/{path}", scenario.changed(selected_id="aggregated"))
    page = opened(url)
    whole(page, url)
    expect(page.locator("img[src*='192.0.2.1']")).to_have_count(0)
    expect(page.locator("[data-testid=stApp]")).to_have_css("background-color", LIGHT)
    for chart in page.locator("[data-testid=stPlotlyChart]").all():
        expect(chart.locator(".main-svg").first).to_have_css("background-color", LIGHT)
    if path == "handoff":
        expect(page.locator("h4").first).to_contain_text("<b>bold</b> **x** $y$")
        expect(page.locator("[data-testid=stPlotlyChart]").first).to_contain_text("<b>bold</b> **x** $y$ ◂")
    accessible(page)


def accessible(page: Page) -> None:
    """Expect that axe-core finds nothing serious: names of controls, contrasts, roles."""
    page.evaluate(f"{AXE};0")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    told = [
        (one["id"], node["html"][:200], node["failureSummary"][:200])
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
    assert not told


def whole(page: Page, url: str) -> None:
    """Expect the page of a link with sidebar, navigation, values and query."""
    expect(page.locator("[data-testid=stSidebar]")).to_be_visible()
    expect(page.get_by_role("textbox", name="Prompt [tokens]").first).to_have_value("8,192")
    links = page.locator("[data-testid=stTopNavLink]")
    expect(links).to_contain_text([str(entry["title"]) for entry in PAGES])
    assert page.locator("[data-testid=stException]").count() == 0
    expect(page).to_have_url(url)


@pytest.mark.parametrize("path", PATHS)
def test_a_phone_in_the_dark_shows_it_without_sideways_scrolling(
    app_url: str, opened: Open, path: str
) -> None:
    page = opened(f"{app_url}/{path}", width=390, scheme="dark")
    widths = page.evaluate(
        "[document.documentElement, document.querySelector('[data-testid=stMain]')].map(e => e.scrollWidth)"
    )
    assert max(widths) <= 390
    expect(page.locator("[data-testid=stApp]")).to_have_css("background-color", DARK)
    for chart in page.locator("[data-testid=stPlotlyChart]").all():
        expect(chart.locator(".main-svg").first).to_have_css("background-color", DARK)
    accessible(page)


def test_a_hostile_link_is_a_message_and_the_page_stands(app_url: str, opened: Open) -> None:
    page = opened(f"{app_url}/?prompt_tokens=-5&bandwidth_gb_s=nan&{'<b>' * 2000}=1&s=A{'A' * 10_000}&v=<i>")
    said = page.locator("[data-testid=stAlert]").first
    expect(said).to_contain_text("prompt_tokens = '-5'")
    expect(said).to_contain_text("is no field of a scenario")
    expect(page.locator("h4").first).to_contain_text("The handoff adds 16 ms")


def test_the_first_chart_takes_no_more_than_three_megabytes(app_url: str, browser: Browser) -> None:
    with closing(browser.new_context()) as context, closing(context.new_page()) as page:
        network = context.new_cdp_session(page)
        network.send("Network.enable")
        loaded: list[float] = []
        network.on("Network.loadingFinished", lambda event: loaded.append(event["encodedDataLength"]))
        page.goto(app_url)
        expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        # 2.8 MB on 2026-12-01, of which Plotly is 1.2
        assert 1_000_000 < sum(loaded) < 3_000_000


def test_answers_carry_security_headers(app_url: str) -> None:
    for path in ("", "deployments", "_stcore/health"):
        with urllib.request.urlopen(f"{app_url}/{path}", timeout=10) as answer:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
