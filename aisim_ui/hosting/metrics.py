"""What the server counts, in the form that Prometheus reads; nothing in it is a visitor's."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from starlette.responses import Response
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from aisim_ui.hosting.asgi import address, said

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Scope

    from aisim_ui.hosting.settings import Settings

SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
LONGEST_END = 200  # bytes of the message that a script has ended, and of few others


class Metrics:
    """Requests, sessions, reruns and jobs of one server process."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.registry = settings, CollectorRegistry()
        ProcessCollector(registry=self.registry)  # memory, processor time, open files
        PlatformCollector(registry=self.registry)
        self.requests = Counter(
            "aisim_requests", "Answered requests.", ["route", "status"], registry=self.registry
        )
        self.request_s = Histogram(
            "aisim_request_seconds", "Time to answer.", ["route"], buckets=SECONDS, registry=self.registry
        )
        self.sessions = Gauge("aisim_sessions", "Connected visitors.", registry=self.registry)
        self.reruns = Histogram(
            "aisim_rerun_seconds",
            "From a visitor's message to the end of its run.",
            buckets=SECONDS,
            registry=self.registry,
        )
        jobs = Gauge("aisim_jobs", "Heavy jobs at work or in the queue.", registry=self.registry)
        jobs.set_function(_jobs)
        self._asked: dict[int, float] = {}

    def rerun_asked(self, scope: Scope) -> None:
        """Note that a session asked for a run."""
        self._asked.setdefault(id(scope), time.perf_counter())

    def sent(self, scope: Scope, content: bytes) -> None:
        """Note what a session is told; the end of its script is the end of its run."""
        short = len(content) < LONGEST_END and id(scope) in self._asked
        if short and ForwardMsg.FromString(content).WhichOneof("type") == "script_finished":
            self.reruns.observe(time.perf_counter() - self._asked.pop(id(scope)))

    def left(self, scope: Scope) -> None:
        """Forget a session that has gone."""
        self._asked.pop(id(scope), None)

    async def answer(self, request: Request) -> Response:
        """Answer `/metrics` to those who may read it."""
        if address(request.scope) not in self.settings.metrics_from:
            text = "AISIM_METRICS_FROM says who may read this."
            return said(request.scope, 403, "Not for this address", text)
        return Response(generate_latest(self.registry), media_type="text/plain; version=0.0.4")


def _jobs() -> float:
    return float(sum(thread.name == "replay" for thread in threading.enumerate()))
