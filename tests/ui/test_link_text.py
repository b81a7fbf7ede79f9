"""Links as they arrive: escaped, wrapped, with marks after them; and those that a checksum refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from aisim_model.scenario import Scenario
from aisim_ui.share import link, of_handoff, packed, read

SCENARIO = Scenario().with_workload(prompt_tokens=12_345)
LINK = link("http://localhost:8501/deployments", SCENARIO)
MIDDLE = len(LINK) - 200


def parameters(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def wrapped(by: str) -> str:
    return LINK[:MIDDLE] + by + LINK[MIDDLE:]


@pytest.mark.parametrize(
    "url",
    [
        # issue hyperdx#1772: an ampersand escaped for HTML, once and twice
        LINK.replace("&", "&amp;"),
        LINK.replace("&", "&amp;amp;"),
        # wraps and marks: issues plannotator#187, otelbin#477
        *(
            LINK + mark
            for mark in (
                ".",
                ")",
                ").",
                ",",
                ";",
                "!",
                "?",
                '"',
                "'",
                ">",
                "]",
                "}",
                "*",
                "**",
                "…",
                "»",
                "_",
                "-",
            )
        ),
        *(wrapped(by) for by in ("%0D%0A%20%20", "%0A", "%20", "+", "%0D%0A%3E%20", "%3D%0D%0A", "%09")),
        # soft hyphens, zero-width blanks and joiners, byte order marks, direction marks
        *(wrapped(quote(mark)) for mark in "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u202c\u00a0"),
        # a second percent-encoding, of the value, of the marks between and of the whole query
        LINK.replace("eN", "%2565N", 1),
        LINK.replace("&", "%26"),
        LINK.split("?")[0] + "?" + quote(LINK.split("?")[1], safe=""),
        LINK.split("?")[0] + "?" + quote(quote(LINK.split("?")[1], safe=""), safe=""),
        # mail's quoted-printable
        LINK.replace("s=", "s=3D"),
        LINK + "%3C/a%3E",
    ],
)
def test_what_links_gather_on_the_way_is_taken_out(url: str) -> None:
    assert read(parameters(url)) == (SCENARIO, [])
    assert of_handoff(parameters(url)) == of_handoff(parameters(LINK))


@pytest.mark.parametrize(
    "harm",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text[:-2],
        lambda text: text[:100] + ("A" if text[100] != "A" else "B") + text[101:],
        lambda text: text[:100] + text[101:],
        lambda text: text.swapcase(),
        lambda text: text[:60] + "..." + text[-60:],
    ],
)
def test_a_cut_or_altered_link_is_refused_and_says_so(harm: Callable[[str], str]) -> None:
    scenario, said = read({"s": harm(packed(SCENARIO))})
    assert scenario is None
    assert "link can't be read" in said[0]
    assert "cut" in said[0]


def test_fields_beside_a_mended_link_count() -> None:
    url = LINK.replace("&", "&amp;") + "&amp;output_tokens=77"
    assert read(parameters(url)) == (SCENARIO.with_workload(output_tokens=77), [])


@pytest.mark.shared
def test_the_reported_links(shared_dir: Path) -> None:
    file = shared_dir / "facts" / "reported_inputs" / "C60_links.txt"
    lines = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if "\t" in line]
    found = [read(parameters(url)) for name, url in lines if not name.startswith("#")]
    assert len(found) >= 5
    assert all(one == found[0] for one in found)
