"""`aisim delay`: right answers, and a sentence with status 2 for every input that is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Aisim = Callable[[str], Any]
LLAMA = "delay --prompt-tokens 8192 --kv-bytes-per-token 327680 --bandwidth-gb-s 50"
SMALL = "delay --prompt-tokens 100 --kv-bytes-per-token 1000 --bandwidth-gb-s 1"


def test_llama_70b_over_one_400g_nic(aisim: Aisim) -> None:
    # 8,192 x 327,680 B = 2,684,354,560 B; / 50e9 B/s = 53.687 ms
    ran = aisim(f"{LLAMA} --json")
    assert (ran.status, ran.err) == (0, "")
    assert ran.json["bytes"] == 2_684_354_560
    assert ran.json["delay_ms"] == pytest.approx(53.6870912, rel=1e-15)
    assert "reason" not in ran.json


def test_only_what_decode_lacks_is_sent(aisim: Aisim) -> None:
    # 8,192 - 6,144 = 2,048 tokens: a quarter of 53.687 ms
    ran = aisim(f"{LLAMA} --mode destination_missing --destination-missing-tokens 2048 --json")
    assert ran.json["delay_ms"] == pytest.approx(13.4217728, rel=1e-15)
    assert ran.json["bytes"] == 671_088_640


def test_state_is_sent_once_whatever_the_prompt(aisim: Aisim) -> None:
    # (20 x 1,000 + 50,000) B / 1e9 B/s = 0.07 ms
    line = f"{SMALL} --state-bytes 50000 --mode destination_missing --destination-missing-tokens 20 --json"
    assert aisim(line).json == {"delay_ms": pytest.approx(0.07, rel=1e-15), "bytes": 70_000}


def test_all_of_a_prompt_counts_in_mode_full_prompt(aisim: Aisim) -> None:
    assert aisim(f"{SMALL} --destination-missing-tokens 20 --json").json == {
        "delay_ms": 0.1,
        "bytes": 100_000,
    }


def test_a_line_for_a_person(aisim: Aisim) -> None:
    assert aisim(SMALL).out == "0.100000 ms for 100,000 bytes\n"


def test_a_delay_below_a_nanosecond_is_not_shown_as_none(aisim: Aisim) -> None:
    # 3 B / 1e12 B/s = 3e-9 ms
    line = "delay --prompt-tokens 3 --kv-bytes-per-token 1 --bandwidth-gb-s 1000"
    assert aisim(line).out == "3e-09 ms for 3 bytes\n"
    assert aisim(line.replace("tokens 3", "tokens 0")).out == "0.000000 ms for 0 bytes\n"


@pytest.mark.parametrize("bandwidth", ["0", "-5", "-0.0"])
def test_no_bandwidth_is_no_delay_with_its_reason(aisim: Aisim, bandwidth: str) -> None:
    line = f"delay --prompt-tokens 100 --kv-bytes-per-token 1000 --bandwidth-gb-s {bandwidth}"
    ran = aisim(f"{line} --json")
    assert (ran.status, ran.json["delay_ms"], ran.json["bytes"]) == (0, None, 100_000)
    assert "bandwidth_gb_s" in ran.json["reason"]
    assert aisim(line).out.startswith("no delay: bandwidth_gb_s is")
    assert "-0" not in aisim(line).out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--bandwidth-gb-s nan", "bandwidth_gb_s = nan: must be a finite number"),
        ("--bandwidth-gb-s inf", "bandwidth_gb_s = inf: must be a finite number"),
        ("--bandwidth-gb-s 1e400", "bandwidth_gb_s = inf: must be a finite number"),
        ("--bandwidth-gb-s 5e-324", "bandwidth_gb_s = 5e-324: is too small"),
        ("--prompt-tokens -1", "prompt_tokens = -1: must be a whole number from 0"),
        ("--prompt-tokens 1.5", "prompt_tokens = '1.5': must be a whole number."),
        ("--bandwidth-gb-s fast", "bandwidth_gb_s = 'fast': must be a number."),
        ("--prompt-tokens 1e3", "prompt_tokens = '1e3'"),
        (f"--prompt-tokens {2**64}", "prompt_tokens = 18446744073709551616: must be a whole number from 0"),
        (f"--prompt-tokens {'9' * 5000}", "prompt_tokens = "),
        ("--kv-bytes-per-token -1", "kv_bytes_per_token = -1"),
        ("--kv-bytes-per-token=0.5", "kv_bytes_per_token = '0.5'"),
        ("--state-bytes -1", "state_bytes = -1"),
        ("--destination-missing-tokens -1", "destination_missing_tokens = -1"),
        ("--mode destination_missing --destination-missing-tokens 0.5", "destination_missing_tokens = '0.5'"),
        ("--mode destination_missing", "destination_missing_tokens = None: is needed in mode"),
        ("--mode half", "mode = 'half'"),
        ("--color red", "No such option: --color"),
        ("--state-bytes", "requires an argument"),
        ("more", "unexpected extra argument"),
    ],
)
@pytest.mark.parametrize("json", ["", "--json "])
def test_a_wrong_input_is_a_sentence_and_status_2(aisim: Aisim, options: str, says: str, json: str) -> None:
    ran = aisim(f"{SMALL} {json}{options}")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("aisim: ")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 500
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("left_out", ["--prompt-tokens", "--kv-bytes-per-token", "--bandwidth-gb-s"])
def test_what_is_missing_is_named(aisim: Aisim, left_out: str) -> None:
    words = SMALL.split()
    place = words.index(left_out)
    ran = aisim(" ".join(words[:place] + words[place + 2 :]))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"aisim: Missing option '{left_out}'. See aisim delay --help.\n"


def test_a_wrong_command_is_named(aisim: Aisim) -> None:
    ran = aisim("dealy")
    assert (ran.status, ran.out) == (2, "")
    assert "No such command 'dealy'" in ran.err


@pytest.mark.parametrize("line", ["", "-h", "--help", "delay --help"])
def test_help_is_no_error(aisim: Aisim, line: str) -> None:
    ran = aisim(line)
    assert (ran.status, ran.err) == (0, "")
    assert "Usage: aisim" in ran.out


def test_the_installed_command_ends_with_the_same_status() -> None:
    command = [sys.executable, "-m", "aisim_cli.main", *SMALL.split(), "--bandwidth-gb-s", "nan"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("aisim: bandwidth_gb_s = nan")
