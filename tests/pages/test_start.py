"""What a server has loaded when its first page is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED_LATE = """
import gc
import sys

import aisim_ui.serve

print(gc.isenabled())
loaded = set(sys.modules)
from streamlit.testing.v1 import AppTest

first = AppTest.from_file("app.py", default_timeout=60).run()
assert len(first.dataframe) == 1 and not first.exception
slow = {"numba", "pandas", "scipy"} & set(sys.modules)
print(*slow, *(name for name in sys.modules if name.startswith("aisim") and name not in loaded))
"""


def test_the_first_page_finds_all_it_needs_loaded_and_waits_for_nothing_slow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED_LATE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split("\n") == ["True", "", ""], done.stderr
