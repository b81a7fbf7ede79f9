"""From model, hardware, traffic and targets to what to deploy: every layout of some GPUs, ranked."""

from __future__ import annotations

from aisim_model.plan.search import Plan, recommend
from aisim_model.plan.space import Space, space_of

__all__ = ["Plan", "Space", "recommend", "space_of"]
