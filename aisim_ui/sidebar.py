"""The sidebar: the workload, the same on every page, and what is handed on."""

from __future__ import annotations

import streamlit as st

from aisim_model import MODEL_VERSION, catalog
from aisim_model.scenario.file import read_scenario, scenario_text
from aisim_model.scenario.presets import SCENARIOS
from aisim_ui import share
from aisim_ui.exports import file_name
from aisim_ui.frame import report_button
from aisim_ui.inputs import choice, number, refusal, take_back
from aisim_ui.model.own_model import own_model, serving
from aisim_ui.place import Place
from aisim_ui.plan.inputs import targets
from aisim_ui.state import attempt, replace, state, undo
from aisim_ui.words import escape_markdown

OWN = "own"
LENGTHS = (
    "prompt_tokens",
    "output_tokens",
    "prefill_cached_tokens",
    "decode_cached_tokens",
    "least_length_share",
)


def sidebar(page: str) -> None:
    """Draw the workload's inputs, presets with undo, and Share."""
    with st.sidebar:
        _start_from(page)
        st.markdown("##### Model")
        model_choice("side")
        _another_model()
        st.markdown("##### Hardware")
        _hardware()
        st.markdown("##### Traffic")
        for name in ("arrivals_per_s", "requests_in_flight", *LENGTHS):
            number(Place(f"workload.{name}"), "side")
        st.markdown("##### Targets")
        targets("side")
        st.caption(f"Model version {MODEL_VERSION}")


def _start_from(page: str) -> None:
    st.selectbox(
        "Start from",
        list(SCENARIOS),
        index=None,
        placeholder="a worked example",
        key="preset",
        help="Replaces everything; Undo brings it back.",
        on_change=_preset,
    )
    with st.container(horizontal=True, gap="xsmall"):
        _share()
        report_button(page)
        st.button(
            "Undo",
            key="undo",
            icon=":material/undo:",
            disabled=not state().undo,
            on_click=undo,
            type="tertiary",
            help="Back to before the last change.",
        )


def _preset() -> None:
    if (chosen := st.session_state["preset"]) is not None:
        replace(SCENARIOS[chosen])
        st.session_state["preset"] = None


def _hardware() -> None:
    row = state().scenario.selected
    number(Place("plan.gpus"), "side", "GPUs to plan for")
    gpus = {gpu.id: gpu.name for gpu in catalog.gpus()}
    choice(Place.of_row(row.id, "gpu"), "side", gpus, "GPU", help_text="Of the selected row, and of a plan.")


def model_choice(spot: str) -> None:
    """Draw the choice of a model."""
    workload = state().scenario.workload
    names = {model.id: model.name for model in catalog.models()}
    options = list(names)
    current = workload.model_id
    if workload.model is not None:
        options, current = [OWN, *options], OWN
        names[OWN] = f"{workload.model.name} (yours)"
    key, titled = f"{spot}.pick.model", f"{spot}.titled.model"
    # set anew for another title too: the browser knows an option by its title alone
    if st.session_state.get(key) != current or st.session_state.get(titled) != names[current]:
        st.session_state[key], st.session_state[titled] = current, names[current]
    st.selectbox(
        "Model",
        options,
        key=key,
        format_func=lambda option: names.get(option, option),
        on_change=_picked_model,
        args=(key,),
        help="From the catalogue; its config.json is read as yours would be.",
    )
    refusal("model")


def _another_model() -> None:
    workload = state().scenario.workload
    with st.popover("Another model", icon=":material/upload_file:", width="stretch"):
        own_model("side")
        place = Place("workload.kv_bytes_per_token")
        number(place, "side", "Or KV bytes per token by hand", empty="the model's own curve")
        if workload.kv_bytes_per_token is not None:
            take_back(place, "side", "Use the model's own curve")
    if workload.kv_bytes_per_token is not None:
        st.caption(
            f"KV bytes per token by hand: {workload.kv_bytes_per_token:,} :violet-badge[yours]. "
            f"Prefill and decode times are still those of {escape_markdown(workload.served.name)}."
        )


def _picked_model(key: str) -> None:
    chosen = st.session_state[key]
    # once a second config is read, the browser reports the first one's title, which is no id
    if chosen in {model.id for model in catalog.models()}:
        attempt("model", chosen, lambda scenario: serving(scenario, model_id=chosen, model=None))


def _share() -> None:
    now = state()
    with st.popover("Share", type="primary"):
        st.markdown("**This page as a link.** Every value is written in it.")
        link = share.link(st.context.url or "", now.scenario)
        st.code(link, language=None, wrap_lines=True, height=160)
        if len(link) > share.MAX_CHAT_CHARACTERS:
            st.warning(
                f"The link has {len(link):,} characters; many chat clients cut links at "
                f"{share.MAX_CHAT_CHARACTERS:,}. Send the file instead.",
                icon=":material/content_cut:",
            )
        _as_file()
        if now.scenario.workload.model is not None:
            st.caption("Your config.json isn't in the link; the byte curve read from it is.")
        st.segmented_control(
            "Charts saved as",
            ["png", "svg"],
            key="picture",
            default=now.picture,
            format_func=str.upper,
            on_change=_picture,
            help="What the camera icon of a chart saves.",
        )


def _as_file() -> None:
    """Draw what saves the scenario as a file and opens one."""
    scenario = state().scenario
    st.download_button(
        "Scenario as a file",
        data=lambda: scenario_text(scenario),
        file_name=file_name("scenario", "json"),
        mime="application/json",
        key="scenario.file",
        on_click="ignore",
        icon=":material/download:",
        help="For a link too long to send, for version control, and for the aisim command.",
    )
    st.file_uploader(
        "Open a scenario file",
        type=["json", "yaml", "yml"],
        key="scenario.opened",
        on_change=_opened,
        max_upload_size=1,
    )
    refusal("scenario.opened")


def _opened() -> None:
    upload = st.session_state["scenario.opened"]
    if upload is not None:
        content = upload.getvalue()
        attempt("scenario.opened", upload.name, lambda _: read_scenario(content, upload.name))


def _picture() -> None:
    if chosen := st.session_state["picture"]:
        state().picture = chosen
