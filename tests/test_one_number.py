"""One number for one thing: whatever shows a quantity shows the same one, to the last bit."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aisim_cli.solve import Sought
from aisim_model.catalog.measurements import cloud_runs, published_measurements
from aisim_model.compare.columns import COMPARISON
from aisim_model.compare.outcome import Outcome, outcome
from aisim_model.compare.ranking import ranking
from aisim_model.compare.table import columns, compare, table
from aisim_model.errors import InputError
from aisim_model.evidence.cloud import (
    MEAN_ANSWER_TOKENS,
    MEAN_PROMPT_TOKENS,
    cloud_evidence,
    prefill_tokens_per_s,
)
from aisim_model.evidence.cloud_ttft import row_of
from aisim_model.evidence.published import published_evidence
from aisim_model.passes.constants import client_constants
from aisim_model.plan import recommend, space_of
from aisim_model.plan.record import record
from aisim_model.row.load import service, under_load
from aisim_model.row.resolved import resolve
from aisim_model.row.ttft import breakdown, transfer_ms, wire_bytes
from aisim_model.scenario import Deployment, Scenario, Workload
from aisim_model.scenario.traffic import Traffic
from aisim_model.solve.answers import answers
from aisim_model.sweep import swept, values
from aisim_model.traces import Trace
from aisim_model.traffic.row_replay import replay_row
from aisim_model.traffic.scenario_replay import row_outcome
from aisim_model.ttft_parts import PART_NAMES
from aisim_ui.report import _cell
from aisim_ui.sentences.handoff import numbers
from aisim_ui.sentences.ranking import compared
from aisim_ui.sentences.solve import record as record_of
from aisim_ui.traffic.outcome import ReplayOutcome
from aisim_ui.words import bandwidth, milliseconds, rate, significant
from tests import surfaces

SWEPT = (
    "sent_tokens",
    "wire_bytes",
    "prefill_ms",
    "handoff_ms",
    "decode_step_ms",
    "ttft_ms",
    "handoff_share",
    "meets_ttft_slo",
    "fits",
)
NAMES = tuple(column.name for column in COMPARISON)
WORDS = ("deployment_id", "deployment", "weights_stored", "why", "fit_problem")
NUMBERS = tuple(name for name in NAMES if name not in WORDS)
ON_DISK = settings(max_examples=40)


def rows_of(found: dict[str, list[Any]]) -> list[surfaces.Row]:
    return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]


def drawn(data: st.DataObject, any_scenario: Any) -> tuple[Scenario, tuple[Outcome, ...]]:
    scenario = surfaces.modelled(data.draw(any_scenario))
    return scenario, compare(scenario)


@settings(max_examples=300)
@given(data=st.data())
def test_pages_csv_sweep_solve_and_report_say_the_same(data: st.DataObject, any_scenario: Any) -> None:
    scenario, outcomes = drawn(data, any_scenario)
    found = columns(scenario, outcomes)
    shown = rows_of(compared(scenario, outcomes))
    framed = table(scenario, outcomes).to_dict(orient="records")
    csv = surfaces.page_csv(compared(scenario, outcomes))
    cells = surfaces.report_rows(found, scenario)
    for place, row in enumerate(rows_of(found)):
        surfaces.same(row, shown[place], list(row))
        surfaces.same(row, framed[place], list(row))
        surfaces.same(row, csv[place], NUMBERS)
        assert cells[place] == {name: _cell(value) for name, value in row.items()}
        check_load(scenario, outcomes[place], row)
        check_numbers(scenario, outcomes[place], row)
    check_sweep(scenario, rows_of(found))
    check_solve(scenario, rows_of(found))


def check_load(scenario: Scenario, one: Outcome, row: surfaces.Row) -> None:
    assert row["carries_within_slos_per_s"] <= row["carries_requests_per_s"]
    if not row["fits"]:
        return
    idle = under_load(service(one.x, scenario.workload.mean_output_tokens), 0.0)
    assert idle.itl_ms == idle.tail_itl_ms == row["itl_ms"]
    same_time = {part: float(getattr(idle.parts, part)) for part in PART_NAMES}
    surfaces.same(row, same_time, PART_NAMES)
    if not math.isnan(row["ttft_ms"]):
        assert idle.ttft_ms == row["ttft_ms"]


def check_sweep(scenario: Scenario, rows: list[surfaces.Row]) -> None:
    found = values(swept(scenario, [f"prompt_tokens={scenario.workload.prompt_tokens}"]), SWEPT)
    for place, row in enumerate(rows):
        surfaces.same(row, {name: found[name][place].item() for name in SWEPT}, SWEPT)
        given = scenario.deployments[place].bandwidth_gb_s
        if given is not None:
            alone = scenario.changed(
                deployments=(scenario.deployments[place],),
                selected_id=row["deployment_id"],
                baseline_id=row["deployment_id"],
            )
            own = values(swept(alone, [f"bandwidth_gb_s={given!r}"]), SWEPT)
            surfaces.same(row, {name: own[name].item() for name in SWEPT}, SWEPT)


def check_solve(scenario: Scenario, rows: list[surfaces.Row]) -> None:
    for row, one in zip(rows, answers(scenario, "bandwidth"), strict=True):
        answer = record_of(one)
        surfaces.same({"needed_gb_s": row["needed_gb_s"]}, answer, ["needed_gb_s"])
        surfaces.same({"has_gb_s": row["bandwidth_gb_s"]}, answer, ["has_gb_s"])
        surfaces.same(row, answer, ["deployment_id", "kind", "gpus"])


def check_numbers(scenario: Scenario, one: Outcome, row: surfaces.Row) -> None:
    added, ttft, needed, bottleneck = numbers(one, scenario.workload)
    split = row["kind"] == "split"
    if split:
        slow, least = row["slowest_handoff_ms"], milliseconds(row["handoff_ms"], 2)
        wider = slow > row["handoff_ms"] * 1.005
        assert added.value.endswith(milliseconds(slow, 2) if wider else least)
        assert added.value.split()[0] == least.split()[0]
        assert added.beside == f"{row['wire_bytes']:,.0f} bytes"
        assert needed.beside == f"has {bandwidth(row['bandwidth_gb_s'])}"
    if not row["fits"]:
        assert (ttft.value, bottleneck.value) == ("no time", "memory")
        return
    assert ttft.value == milliseconds(row["ttft_ms"])
    assert ttft.good is (None if math.isnan(row["ttft_ms"]) else row["meets_ttft_slo"])
    assert bottleneck.beside == f"full at {significant(row['carries_requests_per_s'])} requests/s"
    assert bottleneck.value == (row["busiest"] if split else "workers")
    if split:
        endless = math.isinf(row["needed_gb_s"])
        assert needed.value == ("none is enough" if endless else rate(row["needed_gb_s"]))


@ON_DISK
@given(data=st.data())
def test_the_command_line_says_what_the_pages_say(
    data: st.DataObject, any_scenario: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    scenario, outcomes = drawn(data, any_scenario)
    folder = tmp_path_factory.getbasetemp()
    rows = rows_of(compared(scenario, outcomes))
    prompt = scenario.workload.prompt_tokens
    said = (
        (surfaces.ttft_command(scenario, folder), NAMES),
        (surfaces.ttft_csv(scenario, folder), NUMBERS),
        (surfaces.sweep_command(scenario, folder, f"prompt_tokens={prompt}"), SWEPT),
    )
    for found, names in said:
        for row, other in zip(rows, found, strict=True):
            surfaces.same(row, other, names)
    carried = surfaces.solve_command(scenario, folder, Sought.WORKERS)
    needed = surfaces.solve_command(scenario, folder, Sought.BANDWIDTH)
    for row, workers, wanted in zip(rows, carried, needed, strict=True):
        assert workers["now_requests_per_s"] == row["carries_within_slos_per_s"]
        surfaces.same(row, wanted, ["needed_gb_s"])


@settings(max_examples=100)
@given(data=st.data())
def test_one_request_replayed_on_an_idle_system_takes_the_rows_own_time(
    data: st.DataObject, any_asked: Any
) -> None:
    workload, row = data.draw(any_asked)
    # a trace says what is cached; a replay sends whole blocks and spreads descriptors over tokens
    workload = workload.changed(prefill_cached_tokens=0, decode_cached_tokens=0, least_length_share=1.0)
    row = row.changed(overlap="none", link_model="reference", prefix_credit="blocks")
    trace = Trace(np.zeros(1), np.array([workload.prompt_tokens]), np.array([workload.output_tokens]))
    assume(row.bandwidth_gb_s is None or row.bandwidth_gb_s > 0)
    try:
        found = replay_row(workload, row, trace)
    except (InputError, ValueError):
        assume(False)
        return
    x = resolve(workload, row)
    passes = workload.prompt_tokens / row.pass_tokens  # each a whole number of nanoseconds there
    near = {"rel": 1e-6, "abs": 1e-5 + passes * 1e-6}
    assert found.column("ttft_ms")[0] == pytest.approx(float(breakdown(x).ttft_ms), **near)
    if row.split:
        assert found.column("bytes_moved")[0] == wire_bytes(x)
        assert found.prompts_bytes == x.wire.bytes(workload.prompt_tokens)
        sent_ms = found.column("wire_end_ms")[0] - found.column("link_start_ms")[0]
        assert sent_ms == pytest.approx(float(transfer_ms(x)), **near)


@settings(max_examples=25)
@given(data=st.data())
def test_traffic_and_the_command_line_say_the_same_of_a_replay(
    data: st.DataObject, any_scenario: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    scenario, _ = drawn(data, any_scenario)
    scenario = scenario.changed(traffic=Traffic(contention=data.draw(st.sampled_from(["fifo", "fair"]))))
    requests = [(0, 900, 3), (40, 4000, 1), (70, 60, 12)]
    trace = Trace(*(np.array(column, dtype=float) for column in zip(*requests, strict=True)))
    file = folder / "trace.jsonl"
    file.write_text(
        "\n".join(
            json.dumps({"timestamp": ms, "input_length": prompt, "output_length": output, "hash_ids": []})
            for ms, prompt, output in requests
        ),
        encoding="utf-8",
    )
    try:
        told = surfaces.replay_command(scenario, folder, file)
    except InputError:  # no row can carry it
        assume(False)
        return
    for row, said in zip(scenario.deployments, told, strict=True):
        found = row_outcome(scenario, row, trace)
        assert found.refused == said.get("refused")
        if found.result is None:
            continue
        page = ReplayOutcome(found.result)
        met = page.within(scenario.workload)
        shown = {**page.verdict.model_dump(), **vars(met)}
        surfaces.same(shown, said, list(shown))
        if row.split and page.verdict.capacity_gb_s:
            x = resolve(scenario.workload, row)
            sent = sum(x.wire.bytes(prompt) for _, prompt, _ in requests)
            assert said["offered_gb_s"] == sent / 1e9 / 0.07
            times = said["offered_gb_s"] / said["capacity_gb_s"]
            if row.link_model == "reference" and row.timing_mode.value == "full_prompt":
                assert times == pytest.approx(said["offered_load"]["link"], rel=1e-4, abs=1e-9)


def test_evidence_times_published_transfers_by_the_rows_own_passes() -> None:
    by_id = {one.id: one for one in published_evidence()}
    timed = [row for row in published_measurements() if row.ttft_ms is not None]
    client_ms = float(client_constants().first_token_ms)  # what a client waits beside them
    for row in timed:
        ranks = {"prefill_tp": row.tensor_parallel, "decode_tp": row.tensor_parallel}
        workload = Workload(model_id=row.model_id, prompt_tokens=row.tokens)
        one = outcome(workload, Deployment(id="a", name="a", gpu=row.gpu, **ranks))
        passes_ms = float(one.parts.prefill_ms) + float(one.parts.decode_step_ms)
        assert by_id[f"{row.id}-ttft"].roofline == client_ms + passes_ms + by_id[row.id].calibrated
    assert timed


def test_evidence_times_published_runs_as_the_estimate_under_load() -> None:
    by_id = {one.id: one for one in cloud_evidence()}
    for run in cloud_runs():
        if run.mean_itl_ms is None:
            continue
        x = resolve(Workload(model_id=run.model_id), row_of(run))
        mean = service(replace(x, prompt_tokens=MEAN_PROMPT_TOKENS), MEAN_ANSWER_TOKENS)
        load = under_load(mean, prefill_tokens_per_s(run) / MEAN_PROMPT_TOKENS)
        assert by_id[f"{run.id}-itl"].roofline == load.itl_ms


HELD = ("kv_dtype", "weight_format", "chunk_tokens", "max_sequences")


@settings(max_examples=100)
@given(data=st.data())
def test_a_plan_says_of_its_layouts_what_the_pages_say(data: st.DataObject, any_scenario: Any) -> None:
    scenario, _ = drawn(data, any_scenario)
    held = {name: getattr(scenario.selected, name) for name in HELD}
    plan = recommend(space_of(scenario, data.draw(st.integers(1, 3)), locks=held))
    assert plan.misfit is not None or plan.ranked
    for one in plan.ranked[:2]:
        told = record(one, scenario.workload)
        at, row = scenario.workload.changed(arrivals_per_s=one.arrivals_per_s), one.row
        opened = scenario.changed(workload=at, deployments=(row,), selected_id=row.id, baseline_id=row.id)
        outcomes = compare(opened)
        (shown,) = rows_of(columns(opened, outcomes))
        answers_of_both = [name for name in told if name in shown and name not in Deployment.model_fields]
        surfaces.same(shown, told, answers_of_both)
        meets = bool(outcomes[0].reached.meets)
        assert told["meets_slos_under_load"] == shown["meets_slos_under_load"] == meets
        assert (ranking(outcomes, at)[0].reason in ("best", "meets")) <= meets
        (answer,) = answers(opened, "workers")
        assert record_of(answer)["now_requests_per_s"] == shown["carries_within_slos_per_s"]
        *_, bottleneck = numbers(outcomes[0], at)
        assert bottleneck.beside == f"full at {significant(told['carries_requests_per_s'])} requests/s"
