"""The Advanced drawer of the selected row: what is rarely touched, with what counts where it is left open."""

from __future__ import annotations

import streamlit as st

from aisim_model import catalog
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
AS_PREFILL = ("attention_dp", "expert_parallel", "pipeline")
GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Workers", ("attention_dp", "expert_parallel", "pipeline")),
    (
        "Decode workers",
        (
            "decode_gpu",
            "decode_attention_dp",
            "decode_expert_parallel",
            "decode_pipeline",
            "decode_usd_per_gpu_hour",
        ),
    ),
    ("Drafts", ("draft_tokens", "accepted_tokens", "acceptance_rate")),
    ("Energy", ("usd_per_kwh",)),
    ("Link", ("bandwidth_gb_s", "gpus_per_node", "link_efficiency", "alpha_ms", "per_descriptor_us")),
    ("Bytes", ("kv_bytes_per_token", "window_layers", "mla_copies", "block_size", "prefix_credit")),
    (
        "Handover",
        ("order", "orchestration_ms", "chunk_tokens", "max_sequences"),
    ),
    ("Memory", ("kv_pool_share", "pool_tokens", "prefill_pool_tokens")),
    ("Measured times", ("prefill_tokens_per_s", "prefill_pass_ms", "decode_step_ms")),
    ("Roofline", ("mfu", "memory_efficiency", "floor_scale", "weight_efficiency", "kv_efficiency")),
)
OF_SPLIT_ROWS = ("Decode workers",)
SIDE_BY_SIDE = 4


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
    shown = [group for group in GROUPS if row.split or group[0] not in OF_SPLIT_ROWS]
    for start in range(0, len(shown), SIDE_BY_SIDE):
        groups = shown[start : start + SIDE_BY_SIDE]
        for column, (title, names) in zip(st.columns(SIDE_BY_SIDE)[: len(groups)], groups, strict=True):
            with column:
                st.markdown(f"**{title}**")
                for name in names:
                    _field(Place.of_row(row.id, name), one)
    table_inputs(row, SPOT)


def _field(place: Place, one: Outcome) -> None:
    profile = engine(one.row.engine)
    if place.name == "decode_gpu":
        choice(place, SPOT, {gpu.id: gpu.name for gpu in catalog.gpus()}, open_as="as prefill")
        return
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
        **{f"decode_{name}": f"{getattr(one.row, name)}" for name in AS_PREFILL},
        "decode_usd_per_gpu_hour": ""
        if (price := one.cost.decode_usd_per_gpu_hour) is None
        else f"{price:g}",
    }
    number(place, SPOT, empty=filled.get(place.name, ""))
    if place.name in filled and getattr(one.row, place.name) is not None:
        take_back(place, SPOT, "Take back")
