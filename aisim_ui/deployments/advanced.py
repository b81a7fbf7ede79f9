"""The Advanced drawer of the selected row: what is rarely touched, with what counts where it is left open."""

from __future__ import annotations

from typing import Any

import streamlit as st

from aisim_model.engines import engine
from aisim_model.outcome import Outcome
from aisim_ui.deployments.prefill_table import extrapolated_sentence, table_inputs
from aisim_ui.deployments.row_table import OWN
from aisim_ui.engine_words import defaults_line, opt_in_lines
from aisim_ui.fields import field
from aisim_ui.inputs import choice, number, take_back
from aisim_ui.state import Place, attempt, state
from aisim_ui.words import literal

SPOT = "advanced"
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Link", ("bandwidth_gb_s", "gpus_per_node", "link_efficiency", "alpha_ms", "per_descriptor_us")),
    ("Bytes", ("kv_bytes_per_token", "window_layers", "mla_copies", "block_size", "prefix_credit")),
    (
        "Handover",
        ("order", "orchestration_ms", "chunk_tokens", "kv_pool_share", "pool_tokens", "max_sequences"),
    ),
    ("Measured times", ("prefill_tokens_per_s", "prefill_pass_ms", "decode_step_ms")),
    ("Roofline", ("mfu", "memory_efficiency")),
)
OPTIONS: dict[str, tuple[Any, ...]] = {
    "window_layers": ("window", "full"),
    "mla_copies": ("per_rank", "once"),
}
OPEN_OPTIONS: dict[str, tuple[str, ...]] = {
    "prefix_credit": ("blocks", "tokens", "none"),
    "order": ("source_first", "destination_first"),
}


def advanced(one: Outcome) -> None:
    """Draw the drawer's switch, and its fields once it is open."""
    row = one.row
    if beyond := extrapolated_sentence(one):
        st.warning(beyond, icon=":material/trending_up:")
    if not st.toggle(f"Advanced: {literal(row.name)}", key=f"{SPOT}.open", help="Fields rarely touched."):
        return
    st.markdown(defaults_line(row.engine))
    st.caption("Only when asked of this engine: " + "; ".join(opt_in_lines(row)) + ".")
    for column, (title, names) in zip(st.columns(len(GROUPS)), GROUPS, strict=True):
        with column:
            st.markdown(f"**{title}**")
            for name in names:
                _field(Place(name, row.id), one)
    table_inputs(row, SPOT)


def _field(place: Place, one: Outcome) -> None:
    profile = engine(one.row.engine)
    if place.name in OPTIONS:
        choice(place, SPOT, OPTIONS[place.name], {})
        return
    if place.name in OPEN_OPTIONS:
        _open_choice(place, f"{OWN}: {getattr(profile, place.name)}")
        return
    filled = {
        "bandwidth_gb_s": f"{float(one.x.bandwidth_gb_s):,.6g}",
        "kv_bytes_per_token": f"{one.x.wire.per_token_bytes:,}",
        "block_size": f"{profile.block_size}",
        "pool_tokens": f"{one.x.pool_tokens:,.0f}",
        "max_sequences": f"{one.row.sequences_limit:,}",
    }
    number(place, SPOT, empty=filled.get(place.name, ""))
    if place.name in filled and getattr(one.row, place.name) is not None:
        take_back(place, SPOT, "Take back")


def _open_choice(place: Place, empty: str) -> None:
    """Draw a choice that may be left to the engine; `empty` says what counts then."""
    spec, key = field(place.model, place.name), f"{SPOT}.pick.{place.key}"
    if st.session_state.get(key) != (value := place.value(state().scenario)):
        st.session_state[key] = value
    st.selectbox(
        spec.label,
        OPEN_OPTIONS[place.name],
        index=None,
        key=key,
        placeholder=empty,
        help=spec.help,
        on_change=_picked,
        args=(place, key),
    )


def _picked(place: Place, key: str) -> None:
    value = st.session_state[key]
    attempt(place.key, str(value), lambda scenario: place.put(scenario, value))
