"""What an engine does by default, what only when asked, and which of the latter a row counts on."""

from __future__ import annotations

from aisim_model.scenario import Deployment
from aisim_model.scenario.engines import OptIn, engine
from aisim_ui.words import escape_markdown

SETTINGS = ("block_size", "prefix_credit", "order", "overlap", "first_token_from")


def label(setting: str) -> str:
    """Name of an engine's setting, as its field is called."""
    return str(Deployment.model_fields[setting].title).lower()


def defaults_line(engine_id: str) -> str:
    """Say all that the choice of an engine sets."""
    profile = engine(engine_id)
    found = (f"{label(name)} {escape_markdown(str(getattr(profile, name)))}" for name in SETTINGS)
    return f"**{escape_markdown(profile.name)}** sets {', '.join(found)}."


def opt_in_lines(row: Deployment) -> list[str]:
    """List what the row's engine does only when asked, marked where the row counts on it."""
    return [
        f"{_named(choice)}{' :orange-badge[counted on here]' if choice in counted_on(row) else ''} "
        f"({escape_markdown(choice.how)})"
        for choice in engine(row.engine).opt_in
    ]


def counted_on(row: Deployment) -> tuple[OptIn, ...]:
    """Return the opt-ins of its engine that a row takes as made, by its own choice or the profile's."""
    return row.profile.assumed()


def counted_on_line(row: Deployment) -> str:
    """Name the opt-ins that a split row counts on; empty where there are none."""
    if not row.split:
        return ""
    return ", ".join(_named(choice) for choice in counted_on(row))


def _named(choice: OptIn) -> str:
    return f"{label(choice.setting)} {escape_markdown(choice.value)}"
