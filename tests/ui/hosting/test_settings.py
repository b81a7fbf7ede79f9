"""Settings of the server: read from the environment, and refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from aisim_model.errors import InputError
from aisim_ui.hosting.settings import Settings


def test_what_is_given_goes_before_the_environment_and_that_before_the_default() -> None:
    found = Settings.from_environment({"HOST": "0.0.0.0", "PORT": "80"}, host=None, port="8080")
    assert (found.host, found.port, found.most_sessions) == ("0.0.0.0", 8080, 100)


def test_lists_are_parted_by_commas() -> None:
    found = Settings.from_environment({"AISIM_ALLOWED_HOSTS": " a.example, *.b.example ,"})
    assert found.allowed_hosts == ("a.example", "*.b.example")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("PORT", "abc", "must be a whole number"),
        ("PORT", "", "must be a whole number"),
        ("PORT", "0", "must be at least 1"),
        ("PORT", "65536", "must be at most 65,535"),
        ("PORT", "-1", "must be at least 1"),
        ("PORT", "8501.5", "must be a whole number"),
        ("PORT", "9" * 5000, "must be"),
        ("HOST", "", "must have at least 1 character"),
        ("AISIM_MOST_SESSIONS", "0", "must be at least 1"),
        ("AISIM_MESSAGES_PER_S", "nan", "must be"),
        ("AISIM_BASE_PATH", "/a b", "should match"),
        ("AISIM_LOG_REQUESTS", "perhaps", "must be true or false"),
        ("AISIM_MOST_SESIONS", "5", "is no setting of the server"),
        ("STREAMLIT_SERVER_PORT", "80", "is not read"),
    ],
)
def test_what_is_wrong_is_said_by_its_name(name: str, value: str, says: str) -> None:
    with pytest.raises(InputError, match=f"^{name} = ") as refused:
        Settings.from_environment({name: value, "PATH": "/bin"})
    assert says in refused.value.problem
    assert refused.value.remedy


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost:8501", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("192.0.2.7:80", True),  # an address in figures can't be made to point elsewhere by its owner
        ("[::1]:8501", True),
        ("planner.example.com", True),
        ("a.lab.example", True),
        ("lab.example", False),
        ("evil.example", False),
        ("planner.example.com.evil.example", False),
        ("localhost:x", False),
        ("", False),
        ("user@localhost", False),
        ("[::1", False),
    ],
)
def test_only_names_of_its_own_are_allowed(host: str, allowed: bool) -> None:
    settings = Settings.from_environment({"AISIM_ALLOWED_HOSTS": "planner.example.com,*.lab.example"})
    assert settings.allows_host(host) is allowed


def test_every_name_where_that_is_asked_for() -> None:
    assert Settings.from_environment({"AISIM_ALLOWED_HOSTS": "*"}).allows_host("evil.example")


def test_the_page_on_hosting_lists_each_with_its_default() -> None:
    page = (Path(__file__).parents[3] / "docs" / "hosting.md").read_text(encoding="utf-8")
    for field in Settings.model_fields.values():
        default = ",".join(field.default) if isinstance(field.default, tuple) else str(field.default)
        shown = f"`{default}`" if default else "none"
        assert f"| `{field.alias}` | {shown} | {field.description} |" in page
