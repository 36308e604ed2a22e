"""From outside: what a kernel behind a page can be asked, and when it ends."""

import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
import websocket

import workbench
from tests.widgets.server.visitor import PLANTED, SOURCE, TOKEN, eventually, origin, visited, within


@pytest.mark.parametrize("channel", ["shell", "control", "stdin", "iopub"])
def test_execute_request_does_nothing(visitor, kernel, channel):
    mark = visitor.witness / f"executed-{channel}"
    code = {"code": f"open({str(mark)!r}, 'w'); print(RECORDS)", "silent": False, "allow_stdin": False}
    with visitor.talk(kernel) as talk:
        talk.comms()
        talk.send("execute_request", code, channel)
        talk.comms()
        assert not within(0.5, mark.exists)
        talk.comms()
        assert not any(planted in talk.raw for planted in PLANTED) and "execute_" not in talk.raw


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("kind", ["shutdown_request", "interrupt_request", "debug_request", "create_subshell_request"])
def test_shutdown_request_does_nothing(visitor, kernel, kind, channel):
    with visitor.talk(kernel) as talk:
        before = talk.comms()
        talk.send(kind, {"restart": False, "command": "evaluate", "arguments": {"expression": "RECORDS"}}, channel)
        assert not within(0.5, lambda: not visitor.lives(kernel))
        assert talk.comms() == before


@pytest.mark.parametrize("kind", ["inspect_request", "complete_request", "history_request", "is_complete_request"])
def test_nothing_else_can_be_asked_of_a_kernel(visitor, kernel, kind):
    content = {"code": "RECORDS", "cursor_pos": 7, "detail_level": 1, "hist_access_type": "tail", "n": 9, "raw": True}
    with visitor.talk(kernel) as talk:
        talk.send(kind, {**content, "output": True})
        talk.comms()
        assert not any(planted in talk.raw for planted in PLANTED) and kind.replace("request", "reply") not in talk.raw


@pytest.mark.parametrize(
    "method, path",
    [("DELETE", ""), ("POST", "/restart"), ("POST", "/interrupt"), ("PATCH", ""), ("POST", ""), ("PUT", "")],
)
def test_a_kernel_is_not_ended_by_a_request(visitor, kernel, method, path):
    assert visitor.ask(f"/api/kernels/{kernel}{path}", method)[0] in (403, 404, 405)
    assert visitor.lives(kernel)


def test_only_widgets_are_talked_to(visitor):
    kernel = visitor.open_page()[1]
    with visitor.talk(kernel) as talk:
        widget = talk.widget()
        talk.send("comm_open", {"comm_id": "1" * 32, "target_name": "backdoor", "data": {}})
        talk.send("comm_open", {"comm_id": "2" * 32, "target_name": "jupyter.widget", "data": {"state": {}}})
        talk.send("comm_close", {"comm_id": widget, "data": {}})
        assert not {"1" * 32, "2" * 32} & set(talk.comms())
        talk.send("comm_msg", {"comm_id": widget, "data": {"method": "update", "state": {"number": 2}}})
        talk.comms()
        assert eventually((visitor.witness / "number-2").exists)
        assert not (visitor.witness / "backdoor").exists()


def test_what_a_callback_prints_shows_or_raises_stays_in_the_kernel(visitor):
    kernel = visitor.open_page()[1]
    (visitor.witness / "heard").unlink(missing_ok=True)
    with visitor.talk(kernel) as talk:
        talk.send("comm_msg", {"comm_id": talk.widget(), "data": {"method": "custom", "content": {"kind": "hello"}}})
        assert eventually((visitor.witness / "heard").exists)
        talk.comms()
        assert not within(0.5, lambda: False)
        talk.comms()
        assert '"msg_type"' in talk.raw
        assert not any(word in talk.raw for word in (*PLANTED, SOURCE, "Traceback", "ValueError", "stream"))
    log = (visitor.folder / "server.log").read_text()
    assert not any(planted in log for planted in PLANTED)


@pytest.mark.slow
def test_a_kernel_knows_what_it_needs_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "never to be seen")
    with visited(tmp_path) as one:
        one.open_page()
        environment, folder, files = json.loads((one.witness / "environment.json").read_text())
    assert not any("never" in value or TOKEN in value for value in environment.values())
    assert environment["WORKBENCH_PUBLISHED"] == str(tmp_path / "published")
    assert files == [] and not Path(folder).is_relative_to(Path(workbench.__file__).parent.parent)
    assert not os.path.exists(folder)  # gone with the server


@pytest.mark.slow
def test_a_kernel_ends_soon_after_its_page_and_an_untouched_page_much_later(tmp_path):
    with visited(tmp_path, without_page=1, left_alone=6, every=1) as one:
        kernel = one.open_page()[1]
        with one.talk(kernel) as talk:
            without = one.open_page()[1]
            assert eventually(lambda: talk.download() and not one.lives(without))
            assert one.lives(kernel)
            touched = time.monotonic()
            talk.download()
            with pytest.raises(ConnectionError):
                while True:
                    talk.receive()
            assert time.monotonic() - touched >= 6
        assert not one.lives(kernel)


def test_a_large_message_ends_the_connection_and_not_the_kernel(visitor, kernel):
    with visitor.talk(kernel) as talk, pytest.raises((websocket.WebSocketException, OSError)):
        talk.send("comm_msg", {"comm_id": "x", "data": "x" * 5_000_000})
        talk.comms()
    assert visitor.lives(kernel)


def numbers(*starts):
    """The beginning of a message: how many parts, and where each begins."""
    return b"".join(number.to_bytes(8, "little") for number in (len(starts), *starts))


def message(header, content=b"{}", channel=b"shell", rest=b"{}"):
    """A message of these parts."""
    parts, starts = [channel, header, rest, rest, content], [8 * 7]
    for part in parts:
        starts.append(starts[-1] + len(part))
    return numbers(*starts) + b"".join(parts)


BROKEN = [
    "", "{", "[]", "{}", '{"header": {}}', '{"channel": {}}', '"\\ud800"', b"", b"\0" * 8, b"\xff" * 40,
    (2**63).to_bytes(8, "little") * 3,
    numbers(*[8, 4_000] * 400) + b"x" * 4_000,  # every second part is all of it: together they would fill the memory
    numbers(1 << 63, 1 << 63, 1 << 63),
    message(b"{}"), message(b"[]"), message(b"5"), message(b"\xff"), message(b'{"msg_type": {}}'),
    message(b'{"msg_type": []}'), message(b'{"msg_type": "comm_open"}', b"[]"), message(b"[" * 100_000),
    message(b'{"msg_type": "comm_close"}', b'{"comm_id": {}}'), message(b'{"msg_type": "comm_msg"}', b"{" * 9),
    message(b'{"msg_type": "comm_msg"}', channel=b"\xff"), message(b'{"msg_type": "comm_msg"}', b'["\\ud83d"]'),
    message(b'{"msg_type": "comm_msg", "session": "\\uDE00"}'),
    message(b'{"msg_type": "comm_msg"}', rest=b'["\\ud83d"]'),
]  # fmt: skip


def test_a_broken_message_is_refused(visitor, kernel):
    for broken in BROKEN:
        with visitor.talk(kernel) as talk:
            talk.comms()
            talk.connection.send(broken, opcode=2 if isinstance(broken, bytes) else 1)
            with pytest.raises((ConnectionError, websocket.WebSocketConnectionClosedException)):
                talk.comms()
    assert visitor.lives(kernel)
    log = (visitor.folder / "server.log").read_text()
    assert "Traceback" not in log and "channels" not in log


def test_a_character_in_two_halves_is_welcome(visitor):
    kernel = visitor.open_page()[1]
    with visitor.talk(kernel) as talk:
        state = {"method": "update", "state": {"number": 3, "\N{GRINNING FACE}": "\N{GRINNING FACE}"}}
        talk.send("comm_msg", {"comm_id": talk.widget(), "data": state})
        talk.comms()
        assert eventually((visitor.witness / "number-3").exists)


@pytest.mark.slow
def test_connections_do_not_use_up_the_servers_files(tmp_path):
    """A hundred and twenty to one page, and as many as there may be to all of three."""
    with visited(tmp_path, most=3, files=256) as one, ExitStack() as every:
        kernels = [one.open_page()[1] for _ in range(3)]
        refused = 0
        for kernel in kernels * 40:
            try:
                talk = every.enter_context(one.talk(kernel))
            except websocket.WebSocketBadStatusException as error:
                refused += 1
                assert error.status_code == 429 and b"Too many connections" in error.resp_body
            else:
                talk.comms()
        assert 120 - 3 * 4 <= refused < 120 - 3
        assert one.ask("/voila/static/voila.js")[0] == 200 and all(map(one.lives, kernels))
        every.close()
        with one.talk(kernels[0]) as talk:
            assert talk.comms()
    assert "many" not in (tmp_path / "server.log").read_text()


@pytest.mark.slow
def test_there_is_room_for_so_many_pages(tmp_path):
    with visited(tmp_path, most=2) as one:
        with ThreadPoolExecutor(5) as pool:
            answers = list(pool.map(lambda _: one.ask("/"), range(5)))
        assert sorted(status for status, *_ in answers) == [200, 200, 503, 503, 503]
        assert all("Too many readers" in page for status, page, _ in answers if status == 503)
        pages = [page for status, page, _ in answers if status == 200]
        assert any(reloaded(one, page) for page in pages), "who comes waits three seconds for room"


def reloaded(visitor, page):
    """Reload a page: request it just before the old one closes, and return whether it opened."""
    kernel = re.search(r'"kernelId": "([\w-]+)"', page)[1]
    with ThreadPoolExecutor(1) as pool:
        again = pool.submit(visitor.ask, "/")
        assert not within(0.5, again.done)
        assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=origin(visitor))[0] == 204
        if again.result()[0] == 200:
            return True
    visitor.open_page()
    return False
