"""The Advanced drawer of the selected row: what is rarely touched, with what counts where it is left open."""

from __future__ import annotations

import streamlit as st

from aisim_model.compare.outcome import Outcome
from aisim_model.scenario.engines import engine
from aisim_ui.deployments.measured_tables import table_inputs
from aisim_ui.deployments.row_table import OWN
from aisim_ui.inputs import choice, number, take_back
from aisim_ui.place import Place
from aisim_ui.sentences.engines import defaults_line, opt_in_lines
from aisim_ui.sentences.rows import extrapolated
from aisim_ui.words import escape_markdown

SPOT = "advanced"
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Link", ("bandwidth_gb_s", "gpus_per_node", "link_efficiency", "alpha_ms", "per_descriptor_us")),
    ("Bytes", ("kv_bytes_per_token", "window_layers", "mla_copies", "block_size", "prefix_credit")),
    (
        "Handover",
        ("order", "orchestration_ms", "chunk_tokens", "max_sequences"),
    ),
    ("Memory", ("kv_pool_share", "pool_tokens", "prefill_pool_tokens")),
    ("Measured times", ("prefill_tokens_per_s", "prefill_pass_ms", "decode_step_ms")),
    ("Roofline", ("mfu", "memory_efficiency")),
)


def advanced(one: Outcome) -> None:
    """Draw the drawer's switch, and its fields once it is open."""
    row = one.row
    if beyond := extrapolated(one):
        st.warning(beyond, icon=":material/trending_up:")
    if not st.toggle(
        f"Advanced: {escape_markdown(row.name)}", key=f"{SPOT}.open", help="Fields rarely touched."
    ):
        return
    st.markdown(defaults_line(row.engine))
    st.caption("Only when asked of this engine: " + "; ".join(opt_in_lines(row)) + ".")
    for column, (title, names) in zip(st.columns(len(GROUPS)), GROUPS, strict=True):
        with column:
            st.markdown(f"**{title}**")
            for name in names:
                _field(Place.of_row(row.id, name), one)
    table_inputs(row, SPOT)


def _field(place: Place, one: Outcome) -> None:
    profile = engine(one.row.engine)
    if place.field.options:
        left_open = f"{OWN}: {getattr(profile, place.name)}" if place.field.optional else None
        choice(place, SPOT, open_as=left_open)
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
