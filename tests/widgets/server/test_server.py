"""From outside: what the server says to everybody, and to whom it listens."""

import http.client
import time
from contextlib import suppress
from pathlib import Path

import pytest
import websocket

from tests.browser.stage import voila, write_notebook
from tests.widgets.server.visitor import TOKEN, V1, visited


def test_the_page_forbids_what_it_does_not_need(visitor):
    headers = visitor.ask("/")[2]
    policy = headers["Content-Security-Policy"]
    for words in ("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'"):
        assert words in policy
    assert "http:" not in policy and "https:" not in policy and "*" not in policy
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff"
    assert "Tornado" not in str(headers)


def test_the_log_holds_no_token_and_no_query(visitor, kernel):
    """Whatever fails on the way."""
    before = (visitor.folder / "server.log").read_text()
    for path in ("/", f"/api/kernels/{kernel}", f"/api/kernels/{kernel}/channels", "/voila/static/x", "/nowhere"):
        for query in (f"?token={TOKEN}&session_id=%ff", f"?token={TOKEN}x", "?token=%ff&secret=4711"):
            for method in ("GET", "PUT", "DELETE", "PATCH", "NONSENSE"):
                if (path, method) != ("/", "GET") or TOKEN + "&" not in query:  # that one would be let in
                    assert visitor.ask(path + query, method, token=None)[0] < 500, (path, query, method)
    far = f"/api/kernels/{kernel}/channels?token={TOKEN}&session_id={'x' * 300}"  # too long for a name in ZeroMQ
    with pytest.raises((websocket.WebSocketException, ConnectionError)):
        connection = websocket.create_connection(
            f"ws://127.0.0.1:{visitor.port}{visitor.base}{far}", subprotocols=[V1], suppress_origin=True, timeout=20
        )
        while connection.recv():
            pass
        raise ConnectionError
    log = (visitor.folder / "server.log").read_text()
    assert log != before, "the last one is an error of the server, and it is written down"
    assert not any(word in log for word in (TOKEN, "4711", "session_id", "Traceback"))


def test_the_cookie_is_sent_to_the_secret_path_alone(visitor):
    cookie = visitor.ask("/voila/static/voila.js")[2]["Set-Cookie"]
    assert cookie.startswith(f"workbench-{visitor.port}=")
    assert {f"Path={visitor.base}/", "HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
    assert len(visitor.base) > 30 and visitor.base not in str(visitor.ask_exactly("/", token=None))


@pytest.mark.slow
def test_a_portal_may_frame_the_page_and_no_other_port_may(tmp_path):
    portal = "http://portal.example.org"
    with visited(tmp_path, frames=f"{portal} http://127.0.0.1:1") as one:
        sent = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        assert one.ask("/voila/static/voila.js", **sent, Referer=f"{portal}/")[0] == 200
        for other in ("", "http://127.0.0.1:2/", f"{portal}.evil.example/"):
            assert one.ask("/voila/static/voila.js", **sent, Referer=other)[0] == 403
        assert one.ask("/voila/static/voila.js", **{**sent, "Sec-Fetch-Dest": "image"}, Referer=portal)[0] == 403


@pytest.mark.slow
def test_a_page_that_answers_keeps_its_connection_and_a_deaf_one_loses_it(tmp_path):
    with visited(tmp_path, ping=1) as one:
        kernel = one.open_page()[1]
        with one.talk(kernel) as talk, one.talk(kernel) as deaf:
            deaf.comms()
            talk.connection.settimeout(1)
            asked, until = 0, time.monotonic() + 90
            while asked < 5 and time.monotonic() < until:
                with suppress(websocket.WebSocketTimeoutException):
                    asked += talk.connection.recv_data_frame(control_frame=True)[0] == websocket.ABNF.OPCODE_PING
            talk.connection.settimeout(90)
            assert asked == 5 and talk.comms()
            deaf.connection.sock.setblocking(True)
            with pytest.raises((ConnectionError, websocket.WebSocketException)):
                while True:
                    deaf.receive()


@pytest.mark.slow
def test_without_a_token_by_hand_the_door_is_open_but_the_house_is_locked(tmp_path):
    with visited(tmp_path, token=None, public="https://study.example.org/study/") as one:
        status, page, headers = one.ask("/study/", Host="study.example.org")
        assert status == 200 and '"baseUrl": "/study/"' in page and "wss://study.example.org" in str(headers)
        assert one.ask("/study/", Host="evil.example")[0] == 403
        assert one.ask("/records.csv")[0] == one.ask("/study/records.csv")[0] == 404
        with pytest.raises(websocket.WebSocketBadStatusException):
            one.talk("a-b-c-d-e").__enter__()


def test_the_server_answers_this_machine_only(visitor):
    found = [line.split()[1:4:2] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {address for address, state in found if state == "0A" and address.endswith(f":{visitor.port:04X}")}
    assert listening == {f"0100007F:{visitor.port:04X}"}
    with pytest.raises((http.client.HTTPException, OSError)):
        http.client.HTTPConnection("127.0.0.2", visitor.port, timeout=5).request("GET", "/")


@pytest.mark.slow
def test_a_server_that_ends_leaves_nothing_in_the_temporary_folder(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with voila(write_notebook(tmp_path / "page.ipynb", "1"), TMPDIR=str(temporary)):
        assert list(temporary.iterdir())
    assert list(temporary.iterdir()) == []
