"""A wrong input is a sentence: the last good result stays, and nothing else that was entered is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from aisim_model.scenario import Scenario
from aisim_ui.share import packed
from aisim_ui.state import KEY, State

PROMPT = "side.box.workload.prompt_tokens"
BANDWIDTH = "row.box.split-400g.bandwidth_gb_s"
BYTES = "row.box.split-400g.kv_bytes_per_token"
APP = Path(__file__).resolve().parents[2] / "app.py"


def enter(app: AppTest, key: str, text: str) -> AppTest:
    app.text_input(key=key).set_value(text).run()
    assert not app.exception
    return app


def now(app: AppTest) -> State:
    found: State = app.session_state[KEY]
    return found


@pytest.mark.parametrize(
    ("key", "text", "says"),
    [
        (PROMPT, "0", "from 1 to 10,000,000"),
        (PROMPT, "-8192", "from 1 to 10,000,000"),
        (PROMPT, "1.5", "a whole number"),
        (PROMPT, "NaN", "a whole number"),
        (PROMPT, "1e400", "a whole number"),
        (PROMPT, "", "is empty"),
        (PROMPT, str(2**63), "from 1 to 10,000,000"),
        (PROMPT, "9" * 5000, "a whole number"),
        ("side.box.workload.output_tokens", "-1", "from 1 to 1,000,000"),
        ("side.box.workload.decode_cached_tokens", "2.5", "a whole number"),
        ("side.box.workload.decode_cached_tokens", "12001", "12,000 tokens"),
        ("side.box.workload.prefill_cached_tokens", "12001", "12,000 tokens"),
        ("side.box.workload.ttft_slo_ms", "0", "above 0"),
        ("side.box.workload.itl_slo_ms", "nan", "above 0"),
        (BANDWIDTH, "NaN", "from -1,000,000 to 1,000,000"),
        (BANDWIDTH, "1e400", "from -1,000,000 to 1,000,000"),
        (BANDWIDTH, "fast", "from -1,000,000 to 1,000,000"),
        (BYTES, str(2**63), "from 0 to 1,000,000,000"),
        (BYTES, "-1", "from 0 to 1,000,000,000"),
        (BYTES, "0.5", "a whole number"),
    ],
)
def test_a_wrong_number_is_a_sentence_and_the_last_good_result_stays(
    app: AppTest, key: str, text: str, says: str
) -> None:
    enter(app, "side.box.workload.output_tokens", "77")
    before = [metric.value for metric in app.metric]
    scenario = now(app).scenario
    enter(app, key, text)
    said = [error.value.replace("\\", "") for error in app.error]
    assert len(said) == 1 + (key == "side.box.workload.prompt_tokens")  # the prompt has a box in two places
    assert says in said[0]
    assert now(app).scenario == scenario
    assert [metric.value for metric in app.metric] == before
    assert app.text_input(key=key).value == text
    if key != "side.box.workload.output_tokens":
        assert app.text_input(key="side.box.workload.output_tokens").value == "77"


def test_a_good_number_after_a_wrong_one_clears_the_sentence(app: AppTest) -> None:
    enter(app, PROMPT, "-1")
    enter(app, PROMPT, "8,192")
    assert not app.error
    assert now(app).scenario.workload.prompt_tokens == 8192
    assert app.text_input(key="row.box.workload.prompt_tokens").value == "8,192"


def test_two_wrong_numbers_are_each_kept_and_said(app: AppTest) -> None:
    enter(app, BANDWIDTH, "fast")
    enter(app, BYTES, "many")
    assert len(app.error) == 2
    assert app.text_input(key=BANDWIDTH).value == "fast"
    enter(app, BANDWIDTH, "50")
    assert len(app.error) == 1
    assert app.text_input(key=BYTES).value == "many"


@pytest.mark.parametrize(("text", "shown"), [("0", "0 GB/s"), ("-3", "-3 GB/s")])
def test_no_bandwidth_is_no_delay_and_why(app: AppTest, text: str, shown: str) -> None:
    enter(app, BANDWIDTH, text)
    assert not app.error
    assert app.metric[0].value == "no delay"
    assert any(f"bandwidth is {shown}: nothing is sent" in warning.value for warning in app.warning)
    assert any("no handoff delay, because" in one.value for one in app.markdown)


def test_a_number_by_hand_is_marked_as_yours_and_can_be_taken_back(app: AppTest) -> None:
    enter(app, BANDWIDTH, "50")
    assert app.metric[0].value == "63 ms"  # 3,145,728,000 B over 50 GB/s
    assert any("bandwidth by hand" in one.value for one in app.markdown)
    app.button(key="row.back.split-400g.bandwidth_gb_s").click().run()
    assert app.metric[0].value == "16 ms"
    assert now(app).scenario == Scenario()


def test_empty_takes_a_number_by_hand_back_too(app: AppTest) -> None:
    enter(enter(app, BYTES, "1000"), BYTES, "")
    assert not app.error
    assert now(app).scenario == Scenario()


def test_a_preset_replaces_everything_and_undo_brings_it_back(app: AppTest) -> None:
    enter(app, PROMPT, "8192")
    mine = now(app).scenario
    app.selectbox(key="preset").set_value("DeepSeek-V3, a latent that stands on every rank").run()
    assert not app.exception
    assert now(app).scenario.workload.model_id == "deepseek-v3"
    assert app.selectbox(key="preset").value is None
    app.button(key="undo").click().run()
    assert now(app).scenario == mine
    app.button(key="undo").click().run()
    assert now(app).scenario == Scenario()
    assert app.button(key="undo").disabled


def test_a_shorter_prompt_than_what_is_cached_names_the_cached_tokens(app: AppTest) -> None:
    enter(app, "side.box.workload.decode_cached_tokens", "6000")
    enter(app, PROMPT, "5000")
    assert "decode_cached_tokens" in app.error[0].value.replace("\\", "")
    assert now(app).scenario.workload.prompt_tokens == 12_000


def test_a_selected_row_is_selected_on_every_page(app: AppTest) -> None:
    app.selectbox(key="row.pick.selected_id").set_value("split-tcp").run()
    assert app.metric[0].value == "250 ms to 3.1 s"
    app.switch_page("pages/deployments.py").run()
    assert now(app).scenario.selected_id == "split-tcp"


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"prompt_tokens": "-5"}, "prompt_tokens = '-5'"),
        ({"no_such_field": "1"}, "no_such_field"),
        ({"s": "A" * 10_000}, "link can't be read"),
        ({"s": "<script>alert(1)</script>"}, "<script>alert(1)</script>"),
        ({"bandwidth_gb_s": "nan"}, "bandwidth_gb_s"),
        ({"model_id": "**x**"}, "**x**"),
    ],
)
def test_a_wrong_link_is_a_message_and_the_page_stands(parameters: dict[str, str], says: str) -> None:
    app = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert says in app.warning[0].value.replace("\\", "")
    assert app.metric[0].value == "16 ms"
    app.button(key="dismiss").click().run()
    assert not app.warning


def test_a_link_opens_as_it_was_sent_and_says_what_changed_since() -> None:
    app = AppTest.from_file(str(APP), default_timeout=60)
    sent = Scenario().with_workload(prompt_tokens=8192)
    app.query_params["s"] = packed(sent)
    app.switch_page("pages/handoff.py")
    app.run()
    assert app.metric[0].value == "11 ms"
    assert not app.warning
    enter(app, PROMPT, "4096")
    changed = [one.value.replace("\\", "") for one in app.caption if "Changed since" in one.value]
    assert changed == ["Changed since the link was opened: Prompt 8,192 → 4,096"]
    app.button(key="reopen").click().run()
    assert now(app).scenario == sent
