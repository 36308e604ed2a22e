"""A stage for widgets: a notebook in JupyterLab or Voila, in Chromium, with everything off this machine refused."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

import nbformat
from playwright.sync_api import Browser, Page, Request, sync_playwright

from widgets.server.serving import link, voila_command
from workbench.publication.report import batch

CHROMIUM = batch.chromium()
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--proxy-server=http://127.0.0.1:9",  # nobody is there; this machine is asked without it
]  # fmt: skip
ROOT = Path(__file__).parent.parent.parent
HARMLESS = ("favicon.ico",)
# what JupyterLab itself says when a kernel is restarted, or a notebook is opened whose kernel is gone
LABS_OWN = ("Could not restore the debugger state", "widget model not found")
TOKEN = "a-token-of-the-tests"
LAB = "import workbench.base.startup; from jupyterlab.labapp import main; main()"  # `jupyter lab`, sooner


class Stage:
    """A page, and everything that went wrong on it: console errors, failed requests, requests off this machine."""

    def __init__(self, browser: Browser, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        scheme = "dark" if dark else "light"
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.context.set_default_timeout(90_000)  # a busy machine is slow, not wrong
        self.page: Page = self.context.new_page()
        self.wrong: list[str] = []
        self.context.on("request", self._check_request)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(f"page error: {error}"))
        self.page.on("requestfailed", lambda r: self._failed(f"failed: {r.url} {r.failure}"))
        self.page.on("response", lambda r: r.status >= 400 and self._failed(f"{r.status}: {r.url}"))

    def resized(self, width: int, height: int = 900) -> Page:
        """Resize the window and wait for the new layout."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.evaluate(
            """async width => {
              for (let still = 0; still < 3; still = innerWidth === width ? still + 1 : 0)
                await new Promise(done => requestAnimationFrame(done));
            }""",
            width,
        )
        return self.page

    def _check_request(self, request: Request) -> None:
        if not request.url.startswith(("http://localhost", "http://127.0.0.1", "data:", "blob:", "file:")):
            self.wrong.append(f"asked the network: {request.url}")

    def _console(self, message) -> None:
        own = any(said in message.text for said in LABS_OWN)
        if message.type == "error" and not own and not any(n in message.location.get("url", "") for n in HARMLESS):
            self.wrong.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _failed(self, text: str) -> None:
        if "ERR_ABORTED" not in text and not any(name in text for name in HARMLESS):
            self.wrong.append(text)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


CELL = """
import numpy as np
import pandas as pd
from widgets import Workbench
from workbench.studies.study import Study

rng = np.random.default_rng(0)
frame = pd.DataFrame({"age": rng.integers(17, 91, 800), "sex": rng.choice(["Female", "Male"], 800, p=[0.3, 0.7])})
frame["ill"] = np.where(frame.age + rng.integers(0, 30, 800) > 70, "gout", "flu")
Study(
    name="from the notebook", data={"given": "frame"}, quasi=("age", "sex"), sensitive=("ill",),
    recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5, 50, 200]}},),
    measures=({"name": "privacy loss"}, {"name": "information loss"}), axes=("P_loss", "NCP"),
    chosen={"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 50}},
).save("s.study.yaml")
bench = Workbench(frame, keep="s.study.yaml")
bench
"""


def write_notebook(path: Path, *cells: str) -> Path:
    """A notebook of code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)
    return path


@contextmanager
def served(command: list[str], url: str, folder: Path, **env: str) -> Iterator[str]:
    """Run a server until the end of the context, with its log in the folder."""
    log = folder / "server.log"
    everything = {**os.environ, **env, "PYTHONPATH": str(ROOT)}
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, env=everything)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(url, timeout=60)
                break
            except OSError as error:
                if getattr(error, "code", None) in (302, 401, 403, 404):
                    break
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the server is not up: {log.read_text()[-3000:]}") from error
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


@contextmanager
def voila(notebook: Path, *flags: str, token: str | None = None, **env: str) -> Iterator[str]:
    """One notebook as it is served to readers, without a token unless given; yields the address.

    The kernel works in the notebook's folder, and of its environment sees what is needed (WORKBENCH_...). Where many
    tests open the page, "--preheat=1" makes the next one ready while a test goes on.
    """
    port = free_port()
    command, own = voila_command(notebook, port, token, folder=notebook.parent)
    with served([*command, *flags], f"http://127.0.0.1:{port}/voila/static/", notebook.parent, **own, **env):
        yield link(port, token)


FRESH = """
from pathlib import Path
import ipywidgets
place, again, said = ipywidgets.VBox(), ipywidgets.Button(description="another"), ipywidgets.HTML()
count, cells = 0, {}

def closed(one):
    for inner in getattr(one, "children", ()):
        closed(inner)
    one.close()

def another(_=None):
    global count
    old, count, cell = place.children, count + 1, Path("cell.py").read_text("utf-8")
    if cell not in cells:
        exec(cell, names := {"__name__": "__main__"})
        cells[cell] = names["made"]
    place.children = (cells[cell](),)
    for one in old:
        closed(one)
    said.value = f"<b id='count'>{count}</b>"

again.on_click(another)
ipywidgets.VBox([place, ipywidgets.HBox([again, said])])
"""


class Stand:
    """One page and one kernel with new widgets for each test, since starting both takes seconds."""

    def __init__(self, browser: Browser, address: str, folder: Path) -> None:
        self.stage, self.folder, self.count = Stage(browser), folder, 0
        self.stage.page.goto(address)
        self.stage.page.get_by_role("button", name="another", exact=True).wait_for(timeout=60_000)
        self.stage.page.evaluate("Storage.prototype.setItem = () => {}")  # no test resumes the study of another

    @contextmanager
    def fresh(self, cell: str, ready: str, width: int = 1280, height: int = 900, dark: bool = False) -> Iterator[Page]:
        """The page with new widgets, `made()` as a cell says, when this is there; at the end nothing may have gone
        wrong on it. A cell is run once, however often its widgets are made."""
        (self.folder / "cell.py").write_text(cell, "utf-8")
        page = self.stage.resized(width, height)
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.mouse.move(0, 0)
        self.count += 1
        page.get_by_role("button", name="another", exact=True).click()
        page.locator("#count", has_text=re.compile(f"^{self.count}$")).wait_for(timeout=60_000)
        page.locator(ready).first.wait_for(timeout=60_000)
        page.evaluate("scrollTo(0, 0)")
        yield page
        wrong, self.stage.wrong[:] = [*self.stage.wrong], []
        assert not wrong, wrong


@contextmanager
def stand(browser: Browser, folder: Path) -> Iterator[Stand]:
    """A page in Voila for the widgets of many tests."""
    with voila(write_notebook(folder / "page.ipynb", FRESH)) as address:
        one = Stand(browser, address, folder)
        yield one
        one.stage.context.close()


@contextmanager
def lab(folder: Path, *flags: str, **env: str) -> Iterator[str]:
    """JupyterLab on a folder; yields the address of its tree, without the token."""
    port = free_port()
    command = [
        sys.executable, "-c", LAB, "--allow-root", "--no-browser", f"--port={port}", "--ip=127.0.0.1",
        f"--IdentityProvider.token={TOKEN}", "--expose-app-in-browser", f"--ServerApp.root_dir={folder}",
    ]  # fmt: skip
    own = {
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / ".workspaces"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / ".settings"),
    }
    with served([*command, *flags], f"http://127.0.0.1:{port}/api", folder, **own, **env):
        yield f"http://127.0.0.1:{port}/lab/tree/"


def end_kernels(address: str) -> None:
    """End what runs in a JupyterLab."""

    def ask(path: str, method: str) -> bytes:
        url = urljoin(address, f"/api/kernels{path}")
        asked = urllib.request.Request(url, method=method, headers={"Authorization": f"token {TOKEN}"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.read()

    for kernel in json.loads(ask("", "GET")):
        ask(f"/{kernel['id']}", "DELETE")


def open_lab(stage: Stage, address: str, notebook: str, run: bool = True) -> Page:
    """A notebook in JupyterLab, its kernel ready, all cells run."""
    page = stage.page
    page.goto(f"{address}{notebook}?token={TOKEN}")
    page.wait_for_function(
        "() => window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'",
        timeout=60_000,
    )
    page.evaluate("async () => { await jupyterapp.shell.currentWidget.sessionContext.session.kernel.info; }")
    if run:
        page.evaluate("() => { jupyterapp.commands.execute('notebook:run-all-cells'); }")
    return page
