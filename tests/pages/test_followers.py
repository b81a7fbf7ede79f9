"""A field's box and slider follow each other, and an echo of an old value never wins over a new one."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from aisim_ui.state import KEY

SLIDER = "row.slide.workload.prompt_tokens"
BOX, OTHER_BOX = "row.box.workload.prompt_tokens", "side.box.workload.prompt_tokens"


def prompt_tokens(app: AppTest) -> int:
    return int(app.session_state[KEY].scenario.workload.prompt_tokens)


def test_the_boxes_follow_the_slider_and_the_slider_a_box(app: AppTest) -> None:
    app.select_slider(key=SLIDER).set_value(10_000).run()
    assert [app.text_input(key=key).value for key in (BOX, OTHER_BOX)] == ["10,000"] * 2
    app.text_input(key=OTHER_BOX).set_value("8192").run()
    assert app.select_slider(key=SLIDER).value == 8192
    assert app.text_input(key=BOX).value == "8,192"


def test_a_box_that_still_shows_the_old_value_does_not_undo_the_slider(app: AppTest) -> None:
    app.select_slider(key=SLIDER).set_value(10_000).run()
    # the slider moves on before the boxes have heard of 10,000: they report what they showed first
    app.text_input(key=BOX).set_value("12,000")
    app.text_input(key=OTHER_BOX).set_value("12,000")
    app.select_slider(key=SLIDER).set_value(8000).run()
    assert prompt_tokens(app) == 8000
    assert app.text_input(key=BOX).value == "8,000"


def test_a_slider_that_still_stands_at_the_old_value_does_not_undo_what_was_typed(app: AppTest) -> None:
    app.text_input(key=BOX).set_value("8192").run()
    app.select_slider(key=SLIDER).set_value(12_000)
    app.text_input(key=BOX).set_value("4096").run()
    assert prompt_tokens(app) == 4096


def test_an_old_value_typed_again_counts(app: AppTest) -> None:
    app.select_slider(key=SLIDER).set_value(10_000).run()
    app.text_input(key=BOX).set_value("12,000").run()
    assert prompt_tokens(app) == 12_000
