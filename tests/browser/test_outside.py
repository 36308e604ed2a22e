"""The served page in Chromium: nothing from off this machine, nothing of the records, and an end with its tab."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import expect

from tests.browser.stage import free_port, served, write_notebook
from tests.widgets.server.visitor import Visitor, eventually, visited, within
from widgets.server.serving import link, voila_command
from workbench.base.package import NOTEBOOKS
from workbench.publication.publish import publish
from workbench.studies.study import Study

PLANTED = "PLANTED-4711"
TOKEN = "a-token-of-the-tests"
STUDY = """
study: People
data: {path: people.csv}
roles: {quasi: [age, work], sensitive: [disease], identifiers: [name]}
hierarchies: {age: {builder: intervals, widths: [10, 20]}}
recipes:
- method: {name: mondrian}
  model: {name: k-anonymity, k: [3, 6, 12, 24]}
measures: [{name: privacy loss}, {name: utility loss, min_support: 0.1}]
"""


WORKBENCH = """
from widgets import Workbench

Workbench("people.study.yaml")
"""


@pytest.fixture(scope="module")
def dashboard(tmp_path_factory):
    """A dashboard of people whose names, and one's disease and note, are planted."""
    folder = tmp_path_factory.mktemp("outside")
    rows = [
        f"{PLANTED}-{i},{20 + i % 37},{'Farm' if i % 3 else 'Shop'},{('Flu', 'Ulcer', 'Asthma')[i * i % 3]},{PLANTED}"
        for i in range(300)
    ]
    rows[7] = f"{PLANTED}-7,27,Farm,{PLANTED}-DISEASE,{PLANTED}"
    (folder / "people.csv").write_text("name,age,work,disease,note\n" + "\n".join(rows) + "\n")
    (folder / "people.yaml").write_text(STUDY)
    published = publish(Study.open(folder / "people.yaml"), folder / "published")
    with page_of(folder, NOTEBOOKS / "dashboard.ipynb", title="People", published=published) as one:
        yield one


@contextmanager
def page_of(own, notebook, **options):
    port = free_port()
    command, environment = voila_command(notebook, port, TOKEN, **options)
    with served(command, f"http://127.0.0.1:{port}/nothing", own, **environment):
        yield Visitor(port, own, TOKEN)


def opened(stage, visitor, ready=".wb"):
    """The page, drawn; and every message that came to it."""
    messages = []
    stage.page.on("websocket", lambda one: one.on("framereceived", lambda message: messages.append(message)))
    answer = stage.page.goto(link(visitor.port, visitor.token))
    stage.page.wait_for_selector(ready, timeout=30_000)
    return answer.text(), messages


def kernel_of(stage):
    return json.loads(stage.page.text_content("#jupyter-config-data"))["kernelId"]


def test_records_are_in_no_page_source_state_or_message_of_the_dashboard(dashboard, on_stage):
    stage = on_stage()
    source, messages = opened(stage, dashboard)
    stage.page.wait_for_timeout(1_500)
    assert messages and "People" in stage.page.inner_text("main")
    every = [source, stage.page.content(), *map(_text, messages)]
    assert not any(PLANTED in one for one in every)
    assert PLANTED not in (dashboard.folder / "server.log").read_text()


def test_a_scenario_is_in_no_state_of_a_page_that_is_served(on_stage, tmp_path):
    """Its weights, costs and what a miner learnt quote values: they come as messages, when the page asks for them."""
    rows = [f"{20 + i % 37},{'Farm' if i % 3 else 'Shop'},{('Flu', f'{PLANTED}-ILL')[i * i % 2]}" for i in range(300)]
    (tmp_path / "people.csv").write_text("age,work,disease\n" + "\n".join(rows) + "\n")
    asked = STUDY.replace(", identifiers: [name]", "").replace("k: [3, 6, 12, 24]", "k: 12")
    (tmp_path / "people.study.yaml").write_text(asked)
    with page_of(tmp_path, write_notebook(tmp_path / "bench.ipynb", WORKBENCH), folder=tmp_path) as one:
        stage = on_stage()
        source, messages = opened(stage, one)
        page = stage.page
        expect(page.locator(".wb-done")).to_have_text("3 points", timeout=60_000)
        scenario = page.locator("details.wb-step[data-step='Scenario']")
        scenario.locator("summary").first.press("Enter")
        scenario.get_by_label("Value of a prediction").select_option("costs")
        cost = scenario.get_by_role("textbox", name=f"Cost where {PLANTED}-ILL is true and Flu is predicted")
        cost.fill("3")
        cost.press("Enter")
        weights = scenario.get_by_role("combobox", name="Weights of the bad use")
        weights.fill(f"2: disease = '{PLANTED}-ILL'")
        weights.press("Control+Enter")
        scenario.get_by_role("button", name="Use as axes").click()
        expect(scenario.get_by_role("button", name="These are the axes")).to_be_disabled(timeout=60_000)
        learnt = page.locator("details.wb-step[data-step='What a miner learns']")
        learnt.locator("summary").first.press("Enter")
        button = learnt.get_by_role("button", name="Show what it learns")
        expect(button).to_be_enabled(timeout=60_000)
        button.click()
        expect(learnt.locator(".wb-tree")).to_contain_text("all records: ", timeout=60_000)
        quoting = [text for text in map(_text, messages) if PLANTED in text]
        assert quoting and all('"method": "custom"' in text or '"method":"custom"' in text for text in quoting)
        assert PLANTED not in source and PLANTED not in (tmp_path / "server.log").read_text()
        kernel = kernel_of(stage)
        page.goto("about:blank")
        assert eventually(lambda: not one.lives(kernel))


def _text(message):
    return message if isinstance(message, str) else message.decode("utf-8", "replace")


def test_the_page_is_a_page(dashboard, on_stage):
    """The whole width, in the reader's colours, in its own words, long as it is, and not sideways on a phone."""
    for width, dark in ((1280, False), (390, True)):
        stage = on_stage(width=width, height=800, dark=dark)
        opened(stage, dashboard)
        stage.page.wait_for_function("document.getElementById('loading').hidden")
        stage.page.wait_for_timeout(500)
        seen = stage.page.evaluate(
            """() => ({
                title: document.title, lang: document.documentElement.lang, words: document.body.innerText,
                light: document.body.dataset.jpThemeLight, paper: getComputedStyle(document.body).backgroundColor,
                wide: document.documentElement.scrollWidth, high: document.documentElement.scrollHeight,
            })"""
        )
        assert seen["title"] == "People" and seen["lang"] == "en" and seen["light"] == str(not dark).lower()
        assert seen["wide"] == width and seen["high"] > 800
        assert not any(word in seen["words"] for word in ("Voil", "Jupyter", "Opening"))
        paper = sum(int(part) for part in seen["paper"].strip("rgba()").split(",")[:3])
        assert paper < 200 if dark else paper > 600
        stage.page.mouse.wheel(0, 400)
        stage.page.wait_for_function("window.scrollY > 0")


def test_a_closed_tab_ends_its_kernel(dashboard, on_stage):
    stage = on_stage()
    opened(stage, dashboard)
    kernel = kernel_of(stage)
    assert dashboard.lives(kernel)
    stage.page.goto("about:blank")
    assert eventually(lambda: not dashboard.lives(kernel))


def test_a_page_without_its_kernel_says_so(dashboard, on_stage):
    """And comes back with a click."""
    stage = on_stage()
    opened(stage, dashboard)
    kernel = kernel_of(stage)
    origin = f"http://127.0.0.1:{dashboard.port}"
    assert dashboard.ask(f"/voila/api/shutdown/{kernel}", "POST", Origin=origin)[0] == 204
    lost, main = stage.page.locator("#lost:not([hidden])"), stage.page.locator("#rendered_cells")
    expect(lost).to_contain_text("This page has stopped", timeout=30_000)
    expect(main).to_have_js_property("inert", True)  # a slider that moves would promise an answer
    assert lost.bounding_box()["y"] + lost.bounding_box()["height"] <= main.bounding_box()["y"] + 1
    stage.wrong.clear()  # the page has asked for its kernel, in vain
    stage.page.click("#lost button")
    stage.page.wait_for_function(
        f"document.getElementById('jupyter-config-data')?.textContent.includes({kernel!r}) === false"
    )
    stage.page.wait_for_selector(".wb", timeout=30_000)
    stage.wrong.clear()


def test_a_page_keeps_its_one_connection(on_stage, tmp_path):
    """The page is pinged every second and answers."""
    with visited(tmp_path, ping=1) as one:
        stage = on_stage()
        sockets = []
        stage.page.on("websocket", lambda socket: sockets.append(socket))
        opened(stage, one, ".shown")
        stage.page.wait_for_timeout(8_000)
        assert len(sockets) == 1 and not sockets[0].is_closed() and stage.page.locator("#lost").is_hidden()
        stage.page.goto("about:blank")


def test_a_page_without_its_server_stays_and_says_so(on_stage, tmp_path):
    """And where the server has another link now."""
    with visited(tmp_path) as one:
        stage = on_stage()
        opened(stage, one, ".shown")
    button, lost = stage.page.locator("#lost button"), stage.page.locator("#lost")
    button.click(timeout=30_000)
    expect(lost).to_contain_text("The server is not responding; it may have been stopped. Ask the person")
    expect(stage.page.locator(".shown")).to_be_visible()
    command, environment = voila_command(tmp_path / "page.ipynb", one.port, "another-token")
    environment["WORKBENCH_WITNESS"] = str(tmp_path)
    with served(command, f"http://127.0.0.1:{one.port}/nothing", tmp_path, **environment):
        button.click()
        expect(lost).to_contain_text("The server was restarted and has a new link.")
        expect(stage.page.locator(".shown")).to_be_visible()
        stage.page.goto("about:blank")
    stage.wrong.clear()  # it has asked in vain


def test_a_failed_cell_is_said_in_plain_words(on_stage, tmp_path):
    with visited(tmp_path) as one:
        stage = on_stage()
        source, _ = opened(stage, one, ".shown")
        words = stage.page.inner_text("main")
        assert "A step of this page failed." in words and "ValueError" not in words + source
        stage.page.goto("about:blank")  # or it would miss its server


def test_the_link_without_its_token_opens_nothing(dashboard, on_stage):
    """Neither before nor after the whole link was opened."""
    stage = on_stage()
    for _ in range(2):
        for path in ("/", dashboard.base + "/"):
            address = f"http://127.0.0.1:{dashboard.port}{path}"
            assert stage.page.goto(address).status in (403, 404)
            assert "full link" in stage.page.inner_text("body") and stage.page.url == address
        stage.wrong.clear()  # the browser counts the refusal as an error
        opened(stage, dashboard)


TRIES = """async base => {
    const tried = path => Promise.allSettled([
        new Promise(done => {
            const image = new Image();
            image.onload = image.onerror = done; image.src = base + path;
        }),
        new Promise(done => {
            const frame = document.createElement("iframe");
            frame.onload = done; frame.src = base + path; document.body.append(frame);
        }),
        fetch(base + path, { mode: "no-cors", credentials: "include" }),
        fetch(base + path, { credentials: "include" }),
    ]);
    for (let i = 0; i < 5; i += 1) await Promise.all(["/", "/?token=", "/index.html"].map(tried));
}"""


@pytest.mark.parametrize("token", [TOKEN, None])
def test_a_page_on_another_port_of_this_host_starts_no_kernel(on_stage, tmp_path, token):
    """Nor is it sent the cookie, with which another program could get in."""
    with visited(tmp_path, token=token, frames="http://127.0.0.1:1") as one, other_port() as (address, heads):
        stage = on_stage()
        opened(stage, one, ".shown")
        assert [cookie for cookie in stage.context.cookies() if cookie["path"] == one.base + "/"]
        (one.witness / "environment.json").unlink()
        stage.page.goto(address)
        for base in {f"http://127.0.0.1:{one.port}", f"http://127.0.0.1:{one.port}{one.base}"}:
            stage.page.evaluate(TRIES, base)
        assert heads and (token is None or not any("workbench-" in head for head in heads))
        assert not within(2, (one.witness / "environment.json").exists)
        stage.wrong.clear()  # it has tried in vain


@contextmanager
def other_port():
    """Another server on this host: its address, and what browsers have sent it."""
    heads = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self):
            heads.append(str(self.headers))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<p>Another program's page")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", heads
        server.shutdown()
        thread.join()
