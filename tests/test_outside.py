"""From outside: what a served page gives away to somebody who has its link, and to somebody who has not."""

import http.client
import json
import os
from pathlib import Path

import pytest
import websocket

import workbench
from tests.visitor import DISEASE, NAME, SOURCE, TOKEN, V1, visited, within

PLANTED = (NAME, DISEASE)


@pytest.fixture(scope="module")
def visitor(tmp_path_factory):
    with visited(tmp_path_factory.mktemp("outside")) as one:
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
            status, body, headers = visitor.ask(path, method)
            assert status in (400, 403, 404, 405), (method, path, status, headers)
            assert not any(planted in body for planted in PLANTED) and "root:" not in body, path


def test_only_scripts_and_styles_of_the_page_are_static(visitor):
    page, _kernel = visitor.open_page()
    for path in ("/voila/static/voila.js", "/voila/templates/workbench/static/page.css"):
        assert path in page and visitor.ask(path)[0] == 200
    assert visitor.ask("/voila/static/")[0] == visitor.ask("/voila/templates/workbench/static/")[0] == 404


@pytest.mark.parametrize("protocol", [None, V1])
@pytest.mark.parametrize("channel", ["shell", "control", "stdin", "iopub"])
def test_execute_request_does_nothing(visitor, kernel, channel, protocol):
    mark = visitor.witness / f"executed-{channel}-{protocol}"
    code = {"code": f"open({str(mark)!r}, 'w'); print(RECORDS)", "silent": False, "allow_stdin": False}
    with visitor.talk(kernel, protocol) as talk:
        talk.comms()
        talk.say("execute_request", code, channel)
        talk.comms()
        assert not within(0.5, mark.exists)
        talk.comms()
        assert not any(planted in talk.raw for planted in PLANTED) and "execute_" not in talk.raw


@pytest.mark.parametrize("protocol", [None, V1])
@pytest.mark.parametrize("channel", ["shell", "control"])
@pytest.mark.parametrize("kind", ["shutdown_request", "interrupt_request", "debug_request", "create_subshell_request"])
def test_shutdown_request_does_nothing(visitor, kernel, kind, channel, protocol):
    with visitor.talk(kernel, protocol) as talk:
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


@pytest.mark.parametrize("protocol", [None, V1])
def test_what_a_callback_prints_shows_or_raises_stays_in_the_kernel(visitor, protocol):
    kernel = visitor.open_page()[1]
    (visitor.witness / "heard").unlink(missing_ok=True)
    with visitor.talk(kernel, protocol) as talk:
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
        assert "Access-Control-Allow-Origin" not in visitor.ask("/", Origin=where)[2]
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


BROKEN = ["", "{", "[]", "{}", '{"header": {}}', b"", b"\0" * 8, b"\xff" * 40]


@pytest.mark.parametrize("protocol", [None, V1])
@pytest.mark.parametrize("message", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_message_is_refused(visitor, kernel, message, protocol):
    with visitor.talk(kernel, protocol) as talk:
        talk.comms()
        talk.connection.send(message, opcode=2 if isinstance(message, bytes) else 1)
        with pytest.raises((ConnectionError, websocket.WebSocketConnectionClosedException)):
            talk.comms()
    assert visitor.lives(kernel)
    assert "Traceback" not in (visitor.folder / "server.log").read_text()


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
