"""A server and a Chromium for the browser tests, and an eye on what they must never do."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LONGEST_S = 60
# Counts the frames in a row in which the script didn't run, nothing was out of date or still to be loaded,
# every chart was drawn, and nothing on the page changed. Frames come late where the browser is kept waiting.
WATCH = """() => {
  const watched = {quiet: 0};
  const options = {subtree: true, childList: true, characterData: true, attributes: true};
  new MutationObserver(() => { watched.quiet = 0; }).observe(document, options);
  return watched;
}"""
QUIET = """watched => {
  const there = selector => document.querySelector(selector) !== null;
  const charts = [...document.querySelectorAll("[data-testid=stPlotlyChart]")];
  const idle = there("[data-testid=stApp][data-test-script-state=notRunning]")
    && there("[data-testid=stMain] :is(h1, h4)")
    && !there("[data-stale=true], [data-testid^=stSkeleton]")
    && charts.every(chart => chart.querySelector(".js-plotly-plot .main-svg") !== null);
  watched.quiet = idle ? watched.quiet + 1 : 0;
  return watched.quiet > 10;
}"""
expect.set_options(timeout=30_000)  # a busy machine is slow, not wrong


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@contextmanager
def served(*module: str) -> Iterator[str]:
    """Serve the app on a free port, as `make run` does or as a module does; stop it at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "STREAMLIT_SERVER_PORT" if module else "PORT": str(port)}
    command = [sys.executable, "-m", *(module or ("aisim_ui.serve",))]
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        give_up = time.monotonic() + LONGEST_S
        while True:
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
                break
            except (URLError, OSError):
                if time.monotonic() > give_up or server.poll() is not None:
                    raise
                time.sleep(0.05)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=LONGEST_S)


@pytest.fixture(scope="session")
def app_url() -> Iterator[str]:
    """Return the address of a server that all tests share."""
    with served() as url:
        yield url


@pytest.fixture
def fresh_url() -> Iterator[str]:
    """Return the address of a server that nobody has visited yet."""
    with served() as url:
        yield url


@pytest.fixture
def fresh_streamlit_url() -> Iterator[str]:
    """Return the address of a `streamlit run app.py` that nobody has visited yet."""
    with served("streamlit", "run", "app.py") as url:
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return the machine's Chromium, else Playwright's own."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    root = hasattr(os, "getuid") and os.getuid() == 0
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox"] if root else [], chromium_sandbox=not root
        )
        yield started
        started.close()


@dataclass
class Watched:
    """What a page did that it must not."""

    errors: list[str] = field(default_factory=list)
    abroad: list[str] = field(default_factory=list)

    def console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "file") and parts.hostname != "127.0.0.1":
            self.abroad.append(request.url)


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return a function that opens an address as another visitor; no page may err or leave the machine."""
    watched, contexts = Watched(), []

    def open_page(url: str, width: int = 1440, scheme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 1000},
            color_scheme="dark" if scheme == "dark" else "light",
            accept_downloads=True,
        )
        contexts.append(context)
        context.set_default_timeout(LONGEST_S * 1000)
        context.on("console", watched.console)
        context.on("weberror", lambda error: watched.errors.append(str(error.error)))
        context.on("request", watched.request)
        page = context.new_page()
        page.goto(url)
        settled(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert watched.abroad == []
    assert watched.errors == []


def settled(page: Page) -> None:
    """Wait until the app has run and the page stands still.

    The server may not have begun to run yet right after a click or a key: `expect` what they change first.
    """
    page.wait_for_function(QUIET, arg=page.evaluate_handle(WATCH))


@pytest.fixture(name="settled")
def _settled() -> Callable[[Page], None]:
    return settled


@pytest.fixture
def click_chart() -> Callable[..., None]:
    """Return a function that clicks a mark of a chart, or a place in it by its share of width and height."""

    def click(chart: Locator, target: str, across: float = 0.5, up: float = 0.5) -> None:
        page, place = chart.page, chart.locator(target)
        place.scroll_into_view_if_needed()
        settled(page)
        box = place.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] * across, box["y"] + box["height"] * (1 - up)
        page.mouse.move(x, y)
        expect(chart.locator(".hoverlayer .hovertext").first).to_be_visible()  # Plotly knows what is there
        page.mouse.click(x, y)

    return click
