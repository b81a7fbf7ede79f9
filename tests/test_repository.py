"""Rules of the project that no linter checks: short files, whole locks, safe settings, links that lead on."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("aisim_model", "aisim_ui", "aisim_cli", "pages", "tests")
LONGEST_FILE = 330
PIN = re.compile(r"^([a-z0-9.-]+)==(\S+)((?: ;.*)?)(?: \\)?$")


def python_files() -> list[Path]:
    return [ROOT / "app.py", *(file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py")))]


@cache
def pins(lock: str) -> dict[tuple[str, str], str]:
    """Return the version by name and marker."""
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    found = [match for line in lines if (match := PIN.match(line.rstrip(" \\")))]
    return {(match[1], match[3]): match[2] for match in found}


def test_files_stay_short() -> None:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in python_files()}
    too_long = {
        str(file.relative_to(ROOT)): length for file, length in lengths.items() if length > LONGEST_FILE
    }
    assert not too_long


@pytest.mark.parametrize("lock", ["locks/run.lock", "locks/test.lock", "tests/reference/reference.lock"])
def test_every_pin_has_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    pinned = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert pinned
    assert all("--hash=sha256:" in one for one in pinned)
    assert "://" not in text
    assert "index" not in re.sub(r"--hash=\S+", "", text)


def test_tests_run_on_what_is_served() -> None:
    assert pins("locks/run.lock").items() <= pins("locks/test.lock").items()


@pytest.mark.parametrize(
    ("lock", "extras"), [("locks/run.lock", ["app", "build"]), ("locks/test.lock", ["app", "build", "test"])]
)
def test_the_lock_holds_every_requirement(lock: str, extras: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = project["dependencies"] + [
        one for extra in extras for one in project["optional-dependencies"][extra]
    ]
    names = {re.split(r"[<>=!~ ;\[]", one)[0].lower() for one in wanted}
    assert names <= {name for name, _ in pins(lock)}


def test_settings_are_safe() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] == 100
    assert settings["server"]["enableXsrfProtection"] is True
    assert settings["server"]["enableCORS"] is True
    assert settings["client"]["showErrorDetails"] == "none"
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["runner"]["magicEnabled"] is False
    assert {"light", "dark"} <= set(settings["theme"])


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name} -> {target}"
