"""The one time of a pass: prompts of many passes, floats and arrays, formulas beside each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.models.kv_cache import KvCurve, KvWindow
from aisim_model.passes import PassTime, fixed, polynomial, rate, table
from aisim_model.passes.pass_time import pass_time
from aisim_model.passes.registry import DECODE_MODELS, MODELS, PREFILL_MODELS
from aisim_model.passes.work import prompt_work
from tests.model.passes.test_simple_roofline import DENSE, SPARSE

# gpt-oss-20b, with windows of 3,000 tokens: passes of fewer don't fill them
WINDOWED = replace(
    DENSE,
    shape=catalog.model("gpt-oss-20b").spec().shape,
    kv=KvCurve(
        growing_bytes_per_token=20_000, windowed=(KvWindow(bytes_per_token=20_000, window_tokens=3000),)
    ),
    decode_step_ms=7.0,
)
TIMES = (
    PassTime(fixed(100.0), fixed(5.0)),
    PassTime(rate(20_000), fixed(5.0)),
    PassTime(polynomial(1e6), polynomial(1e6)),
    PassTime(table(((64.0, 10.0), (4096.0, 100.0), (9000.0, 300.0))), fixed(5.0)),
    pass_time(DENSE, "simple_roofline", "simple_roofline"),
    pass_time(SPARSE, "simple_roofline", "simple_roofline"),
    pass_time(SPARSE, "simple_roofline", "polynomial"),
    pass_time(SPARSE, "roofline", "roofline"),
    pass_time(WINDOWED, "roofline", "roofline"),
    pass_time(WINDOWED, "roofline", "fixed"),
)


def test_rate_and_fixed() -> None:
    assert PassTime(rate(24_000), fixed(1.0)).prompt_ms(12_000.0, 0.0, 8192.0) == 500.0
    tokens = (0.0, 1.0, 8192.0, 8193.0)
    found = [PassTime(fixed(100.0), fixed(1.0)).prompt_ms(one, 0.0, 8192.0) for one in tokens]
    assert found == [0.0, 100.0, 100.0, 200.0]
    with pytest.raises(InputError, match="above 0"):
        rate(0.0)


@pytest.mark.parametrize("times", TIMES)
@given(
    tokens=st.integers(1, 300_000),
    cached=st.integers(0, 100_000),
    budget=st.integers(64, 20_000),
    sequences=st.sampled_from([0, 1, 37]),
)
def test_a_prompt_takes_the_sum_of_its_passes(
    times: PassTime, tokens: int, cached: int, budget: int, sequences: int
) -> None:
    cached = min(cached, tokens)
    spent, done = 0.0, 0
    while cached + done < tokens:
        new = min(budget, tokens - cached - done)
        before = float(cached + done)
        work = prompt_work(float(new), before, float(done), float(sequences), sequences * 3000.0)
        spent += float(times.work_ms(work))
        done += new
    whole = times.prompt_ms(float(tokens), float(cached), float(budget), float(sequences), 3000.0)
    assert whole == pytest.approx(spent, rel=1e-9)


@pytest.mark.parametrize("times", TIMES)
def test_one_formula_serves_floats_and_arrays(times: PassTime) -> None:
    tokens = np.array([0.0, 1.0, 128.0, 8192.0, 8193.0, 100_000.0])
    for ask in (
        lambda t: times.prompt_ms(t, 0.0, 8192.0),
        lambda t: times.step_ms(1.0 + t, 500.0),
        lambda t: times.pass_ms(t, 10.0, 3.0, 700.0),
    ):
        one_by_one = [ask(one) for one in tokens.tolist()]
        assert np.asarray(ask(tokens)).tolist() == pytest.approx(one_by_one, rel=1e-13)
        assert all(type(value) is float for value in one_by_one)


def test_every_model_times_what_it_says() -> None:
    assert {"roofline", "rate", "fixed", "polynomial", "table"} <= set(PREFILL_MODELS)
    assert {"roofline", "fixed", "polynomial"} <= set(DECODE_MODELS)
    assert set(MODELS) == {*PREFILL_MODELS, *DECODE_MODELS}
