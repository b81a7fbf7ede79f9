"""What every format is read into: workers with settings of one meaning, and a report of every flag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Role = Literal["prefill", "decode"]
Path = tuple[str | int, ...]

# subtrees that say how a pod is run: one entry each, whatever is in them
_HOUSEKEEPING = frozenset(
    [
        "metadata",
        "affinity",
        "tolerations",
        "nodeSelector",
        "volumes",
        "volumeMounts",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
        "securityContext",
        "containerSecurityContext",
        "ports",
        "labels",
        "annotations",
        "monitoring",
        "sharedMemory",
        "pvcs",
        "envFrom",
        "envFromSecret",
        "image",
        "imagePullPolicy",
        "workingDir",
        "apiVersion",
        "updateStrategy",
        "selector",
        "strategy",
        "resourceClaims",
        "claims",
        "serviceAccountName",
        "restartPolicy",
        "initContainers",
        "sbatch_directives",
    ]
)


class Flag(NamedTuple):
    """One thing that a deployment says, and what became of it; `used_as` None is left out, `why` says why."""

    flag: str
    value: Any
    used_as: str | None
    why: str


@dataclass
class Report:
    """Every flag in the order met, and the places of a document that are accounted for."""

    flags: list[Flag] = field(default_factory=list)
    done: set[Path] = field(default_factory=set)

    def say(self, flag: str, value: Any, used_as: str | None, why: str) -> None:
        """Add an entry."""
        self.flags.append(Flag(flag, value, used_as, why))

    def rest(self, value: Any, path: Path = ()) -> None:
        """List what no reader has accounted for, housekeeping in one entry a subtree."""
        for where, part, housekeeping in _leaves(value, path, self.done):
            kind = "irrelevant: how it is run, no timing" if housekeeping else "not modelled"
            self.say(".".join(map(str, where)), part, None, kind)


def _leaves(value: Any, path: Path, done: set[Path]) -> Iterator[tuple[Path, Any, bool]]:
    if path in done:
        return
    if path and path[-1] in _HOUSEKEEPING:
        yield path, _short(value), True
    elif isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _leaves(part, (*path, str(key)), done)
    elif isinstance(value, list) and value:
        for index, part in enumerate(value):
            yield from _leaves(part, (*path, index), done)
    else:
        yield path, _short(value), False


def _short(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= 200 else text[:199] + "…"


@dataclass
class Worker:
    """Workers of one kind: what one is, and how many.

    Parameters
    ----------
    engine : str
        vllm, sglang, trtllm or mocker.
    role : {"prefill", "decode"} or None
        None does both.
    count : int
        Workers [-].
    settings : dict
        By their one name: model, tp, pp, dp, ep, attention_dp, block_size, chunk_tokens, ...
    pods, pod_gpus : int or None
        Pods of one worker, and GPUs of one pod [-], where the manifest says.
    """

    engine: str
    role: Role | None = None
    count: int = 1
    settings: dict[str, Any] = field(default_factory=dict)
    pods: int | None = None
    pod_gpus: int | None = None

    def size(self, name: str) -> int:
        """Return a parallel size, 1 where it isn't written."""
        return int(self.settings.get(name, 1))

    @property
    def gpus(self) -> int:
        """GPUs of one worker: attention DP lies inside TP, but in vLLM it multiplies."""
        ranks = self.size("tp") * self.size("pp") * self.size("cp")
        inside = self.engine == "trtllm" or (self.engine == "sglang" and self.settings.get("attention_dp"))
        return ranks if inside else ranks * self.size("dp")

    @property
    def attention_dp(self) -> int:
        """Groups of GPUs that each attend to their own sequences."""
        if self.engine == "trtllm":
            return self.size("tp") if self.settings.get("attention_dp") else 1
        if self.engine == "sglang" and not self.settings.get("attention_dp"):
            return 1
        return self.size("dp")

    @property
    def attention_tp(self) -> int:
        """GPUs that share one attention layer."""
        inside = self.engine in {"trtllm", "sglang"}
        return max(1, self.size("tp") // self.attention_dp) if inside else self.size("tp")

    @property
    def expert_parallel(self) -> int:
        """Ranks that experts are spread over."""
        ep = self.settings.get("ep", 1)
        if ep is True:
            return self.size("tp") * self.size("dp")
        if self.engine == "sglang" and ep == 1 and self.settings.get("all_to_all") not in {None, "none"}:
            return self.size("tp")
        return int(ep)
