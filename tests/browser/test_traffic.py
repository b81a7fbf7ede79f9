"""Traffic in a real browser: a file goes up, its faulty rows are left out, a replay runs, files come down."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page, expect

from aisim_model.scenario import Scenario
from aisim_model.scenario.traffic import SyntheticRule, Traffic
from aisim_ui.share import link

Open = Callable[..., Page]
Settled = Callable[[Page], None]
ROWS = b"arrived_at,num_prefill_tokens,num_decode_tokens\n" + b"".join(
    b"%d,%d,8\n" % (row, 0 if row == 7 else 1000 + row) for row in range(20)
)
REPLAYED_MS = 120_000  # the first replay of a server compiles


def traffic(**values: object) -> Scenario:
    rule = SyntheticRule(requests=200, requests_per_s=2.0)
    small = Traffic(source="synthetic", synthetic=rule, deployment_ids=("aggregated", "split-400g"))
    return Scenario().changed(traffic=small.changed(**values))


def replayed(page: Page) -> None:
    """Wait until every chosen deployment is replayed."""
    expect(page.get_by_role("button", name="Replayed")).to_be_visible(timeout=REPLAYED_MS)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_a_link_replays_its_traffic_and_fits(
    app_url: str, opened: Open, settled: Settled, width: int, scheme: str
) -> None:
    page = opened(link(f"{app_url}/traffic", traffic()), width=width, scheme=scheme)
    replayed(page)
    expect(page.locator("[data-testid=stPlotlyChart]")).to_have_count(3)
    settled(page)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= width
    page.get_by_text("Around a moment").click()
    expect(page.locator("[data-testid=stPlotlyChart]").last).to_contain_text("Around ")


def test_a_click_on_a_curve_looks_into_its_deployment(
    app_url: str, opened: Open, click_chart: Callable[..., None]
) -> None:
    page = opened(link(f"{app_url}/traffic", traffic()))
    replayed(page)
    expect(page.locator("h4").first).to_contain_text("Split, 400G NIC per GPU")
    mark = ".scatterlayer .trace >> nth=0 >> .points path >> nth=20"
    click_chart(page.locator("[data-testid=stPlotlyChart]").first, mark)
    expect(page.locator("h4").first).to_contain_text("Aggregated 2 x TP4")


def test_a_file_is_read_mended_replayed_and_taken_along(
    app_url: str, opened: Open, settled: Settled, tmp_path: Path
) -> None:
    page = opened(f"{app_url}/traffic")
    page.get_by_text("Your file", exact=True).click()
    given = {"name": "mine.csv", "mimeType": "text/csv", "buffer": ROWS}
    page.locator("[data-testid=stMain] input[type=file]").set_input_files([given])
    expect(page.get_by_text("1 row of mine.csv can't be replayed")).to_be_visible()
    page.get_by_role("button", name="Leave 1 row out").click()
    expect(page.get_by_text("1 faulty row left out", exact=False).first).to_be_visible()
    replay = page.get_by_role("button", name="Replay 19 requests")
    expect(replay).to_be_enabled(timeout=REPLAYED_MS)
    replay.click()
    replayed(page)
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Every request as Parquet").click()
    target = tmp_path / "requests.parquet"
    download.value.save_as(target)
    table = pq.read_table(target)
    assert table.num_rows == 19 * 5
    assert set(table["rows_left_out"].to_pylist()) == {1}
    assert 8 not in set(table["source_row"].to_pylist())  # the eighth row was the faulty one


def test_a_long_replay_shows_progress_and_is_stopped(app_url: str, opened: Open) -> None:
    rule = SyntheticRule(requests=400_000, requests_per_s=2.0)
    page = opened(link(f"{app_url}/traffic", traffic(synthetic=rule)))
    page.get_by_role("button", name="Replay 400,000 requests").click()
    expect(page.locator("[data-testid=stProgress]")).to_be_visible(timeout=REPLAYED_MS)
    other = opened(f"{app_url}/")  # another visitor isn't kept waiting
    expect(other.locator("[data-testid=stPlotlyChart]").first).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-testid=stProgress]")).to_have_count(0, timeout=REPLAYED_MS)
    expect(page.get_by_role("button", name="Replay 400,000 requests")).to_be_enabled()
