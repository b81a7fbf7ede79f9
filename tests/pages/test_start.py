"""What a server has loaded when its first page is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED_LATE = """
import sys
from streamlit.testing.v1 import AppTest

first = AppTest.from_file("app.py", default_timeout=60).run()
assert len(first.dataframe) == 1 and not first.exception
print(*{"numba", "scipy"} & set(sys.modules))
"""


def test_the_first_page_waits_for_nothing_slow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED_LATE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "\n", done.stderr
