"""What a box knows of its field, and how text becomes a value or a sentence."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model.errors import InputError
from aisim_model.scenario import Deployment, Workload
from aisim_ui.fields import field, steps

PROMPT = field(Workload, "prompt_tokens")
BANDWIDTH = field(Deployment, "bandwidth_gb_s")
BYTES = field(Deployment, "kv_bytes_per_token")
SLO = field(Workload, "ttft_slo_ms")


def test_a_field_is_read_from_the_scenario() -> None:
    assert (PROMPT.titled, PROMPT.allowed) == (
        "Prompt [tokens]",
        "a whole number from 1 to 10,000,000 tokens",
    )
    assert (BANDWIDTH.unit, BANDWIDTH.low, BANDWIDTH.high, BANDWIDTH.optional) == ("GB/s", -1e6, 1e6, True)
    assert (BYTES.whole, BYTES.unit) == (True, "bytes/token")
    assert SLO.allowed == "a number above 0 and at most 3,600,000 ms"
    assert SLO.default == 2000.0
    assert "`prompt_tokens`" in PROMPT.help


@pytest.mark.parametrize("model", [Workload, Deployment])
def test_every_field_has_a_title_and_a_line_of_help(model: type[Workload] | type[Deployment]) -> None:
    for name, info in model.model_fields.items():
        if name not in ("id", "name"):
            assert info.title, name
            assert info.description, name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8192", 8192),
        (" 8192 ", 8192),
        ("8,192", 8192),
        ("1,000,000", 1_000_000),
        ("8_192", 8192),
        ("8 192", 8192),
        ("8\u202f192", 8192),
        ("10000000", 10_000_000),
    ],
)
def test_counts_as_people_write_them(text: str, value: int) -> None:
    assert PROMPT.parse(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("12.5", 12.5), ("1e2", 100.0), ("-1", -1.0), ("0", 0.0), ("1,000.5", 1000.5)]
)
def test_numbers_as_people_write_them(text: str, value: float) -> None:
    assert BANDWIDTH.parse(text) == value


@pytest.mark.parametrize(("text", "value"), [("50 GB/s", 50.0), ("1,200GB/s", 1200.0), (" 5e1 GB/s ", 50.0)])
def test_a_number_may_carry_its_unit(text: str, value: float) -> None:
    assert BANDWIDTH.parse(text) == value


def test_another_unit_is_refused_not_converted() -> None:
    with pytest.raises(InputError, match="1,000,000 GB/s"):
        BANDWIDTH.parse("400 Gb/s")


def test_empty_leaves_an_optional_field_open() -> None:
    assert BANDWIDTH.parse("  ") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0",
        "-1",
        "1.5",
        "1e400",
        "nan",
        "inf",
        "many",
        str(2**63),
        "9" * 5000,
        "12,34,567",
        "1,5",
        "0x10",
        "8192 ms",
        "<b>",
    ],
)
def test_a_wrong_count_is_a_sentence(text: str) -> None:
    with pytest.raises(InputError) as refused:
        PROMPT.parse(text)
    said = str(refused.value)
    assert said.startswith("Prompt = ")
    assert "a whole number from 1 to 10,000,000" in said
    assert "last good value stays" in said
    assert len(said) < 250


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e400", "1e7", "-1e7", "fast", "1,5"])
def test_a_wrong_bandwidth_is_a_sentence(text: str) -> None:
    with pytest.raises(InputError, match=r"Bandwidth = .* from -1,000,000 to 1,000,000"):
        BANDWIDTH.parse(text)


@pytest.mark.parametrize("text", ["0", "-0", "1e-400", "3600001"])
def test_a_bound_that_is_open_is_not_reached(text: str) -> None:
    with pytest.raises(InputError, match="above 0"):
        SLO.parse(text)


@given(st.text())
def test_any_text_is_a_value_in_range_or_a_sentence(text: str) -> None:
    for spec in (PROMPT, BANDWIDTH, BYTES, SLO):
        try:
            value = spec.parse(text)
        except InputError:
            continue
        assert value is None or spec.low <= value <= spec.high


@given(st.integers(1, 10_000_000))
def test_what_a_box_shows_it_takes_back(tokens: int) -> None:
    assert PROMPT.parse(f"{tokens:,}") == tokens


def test_steps_are_round_and_run_over_decades() -> None:
    found = steps(0.1, 3_200, whole=False)
    assert found[:4] == (0.1, 0.125, 0.15, 0.2)
    assert (found[0], found[-1]) == (0.1, 3000)
    assert 50 in found
    assert all(math.isclose(b / a, 1.3, rel_tol=0.2) for a, b in pairwise(found))


def test_steps_of_counts_are_whole_and_rise() -> None:
    found = steps(16, 1_000_000, whole=True)
    assert all(isinstance(step, int) for step in found)
    assert list(found) == sorted(set(found))
    assert steps(1, 10, whole=True) == (1, 2, 3, 4, 5, 6, 8, 10)
