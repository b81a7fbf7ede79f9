"""The Calibrate page: measurements in, a fit that serves every page, or a sentence."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from aisim_ui import share
from aisim_ui.state import KEY


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/calibrate.py").run()


def paste(page: AppTest, text: str) -> AppTest:
    page.text_area(key="calibrate.paste").set_value(text).run()
    assert not page.exception
    return page


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception
    return page


def test_nothing_is_claimed_before_there_are_measurements(page: AppTest) -> None:
    assert not page.exception
    assert not page.metric


def test_published_transfers_are_fitted(page: AppTest) -> None:
    press(page, "Try nine published transfers")
    alpha, bandwidth = (float(metric.value.split()[0]) for metric in page.metric[:2])
    assert 0.30 <= alpha <= 0.48
    assert 138 <= bandwidth <= 155


def test_a_line_by_hand_is_found_again(page: AppTest) -> None:
    # 1 ms to start, then 1 GB at 100 GB/s: 2, 6 and 11 ms for 0.1, 0.5 and 1 GB
    paste(page, "bytes,milliseconds\n1e8,2\n5e8,6\n1e9,11\n")
    assert [metric.value for metric in page.metric[:2]] == ["1 ms", "100 GB/s"]


def test_a_fit_is_used_on_every_page_and_travels_in_the_link(page: AppTest) -> None:
    paste(page, "bytes,milliseconds\n1e8,2\n5e8,6\n1e9,11\n")
    press(page, "Use in every split row")
    scenario = page.session_state[KEY].scenario
    assert {row.link_model for row in scenario.deployments if row.split} == {"calibrated"}
    assert share.repaired(share.unpacked(share.packed(scenario))) == (scenario, [])
    page.switch_page("pages/handoff.py").run()
    assert not page.exception
    # 1 ms + 3.145728 GB at 100 GB/s = 32.5 ms
    assert page.metric[0].value == "32 ms"


def test_the_cost_of_a_block_is_shared_out_over_its_descriptors(page: AppTest) -> None:
    # 1 ms to start, 10 GB/s and 256 us a block; a block of Qwen3-32B is 64 layers x 2 descriptors
    rows = ((1e8, 10), (2e8, 80), (4e8, 20), (8e8, 160), (1.6e9, 40))
    lines = [f"{size},{1 + size / 1e7 + 0.256 * count},{count}" for size, count in rows]
    paste(page, "\n".join(("bytes,milliseconds,blocks", *lines)))
    assert ("Per block", "256 µs") in [(metric.label, metric.value) for metric in page.metric]
    press(page, "Use in every split row")
    assert page.session_state[KEY].scenario.selected.per_descriptor_us == pytest.approx(2.0)


def test_a_fit_that_is_used_is_said_to_be(page: AppTest) -> None:
    paste(page, "bytes,milliseconds\n1e8,2\n5e8,6\n1e9,11\n")
    assert not page.success
    press(page, "Use in Split, 400G NIC per GPU")
    assert len(page.success) == 1
    assert "400G NIC per GPU, on every page" in page.success[0].value
    page.button(key="undo").click().run()
    assert not page.success


def test_the_report_has_the_answer_and_its_numbers(page: AppTest) -> None:
    paste(page, "bytes,milliseconds\n1e8,2\n5e8,6\n1e9,11\n")
    shown = page.session_state[KEY].shown
    assert "costs 1 ms to start, then goes at 100 GB/s" in shown["answer"]
    assert [one.value for one in shown["numbers"][:2]] == ["1 ms", "100 GB/s"]


def test_a_cost_that_is_not_told_apart_is_no_zero(page: AppTest) -> None:
    # descriptors in step with bytes: 1 ms + bytes at 100 GB/s, one descriptor a 1e6 bytes
    paste(page, "bytes,milliseconds,descriptors\n1e8,2,100\n5e8,6,500\n1e9,11,1000\n2e9,21,2000\n")
    assert ("Per descriptor", "not told apart") in [(metric.label, metric.value) for metric in page.metric]


def test_what_was_taken_for_granted_is_said_once(page: AppTest) -> None:
    paste(page, "size_mb,milliseconds\n100,2\n500,6\n1000,11\n")
    assert len([info for info in page.info if "size" in info.value]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bytes,milliseconds\n1e8,2\n", "two"),
        ("bytes,milliseconds\n1e8,two\n2e8,3\n", "milliseconds"),
        ("bytes,milliseconds\n1e8,-2\n2e8,3\n", "milliseconds"),
        ("tokens,milliseconds\n128,2\n256,3\n", "kv_bytes_per_token"),
        ("nothing of the kind", "header"),
    ],
)
def test_rows_that_cannot_be_fitted_get_a_sentence(page: AppTest, text: str, said: str) -> None:
    paste(page, text)
    assert len(page.error) == 1
    assert said in page.error[0].value.replace("\\", "")
    assert page.text_area(key="calibrate.paste").value == text


def test_runs_of_a_benchmark_time_the_selected_row(page: AppTest) -> None:
    rows = "\n".join(f"{n},200,{c},{t}" for n, c, t in ((500, 1, 9.5), (500, 16, 13.0), (20_000, 1, 10.4)))
    paste(page, f"prompt,output,concurrency,tpot_ms\n{rows}\n")
    assert "is off by" in page.markdown[0].value
    assert [metric.label for metric in page.metric][:2] == ["Floor of a pass", "Weight efficiency"]
    press(page, "Time Split, 400G NIC per GPU by it")
    row = page.session_state[KEY].scenario.selected
    assert row.floor_scale is not None
    assert row.kv_efficiency is not None
    assert any("are yours now" in success.value for success in page.success)
    scenario = page.session_state[KEY].scenario
    assert share.repaired(share.unpacked(share.packed(scenario))) == (scenario, [])


def test_a_cut_benchmark_file_is_a_sentence(page: AppTest) -> None:
    paste(page, '{"completed": 10, "mean_ttft_ms": 5, "mean_tp')
    assert any("it was cut" in error.value for error in page.error)
