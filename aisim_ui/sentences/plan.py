"""What a plan says, in words: what to deploy, why others lost, what to buy next, and why there is nothing."""

from __future__ import annotations

import math

from aisim_model import catalog
from aisim_model.errors import InputError
from aisim_model.models.weights.formats import CHECKPOINT
from aisim_model.plan.evaluate import Misfit
from aisim_model.plan.search import Candidate, FrontierPoint, Plan
from aisim_model.scenario import Deployment, Workload
from aisim_ui.sentences.asked import at_load
from aisim_ui.sentences.resources import named
from aisim_ui.sentences.weights import weights_named
from aisim_ui.words import milliseconds, significant


def layout(row: Deployment) -> str:
    """Name a layout in words.

    Examples
    --------
    >>> layout(Deployment(id="a", name="a", kind="aggregated", prefill_workers=2, prefill_tp=8))
    '2 aggregated workers of TP8'
    >>> layout(Deployment(id="a", name="a", prefill_workers=3, prefill_tp=2))
    '3 prefill workers of TP2 and 1 decode worker of TP4'
    """
    if not row.split:
        return _workers(row.prefill_workers, "aggregated", row.prefill_tp)
    prefill = _workers(row.prefill_workers, "prefill", row.prefill_tp)
    return f"{prefill} and {_workers(row.decode_workers, 'decode', row.decode_tp)}"


def _workers(count: int, kind: str, ranks: int) -> str:
    return f"{count:,} {kind} {'worker' if count == 1 else 'workers'} of TP{ranks}"


def formats(row: Deployment) -> str:
    """Name the formats of weights and KV cache, and the GPUs.

    Examples
    --------
    >>> formats(Deployment(id="a", name="a"))
    "8 H200, the checkpoint's weights, bf16 KV"
    """
    gpu = catalog.gpu(row.gpu).name
    return f"{row.gpus:,} {gpu}, {weights_named(row)}, {row.kv_dtype} KV"


def targets(workload: Workload) -> str:
    """Say what has to be met.

    Examples
    --------
    >>> targets(Workload(ttft_percentile="p99"))
    'p99 TTFT within 2 s and mean ITL within 25 ms'
    """
    ttft, itl = milliseconds(workload.ttft_slo_ms), milliseconds(workload.itl_slo_ms)
    said = f"{workload.ttft_percentile} TTFT within {ttft} and {workload.itl_percentile} ITL within {itl}"
    return said + (f", both for {percent(workload.slo_share)} of requests" if workload.slo_share else "")


def answer(plan: Plan) -> str:
    """Say what to deploy, and what else there was.

    Parameters
    ----------
    plan : Plan
        A plan of which something fits.
    """
    first, workload = plan.ranked[0], plan.scenario.workload
    if plan.best is None:
        return f"No layout meets the targets. {nearest(first, workload)}"
    if not workload.is_loaded:
        return f"{_most(first)}{_most_of_other(plan, first)}.{_pays(plan)}"
    share = f"{percent(float(first.outcome.reached.share))} of requests meet both targets {at_load(workload)}"
    said = f"Deploy {layout(first.row)} ({formats(first.row)}): {share}"
    return f"{said}{_alternative(plan, first)}.{_pays(plan)}"


def _most(first: Candidate) -> str:
    """Say what a layout carries where no load is given."""
    usd = first.outcome.cost.usd_per_million_output_tokens
    price = "" if math.isnan(usd) else f", at {usd:,.2f} USD a million output tokens"
    most = f"it carries {significant(first.outcome.most_per_s)} requests/s within the targets{price}"
    return f"Deploy {layout(first.row)} ({formats(first.row)}): {most}"


def _most_of_other(plan: Plan, first: Candidate) -> str:
    if plan.other is None:
        return ""
    other = plan.other
    said = f"; the best {other.row.kind} layout, {layout(other.row)},"
    if not other.meets:
        return f"{said} {missed(other, plan.scenario.workload)}"
    ours, theirs = (one.outcome.cost.usd_per_million_output_tokens for one in (first, other))
    carried = f"{said} carries {significant(other.outcome.most_per_s)}"
    return (
        carried
        if math.isnan(ours) or math.isnan(theirs)
        else f"{carried} and costs {_more(theirs / ours, 'more', 'less')}"
    )


def _alternative(plan: Plan, first: Candidate) -> str:
    if plan.other is None:
        return f"; no {'aggregated' if first.row.split else 'split'} layout was tried that fits"
    other, workload = plan.other, plan.scenario.workload
    said = f"; the best {other.row.kind} layout, {layout(other.row)},"
    if not other.meets:
        return f"{said} {missed(other, workload)}"
    said += f" meets them for {percent(float(other.outcome.reached.share))}"
    ours, theirs = first.outcome.usd_per_million_within_slos, other.outcome.usd_per_million_within_slos
    if plan.objective == "goodput":
        ours, theirs = other.outcome.most_per_s, first.outcome.most_per_s
        return f"{said} and carries {_more(theirs / ours, 'less', 'more')}" if ours > 0 else said
    if math.isnan(ours) or math.isnan(theirs) or ours <= 0.0:
        return said
    return f"{said} and costs {_more(theirs / ours, 'more', 'less')}"


def _more(ratio: float, above: str, below: str) -> str:
    if abs(ratio - 1.0) < 0.005:
        return "as much"
    return f"{percent(abs(ratio - 1.0) if ratio > 1 else 1.0 - ratio)} {above if ratio > 1 else below}"


def percent(share: float) -> str:
    """Write a share, to the part that can be told from all and from none.

    Examples
    --------
    >>> percent(0.974), percent(0.9996), percent(1.0), percent(0.0004)
    ('97%', '99.96%', '100%', '0.04%')
    """
    if share in (0.0, 1.0) or 0.01 <= share <= 0.99:
        return f"{share:.0%}"
    if share > 0.99:
        decimals = min(max(math.ceil(-math.log10(1.0 - share)) - 2, 0), 4) if share < 1.0 else 0
        return f"{share:.{decimals}%}" if share < 0.99999 else "100%"
    return f"{significant(share * 100.0, 1)}%"


def _pays(plan: Plan) -> str:
    """Say from which ITL on splitting makes more of a GPU, as the frontier has it."""
    split = [one for one in plan.frontier if one.row.split]
    together = [one for one in plan.frontier if not one.row.split]
    if not split or not together:
        return ""
    for user in sorted(one.tokens_per_s_user for one in split):
        if _made(split, user) > _made(together, user):
            return (
                f" Splitting makes more of a GPU where ITL has to be under {milliseconds(1000.0 / user, 2)}."
            )
    return " Splitting makes less of a GPU at any inter-token latency."


def _made(points: list[FrontierPoint], user: float) -> float:
    return max((one.tokens_per_s_gpu for one in points if one.tokens_per_s_user >= user), default=0.0)


def missed(one: Candidate, workload: Workload) -> str:
    """Say by how much a layout misses which targets."""
    reached = one.outcome.reached
    if one.outcome.load.overloaded and workload.is_loaded:
        short = named(one.outcome.load.bottleneck)
        return f"is overloaded {at_load(workload)}: {short} can't keep up"
    said = [
        f"misses {percentile} {name} by {milliseconds(time_ms - slo_ms)} ({milliseconds(time_ms)})"
        for name, percentile, time_ms, slo_ms in (
            ("TTFT", workload.ttft_percentile, reached.ttft_ms, workload.ttft_slo_ms),
            ("ITL", workload.itl_percentile, reached.itl_ms, workload.itl_slo_ms),
        )
        if time_ms > slo_ms
    ]
    if workload.slo_share > reached.share:
        said.append(f"serves {percent(float(reached.share))} within both, not {percent(workload.slo_share)}")
    return " and ".join(said) or "carries no load within the targets"


def nearest(one: Candidate, workload: Workload) -> str:
    """Say which layout comes nearest, and which target it misses."""
    return f"The nearest, {layout(one.row)} ({formats(one.row)}), {missed(one, workload)}."


def refused(plan: Plan) -> InputError | None:
    """Return why a plan deploys nothing: nothing fits, or nothing meets the targets; None where it does."""
    if plan.misfit is not None:
        problem = f"hold no layout of {plan.scenario.workload.served.name}: {misfit(plan.misfit)}"
        return InputError("gpus", plan.gpus, problem, "Give more or larger GPUs, or weights of fewer bytes.")
    if plan.fit == 0:
        return InputError("gpus", plan.gpus, "hold no layout that can be worked out", "Lift a lock.")
    if plan.best is None:
        problem = f"hold no layout that meets the targets, {targets(plan.scenario.workload)}"
        return InputError("gpus", plan.gpus, problem, nearest(plan.ranked[0], plan.scenario.workload))
    return None


def misfit(nearest_miss: Misfit) -> str:
    """Say what lacks the least memory, and how much."""
    row, lacks = nearest_miss.row, f"{significant(nearest_miss.lacks_gb)} GB"
    gpu, ranks = catalog.gpu(row.gpu).name, f"TP{row.prefill_tp}"
    return f"{ranks} on {gpu} with {weights_named(row)} and {row.kv_dtype} KV is nearest and lacks {lacks}"


def why(plan: Plan, one: Candidate) -> str:
    """Say why a layout lost against the first."""
    first, workload = plan.ranked[0], plan.scenario.workload
    if one is first:
        return "first" if one.meets else missed(one, workload)
    if not one.meets:
        return missed(one, workload)
    if plan.objective == "goodput":
        return f"carries {_more(one.outcome.most_per_s / first.outcome.most_per_s, 'more', 'less')}"
    if plan.objective == "gpus" and one.row.gpus != first.row.gpus:
        return f"{one.row.gpus - first.row.gpus:,} GPUs more"
    ours, theirs = first.outcome.usd_per_million_within_slos, one.outcome.usd_per_million_within_slos
    if not workload.is_loaded:
        ours, theirs = (each.outcome.cost.usd_per_million_output_tokens for each in (first, one))
    return f"costs {_more(theirs / ours, 'more', 'less')}" if ours > 0 else "as good"


def counts(plan: Plan) -> str:
    """Say what was searched, how sure the kind of answer is, and what formats may cost."""
    said = (
        f":blue-badge[estimate] {plan.searched:,} layouts searched: {plan.fit:,} fit, {plan.met:,} meet the "
        f"targets ({targets(plan.scenario.workload)})."
    )
    if not plan.scenario.workload.is_loaded:
        said += " No arrivals are given: each layout is taken at the most that it carries within the targets."
    row = plan.ranked[0].row
    if row.weight_format not in (CHECKPOINT, "bf16") or row.kv_dtype != "bf16":
        said += " What fp8 or fp4 costs in quality is in no number here; hold the formats under Model."
    return said


def nothing_fits(plan: Plan) -> str:
    """Say that nothing fits, and what lacks least."""
    name = plan.scenario.workload.served.name
    if plan.misfit is None:
        return f"No layout of {name} can be worked out on {plan.gpus:,} GPUs: lift a lock."
    return (
        f"{name} doesn't fit on {plan.gpus:,} {catalog.gpu(plan.misfit.row.gpu).name}: {misfit(plan.misfit)}."
    )
