"""The wheel, installed elsewhere: the model, every command without what serves the app, and every page."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    **{package: package for package in ("aisim_model", "aisim_ui", "aisim_cli")},
    **{name: f"aisim_ui/app/{name}" for name in ("app.py", "pages", "docs/model.md", ".streamlit")},
}
PATIENCE_S = 60.0
FILES = {
    "config.json": json.dumps(
        {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    ),
    "scenario.yaml": "workload: {prompt_tokens: 8192}\n",
    "serve.sh": "vllm serve openai/gpt-oss-120b --tensor-parallel-size 2\n",
    "trace.jsonl": '{"timestamp": 0, "input_length": 1200, "output_length": 2, "hash_ids": [1, 2, 3]}\n' * 2,
    "measured.csv": "bytes,milliseconds\n1000000,1.1\n10000000,1.6\n100000000,5.2\n1000000000,41\n",
}
LINES = (
    "delay --prompt-tokens 8192 --kv-bytes-per-token 327680 --bandwidth-gb-s 50",
    "kv config.json",
    "import serve.sh",
    "catalog links",
    "catalog gpus",
    "catalog models",
    "ttft scenario.yaml --csv rows.csv",
    "recommend scenario.yaml --gpus 2 --lock weight_dtype=fp8 -o best.yaml",
    "solve scenario.yaml --for workers",
    "sweep scenario.yaml --vary prompt_tokens=128:131072:log:20 -o sweep.parquet",
    "calibrate measured.csv",
    "evidence",
    "replay trace.jsonl --scenario scenario.yaml --out requests.csv",
    "study scenario.yaml trace.jsonl --out results",
    "app",
)
COMMANDS = """
import sys
for name in ("plotly", "streamlit", "uvicorn"):
    sys.modules[name] = None  # as where it isn't installed
from aisim_cli.main import app, main

lines = sys.argv[1:]
assert {line.split()[0] for line in lines} == {command.name for command in app.registered_commands}
for line in lines:
    sys.argv = ["aisim", *line.split()]
    try:
        main()
    except SystemExit as left:
        assert (left.code or 0) == (2 if line == "app" else 0), line
"""
OPENED = """
from streamlit.testing.v1 import AppTest

from aisim_ui.navigation import HOME, PAGES

for entry in PAGES:
    app = AppTest.from_file(HOME / "app.py", default_timeout=60)
    app.switch_page(f"pages/{entry['page'].name}").run()
    assert not app.exception and app.sidebar.text_input, entry["title"]
assert any("equations, assumptions, what is left out" in one.value for one in app.markdown)
"""
NOTHING_OF_THE_CHECKOUT = """
import sys
files = [str(getattr(module, "__file__", None)) for module in list(sys.modules.values())]
assert [name for name in files if "aisim_model" in name and name.startswith({elsewhere!r})]
assert not [name for name in files if "aisim_" in name and not name.startswith({elsewhere!r})]
"""
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which the wheel is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def environment(elsewhere: Path) -> dict[str, str]:
    # compiling the replay anew would take longer than all else here
    return {**os.environ, "PYTHONPATH": str(elsewhere), "NUMBA_DISABLE_JIT": "1"}


@pytest.fixture
def run(elsewhere: Path, tmp_path: Path) -> Run:
    """Return a function that runs a script in another folder, on what is installed."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def started(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        code = script + NOTHING_OF_THE_CHECKOUT.format(elsewhere=str(elsewhere))
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(elsewhere), capture_output=True, text=True, check=False
        )

    return started


def test_every_file_is_in_it(elsewhere: Path) -> None:
    for name, place in PLACES.items():
        files = [ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*.*")
        there = [file for file in files if "__pycache__" not in file.parts]
        assert there
        for file in there:
            assert (elsewhere / place / file.relative_to(ROOT / name)).read_bytes() == file.read_bytes(), file


def test_every_command_works_without_what_serves_the_app(run: Run) -> None:
    done = run(COMMANDS, *LINES)
    assert done.returncode == 0, done.stderr
    assert (
        "the app needs plotly, streamlit, uvicorn. Install it with: pip install 'aisim[app]'" in done.stderr
    )


def test_every_page_opens_cold(run: Run) -> None:
    done = run(OPENED)
    assert done.returncode == 0, done.stderr


def test_aisim_app_serves_it_with_its_settings(elsewhere: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "aisim_cli.main", "app", "--port", port]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(elsewhere), stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == f"AISim handoff planner: http://localhost:{port}\n"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/method", timeout=PATIENCE_S) as page:
                assert page.headers["X-Frame-Options"] == "SAMEORIGIN"
        finally:
            server.terminate()
