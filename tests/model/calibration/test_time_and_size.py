"""Any file of measurements in bounds is read in two seconds, or refused in a sentence."""

from __future__ import annotations

import time

import pytest

from aisim_model.calibration import read_measurements
from aisim_model.errors import InputError

LOG = "KV Transfer metrics: Num successful transfers=4, Avg xfer time (ms)="
REFUSED = {
    "comments": ("# \n" * 1_000_001, "lines = '1,000,001'"),
    "size": ("bytes,ms\n" + "1" * 2**25, "size = "),
    "columns": (",".join(["c"] * 2_000) + "\n", "columns = 2000"),
    "words over many cells": (" ".join(["w"] * 2_000) + "\n" + " ".join(["1"] * 20_000), "columns = 2000"),
    "escapes after a number": (LOG + "1" + "\x1b[" * 500_000 + "x", "is not a number"),
    "a wrapped line without an end": (LOG + "x\n" + "MB per transfer\n" * 500_000, "is not a number"),
    "metric lines": ((LOG + "1.5, Avg MB per transfer=1\n") * 100_001, "more than 100,000"),
    "comments before a row": ("#\n" * 400_000 + "1 2\n", "no column of a size"),
    "rows": ("bytes,ms\n" + "1000,2\n" * 150_000, "more than 100,000"),
}


@pytest.mark.no_cover
@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_takes_no_time(case: str) -> None:
    text, problem = REFUSED[case]
    started = time.process_time()
    with pytest.raises(InputError, match=problem):
        read_measurements(text, tensor_parallel=2)
    # 2 s on a quiet machine; what was mended took 12 to 60
    assert time.process_time() - started < 6.0
