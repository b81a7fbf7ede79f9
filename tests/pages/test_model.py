"""The Model page: one's own config.json in, a curve out that serves every page, or a sentence."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from aisim_ui.state import KEY

PAGE = "pages/model.py"
# 4 layers, two of a 128-token window: 2 x 2 heads x (64 + 64) x 2 B = 1,024 B grow, as many stop
HYBRID = {
    "num_hidden_layers": 4,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 1000,
    "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention"] * 2,
}


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page(PAGE).run()


def paste(page: AppTest, text: str) -> AppTest:
    page.text_area(key="model.config.paste").set_value(text).run()
    assert not page.exception
    return page


def metrics(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_the_example_is_explained(page: AppTest) -> None:
    assert metrics(page)["Grows by"] == "262,144 B"
    assert page.dataframe[0].value["working"].tolist() == ["64 layers x 8 KV heads x (128 + 128) x 2 B"]


def test_a_pasted_config_serves_every_page(page: AppTest) -> None:
    paste(page, json.dumps(HYBRID))
    assert metrics(page)["Grows by"] == "1,024 B"
    # 12,000 x 1,024 + 128 x 1,024 = 12,419,072 bytes
    assert metrics(page)["Kept by one request"] == "12.4 MB"
    page.switch_page("pages/handoff.py").run()
    assert not page.exception
    # 2 KV heads on 4 decode ranks: each head is sent twice
    assert page.metric[0].delta == "24,838,144 bytes"


def test_windows_can_be_kept_in_full(page: AppTest) -> None:
    paste(page, json.dumps(HYBRID))
    page.selectbox(key="model.pick.split-400g.window_layers").set_value("full").run()
    assert not page.exception
    assert metrics(page)["Grows by"] == "2,048 B"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "JSON"),
        ("[1, 2]", "config"),
        ('{"num_hidden_layers": 0, "num_attention_heads": 4}', "num_hidden_layers"),
        (json.dumps({**HYBRID, "num_attention_heads": "many"}), "num_attention_heads"),
    ],
)
def test_a_wrong_config_is_a_sentence_and_the_model_stays(page: AppTest, text: str, said: str) -> None:
    paste(page, text)
    assert any(said in error.value for error in page.error)
    assert metrics(page)["Grows by"] == "262,144 B"


def test_layers_for_prediction_are_counted_when_asked_for(page: AppTest) -> None:
    config = {**HYBRID, "layer_types": ["full_attention"] * 4, "num_nextn_predict_layers": 1}
    paste(page, json.dumps(config))
    # 4 layers x 2 heads x 128 x 2 B = 2,048; one more layer 2,560
    assert metrics(page)["Grows by"] == "2,048 B"
    page.checkbox(key="model.config.mtp").check().run()
    assert not page.exception
    assert metrics(page)["Grows by"] == "2,560 B"


def test_the_link_carries_the_curve_and_not_the_file(page: AppTest) -> None:
    paste(page, json.dumps(HYBRID))
    served = page.session_state[KEY].scenario.workload.model
    assert served.name == "pasted config"
    assert "intermediate_size" not in served.model_dump_json()


def test_a_kv_format_of_ones_own_is_shown(page: AppTest) -> None:
    # 64 layers x 2 x 8 heads x (128 x 4 / 8 + 4) B
    now = page.session_state[KEY]
    now.scenario = now.scenario.with_row("split-400g", kv_dtype="4bit+4B/head")
    page.run()
    assert not page.exception
    assert metrics(page)["Grows by"] == "69,632 B"
