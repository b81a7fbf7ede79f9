"""The Traffic page: requests in, what they waited for out, or a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.scenario import Scenario
from aisim_model.scenario.traffic import SyntheticRule, TraceFile, Traffic
from aisim_ui.share import changes
from aisim_ui.state import KEY
from aisim_ui.traffic import source
from aisim_ui.traffic.source import Upload
from aisim_ui.traffic.visit import KEY as VISIT

PAGE = "pages/traffic.py"
SMALL = Traffic(
    source="synthetic",
    synthetic=SyntheticRule(requests=60, requests_per_s=2.0),
    deployment_ids=("aggregated", "split-400g"),
)
ROWS = "arrived_at,num_prefill_tokens,num_decode_tokens\n0.5,100,8\n1,300,4\n2,0,4\n3,50,9\n"


def opened(app: AppTest, traffic: Traffic, upload: Upload | None = None) -> AppTest:
    """Open the page on some traffic and wait until it is replayed, which small traffic is by itself."""
    app.session_state[KEY].scenario = app.session_state[KEY].scenario.changed(traffic=traffic)
    page = app.switch_page(PAGE)
    if upload is not None:
        page.run()
        page.session_state[VISIT].upload = upload
    return finished(page.run())


def finished(page: AppTest) -> AppTest:
    assert not page.exception
    if (run := page.session_state[VISIT].run) is not None:
        run.wait(120)
        assert run.ended
        page.run()
    assert not page.exception
    return page


def press(page: AppTest, start: str) -> AppTest:
    next(button for button in page.button if button.label.startswith(start)).click().run()
    return finished(page)


def uploaded(content: str, **choices: Any) -> tuple[Traffic, Upload]:
    upload = Upload.of("mine.csv", content.encode())
    file = TraceFile.model_validate({"name": upload.name, "sha256": upload.sha256, **choices})
    return SMALL.changed(source="file", file=file), upload


def traffic_of(page: AppTest) -> Traffic:
    found: Traffic = page.session_state[KEY].scenario.traffic
    return found


def shown_texts(page: AppTest) -> str:
    parts = (*page.error, *page.warning, *page.info, *page.caption, *page.markdown)
    return " ".join(str(one.value).replace("\\", "") for one in parts)


def test_small_traffic_is_replayed_by_itself(app: AppTest) -> None:
    page = opened(app, SMALL)
    assert "Split, 400G NIC per GPU" in page.markdown[0].value
    labels = ["TTFT, median", "Goodput [requests/s]", "Offered load", "Bottleneck"]
    assert [one.label for one in page.metric] == labels
    assert len(page.get("plotly_chart")) == 3
    percentiles = page.dataframe[0].value
    assert percentiles["quantity"].tolist() == ["TTFT", "TTFT", "Handoff"]
    assert {"p50_ms", "p75_ms", "p90_ms", "p95_ms", "p99_ms", "max_ms"} <= set(percentiles)
    assert (percentiles["p50_ms"] <= percentiles["max_ms"]).all()


def test_the_selected_row_is_looked_into(app: AppTest) -> None:
    page = opened(app, SMALL)
    page.selectbox(key="traffic.pick.selected_id").set_value("aggregated").run()
    assert not page.exception
    assert page.session_state[KEY].scenario.selected_id == "aggregated"
    assert "Aggregated" in page.markdown[0].value


def test_a_moment_is_shown_as_a_timeline(app: AppTest) -> None:
    page = opened(app, SMALL)
    page.button_group(key="traffic.time").set_value("Around a moment").run()
    assert not page.exception
    titles = [json.loads(one.proto.spec)["layout"]["title"]["text"] for one in page.get("plotly_chart")]
    assert any(title.startswith("Around ") for title in titles)
    assert len(titles) == 3


def test_what_is_changed_is_replayed_when_asked_for_and_what_was_stays_until_then(app: AppTest) -> None:
    page = opened(app, SMALL)
    before = page.markdown[0].value
    page.selectbox(key="traffic.pick.traffic.contention").set_value("fifo").run()
    assert "not replayed yet" in shown_texts(page)
    assert page.markdown[0].value == before
    press(page, "Replay 60 requests on 2 deployments")
    assert "not replayed yet" not in shown_texts(page)
    # going back finds the outcomes that were kept
    page.selectbox(key="traffic.pick.traffic.contention").set_value("fair").run()
    assert any(button.label == "Replayed" for button in page.button)


def test_a_name_and_a_service_level_change_without_another_replay(app: AppTest) -> None:
    page = opened(app, SMALL)
    scenario = page.session_state[KEY].scenario
    page.session_state[KEY].scenario = scenario.with_row("split-400g", name="Renamed").with_workload(
        ttft_slo_ms=1.0
    )
    page.run()
    assert "Renamed" in page.markdown[0].value
    assert page.metric[1].delta == "0% meet both SLOs"


def test_aggregated_rows_are_refused_at_the_level_that_knows_none(app: AppTest) -> None:
    page = opened(app, SMALL.changed(level="fifo"))
    assert "Aggregated 2 x TP4 can't be replayed" in shown_texts(page)
    assert page.dataframe[0].value["deployment"].unique().tolist() == ["Split, 400G NIC per GPU"]


def test_faulty_rows_are_shown_and_left_out_when_asked(app: AppTest) -> None:
    page = opened(app, *uploaded(ROWS))
    assert "1 row of mine.csv can't be replayed" in shown_texts(page)
    faults = page.dataframe[0].value
    assert faults[["line", "column"]].to_numpy().tolist() == [[4, "num_prefill_tokens"]]
    press(page, "Leave 1 row out")
    assert traffic_of(page).file.rows == 3
    assert "1 faulty row left out" in shown_texts(page)
    assert "1 faulty row of the file left out" in shown_texts(page)
    assert page.session_state[VISIT].last[0][1].rows_left_out == 1


def test_a_unit_is_shown_with_its_reason_and_can_be_changed(app: AppTest) -> None:
    page = opened(app, *uploaded(ROWS, skip_bad_rows=True))
    assert "Arrivals are in s" in shown_texts(page)
    page.selectbox(key="traffic.table.pick.traffic.file.time_unit").set_value("ms").run()
    assert "Arrivals are in ms" in shown_texts(page)
    assert "over 0.0025 s" in shown_texts(page)


def test_columns_are_mapped(app: AppTest) -> None:
    page = opened(app, *uploaded("when,prompt,answer\n0,5,6\n10,7,8\n"))
    assert "Map its columns" in shown_texts(page)
    for role, column in (("arrival", "when"), ("input_tokens", "prompt"), ("output_tokens", "answer")):
        page.selectbox(key=f"traffic.map.{role}").set_value(column)
    press(page, "Use these columns")
    assert "2 requests" in shown_texts(page)
    assert page.metric


def test_an_unclear_decimal_mark_is_asked_for(app: AppTest) -> None:
    # 12.035 tokens: twelve thousand, or twelve and a bit
    page = opened(app, *uploaded("arrived_at;num_prefill_tokens;num_decode_tokens\n0;12.035;8\n1;7;8\n"))
    assert "decimal" in shown_texts(page)
    page.selectbox(key="traffic.fault.pick.traffic.file.decimal").set_value(",").run()
    finished(page)
    assert "6,021 tokens of prompt" in shown_texts(page)  # the mean of 12,035 and 7


HUGE = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,1000000000000000,8\n"
LONG = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,9000000,8\n1,5,5\n"
WIDE = ",".join(f"c{n}" for n in range(100_000)) + "\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "mine.csv"),
        ("\x89PNG\r\n\x1a\n\x00", "mine.csv"),
        (HUGE, "1 row of mine.csv can't be replayed"),
        (LONG, "can't be replayed"),
        (WIDE, "mine.csv"),
        ('{"a": ' * 5000, "mine.csv"),
        ("<script>alert(1)</script>", "mine.csv"),
    ],
    ids=["empty", "picture", "huge prompt", "prompt beyond a pool", "wide", "deep", "page"],
)
def test_what_can_not_be_replayed_is_a_sentence(app: AppTest, content: str, said: str) -> None:
    page = opened(app, *uploaded(content))
    assert said in shown_texts(page)
    assert not page.metric


def test_a_link_asks_for_its_file(app: AppTest) -> None:
    file = TraceFile(name="mine.csv", sha256="ab" * 32, rows=812)
    page = opened(app, SMALL.changed(source="file", file=file))
    assert "mine.csv" in shown_texts(page)
    assert "812 requests" in shown_texts(page)
    assert not page.metric


def test_a_window_of_a_trace_is_warned_of(app: AppTest) -> None:
    traffic = Traffic(example_id="azure_code", window_end_s=60.0, deployment_ids=("split-400g",))
    assert "is biased" in shown_texts(opened(app, traffic))


def test_a_wrong_window_is_a_sentence_and_the_last_good_one_stays(app: AppTest) -> None:
    page = opened(app, SMALL)
    page.text_input(key="traffic.box.traffic.window_start_s").set_value("soon").run()
    assert "must be a number from 0" in shown_texts(page)
    assert traffic_of(page).window_start_s == 0.0
    assert page.metric


def test_whose_a_link_is_counts_only_where_transfers_meet_on_it(app: AppTest) -> None:
    assert "One link is" in [box.label for box in opened(app, SMALL.changed(scope="shared")).selectbox]
    page = opened(app, SMALL.changed(scope="shared", contention="none"))
    assert "One link is" not in [box.label for box in page.selectbox]
    assert traffic_of(page).scope == "shared"  # kept for when transfers share again


def test_no_deployment_is_no_replay(app: AppTest) -> None:
    page = opened(app, SMALL.changed(deployment_ids=()))
    assert not page.metric
    assert all(button.disabled for button in page.button if button.key == "traffic.replay")


def test_too_many_records_are_refused_before_any_work(app: AppTest) -> None:
    rule = SyntheticRule(requests=1_000_000, prompt_length="fixed", answer_length="fixed")
    many = Traffic(source="synthetic", synthetic=rule)
    page = opened(app, many)
    assert "5,000,000 records are more than this page holds" in shown_texts(page)
    assert page.session_state[VISIT].run is None


def test_every_scenario_that_starts_the_app_can_be_replayed(app: AppTest) -> None:
    row = Scenario().selected.changed(gpu="l40s", prefill_tp=1, decode_tp=1)
    app.session_state[KEY].scenario = Scenario().changed(
        deployments=(row,), selected_id=row.id, baseline_id=row.id
    )
    page = opened(app, SMALL.changed(deployment_ids=None))
    assert not page.metric  # its weights alone don't fit


def test_what_a_reader_changed_since_a_link_is_said() -> None:
    before = Scenario().changed(traffic=SMALL)
    rule = SMALL.synthetic.changed(seed=7)
    after = before.changed(traffic=SMALL.changed(synthetic=rule, window_end_s=20.0, prefix_caching=False))
    assert changes(before, before) == []
    assert changes(before, after) == [
        "Traffic: Seed 0 → 7",
        "Traffic: To [s] left open → 20.0",
        "Traffic: Prefix caching True → False",
    ]


def test_a_measured_run_lies_beside_its_replay(app: AppTest) -> None:
    rows = "arrival_ms,prompt_tokens,output_tokens,ttft_ms,e2e_ms\n"
    traffic, upload = uploaded(rows + "".join(f"{i * 4000},900,11,90000,90100\n" for i in range(8)), rows=8)
    page = opened(app, traffic.changed(deployment_ids=("aggregated",)), upload)
    said = " ".join(text.value for text in [*page.markdown, *page.caption])
    assert "Measured TTFT is" in said
    assert "ms above at all lengths: a fixed cost that the row doesn't have." in said
    assert "0 of 8 within both service levels as measured, 8 of 8 in the replay." in said
    replayed = page.session_state[VISIT].kept.outcomes
    before = list(replayed)
    scenario = page.session_state[KEY].scenario
    workload = scenario.workload.changed(ttft_slo_ms=100_000.0)
    page.session_state[KEY].scenario = scenario.changed(workload=workload)
    page.run()
    assert any("8 of 8 within both service levels as measured" in text.value for text in page.caption)
    assert list(page.session_state[VISIT].kept.outcomes) == before  # counted anew, replayed once


def test_what_a_file_leaves_open_is_asked_for(app: AppTest) -> None:
    traffic, upload = uploaded("prompt_tokens,output_tokens\n100,8\n200,8\n")
    page = opened(app, traffic, upload)
    assert any("no column holds arrival times" in error.value for error in page.error)
    page.selectbox(key="traffic.open.arrivals").select("rate")
    press(page, "Use these")
    assert traffic_of(page).file.arrivals == "rate"  # type: ignore[union-attr]
    assert traffic_of(page).file.rows == 2  # type: ignore[union-attr]


def test_traces_are_held_by_visit_within_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {}
    monkeypatch.setattr(source.st, "session_state", held)
    _, upload = uploaded(ROWS)
    files = [TraceFile(name=f"{at}.csv", sha256=upload.sha256, skip_bad_rows=True) for at in range(3)]
    first = source.read_file(files[0], upload)
    assert source.read_file(files[0], upload) is first  # read once
    monkeypatch.setattr(source, "MOST_READ_BYTES", 150)  # 3 requests of 4 columns of 8 bytes: 96
    for file in files[1:]:
        source.read_file(file, upload)
    assert list(held[source.READ]) == [files[2]]
