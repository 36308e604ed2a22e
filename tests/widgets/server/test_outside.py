"""From outside: what a served page gives away to somebody who has its link, and to somebody who has not."""

import http.client
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import websocket

import workbench
from tests.widgets.server.visitor import DISEASE, NAME, SOURCE, TOKEN, V1, visited, within

PLANTED = (NAME, DISEASE)


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    with visited(tmp_path_factory.mktemp("outside")) as one:
        yield one


@pytest.fixture(scope="module")
def open_door(tmp_path_factory):
    with visited(tmp_path_factory.mktemp("open"), token=None) as one:
        yield one


@pytest.fixture(scope="module")
def kernel(visitor):
    return visitor.open_page()[1]


def paths(visitor):
    """Names of what lies about, behind every door that Jupyter and Voila usually have, straight and disguised."""
    folder = str(visitor.folder)
    names = [
        "page.ipynb", "records.csv", "picture.png", ".hidden.csv", "published/results.json", "data/adult.csv",
        "published/", "", "witness/environment.json", "results.json", "points/0000/release.csv", "study.yaml",
    ]  # fmt: skip
    doors = [
        "/", "/files/", "/voila/files/", "/voila/render/", "/voila/tree/", "/static/", "/voila/static/", "/tree/",
        "/voila/templates/workbench/static/", "/voila/templates/", "/voila/labextensions/", "/nbconvert/html/",
        "/voila/labextensions/anywidget/static/", "/api/contents/", "/voila/api/contents/", "/lab/tree/", "/view/",
    ]  # fmt: skip
    for door in doors:
        yield from (door + name for name in names if door + name != "/")
        for up in ("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%5c", "%252e%252e%252f", "....//", "..;/"):
            yield door + up * 12 + folder.lstrip("/") + "/records.csv"
            yield door + up * 2 + "page/page.ipynb"
        yield door + folder + "/records.csv"
        yield door + "/" + folder + "/records.csv"
        yield door + "records.csv%00.png"
    yield from ("/api", "/api/kernels", "/api/sessions", "/api/kernelspecs", "/api/status", "/api/terminals", "/api/me")
    yield from (
        "/login",
        "/logout",
        "/metrics",
        "/api/config/x",
        "/lsp",
        "/voila/query/a-b-c-d-e",
        "/voila/api/themes/x",
    )
    yield from (
        "/voila/execution/a-b-c-d-e",
        "/custom/custom.css",
        "/favicon.ico",
        "//etc/passwd",
        "/voila/api/shutdown/x",
    )


def test_no_path_answers_with_microdata(visitor):
    tried = list(paths(visitor))
    assert len(tried) > 500
    for path in tried:
        for method in ("GET", "HEAD", "POST", "PUT") if tried.index(path) % 40 == 0 else ("GET",):
            for ask in (visitor.ask, visitor.ask_exactly):
                status, body, headers = ask(path, method)
                assert status in (400, 403, 404, 405), (method, path, status, headers)
                assert not any(planted in body for planted in PLANTED) and "root:" not in body, path


def test_only_scripts_and_styles_of_the_page_are_static(visitor):
    page, _kernel = visitor.open_page()
    for path in ("/voila/static/voila.js", "/voila/templates/workbench/static/page.css"):
        assert path in page and visitor.ask(path)[0] == 200
    assert visitor.ask("/voila/static/")[0] == visitor.ask("/voila/templates/workbench/static/")[0] == 404


@pytest.mark.parametrize("channel", ["shell", "control", "stdin", "iopub"])
def test_execute_request_does_nothing(visitor, kernel, channel):
    mark = visitor.witness / f"executed-{channel}"
    code = {"code": f"open({str(mark)!r}, 'w'); print(RECORDS)", "silent": False, "allow_stdin": False}
    with visitor.talk(kernel) as talk:
        talk.comms()
        talk.say("execute_request", code, channel)
        talk.comms()
        assert not within(0.5, mark.exists)
        talk.comms()
        assert not any(planted in talk.raw for planted in PLANTED) and "execute_" not in talk.raw


@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("kind", ["shutdown_request", "interrupt_request", "debug_request", "create_subshell_request"])
def test_shutdown_request_does_nothing(visitor, kernel, kind, channel):
    with visitor.talk(kernel) as talk:
        before = talk.comms()
        talk.say(kind, {"restart": False, "command": "evaluate", "arguments": {"expression": "RECORDS"}}, channel)
        assert not within(0.5, lambda: not visitor.lives(kernel))
        assert talk.comms() == before


@pytest.mark.parametrize("kind", ["inspect_request", "complete_request", "history_request", "is_complete_request"])
def test_nothing_else_can_be_asked_of_a_kernel(visitor, kernel, kind):
    content = {"code": "RECORDS", "cursor_pos": 7, "detail_level": 1, "hist_access_type": "tail", "n": 9, "raw": True}
    with visitor.talk(kernel) as talk:
        talk.say(kind, {**content, "output": True})
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
        talk.say("comm_open", {"comm_id": "1" * 32, "target_name": "backdoor", "data": {}})
        talk.say("comm_open", {"comm_id": "2" * 32, "target_name": "jupyter.widget", "data": {"state": {}}})
        talk.say("comm_close", {"comm_id": widget, "data": {}})
        assert not {"1" * 32, "2" * 32} & set(talk.comms())
        talk.say("comm_msg", {"comm_id": widget, "data": {"method": "update", "state": {"number": 2}}})
        talk.comms()
        assert within(5, (visitor.witness / "number-2").exists)
        assert not (visitor.witness / "backdoor").exists()


def test_what_a_callback_prints_shows_or_raises_stays_in_the_kernel(visitor):
    kernel = visitor.open_page()[1]
    (visitor.witness / "heard").unlink(missing_ok=True)
    with visitor.talk(kernel) as talk:
        talk.say("comm_msg", {"comm_id": talk.widget(), "data": {"method": "custom", "content": {"kind": "hello"}}})
        assert within(5, (visitor.witness / "heard").exists)
        talk.comms()
        assert not within(0.5, lambda: False)
        talk.comms()
        assert '"msg_type"' in talk.raw
        assert not any(word in talk.raw for word in (*PLANTED, SOURCE, "Traceback", "ValueError", "stream"))
    log = (visitor.folder / "server.log").read_text()
    assert not any(planted in log for planted in PLANTED)


def test_a_failed_cell_shows_neither_traceback_nor_source(visitor):
    page, _ = visitor.open_page()
    assert "A step of this page failed" in page
    assert not any(word in page for word in (*PLANTED, SOURCE, "Traceback", "ValueError", "RECORDS", "Shown("))
    log = (visitor.folder / "server.log").read_text()
    assert "a cell failed: ValueError" in log
    assert not any(planted in log for planted in PLANTED)


@pytest.mark.parametrize("token", [None, "wrong", TOKEN[:-1], TOKEN + "x", "None", "é"])
def test_a_wrong_token_gets_nothing(visitor, kernel, token):
    for path in ("/", "/voila/static/voila.js", "/voila/templates/workbench/static/page.css", f"/api/kernels/{kernel}"):
        status, body, headers = visitor.ask(path, token=token and token.encode().decode("latin-1"))
        assert status == 403 and "kernelId" not in body and len(body) < 2_000
        assert "username" not in str(headers)
    status, body, _ = visitor.ask(f"/?token={(token or '').replace('é', '%C3%A9')}", token=None)
    assert status == 403 and "kernelId" not in body
    assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST", token=None, Origin=origin(visitor))[0] == 403
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"), visitor.talk(kernel, Authorization=""):
        pass
    assert visitor.lives(kernel)


def origin(visitor):
    return f"http://127.0.0.1:{visitor.port}"


@pytest.mark.parametrize("where", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_a_page_of_another_origin_gets_no_connection(visitor, kernel, where):
    """Neither with the cookie that a browser would send along, nor with the token."""
    cookie = visitor.ask("/voila/static/voila.js")[2]["Set-Cookie"].partition(";")[0]
    for proof in ({"Authorization": "", "Cookie": cookie}, {}):
        with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
            visitor.talk(kernel, Origin=where, **proof).__enter__()
        status, _, headers = visitor.ask("/", Origin=where)
        assert status == 403 and "Access-Control-Allow-Origin" not in headers
        assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=where)[0] in (403, 404)
    with visitor.talk(kernel, Authorization="", Cookie=cookie) as talk:
        talk.comms()
    assert visitor.lives(kernel)


def test_a_name_that_leads_here_by_a_trick_gets_nothing(visitor):
    """Another site's name that suddenly resolves to this machine: its page would be of the same origin."""
    assert visitor.ask("/", Host="evil.example")[0] == 403
    assert visitor.ask("/", Host=f"localhost:{visitor.port}")[0] == 200


def test_the_page_forbids_what_it_does_not_need(visitor):
    headers = visitor.ask("/")[2]
    policy = headers["Content-Security-Policy"]
    for words in ("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'", "base-uri 'none'"):
        assert words in policy
    assert "http:" not in policy and "https:" not in policy and "*" not in policy
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff"
    assert "Tornado" not in str(headers)


def test_a_kernel_knows_what_it_needs_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "never to be seen")
    with visited(tmp_path) as one:
        one.open_page()
        environment, folder, files = json.loads((one.witness / "environment.json").read_text())
    assert not any("never" in value or TOKEN in value for value in environment.values())
    assert environment["WORKBENCH_PUBLISHED"] == str(tmp_path / "published")
    assert files == [] and not Path(folder).is_relative_to(Path(workbench.__file__).parent.parent)
    assert not os.path.exists(folder)  # gone with the server


def test_a_kernel_ends_soon_after_its_page_and_an_untouched_page_much_later(tmp_path):
    with visited(tmp_path, without_page=1, left_alone=4, every=1) as one:
        kernel = one.open_page()[1]
        with one.talk(kernel) as talk:
            talk.comms()
            assert not within(2.5, lambda: not one.lives(kernel))
            with pytest.raises(ConnectionError):
                while True:
                    talk.hear()
        assert not one.lives(kernel)
        other = one.open_page()[1]
        assert within(8, lambda: not one.lives(other))


def test_a_closed_page_ends_its_own_kernel(visitor):
    kernel = visitor.open_page()[1]
    assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST")[0] == 403  # of no origin: no page of ours
    assert visitor.lives(kernel)
    assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=origin(visitor))[0] == 204
    assert not visitor.lives(kernel)
    assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=origin(visitor))[0] == 204


def test_a_large_message_ends_the_connection_and_not_the_kernel(visitor, kernel):
    with visitor.talk(kernel) as talk, pytest.raises((websocket.WebSocketException, OSError)):
        talk.say("comm_msg", {"comm_id": "x", "data": "x" * 5_000_000})
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
        talk.say("comm_msg", {"comm_id": talk.widget(), "data": state})
        talk.comms()
        assert within(5, (visitor.witness / "number-3").exists)


@pytest.mark.parametrize("protocol", [None, "kernel", V1 + "x"])
def test_messages_in_another_way_of_writing_are_refused(visitor, kernel, protocol):
    """Voila would take a download in the older one for its own, and make a list of 2 to the power of 60 numbers."""
    with pytest.raises(websocket.WebSocketBadStatusException, match="400"), visitor.talk(kernel, protocol):
        pass
    with visitor.talk(kernel) as talk:
        assert talk.download() == b"x" * 1000  # a message with bytes beside it
    assert visitor.ask("/voila/static/voila.js")[0] == 200


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


def test_who_is_unknown_is_told_so_in_plain_words(visitor):
    for method, path, status in (("NONSENSE", "/", 405), ("GET", "/?token=%ff", 400), ("GET", "/", 403)):
        found, page, _ = visitor.ask(path, method, token=None)
        assert found == status and "<h1>" in page and "Traceback" not in page
    assert "ask for the new link" in page


@pytest.mark.parametrize(
    "sent, status",
    [
        ({"Site": "cross-site", "Mode": "no-cors", "Dest": "image"}, 403),
        ({"Site": "cross-site", "Mode": "cors", "Dest": "empty"}, 403),
        ({"Site": "cross-site", "Mode": "navigate", "Dest": "iframe"}, 403),
        ({"Site": "cross-site"}, 403),
        ({"Site": "same-site", "Mode": "no-cors", "Dest": "image"}, 403),
        ({"Site": "same-site", "Mode": "cors", "Dest": "empty"}, 403),
        ({"Site": "same-site", "Mode": "navigate", "Dest": "iframe"}, 403),
        ({"Site": "same-site", "Mode": "navigate", "Dest": "document"}, 200),
        ({"Site": "something new", "Mode": "no-cors", "Dest": "image"}, 403),
        ({"Site": "cross-site", "Mode": "navigate", "Dest": "document"}, 200),
        ({"Site": "none", "Mode": "navigate", "Dest": "document"}, 200),
        ({"Site": "same-origin", "Mode": "cors", "Dest": "empty"}, 200),
    ],
)
def test_another_site_starts_no_kernel(open_door, sent, status):
    headers = {f"Sec-Fetch-{name}": value for name, value in sent.items()}
    path = "/" if status == 403 else "/voila/static/voila.js"
    assert open_door.ask(path, **headers)[0] == status
    assert open_door.ask(path, **headers, **{"Sec-Purpose": "prefetch"})[0] == (
        200 if sent["Site"] in ("none", "same-origin") else 403
    )


@pytest.mark.parametrize("known", ["path", "cookie", "both"])
def test_another_port_of_this_host_starts_no_kernel(visitor, known):
    """A browser sends a cookie to every port, and an old one does not say who asks: the cookie opens no page."""
    path = visitor.base if known != "cookie" else ""
    cookie = visitor.ask("/voila/static/voila.js")[2]["Set-Cookie"].partition(";")[0] if known != "path" else ""
    (visitor.witness / "environment.json").unlink(missing_ok=True)
    status, page, headers = visitor.ask_exactly(path + "/", token=None, Cookie=cookie)
    assert status == (404 if known == "cookie" else 403) and "full link" in page and "Location" not in headers
    assert not within(1, (visitor.witness / "environment.json").exists)
    page, kernel = visitor.open_page()
    assert "kernelId" in page and visitor.lives(kernel)


def test_the_cookie_is_sent_to_the_secret_path_alone(visitor):
    cookie = visitor.ask("/voila/static/voila.js")[2]["Set-Cookie"]
    assert cookie.startswith(f"workbench-{visitor.port}=")
    assert {f"Path={visitor.base}/", "HttpOnly", "SameSite=Lax"} <= set(cookie.split("; "))
    assert len(visitor.base) > 30 and visitor.base not in str(visitor.ask_exactly("/", token=None))


def test_a_portal_may_frame_the_page_and_no_other_port_may(tmp_path):
    portal = "http://portal.example.org"
    with visited(tmp_path, frames=f"{portal} http://127.0.0.1:1") as one:
        sent = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        assert one.ask("/voila/static/voila.js", **sent, Referer=f"{portal}/")[0] == 200
        for other in ("", "http://127.0.0.1:2/", f"{portal}.evil.example/"):
            assert one.ask("/voila/static/voila.js", **sent, Referer=other)[0] == 403
        assert one.ask("/voila/static/voila.js", **{**sent, "Sec-Fetch-Dest": "image"}, Referer=portal)[0] == 403


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


def test_there_is_room_for_so_many_pages(tmp_path):
    with visited(tmp_path, most=2) as one:
        with ThreadPoolExecutor(5) as pool:
            answers = list(pool.map(lambda _: one.ask("/"), range(5)))
        assert sorted(status for status, *_ in answers) == [200, 200, 503, 503, 503]
        assert all("Too many readers" in page for status, page, _ in answers if status == 503)
        page = next(page for status, page, _ in answers if status == 200)
        kernel = re.search(r'"kernelId": "([\w-]+)"', page)[1]
        with ThreadPoolExecutor(1) as pool:  # the one that is reloaded is closed a moment later
            again = pool.submit(one.ask, "/")
            assert not within(0.5, again.done)
            assert one.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=origin(one))[0] == 204
            assert again.result()[0] == 200


def test_a_page_that_answers_keeps_its_connection_and_a_deaf_one_loses_it(tmp_path):
    with visited(tmp_path, ping=1) as one:
        kernel = one.open_page()[1]
        with one.talk(kernel) as talk, one.talk(kernel) as deaf:
            deaf.comms()
            talk.connection.settimeout(1)
            asked, until = 0, time.monotonic() + 8
            while time.monotonic() < until:
                with suppress(websocket.WebSocketTimeoutException):
                    asked += talk.connection.recv_data_frame(control_frame=True)[0] == websocket.ABNF.OPCODE_PING
            talk.connection.settimeout(20)
            assert asked >= 5 and talk.comms()
            deaf.connection.sock.setblocking(True)
            with pytest.raises((ConnectionError, websocket.WebSocketException)):
                while True:
                    deaf.hear()


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
