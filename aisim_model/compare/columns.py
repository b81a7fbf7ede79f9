"""Every column that a page, a CSV or the command line shows: its name, label, unit, digits and help.

A column is one entry here, and the value under its name. A table shows its columns in the order of this list,
which is that of a CSV's header too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from aisim_model.compare.column import PERCENT, Column, relative_error, share
from aisim_model.ttft_parts import PARTS
from aisim_model.units import BYTES_PER_GB

# tables over the outcomes of deployments: the Handoff page's, and the four views of Deployments
HANDOFF, ONE_REQUEST, UNDER_LOAD, MEMORY, COST = "handoff", "one request", "under load", "memory", "cost"
# other tables of pages, then those of the command line
RIVALS, SOLVED, PERCENTILES, SLOWEST = "rivals", "solved", "percentiles", "slowest"
BREAK_EVEN, LAYERS, FITTED, MEASURED, CLOUDS = "break-even", "layers", "fitted", "measured", "clouds"
PLANNED, VERIFIED = "planned", "verified"
TTFT_COMMAND, STUDY_COMMAND, EVIDENCE_COMMAND = "aisim ttft", "aisim study", "aisim evidence"
SILICON_COMMAND = "aisim evidence --silicon"
SILICON, PICKED, ABLATION, RUNS = "silicon", "picked", "ablation", "runs"
IN_RUNS = (("in_flight", "In flight", ""), ("arrivals_per_s", "Arrivals", "requests/s"))


EVERY_VIEW = (
    HANDOFF,
    ONE_REQUEST,
    UNDER_LOAD,
    MEMORY,
    COST,
    TTFT_COMMAND,
    STUDY_COMMAND,
    SOLVED,
    BREAK_EVEN,
    PERCENTILES,
)
TWO = (HANDOFF, ONE_REQUEST)

COMPARISON = (
    Column("deployment_id"),
    Column("rank", "Rank", tables=(COST, PLANNED), help="By cost among rows that meet both SLOs."),
    Column("deployment", "Deployment", tables=(*EVERY_VIEW, PLANNED, VERIFIED)),
    Column("kind"),
    Column("gpus", "GPUs", tables=(*TWO, COST, TTFT_COMMAND, SOLVED, BREAK_EVEN, PLANNED)),
    Column("fits", "Fits", tables=(MEMORY,), help="Each worker holds its weights and at least one request."),
    Column("ttft_ms", "TTFT", "ms", 4, (*TWO, TTFT_COMMAND), "Of one request, nothing else running."),
    Column(
        "handoff_ms", "Handoff", "ms", 4, (*TWO, TTFT_COMMAND), "What it adds between prefill and decode."
    ),
    share("handoff_share", "of TTFT", *TWO, digits=2, help="Share of TTFT that the handoff is."),
    Column("itl_ms", "ITL", "ms", 3, (*TWO, TTFT_COMMAND), "Inter-token latency: one decode step."),
    Column("meets_ttft_slo", "TTFT SLO", tables=(HANDOFF,), help="One request alone meets it."),
    Column("meets_itl_slo", "ITL SLO", tables=(HANDOFF,), help="One request alone meets it."),
    Column("ttft_over_slo_ms", "TTFT less SLO", "ms", 4, (ONE_REQUEST,), signed=True),
    Column("itl_over_slo_ms", "ITL less SLO", "ms", 3, (ONE_REQUEST,), signed=True),
    Column("ttft_difference_ms", "TTFT vs baseline", "ms", 4, TWO, signed=True),
    *(
        Column(part.name, part.label, "ms", 4, TWO if part.name == "prefill_ms" else (), "Part of TTFT.")
        for part in PARTS
    ),
    Column("second_token_ms", "Second token", "ms", 4, (ONE_REQUEST,), "Time to it: it needs the KV cache."),
    Column("slowest_handoff_ms"),
    Column("sent_tokens"),
    Column("wire_bytes", "On the wire", "GB", 4, TWO, "Copies of heads included.", shown_in=BYTES_PER_GB),
    Column("bandwidth_gb_s", "Bandwidth", "GB/s", 4, TWO, "What one handoff gets in all."),
    Column(
        "needed_gb_s",
        *("Needed", "GB/s", 3, TWO),
        help="Least bandwidth at which TTFT meets its SLO; empty where none is enough.",
    ),
    Column("prefill_extrapolated"),
    Column("requests_in_flight"),
    Column("arrivals_per_s"),
    Column("bottleneck", "Bottleneck", tables=(UNDER_LOAD, PLANNED), help="The resource that is full first."),
    Column("overloaded", "Overloaded", tables=(UNDER_LOAD,), help="More arrives than it carries."),
    share("prefill_utilisation", "Prefill busy", UNDER_LOAD),
    share("link_utilisation", "Link busy", UNDER_LOAD),
    share("decode_utilisation", "Decode busy", UNDER_LOAD),
    Column("loaded_queue_ms", "Prefill queue", "ms", 3, (UNDER_LOAD,)),
    Column("loaded_ttft_ms", "Mean TTFT", "ms", 4, (UNDER_LOAD,)),
    Column("loaded_itl_ms", "Mean ITL", "ms", 3, (UNDER_LOAD,)),
    Column("loaded_tail_itl_ms", "Tail ITL", "ms", 3, (UNDER_LOAD,)),
    Column("loaded_ttft_p99_ms", "p99 TTFT", "ms", 3, (UNDER_LOAD, PLANNED)),
    Column(
        "loaded_itl_p99_ms", "p99 ITL", "ms", 3, (UNDER_LOAD, PLANNED), "Of requests' means over their steps."
    ),
    share("within_slos_share", "Within both SLOs", UNDER_LOAD, PLANNED, help="By the estimate.", bar=True),
    Column("meets_slos_under_load", "Meets both SLOs", tables=(UNDER_LOAD, TTFT_COMMAND)),
    Column("carries_requests_per_s", "Carries", "requests/s", 3, (HANDOFF,), "Before a resource is full."),
    Column("busiest", "Bottleneck", tables=(HANDOFF,), help="The resource that is full first."),
    Column(
        "carries_within_slos_per_s",
        *("Carries within SLOs", "requests/s", 3, (UNDER_LOAD, COST, TTFT_COMMAND, PLANNED)),
        help="Most load at which mean TTFT and ITL meet their SLOs.",
    ),
    Column("usd_per_hour", "USD an hour", "", 4, (COST,), "Of all GPUs, busy or not."),
    Column("usd_per_million_output_tokens", "USD a million output tokens", "", 4, (COST, TTFT_COMMAND)),
    Column(
        "usd_per_million_within_slos",
        *("USD a million tokens within SLOs", "", 4, (COST, PLANNED)),
        help="Output tokens of requests that meet both, at the arrivals; without any at the most load.",
    ),
    Column("idle_kw", "Idle", "kW", 3, (COST,), "Of all GPUs without work, taken as 15% of their most."),
    Column("busy_kw", "Busy", "kW", 3, (COST,), "What the load adds, at most; hosts and cooling left out."),
    Column("tokens_per_joule", "Tokens a joule", "", 3, (COST,), "Output tokens at the arrivals, estimated."),
    Column("kwh_per_million_tokens", "kWh a million tokens", "", 3, (COST,), "Output tokens, estimated."),
    Column("energy_usd_per_million_tokens", "USD of energy a million", "", 3, (COST,), "Output tokens."),
    Column("weights_stored", "Weights as", tables=(MEMORY,), help="Format by part, and its arithmetic."),
    Column("weights_gb_per_gpu", "Weights a GPU", "GB", 3, (MEMORY,)),
    Column(
        "reserve_gb_per_gpu",
        *("Reserve a GPU", "GB", 3, (MEMORY,)),
        help="What the engine keeps for activations, graphs and communication.",
    ),
    Column("kv_pool_gb_per_gpu", "KV pool a GPU", "GB", 3, (MEMORY,)),
    Column("kv_pool_tokens", "KV pool", "tokens", 4, (MEMORY,), "Of a decode or aggregated worker."),
    Column("prefill_worker_holds", "Prompts a prefill worker", tables=(MEMORY,)),
    Column("decode_worker_holds", "Sequences a decode worker", tables=(MEMORY,)),
    Column("handoffs_in_flight", "Handoffs in flight", tables=(MEMORY,), help="What both pools allow."),
    Column("fit_problem", "Why it doesn't fit", tables=(MEMORY,), wide=True),
    Column("why", "Why", tables=(COST,), wide=True),
)

OTHERS = (
    Column("quantity", "Quantity", tables=(RIVALS, PERCENTILES)),
    Column("model", "Model", tables=(RIVALS,)),
    Column("milliseconds", "Time", "ms", 4, (RIVALS,)),
    Column("chosen", "Used in this row", tables=(RIVALS,)),
    Column("assumes", "Assumes", tables=(RIVALS,), wide=True),
    # the inverse questions
    Column("target", "Target", tables=(SOLVED,)),
    Column("target_ms", "Target", "ms", None, (SOLVED,)),
    Column("answer", "Answer", tables=(SOLVED,)),
    Column("needed_gb_s", "Needed", "GB/s", 5, (SOLVED,)),
    Column("has_gb_s", "Has", "GB/s", 5, (SOLVED,)),
    Column("enough", "Enough as it is", tables=(SOLVED,)),
    Column("links", "Links needed", tables=(SOLVED,)),
    Column("link_is_per", "A link is", tables=(SOLVED,)),
    Column("nics_per_gpu", "NICs per GPU needed", "", 5, (SOLVED,)),
    Column("prompt_tokens", "Prompt", "tokens", None, (SOLVED,)),
    # enough digits to tell the last prompt within a target from the first beyond it
    Column("time_ms", "Time there", "ms", 8, (SOLVED,)),
    Column("one_more_ms", "One token more", "ms", 8, (SOLVED,)),
    Column("fits_prompt_tokens", "Memory holds", "tokens", None, (SOLVED,)),
    Column("max_position_embeddings", "The model ends at", "tokens", None, (SOLVED,)),
    Column("cached_tokens", "At decode", "tokens", None, (SOLVED,)),
    share("cached_share", "At decode, of the prompt", SOLVED, digits=4),
    Column("sent_tokens", "Sent", "tokens", None, (SOLVED,)),
    Column("prefix_credit", "Engine credits hits by", tables=(SOLVED,)),
    Column("compared_to", "Compared to", tables=(BREAK_EVEN,)),
    Column("why", "Why not", tables=(BREAK_EVEN,)),
    Column("itl_answer", "Ahead on ITL", tables=(BREAK_EVEN,)),
    Column("itl_from_requests_per_s", "ITL: from", "requests/s", 5, (BREAK_EVEN,)),
    Column("itl_until_requests_per_s", "ITL: up to", "requests/s", 5, (BREAK_EVEN,)),
    Column("ttft_answer", "Ahead on TTFT", tables=(BREAK_EVEN,)),
    Column("ttft_from_requests_per_s", "TTFT: from", "requests/s", 5, (BREAK_EVEN,)),
    Column("ttft_until_requests_per_s", "TTFT: up to", "requests/s", 5, (BREAK_EVEN,)),
    Column("prefill_workers", "Prefill workers", tables=(SOLVED,)),
    Column("decode_workers", "Decode workers", tables=(SOLVED,)),
    Column("requests_per_s", "Carry", "requests/s", 5, (SOLVED,)),
    Column("now_prefill_workers", "Prefill workers now", tables=(SOLVED,)),
    Column("now_decode_workers", "Decode workers now", tables=(SOLVED,)),
    Column("now_requests_per_s", "Carry now", "requests/s", 5, (SOLVED,)),
    Column("now_requests_in_flight", "In flight now", "requests", tables=(SOLVED,)),
    Column("fit_problem", "Why it doesn't fit", tables=(SOLVED, BREAK_EVEN), wide=True),
    # a replay
    *(
        Column(f"{name}_ms", name, "ms", 4, (PERCENTILES,))
        for name in ("mean", "p50", "p75", "p90", "p95", "p99", "max")
    ),
    Column("row", "Request", tables=(SLOWEST,)),
    Column("ttft_ms", "TTFT", "ms", 4, (SLOWEST,)),
    *(Column(part.name, part.label, "ms", 4, (SLOWEST,)) for part in PARTS),
    Column("input_length", "Prompt", "tokens", None, (SLOWEST,)),
    Column("output_length", "Output", "tokens", None, (SLOWEST,)),
    Column("tokens_moved", "Moved", "tokens", None, (SLOWEST,)),
    Column("itl_ms", "ITL", "ms", 4, (SLOWEST,)),
    Column("arrival_ms", "Arrival", "ms", 4, (SLOWEST,)),
    Column("source_row", "Row of the file", tables=(SLOWEST,)),
    Column("prefill_worker", "Prefill worker", tables=(SLOWEST,)),
    Column("decode_worker", "Decode worker", tables=(SLOWEST,)),
    Column("worker", "Worker", tables=(SLOWEST,)),
    Column("trace", "Trace", tables=(STUDY_COMMAND,)),
    Column("rows", "Requests", tables=(STUDY_COMMAND,)),
    Column("ttft_mean_ms", "Mean TTFT", "ms", 4, (STUDY_COMMAND,)),
    Column("ttft_p99_ms", "p99 TTFT", "ms", 4, (STUDY_COMMAND,)),
    Column("handoff_p99_ms", "p99 handoff", "ms", 4, (STUDY_COMMAND,)),
    Column("bottleneck", "Bottleneck", tables=(STUDY_COMMAND,)),
    # the best of a plan, then replayed
    share("headroom", "Headroom", PLANNED, help="How much more it carries within the targets."),
    Column("weight_format", "Weights", tables=(PLANNED,)),
    Column("kv_dtype", "KV", tables=(PLANNED,)),
    Column("why", "Why", tables=(PLANNED,), wide=True),
    share("estimated_within_slos_share", "Within both, estimated", VERIFIED, bar=True),
    share("within_slo_share", "Within both, replayed", VERIFIED, bar=True),
    Column("estimated_ttft_p99_ms", "p99 TTFT, estimated", "ms", 3, (VERIFIED,)),
    Column("ttft_p99_ms", "p99 TTFT, replayed", "ms", 3, (VERIFIED,)),
    Column("estimated_itl_p99_ms", "p99 ITL, estimated", "ms", 3, (VERIFIED,)),
    Column("itl_p99_ms", "p99 ITL, replayed", "ms", 3, (VERIFIED,)),
    Column("refused", "Why it can't be replayed", tables=(VERIFIED,), wide=True),
    # what a model keeps
    Column("layers", "Layers", tables=(LAYERS,)),
    Column("keeps", "Keep", tables=(LAYERS,)),
    Column("bytes_per_token", "Bytes per token", tables=(LAYERS,)),
    Column("window_tokens", "Window", "tokens", None, (LAYERS,)),
    Column("constant_bytes", "Constant", "bytes", None, (LAYERS,)),
    Column("working", "Worked out as", tables=(LAYERS,), wide=True),
    # measurements
    Column("row", "Row", tables=(FITTED, RUNS)),
    *(Column(f"{role}_tokens", role.capitalize(), "tokens", tables=(RUNS,)) for role in ("prompt", "output")),
    *(Column(name, said, unit, 3, (RUNS,)) for name, said, unit in IN_RUNS),
    *(
        Column(f"{of}_{kind}_ms", f"{of.upper()} {kind}", "ms", 4, (RUNS,))
        for of, kind in itertools.product(("tpot", "ttft"), ("measured", "before", "predicted"))
    ),
    Column("bytes", "Size", "bytes", None, (FITTED,)),
    Column("measured_ms", "Measured", "ms", 5, (FITTED,)),
    Column("predicted_ms", "Fitted", "ms", 5, (FITTED,)),
    relative_error("relative_error", "Relative error", FITTED),
    Column("weight", "Weight", "", 3, (FITTED,)),
    Column("group", "Group", tables=(SILICON,)),
    Column("variant", "Variant", tables=(ABLATION,), wide=True),
    Column("model", "Model of a pass", tables=(SILICON_COMMAND, SILICON, PICKED)),
    Column("tpot_limit_ms", "TPOT at most", "ms", 3, (PICKED,)),
    Column("id", "Measurement", tables=(MEASURED, EVIDENCE_COMMAND)),
    Column("quantity", "Quantity", tables=(MEASURED, EVIDENCE_COMMAND, SILICON_COMMAND)),
    Column("n", "Rows", tables=(SILICON_COMMAND, SILICON)),
    Column("n", "Groups", tables=(PICKED,)),
    Column("regret", "Median behind the best", PERCENT, 3, (PICKED,)),
    Column("worst", "Worst", PERCENT, 3, (PICKED,)),
    Column("median", "Median off", PERCENT, 3, (SILICON_COMMAND, SILICON, ABLATION)),
    Column(
        "mape",
        "Mean off",
        PERCENT,
        3,
        (SILICON_COMMAND, SILICON, ABLATION),
        "Mean absolute percentage error.",
    ),
    Column("ratio", "Predicted / measured", "", 3, (SILICON_COMMAND, SILICON), "Median ratio."),
    Column("within_25", "Within 25%", PERCENT, 3, (SILICON_COMMAND, SILICON, ABLATION)),
    Column("low_batch_median", "Median off, batch up to 4", PERCENT, 3, (ABLATION,)),
    Column("ttft_low_median", "TTFT at low load", PERCENT, 3, (ABLATION,)),
    Column("tokens", "Tokens", tables=(MEASURED,)),
    Column("reported", "Measured", "", 6, (MEASURED, EVIDENCE_COMMAND)),
    relative_error("reference_relative_error", "Reference", MEASURED, EVIDENCE_COMMAND),
    relative_error("calibrated_relative_error", "Calibrated", MEASURED, EVIDENCE_COMMAND),
    relative_error("calibrated_left_out_relative_error", "Calibrated, row unseen", MEASURED),
    relative_error("roofline_relative_error", "Roofline", MEASURED, EVIDENCE_COMMAND),
    Column("fitted", "Fitted", tables=(MEASURED,)),
    Column("consistent", "Consistent", tables=(MEASURED, EVIDENCE_COMMAND)),
    Column("deployment", "Deployment", tables=(MEASURED,), wide=True),
    Column("note", "Caution", tables=(MEASURED,), wide=True),
    Column("source", "Source", tables=(MEASURED,), wide=True),
    Column("run", "Run", tables=(CLOUDS,)),
    Column("gpu", "GPU", tables=(CLOUDS,)),
    share("prefill_load", "Prefill load", CLOUDS),
    share("link_load", "Link load", CLOUDS),
    Column("says", "Model says", tables=(CLOUDS,)),
    Column("measured", "Measured", tables=(CLOUDS,)),
    Column("measured_mean_ttft_s", "TTFT", "s", 4, (CLOUDS,)),
    Column("mean_ttft_s", "At own rate", "s", 4, (CLOUDS,)),
    relative_error("relative_error", "Off by", CLOUDS),
    Column("roofline_mean_ttft_s", "Roofline", "s", 4, (CLOUDS,)),
)


def columns_of(table: str, known: Iterable[str]) -> tuple[Column, ...]:
    """Return the columns that a table shows, in order, of those that there are values for.

    Examples
    --------
    >>> [column.title for column in columns_of(HANDOFF, ("itl_ms", "ttft_ms", "wire_bytes", "rank"))]
    ['TTFT [ms]', 'ITL [ms]', 'On the wire [GB]']
    """
    there = set(known)
    return tuple(one for one in (*COMPARISON, *OTHERS) if table in one.tables and one.name in there)
