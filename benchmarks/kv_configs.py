"""`aisim kv` on many configs against parsing them with `json` and importing the package: at most 3 times it.

Both run in fresh processes and take turns, so that a busy machine slows both.
Run: python benchmarks/kv_configs.py [CONFIG...]
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

CONFIGS, ROUNDS, LIMIT = 100, 7, 3.0
ROOT = Path(__file__).resolve().parents[1]
OWN = ROOT / "tests" / "model" / "models" / "kv_cache" / "data" / "configs.json"
FLOOR = "import json, sys, aisim_model\nfor name in sys.argv[1:]:\n    json.load(open(name, 'rb'))"


def taken_s(command: list[str]) -> float:
    """Return the time that a command takes in a fresh process [s]."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=ROOT)
    return time.perf_counter() - start


def main() -> None:
    given = [str(Path(name).resolve()) for name in sys.argv[1:]]
    with TemporaryDirectory() as folder:
        if not given:
            for index, row in enumerate(json.loads(OWN.read_text(encoding="utf-8"))):
                file = Path(folder) / f"{index}.json"
                file.write_text(json.dumps(row["config"]), encoding="utf-8")
                given.append(str(file))
        files = (given * CONFIGS)[:CONFIGS]
        floor = [sys.executable, "-c", FLOOR, *files]
        ours = [sys.executable, "-m", "aisim_ui.cli.main", "kv", *files, "--json"]
        pairs = [(taken_s(floor), taken_s(ours)) for _ in range(ROUNDS)]
    floor_s, ours_s = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(one / other for other, one in pairs)
    print(
        f"{len(files)} configs: json and import {floor_s:.3f} s, aisim kv {ours_s:.3f} s, ratio {ratio:.2f}"
    )
    if ratio > LIMIT:
        sys.exit(f"more than {LIMIT:g} times")


if __name__ == "__main__":
    main()
