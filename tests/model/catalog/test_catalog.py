"""The catalogue: every record valid and with its source, nominal and measured apart."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from pydantic import ValidationError

from aisim_model.catalog import gpu, gpus, link, links
from aisim_model.catalog.hardware import Gpu, Link
from aisim_model.catalog.records import DATA, Table
from aisim_model.errors import InputError

SCOPE_OF = {"per NIC": "nic", "per GPU": "gpu", "per node": "node"}


def number(cell: str) -> float | None:
    return float(cell) if cell else None


def test_a_400g_nic_is_50_gb_s_a_nic() -> None:
    # 400 Gb/s / 8 bits = 50 GB/s
    for name in ("ib-ndr-400", "roce-400"):
        assert (link(name).nominal_gb_s, link(name).scope) == (50.0, "nic")


def test_nominal_is_never_shown_as_measured() -> None:
    measured = link("roce-100")
    assert (measured.nominal_gb_s, measured.usable_low_gb_s, measured.usable_high_gb_s) == (12.5, 10, 12)
    assert (link("nvlink5").usable_low_gb_s, link("nvlink5").usable_is) == (None, "not found")
    assert link("eth-100").usable_is == "expected"


def test_nvlink_stays_within_a_pod() -> None:
    assert not any(row.multi_pod for row in links() if row.family == "NVLink")
    assert all(row.multi_pod for row in links() if row.family in ("InfiniBand", "RoCE", "EFA", "Ethernet"))


def test_dense_rates_double_from_bf16_to_fp8() -> None:
    # A sparse figure slipped in would make it four times (L40S: 1,466 instead of 733).
    for row in gpus():
        if row.fp8_dense_tflops is not None:
            assert row.fp8_dense_tflops / row.bf16_dense_tflops == pytest.approx(2, rel=0.03), row.id


@pytest.mark.shared
def test_every_link_of_the_facts_is_carried_over(shared_dir: Path) -> None:
    with (shared_dir / "facts" / "links.csv").open(newline="") as lines:
        facts = list(csv.DictReader(lines))
    assert [row.id for row in links()] == [fact["id"] for fact in facts]
    for row, fact in zip(links(), facts, strict=True):
        assert (row.name, row.family, row.source) == (fact["name"], fact["family"], fact["source"])
        assert row.scope == SCOPE_OF[fact["scope"].split(",")[0]]
        assert row.nominal_gb_s == float(fact["nominal_gb_s"])
        assert row.usable_low_gb_s == number(fact["usable_low_gb_s"])
        assert row.usable_high_gb_s == number(fact["usable_high_gb_s"])
        assert row.multi_pod == (fact["multi_pod"] == "yes")


@pytest.mark.shared
def test_every_gpu_of_the_facts_is_carried_over(shared_dir: Path) -> None:
    with (shared_dir / "facts" / "gpus.csv").open(newline="") as lines:
        facts = list(csv.DictReader(lines))
    figures = [name for name in facts[0] if name not in ("id", "name", "source", "note")]
    ours = {row.id: row for row in gpus()}
    assert ours.keys() >= {fact["id"] for fact in facts}
    for row, fact in ((ours[fact["id"]], fact) for fact in facts):
        assert (row.name, row.source) == (fact["name"], fact["source"])
        assert [getattr(row, name) for name in figures] == [number(fact[name]) for name in figures]


def test_an_unknown_id_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"link = 'ib-ndr-40'.*nearest are ib-ndr-400"):
        link("ib-ndr-40")


@pytest.mark.parametrize("wanted", ["zzzz", "", "x" * 10_000, "<script>alert(1)</script>"])
def test_an_id_near_nothing_is_refused_with_all(wanted: str) -> None:
    with pytest.raises(InputError, match="it holds a100-80, h100-sxm") as refused:
        gpu(wanted)
    assert len(str(refused.value)) < 500


def test_an_id_is_found_in_any_case() -> None:
    assert gpu(" H200 ").id == "h200"


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    lines = (DATA / "gpus.csv").read_text().splitlines()
    twice = next(line for line in lines if line.startswith("h200,"))
    (tmp_path / "gpus.csv").write_text("\n".join([*lines, twice]))
    with pytest.raises(ValueError, match="more than one record of id h200"):
        Table(Gpu, str(tmp_path / "gpus.csv")).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"usable_low_gb_s": 60, "usable_is": "measured"},  # more than nominal
        {"usable_low_gb_s": 40, "usable_high_gb_s": 30, "usable_is": "measured"},  # upside down
        {"usable_low_gb_s": 40},  # does not say where it comes from
        {"usable_is": "measured"},  # says measured, and what is missing
        {"usable_high_gb_s": 40, "usable_is": "not found"},
        {"scope": "rack"},
        {"nominal_gb_s": 0},
        {"nominal_gb_s": "NaN"},
        {"source": ""},
        {"colour": "blue"},
    ],
)
def test_a_wrong_record_is_refused_on_load(wrong: dict[str, object]) -> None:
    right = link("ib-ndr-400").model_dump()
    assert Link.model_validate(right) == link("ib-ndr-400")
    with pytest.raises(ValidationError):
        Link.model_validate({**right, **wrong})
