"""Replay of a request trace: who waited for what, with links that can be shared.

`replay` takes a trace and a `ReplayConfig` and gives one record a request. The rules are those of the
reference engine (NVIDIA ai-dynamo-runtime 1.6.1), against which they are tested; contention goes beyond it.
How it works is told in docs/replay.md.
"""

from aisim_model.replay.config import KvWindowBytes, ReplayConfig
from aisim_model.replay.result import ReplayResult
from aisim_model.replay.run import Progress, ReplayStoppedError, replay
from aisim_model.replay.summary import Summary, summary
from aisim_model.replay.verdict import Verdict, verdict

__all__ = [
    "KvWindowBytes",
    "Progress",
    "ReplayConfig",
    "ReplayResult",
    "ReplayStoppedError",
    "Summary",
    "Verdict",
    "replay",
    "summary",
    "verdict",
]
