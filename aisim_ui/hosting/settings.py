"""How the app is served: every setting, its default and its bounds, read from the environment.

Each field is one variable, named in its alias; docs/hosting.md lists them from here.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from aisim_model.errors import InputError, problem_of

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def _listed(value: object) -> object:
    return (
        tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value
    )


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class Settings(BaseModel):
    """What whoever hosts the app may set; the rest is as `.streamlit/config.toml` has it.

    Examples
    --------
    >>> Settings.from_environment({"PORT": "8080"}).port
    8080
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(
        "127.0.0.1",
        alias="HOST",
        min_length=1,
        description="Address to listen on; 0.0.0.0 is every one of this machine.",
    )
    port: int = Field(8501, alias="PORT", ge=1, le=65_535, description="Port to listen on.")
    allowed_hosts: Names = Field(
        (),
        alias="AISIM_ALLOWED_HOSTS",
        description="Names under which visitors reach the app, such as planner.example.com or *.example.com; "
        "* is any. This machine's name and addresses written in figures are always allowed.",
    )
    allowed_origins: Names = Field(
        (),
        alias="AISIM_ALLOWED_ORIGINS",
        description="Origins of other sites whose pages may connect, such as https://intranet.example.com.",
    )
    frame_ancestors: Names = Field(
        (), alias="AISIM_FRAME_ANCESTORS", description="Origins of other sites that may embed the app."
    )
    base_path: str = Field(
        "",
        alias="AISIM_BASE_PATH",
        pattern=r"^(/?[A-Za-z0-9._~-]+)*/?$",
        description="Path beneath which the app lies, where a proxy leaves it in; such as /planner.",
    )
    trusted_proxies: Names = Field(
        LOOPBACK[1:],
        alias="AISIM_TRUSTED_PROXIES",
        description="Addresses of proxies whose word on a visitor's address is taken.",
    )
    processes: Annotated[int, Field(ge=0, le=256)] = Field(
        1,
        alias="AISIM_PROCESSES",
        description="Server processes behind this address, each on a core; 0 is one for each core, as "
        "`make serve` has it.",
    )
    most_sessions: Count = Field(
        100, alias="AISIM_MOST_SESSIONS", description="Visitors at a time; the next sees a page that says so."
    )
    connections_per_address: Count = Field(
        100, alias="AISIM_CONNECTIONS_PER_ADDRESS", description="Sessions from one address at a time."
    )
    requests_per_s: Annotated[float, Field(gt=0, le=1e6)] = Field(
        200.0,
        alias="AISIM_REQUESTS_PER_S",
        description="Requests a second from one address, five seconds' worth at once; more is refused.",
    )
    messages_per_s: Annotated[float, Field(gt=0, le=1e6)] = Field(
        20.0,
        alias="AISIM_MESSAGES_PER_S",
        description="Messages a second of one session, five seconds' worth at once; more wait their turn.",
    )
    upload_mb: Count = Field(100, alias="AISIM_UPLOAD_MB", description="Largest file that may be sent [MB].")
    message_mb: Count = Field(8, alias="AISIM_MESSAGE_MB", description="Largest message of a session [MB].")
    jobs_at_once: Annotated[int, Field(ge=1, le=1000)] = Field(
        1, alias="AISIM_JOBS_AT_ONCE", description="Replays that a server process has at work at a time."
    )
    job_s: Annotated[float, Field(ge=1, le=86_400)] = Field(
        600.0, alias="AISIM_JOB_S", description="Longest time of one replay; then it is ended [s]."
    )
    job_mb: Annotated[int, Field(ge=256, le=1_000_000)] = Field(
        3_000, alias="AISIM_JOB_MB", description="Most memory of a process that replays [MB]."
    )
    stop_s: Annotated[float, Field(ge=0, le=3600)] = Field(
        10.0,
        alias="AISIM_STOP_S",
        description="What is under way has so long to end when the server stops [s].",
    )
    log_requests: bool = Field(
        True,
        alias="AISIM_LOG_REQUESTS",
        description="One line of JSON a request on standard output, without anything that a visitor entered.",
    )
    metrics_from: Names = Field(
        LOOPBACK[1:], alias="AISIM_METRICS_FROM", description="Addresses that may read /metrics."
    )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], **given: str | None) -> Settings:
        """Read the settings; what is `given` under a field's name goes before its variable.

        Raises
        ------
        InputError
            For a variable that is no setting, or whose value is none; it is named with what is allowed.
        """
        aliases = {name: str(field.alias) for name, field in cls.model_fields.items()}
        _refuse_unknown(environment, aliases.values())
        values = {alias: environment[alias] for alias in aliases.values() if alias in environment}
        values |= {aliases[name]: value for name, value in given.items() if value is not None}
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            name = str(first["loc"][0])
            raise InputError(name, values[name], problem_of(first), _remedy(name)) from None

    @property
    def path(self) -> str:
        """The base path without strokes at its ends."""
        return self.base_path.strip("/")

    def allows_host(self, host: str) -> bool:
        """Return whether a request may name this host.

        Examples
        --------
        >>> Settings().allows_host("localhost:8501"), Settings().allows_host("evil.example")
        (True, False)
        """
        name = _name_of(host)
        if name is None:
            return False
        own = {*LOOPBACK, socket.gethostname().lower(), self.host.lower()}
        if name in own or _is_address(name):
            return True
        for pattern in (pattern.lower().rstrip(".") for pattern in self.allowed_hosts):
            if pattern in ("*", name) or (pattern.startswith("*.") and name.endswith(pattern[1:])):
                return True
        return False


def _refuse_unknown(environment: Mapping[str, str], known: Iterable[str]) -> None:
    known = sorted(known)
    for name in sorted(environment):
        if name.startswith("AISIM_") and name not in known:
            ours = ", ".join(each for each in known if each.startswith("AISIM_"))
            raise InputError(name, environment[name], "is no setting of the server", f"Those are {ours}.")
        if name.startswith("STREAMLIT_"):
            problem = "is not read: the app's server has settings of its own"
            raise InputError(
                name, environment[name], problem, f"Unset it, and set one of {', '.join(known)}."
            )


def _remedy(alias: str) -> str:
    field = next(field for field in Settings.model_fields.values() if field.alias == alias)
    default = ",".join(field.default) if isinstance(field.default, tuple) else field.default
    return f"Unset it for {default!r}, or correct it: {field.description}"


def _name_of(host: str) -> str | None:
    """Return the name in a Host header, None where it is none."""
    name, port = host, ""
    if host.startswith("["):
        name, bracket, port = host[1:].partition("]")
        if not bracket or (port and not port.startswith(":")):
            return None
        port = port[1:]
    elif ":" in host:
        name, _, port = host.rpartition(":")
    if port and not (port.isascii() and port.isdecimal()):
        return None
    name = name.lower().rstrip(".")
    legal = name and all(letter.isalnum() or letter in ".-_:" for letter in name)
    return name if legal else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
