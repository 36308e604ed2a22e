"""From outside: which addresses answer, and to whom."""

import pytest
import websocket

from tests.widgets.server.visitor import PLANTED, SOURCE, TOKEN, V1, origin, visited, within


@pytest.fixture(scope="module")
def open_door(tmp_path_factory):
    with visited(tmp_path_factory.mktemp("open"), token=None) as one:
        yield one


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


def test_a_closed_page_ends_its_own_kernel(visitor):
    kernel = visitor.open_page()[1]
    assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST")[0] == 403  # of no origin: no page of ours
    assert visitor.lives(kernel)
    assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=origin(visitor))[0] == 204
    assert not visitor.lives(kernel)
    assert visitor.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=origin(visitor))[0] == 204


@pytest.mark.parametrize("protocol", [None, "kernel", V1 + "x"])
def test_messages_in_another_way_of_writing_are_refused(visitor, kernel, protocol):
    """Voila would take a download in the older one for its own, and make a list of 2 to the power of 60 numbers."""
    with pytest.raises(websocket.WebSocketBadStatusException, match="400"), visitor.talk(kernel, protocol):
        pass
    with visitor.talk(kernel) as talk:
        assert talk.download() == b"x" * 1000  # a message with a buffer
    assert visitor.ask("/voila/static/voila.js")[0] == 200


def test_an_unknown_client_gets_a_plain_message(visitor):
    for method, path, status in (("NONSENSE", "/", 405), ("GET", "/?token=%ff", 400), ("GET", "/", 403)):
        found, page, _ = visitor.ask(path, method, token=None)
        assert found == status and "<h1>" in page and "Traceback" not in page
    assert "ask for the new link" in page


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("known", ["path", "cookie", "both"])
def test_another_port_of_this_host_starts_no_kernel(visitor, known):
    """Browsers send cookies to every port, and old ones do not send the origin: the cookie opens no page."""
    path = visitor.base if known != "cookie" else ""
    cookie = visitor.ask("/voila/static/voila.js")[2]["Set-Cookie"].partition(";")[0] if known != "path" else ""
    (visitor.witness / "environment.json").unlink(missing_ok=True)
    status, page, headers = visitor.ask_exactly(path + "/", token=None, Cookie=cookie)
    assert status == (404 if known == "cookie" else 403) and "full link" in page and "Location" not in headers
    assert not within(1, (visitor.witness / "environment.json").exists)
    page, kernel = visitor.open_page()
    assert "kernelId" in page and visitor.lives(kernel)
