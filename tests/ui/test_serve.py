"""Where the app is served: an address that is wrong or taken is a sentence."""

from __future__ import annotations

import socket

import pytest

from aisim_model.errors import InputError
from aisim_ui import serve


@pytest.mark.parametrize("host", ["no such host", "203.0.113.1", "a" * 300, "x..y"])
def test_a_host_that_is_not_this_machine_is_refused(host: str) -> None:
    with pytest.raises(InputError, match="can't be listened on"):
        serve.listen(host, 8501)


def test_a_taken_port_is_refused_and_a_free_one_sends_small_messages_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"'127.0.0.1:{port}': can't be listened on"):
            serve.listen("127.0.0.1", port)
    with serve.listen("127.0.0.1", port) as listening, socket.create_connection(("127.0.0.1", port)):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_refused_setting_is_a_sentence_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "abc")
    with pytest.raises(SystemExit) as left:
        serve.main()
    assert left.value.code == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith("aisim: PORT = 'abc': must be a whole number. Unset it for 8501, or correct it")
