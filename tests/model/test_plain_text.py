"""Names out of files and links neither steer a terminal nor fill a page."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from aisim_cli.output import print_json, print_table
from aisim_model.models.kv_cache import ConfigError, KvLayout, read_config
from aisim_model.models.kv_cache.parts import HeadKv
from aisim_model.models.spec import ModelSpec
from aisim_model.plain_text import one_line, printable
from aisim_model.scenario import Deployment

ESCAPES = "\x1b]0;owned\x07\x9b2J\u202e"
SIZES = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}


@given(st.text())
def test_a_line_keeps_all_that_prints_and_its_length(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)
    assert not set("\x00\x07\x1b\r\n\x7f\x9b\u202e\u2028") & set(one_line(text))
    assert all(
        one == other or not other.isprintable() for one, other in zip(printable(text), text, strict=True)
    )


def test_names_of_rows_and_models_hold_no_escapes() -> None:
    spec = ModelSpec.from_config({**SIZES, "model_type": ESCAPES}, ESCAPES, ESCAPES)
    for text in (Deployment(id="a", name=ESCAPES).name, spec.name, spec.source, *spec.kv.notes):
        assert printable(text) == text


def test_what_is_printed_holds_no_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    print_table([{"file": ESCAPES}])
    print_json({"file": ESCAPES})
    table, _, document = capsys.readouterr().out.partition("{")
    assert printable(table + document) == table + document
    assert json.loads("{" + document) == {"file": ESCAPES}


def test_a_models_texts_are_bounded() -> None:
    spec = ModelSpec.from_config(SIZES, "small")
    with pytest.raises(ValidationError, match="at most 200 characters"):
        ModelSpec(**{**dict(spec), "name": "n" * 201})
    part = HeadKv(kv_heads=1, key_elements=1, value_elements=1)
    with pytest.raises(ValidationError, match="at most 32 items"):
        KvLayout(blocks=((part,),), order=(0,), notes=("a note",) * 33)
    with pytest.raises(ValidationError, match="at most 512 items"):
        KvLayout(blocks=((part,),) * 513, order=(0,))


def test_a_long_key_makes_no_long_sentence() -> None:
    with pytest.raises(ConfigError) as refused:
        read_config({**SIZES, "x" * 10_000: {"num_layers": 1}, "hidden_size": "y" * 10_000})
    assert len(str(refused.value)) < 1_000
