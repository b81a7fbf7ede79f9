"""The Model page in a real browser: one's own files, one after another."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import FilePayload, Page, expect

Open = Callable[..., Page]
Settled = Callable[[Page], None]
# 2 x 2 layers x 2 KV heads x 64 x 2 B = 1,024 B a token; twice that with four KV heads
SMALL = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "hidden_size": 256,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "intermediate_size": 512,
}


def config(name: str, **more: object) -> FilePayload:
    content = json.dumps({**SMALL, **more}).encode()
    return {"name": f"{name}.json", "mimeType": "application/json", "buffer": content}


def test_configs_are_read_one_after_another_without_a_complaint(
    app_url: str, opened: Open, settled: Settled
) -> None:
    page = opened(f"{app_url}/model")
    complaint = page.get_by_text("is not in the catalogue", exact=False)
    answer = page.locator("[data-testid=stMain] h4").first
    chooser = page.locator("[data-testid=stMain] input[type=file]").first
    for name, kv_heads, kept in (("first", 2, "1,024"), ("second", 4, "2,048"), ("third", 1, "512")):
        chooser.set_input_files(config(name, num_key_value_heads=kv_heads))
        expect(answer).to_contain_text(f"{name} keeps")
        expect(answer).to_contain_text(f"each further token adds {kept} bytes")
        settled(page)
    expect(page.get_by_label("Model", exact=True).first).to_have_value("third (yours)")
    expect(complaint).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(answer).to_contain_text("second keeps")
    settled(page)
    expect(complaint).to_have_count(0)


def test_a_file_that_is_no_config_is_a_sentence_and_the_last_model_stays(
    app_url: str, opened: Open, settled: Settled
) -> None:
    page = opened(f"{app_url}/model")
    chooser = page.locator("[data-testid=stMain] input[type=file]").first
    chooser.set_input_files(config("mine"))
    expect(page.locator("[data-testid=stMain] h4").first).to_contain_text("mine keeps")
    settled(page)
    chooser.set_input_files({"name": "x.json", "mimeType": "application/json", "buffer": b"{"})
    expect(page.get_by_text("is not JSON", exact=False).first).to_be_visible()
    settled(page)
    expect(page.locator("[data-testid=stMain] h4").first).to_contain_text("mine keeps")
