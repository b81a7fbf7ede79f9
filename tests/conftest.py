"""Fixtures that every test may use."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.handoff import TransferTimingMode
from aisim_model.row.resolved import resolve
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.engines import ENGINES
from aisim_model.scenario.explore import AXIS_FIELDS, Ends, Explore, Ranges

# how long an example takes says nothing on a machine that runs other tests beside it
PATIENT: Any = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("project", derandomize=True, **PATIENT)
settings.register_profile("search", **PATIENT)
settings.register_profile("fuzz", max_examples=3000, **PATIENT)  # `make fuzz`
settings.load_profile("project")

SHARED = Path(__file__).resolve().parents[2] / "shared"
TIMES = st.floats(0, 1000)
OPTIONAL: Any = st.none()
# the model's own tests have to cover its branches; counting in others makes them half as slow again
UNCOUNTED = ("tests/pages", "tests/ui", "tests/cli", "tests/reference", "tests/test_one_number.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(config.rootpath).as_posix().startswith(UNCOUNTED):
            item.add_marker(pytest.mark.no_cover)


@pytest.fixture(autouse=True)
def _own_main() -> Iterator[None]:
    """Undo what a page does to `__main__`: worker processes of a later test would run that page as theirs."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Return the folder of facts and acceptance tables that lies beside the project."""
    if not SHARED.is_dir():
        # a clone elsewhere has no such folder: fixtures of our own test the same code there
        pytest.skip("the folder of facts beside the project is not here")
    return SHARED


@st.composite
def _workloads(draw: st.DrawFn) -> Workload:
    prompt = draw(st.integers(1, 200_000))
    return Workload(
        model_id=draw(st.sampled_from([model.id for model in catalog.models()])),
        kv_bytes_per_token=draw(OPTIONAL | st.integers(0, 10_000_000)),
        prompt_tokens=prompt,
        output_tokens=draw(st.integers(1, 10_000)),
        prefill_cached_tokens=draw(st.integers(0, prompt)),
        decode_cached_tokens=draw(st.integers(0, prompt)),
        ttft_slo_ms=draw(st.floats(1, 100_000)),
        itl_slo_ms=draw(st.floats(1, 1000)),
        arrivals_per_s=draw(st.floats(0, 100)),
        requests_in_flight=draw(st.sampled_from([0, 0, 0, 1, 7, 300, 5000])),
        least_length_share=draw(st.sampled_from([1.0, 1.0, 1.0, 0.8, 0.5])),
    )


def _deployments() -> st.SearchStrategy[Deployment]:
    ranks = st.sampled_from([1, 2, 4, 8, 16])
    return st.builds(
        Deployment,
        id=st.from_regex(r"[a-z0-9][a-z0-9-]{0,23}", fullmatch=True),
        name=st.text(min_size=1, max_size=60),
        color=st.integers(0, 39),
        kind=st.sampled_from(["split", "split", "aggregated"]),
        gpu=st.sampled_from([gpu.id for gpu in catalog.gpus()]),
        prefill_tp=ranks,
        prefill_workers=st.integers(1, 64),
        decode_tp=ranks,
        decode_workers=st.integers(1, 64),
        kv_dtype=st.sampled_from(["bf16", "fp8", "nvfp4"]),
        link=st.sampled_from([link.id for link in catalog.links()]),
        nics_per_gpu=st.sampled_from([0.25, 0.5, 1.0, 2.0]),
        engine=st.sampled_from(list(ENGINES)),
        timing_mode=st.sampled_from(TransferTimingMode),
        link_model=st.sampled_from(["reference", "calibrated"]),
        prefill_model=st.sampled_from(["roofline", "rate", "fixed", "polynomial", "table"]),
        decode_model=st.sampled_from(["roofline", "fixed", "polynomial"]),
        bandwidth_gb_s=OPTIONAL | st.floats(-10, 0) | st.floats(1e-6, 1000),
        kv_bytes_per_token=OPTIONAL | st.integers(0, 10_000_000),
        window_layers=st.sampled_from(["window", "full"]),
        mla_copies=st.sampled_from(["per_rank", "once"]),
        block_size=OPTIONAL | st.integers(1, 1024),
        prefix_credit=OPTIONAL | st.sampled_from(["blocks", "tokens", "none"]),
        overlap=OPTIONAL | st.sampled_from(["none", "layer", "chunk"]),
        first_token_from=OPTIONAL | st.sampled_from(["decode_step", "shipped", "prefill"]),
        chunk_tokens=st.integers(1, 20_000),
        orchestration_ms=TIMES,
        alpha_ms=TIMES,
        per_descriptor_us=st.floats(0, 10),
        link_efficiency=st.floats(0.01, 1),
        prefill_tokens_per_s=st.floats(1, 1e6),
        prefill_pass_ms=TIMES,
        prefill_table=st.just(((128.0, 20.0), (8192.0, 170.0))),
        decode_step_ms=TIMES,
        pool_tokens=OPTIONAL | st.integers(1, 10**12),
        max_sequences=OPTIONAL | st.integers(1, 10_000),
    )


@st.composite
def _explored(draw: st.DrawFn) -> Explore:
    fields = draw(st.lists(st.sampled_from(AXIS_FIELDS), min_size=1, max_size=2, unique=True))
    low, factor = draw(st.floats(1e-3, 1e3)), draw(st.floats(1.5, 1e3))
    ends = Ends(low, low * factor, draw(st.sampled_from(["lin", "log"])))
    return Explore(
        x=fields[0],
        y=fields[1] if len(fields) == 2 else None,
        quantity=draw(st.sampled_from(["ttft_ms", "handoff_ms", "handoff_share"])),
        count=draw(st.integers(2, 1000)),
        share=draw(st.floats(0.001, 0.999)),
        aggregated=draw(st.booleans()),
        ranges=Ranges().changed(**{fields[0]: ends}),
    )


@pytest.fixture(scope="session")
def any_scenario() -> st.SearchStrategy[Scenario]:
    """Return a strategy of valid scenarios: any workload, one to four rows of any choices."""

    def assembled(
        workload: Workload, rows: list[Deployment], selected: int, baseline: int, explore: Explore
    ) -> Scenario:
        ids = [row.id for row in rows]
        return Scenario(
            workload=workload,
            deployments=tuple(rows),
            selected_id=ids[selected % len(ids)],
            baseline_id=ids[baseline % len(ids)],
            explore=explore,
        )

    rows = st.lists(_deployments(), min_size=1, max_size=4, unique_by=lambda row: row.id)
    return st.builds(assembled, _workloads(), rows, st.integers(0, 3), st.integers(0, 3), _explored())


@pytest.fixture(scope="session")
def any_asked() -> st.SearchStrategy[tuple[Workload, Deployment]]:
    """Return a strategy of a workload and a row that the model can time."""

    def timed(asked: tuple[Workload, Deployment]) -> bool:
        try:
            resolve(*asked)
        except InputError:
            return False
        return True

    return st.tuples(_workloads(), _deployments()).filter(timed)
