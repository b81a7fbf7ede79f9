"""Load or recompute: a prefix out of each storage tier beside prefilling it, on the Solve page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from aisim_model.catalog import Tier, tiers
from aisim_model.row.resolved import ResolvedRow, resolve
from aisim_model.scenario import Deployment, Workload
from aisim_model.solve.reuse import LONGEST_TOKENS, load_ms, loads_faster_from, recompute_ms
from aisim_ui.charts.reuse_curve import RECOMPUTED, reuse_curve
from aisim_ui.frame import chart, mode
from aisim_ui.sentences.reuse import reuse_said
from aisim_ui.words import escape_markdown

POINTS, SHORTEST_TOKENS = 48, 128.0
MOST_START_UP_MS = 600_000.0


def over_prefixes(x: ResolvedRow, tiers: tuple[Tier, ...], longest_tokens: int) -> pd.DataFrame:
    """Time both ways over prefixes up to the longest: a line for computing, then one a tier.

    Parameters
    ----------
    x : ResolvedRow
        The row whose prefill workers load or compute.
    tiers : tuple of Tier
        Where the KV may lie.
    longest_tokens : int
        The longest prefix [tokens].
    """
    tokens = np.geomspace(min(SHORTEST_TOKENS, float(longest_tokens)), float(longest_tokens), POINTS).round()
    ways = {RECOMPUTED: recompute_ms(x, tokens)} | {tier.name: load_ms(x, tokens, tier) for tier in tiers}
    lines = [
        pd.DataFrame({"way": way, "prefix_tokens": tokens, "time_ms": np.broadcast_to(times, tokens.shape)})
        for way, times in ways.items()
    ]
    return pd.concat(lines, ignore_index=True)


def load_or_recompute(workload: Workload, row: Deployment) -> None:
    """Draw the section: from which prefix on each tier is faster, and both times over prefixes.

    Parameters
    ----------
    workload : Workload
        Its model is what is kept.
    row : Deployment
        The row whose prefill workers load or compute.
    """
    st.markdown(f"##### Load or recompute: a prefix that {escape_markdown(row.name)} has seen before")
    start_up_ms = st.number_input(
        "Start-up of a read [ms]",
        min_value=0.0,
        max_value=MOST_START_UP_MS,
        value=0.0,
        key="solve.reuse.start_up_ms",
        help="What a read takes beside its bytes: look-up, queueing, a store's own floor. None is published "
        "for these tiers, so it is 0 until you enter one; it counts for each.",
        width=260,
    )
    x = resolve(workload, row)
    longest = x.spec.kv.max_position_embeddings or LONGEST_TOKENS
    kept = tuple(one.model_copy(update={"start_up_ms": one.start_up_ms + start_up_ms}) for one in tiers())
    found = [reuse_said(one.name, loads_faster_from(x, one, longest), longest) for one in kept]
    st.markdown("\n".join(f"- {sentence}" for sentence in found))
    times = over_prefixes(x, kept, longest)
    chart(reuse_curve(times, mode()), times, "solve.reuse")
    st.caption(
        "One request on an idle worker: the bytes that its ranks hold over the tier's measured bandwidth, "
        "against the row's own time of prefill."
    )
