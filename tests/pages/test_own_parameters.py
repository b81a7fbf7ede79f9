"""A config.json that doesn't say how many parameters there are: the page asks, then every page has times."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from aisim_ui.model.own_parameters import YOURS
from aisim_ui.state import KEY

CONFIG = {
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}
TOTAL, ACTIVE = "model.parameters.total", "model.parameters.active"


def paste(app: AppTest, **more: object) -> AppTest:
    app.switch_page("pages/model.py").run()
    app.text_area(key="model.config.paste").set_value(json.dumps({**CONFIG, **more})).run()
    assert not app.exception
    return app


def test_the_page_asks_for_parameters_and_every_page_then_answers(app: AppTest) -> None:
    page = paste(app)
    assert "vocab\\_size" in page.main.warning[0].value or "vocab_size" in page.main.warning[0].value
    page.text_input(key=TOTAL).set_value("8.03").run()
    spec = page.session_state[KEY].scenario.workload.model
    assert (spec.total_parameters, spec.active_parameters) == (8_030_000_000, 8_030_000_000)
    assert spec.parameters_from == YOURS
    assert not page.main.warning
    for name in ("handoff", "deployments", "explore"):
        page.switch_page(f"pages/{name}.py").run()
        assert not page.exception
        assert not page.main.error


def test_active_parameters_of_a_mixture_are_taken_too(app: AppTest) -> None:
    page = paste(app)
    page.text_input(key=TOTAL).set_value("47").run()
    page.text_input(key=ACTIVE).set_value("13").run()
    assert page.session_state[KEY].scenario.workload.model.active_parameters == 13_000_000_000


@pytest.mark.parametrize("text", ["many", "0", "-1", "nan", "1e9"])
def test_what_is_no_number_of_parameters_gets_a_sentence(app: AppTest, text: str) -> None:
    page = paste(app)
    page.text_input(key=TOTAL).set_value(text).run()
    assert not page.exception
    assert "billions" in page.main.error[0].value
    assert page.text_input(key=TOTAL).value == text


def test_more_active_parameters_than_there_are_get_a_sentence(app: AppTest) -> None:
    page = paste(app)
    page.text_input(key=TOTAL).set_value("8").run()
    page.text_input(key=ACTIVE).set_value("9").run()
    assert "more than" in page.main.error[0].value
    assert page.session_state[KEY].scenario.workload.model.active_parameters == 8_000_000_000


def test_a_config_that_sizes_its_weights_is_not_asked_about(app: AppTest) -> None:
    page = paste(app, vocab_size=128_256, intermediate_size=14_336)
    assert not page.main.warning
    assert TOTAL not in [box.key for box in page.text_input]


def test_a_model_that_cannot_be_kept_as_a_row_keeps_its_own_is_refused(app: AppTest) -> None:
    app.selectbox(key="side.pick.model").set_value("deepseek-v3").run()
    app.switch_page("pages/model.py").run()
    app.selectbox(key="model.pick.split-400g.kv_dtype").set_value("fp8_ds_mla").run()
    app.selectbox(key="side.pick.model").set_value("qwen3-32b").run()
    assert "fp8_ds_mla" in app.sidebar.error[0].value.replace("\\", "")
    assert app.session_state[KEY].scenario.workload.model_id == "deepseek-v3"
    paste(app)
    assert app.session_state[KEY].scenario.workload.model is None
