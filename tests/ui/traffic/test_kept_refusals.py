"""What a cache keeps of a refused file."""

from __future__ import annotations

import gc

from aisim_model.errors import InputError
from aisim_model.scenario.traffic import TraceFile
from aisim_ui.traffic.source import Upload, read_file


class Bytes(bytes):
    """Bytes that can be looked for."""


def test_a_refused_file_is_not_held_by_the_refusal_that_is_kept() -> None:
    content = Bytes(b"arrival,input_tokens\n0,\xff\n" + b"x" * 1_000_000)
    upload = Upload.of("a.csv", content)
    refused = read_file(TraceFile(name=upload.name, sha256=upload.sha256), upload)
    assert isinstance(refused, InputError)
    assert refused.__traceback__ is None
    assert refused.__context__ is None
    del upload, content
    gc.collect()
    assert not [kept for kept in gc.get_objects() if type(kept) is Bytes]
    assert not any(type(kept) is Upload for kept in gc.get_objects())
