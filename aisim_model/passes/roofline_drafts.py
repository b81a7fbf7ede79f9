"""Numbers of the roofline with a floor for passes that check drafts."""

from __future__ import annotations

from aisim_model.arrays import Values
from aisim_model.passes.roofline import FLOOR_MS, Coefficients

# launches, sampling and waiting of a draft, of a pass's floor: fitted to steps of GLM-5.2 at DEP16 with three
# drafts and 32 to 128 requests (llm-d.github.io blog/2026-07-22_serving-glm-5-2-agentic-workloads-on-llm-d)
DRAFT_FLOOR = 0.42
TIMES = tuple(name for name in Coefficients._fields if name.endswith("_ms"))


def draft_ms(numbers: tuple[Values, ...], drafts: int) -> Values:
    """Time of drafts beside their layer: launches, sampling, waiting for other ranks [ms]."""
    return drafts * DRAFT_FLOOR * numbers[FLOOR_MS]


def with_drafts(
    numbers: tuple[Values, ...], drafts: int, layer_share: float, times: float
) -> tuple[Values, ...]:
    """Return the numbers of a worker whose decode passes check so many drafts, near a full batch of them.

    Parameters
    ----------
    numbers : tuple of float
        Those of its passes without drafts.
    drafts : int
        Of each sequence [-].
    layer_share : float
        Of a pass that one draft takes [-].
    times : float
        What the time is multiplied by [-].
    """
    made, positions = Coefficients(*numbers), drafts + 1.0
    drafted = times * (1.0 + drafts * layer_share)
    longer = {name: getattr(made, name) * drafted for name in TIMES}
    grown = made._replace(**longer, log_untouched=made.log_untouched * positions)
    grown = grown._replace(floor_ms=grown.floor_ms + times * drafts * DRAFT_FLOOR * made.floor_ms)
    checked = times * (positions + drafts * layer_share)
    return grown._replace(
        token_link_ms=made.token_link_ms * checked,
        token_arithmetic_ms=made.token_arithmetic_ms * checked,
    )
