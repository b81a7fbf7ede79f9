"""The four groups of inputs: model, hardware, traffic, targets; and the locks of a search."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import streamlit as st

from aisim_model import catalog
from aisim_model.models.weights.formats import WEIGHT_FORMATS
from aisim_model.plan.space import KV_DTYPES
from aisim_model.scenario import Scenario
from aisim_ui.inputs import choice, number
from aisim_ui.place import Place
from aisim_ui.state import state

SPOT = "plan"
OBJECTIVES = MappingProxyType(
    {"cost": "cheapest tokens within the targets", "goodput": "most load within them", "gpus": "fewest GPUs"}
)
ANY = "any that the GPU runs"
KINDS = MappingProxyType({"aggregated": "aggregated", "split": "split"})


def groups(model: Callable[[str], None]) -> None:
    """Draw the four groups side by side.

    Parameters
    ----------
    model : callable
        Draws the choice of a model, at a spot.
    """
    drawn: tuple[tuple[str, Callable[[], None]], ...] = (
        ("Model", lambda: _model(model)),
        ("Hardware", hardware),
        ("Traffic", traffic),
        ("Targets", targets),
    )
    for column, (title, draw) in zip(st.columns(4, gap="medium"), drawn, strict=True):
        with column:
            st.markdown(f"##### {title}")
            draw()


def _model(model: Callable[[str], None]) -> None:
    model(SPOT)
    formats(SPOT)


def formats(spot: str) -> None:
    """Draw the formats of weights and KV cache."""
    choice(Place("plan.weight_format"), spot, {name: name for name in WEIGHT_FORMATS}, open_as=ANY)
    choice(Place("plan.kv_dtype"), spot, {dtype: dtype for dtype in KV_DTYPES}, open_as=ANY)


def hardware(spot: str = SPOT) -> None:
    """Draw the GPUs, their kind, and the link, which are the selected row's."""
    row = state().scenario.selected
    number(Place("plan.gpus"), spot)
    choice(Place.of_row(row.id, "gpu"), spot, {gpu.id: gpu.name for gpu in catalog.gpus()})
    choice(Place.of_row(row.id, "link"), spot, {link.id: link.name for link in catalog.links()})
    left, right = st.columns(2)
    with left:
        number(Place.of_row(row.id, "gpus_per_node"), spot)
    with right:
        price = catalog.gpu(row.gpu).usd_per_gpu_hour
        listed = "not known" if price is None else f"list: {price:g}"
        number(Place.of_row(row.id, "usd_per_gpu_hour"), spot, empty=listed)


def traffic(spot: str = SPOT) -> None:
    """Draw arrivals or requests in flight, and lengths."""
    left, right = st.columns(2)
    with left:
        number(Place("workload.arrivals_per_s"), spot)
        number(Place("workload.prompt_tokens"), spot)
        number(Place("workload.prefill_cached_tokens"), spot, "At prefill [tokens]")
    with right:
        number(Place("workload.requests_in_flight"), spot)
        number(Place("workload.output_tokens"), spot)
        number(Place("workload.decode_cached_tokens"), spot, "At decode [tokens]")


def targets(spot: str = SPOT) -> None:
    """Draw the two service levels, each with what counts, and the share that has to meet both."""
    for name in ("ttft", "itl"):
        left, right = st.columns(2)
        with left:
            number(Place(f"workload.{name}_slo_ms"), spot, f"{name.upper()} SLO [ms]")
        with right:
            choice(Place(f"workload.{name}_percentile"), spot, label="at")
    number(Place("workload.slo_share"), spot)


def search_inputs(scenario: Scenario) -> None:
    """Draw what layouts are ranked by, and what of them is held."""
    held = len(scenario.plan.locks)
    with st.expander(f"Search: {OBJECTIVES[scenario.plan.objective]}; {held or 'no'} fields held"):
        choice(Place("plan.objective"), SPOT, OBJECTIVES, segments=True)
        columns = st.columns(4)
        fields = (
            ("kind", "prefill_tp"),
            ("prefill_workers", "decode_tp"),
            ("decode_workers", "chunk_tokens"),
            ("max_sequences",),
        )
        for column, names in zip(columns, fields, strict=True):
            with column:
                for name in names:
                    if name == "kind":
                        choice(Place("plan.kind"), SPOT, KINDS, open_as="searched")
                    else:
                        number(Place(f"plan.{name}"), SPOT, empty="searched")
