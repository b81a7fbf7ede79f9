"""Why a row has its place, and the table of deployments with its reasons in words."""

from __future__ import annotations

from typing import Any

from aisim_model.compare.columns import COMPARISON
from aisim_model.compare.outcome import Outcome
from aisim_model.compare.ranking import Rank, ranking
from aisim_model.compare.table import columns
from aisim_model.scenario import Scenario
from aisim_ui.sentences.rows import misfit, sends_nothing
from aisim_ui.sentences.weights import weights_sentence

SLOS = ("TTFT", "inter-token latency")


def compared(scenario: Scenario, outcomes: tuple[Outcome, ...]) -> dict[str, list[Any]]:
    """Lay outcomes out as a table whose every column the registry has: numbers, and reasons in words."""
    ranks = ranking(outcomes, scenario.workload)
    best = next(one for one, rank in zip(outcomes, ranks, strict=True) if rank.place == 1)
    words = {
        "weights_stored": [weights_sentence(one.x) for one in outcomes],
        "fit_problem": [misfit(one.memory.problem) for one in outcomes],
        "why": [
            why(rank, one, best.row.name, scenario.workload.arrivals_per_s)
            for one, rank in zip(outcomes, ranks, strict=True)
        ],
    }
    found = columns(scenario, outcomes) | words
    return {column.name: found[column.name] for column in COMPARISON}


def why(rank: Rank, one: Outcome, best: str, arrivals_per_s: float) -> str:
    """Say why a row has its place.

    Parameters
    ----------
    rank, one : Rank, Outcome
        The row.
    best : str
        Name of the first row.
    arrivals_per_s : float
        Of the workload [requests/s].
    """
    match rank.reason:
        case "doesn't fit":
            return f"doesn't fit: {misfit(one.memory.problem)}"
        case "no delay":
            return f"has no TTFT: {sends_nothing(one)}"
        case "overloaded":
            return f"is overloaded at {arrivals_per_s:g} requests/s: {one.load.bottleneck} can't keep up"
        case "misses":
            over = zip(SLOS, (rank.ttft_over_ms, rank.itl_over_ms), strict=True)
            return " and ".join(
                f"misses the SLO on {name} by {missed:,.3g} ms" for name, missed in over if missed > 0
            )
        case "carries nothing":
            return "meets both SLOs with one request alone; carries no load within them"
    unit = "USD for a million tokens of answers" if rank.priced else "GPUs a request/s"
    amount = f"{rank.price:,.2f} {unit}"
    if rank.reason == "best":
        return f"meets both SLOs; carries most a {'dollar' if rank.priced else 'GPU'}: {amount}"
    more = rank.more_than_best
    return f"meets both SLOs; {amount}" + (f", {more:.0%} more than {best}" if more > 0.005 else "")
