"""Numbers and units of measurements as people write them: read right, or asked about."""

from __future__ import annotations

import pytest

from aisim_model.calibration import read_measurements
from aisim_model.errors import InputError

READ = {
    "points part thousands beside a decimal comma": ("bytes;ms\n1.000;2,5\n2.000;3,5\n", 1_000, 2.5),
    "more points than one": ("bytes\tms\n1.048.576\t2.5\n2.097.152\t3.5\n", 1_048_576, 2.5),
    "a count has no decimals": ("bytes;ms\n65,536;2.5\n131,072;3.5\n", 65_536, 2.5),
    "decimals of a whole number": ("bytes;ms\n512.000;2.500\n1024.000;3.500\n", 512, 2.5),
    "nanoseconds": ("bytes,time_ns\n1000,2000000\n2000,3000000\n", 1_000, 2.0),
    "a moment is no time": ("timestamp_s,bytes,ms\n1700000000,1000,2\n1700000001,2000,3\n", 1_000, 2.0),
    "a unit behind a bar": ("size/KB,time/ms\n1,2\n2,3\n", 1_000, 2.0),
}
ASKED = {
    "bits or bytes": ("size (Mb),time (ms)\n8,2\n16,3\n", "bits or bytes"),
    "tokens a second": ("bytes,tokens/s\n100,2\n200,3\n", "no column of a time"),
    "a time a token": ("bytes,ms/token\n100,2\n200,3\n", "no column of a time"),
    "tokens a second in snake case": ("bytes,tokens_s\n100,2\n200,3\n", "no column of a time"),
    "a total": ("bytes,total_ms,iterations\n1000,200,100\n2000,300,100\n", "all iterations"),
    "two times": ("bytes,p50_ms,p99_ms\n1000,2,5\n2000,3,7\n", "more than one column"),
}


@pytest.mark.parametrize("case", READ)
def test_read(case: str) -> None:
    text, size, milliseconds = READ[case]
    found = read_measurements(text)
    assert (found.bytes_sent[0], found.milliseconds[0]) == (size, milliseconds)


@pytest.mark.parametrize("case", ASKED)
def test_asked(case: str) -> None:
    text, problem = ASKED[case]
    with pytest.raises(InputError, match=problem):
        read_measurements(text)
