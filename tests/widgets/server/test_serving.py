"""The server's process: what starts it, what it starts, and that nothing of it is left."""

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tests.browser.stage import free_port as any_port
from tests.browser.stage import write_notebook
from tests.widgets.server.visitor import eventually, visited
from widgets.server.jupyter_kernels import RedactingFilter
from widgets.server.server import copied
from widgets.server.serving import free_port, link, new_token, redirect_page, secret_path, serve, voila_command
from workbench.base.errors import BadInput
from workbench.base.package import NOTEBOOKS

ROOT = Path(__file__).parents[3]


def processes(folder: str) -> list[str]:
    """The command lines of what runs with something of this name."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = each.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if folder in line:
            found.append(line)
    return found


def test_the_token_is_in_the_environment_and_in_no_command(tmp_path):
    command, environment = voila_command(
        tmp_path / "page.ipynb", 1234, "secret", published=tmp_path / "x", title="A study"
    )
    assert environment["WORKBENCH_TOKEN"] == "secret" and "secret" not in " ".join(command)
    assert environment["WORKBENCH_PUBLISHED"] == str(tmp_path / "x") and "A study" not in " ".join(command)
    assert len(new_token()) >= 32 and new_token() != new_token()


def test_the_link_is_the_whole_one():
    path = secret_path("t")
    assert link(8866, "t") == f"http://127.0.0.1:8866{path}?token=t"
    assert link(8866, None) == "http://127.0.0.1:8866/"
    assert link(8866, "t", "https://example.org/study/") == f"https://example.org/study{path}?token=t"


def test_the_path_is_secret_and_tells_nothing_of_the_token(tmp_path):
    token = new_token()
    path = secret_path(token)
    assert re.fullmatch(r"/[0-9a-f]{32}/", path) and token not in path and path != secret_path(new_token())
    assert path.strip("/") not in " ".join(voila_command(tmp_path / "page.ipynb", 1234, token)[0])


@pytest.mark.parametrize(
    "given",
    [
        {"frames": "https://a.example; script-src *"},
        {"frames": "https://a.example, default-src *"},
        {"frames": "*"},
        {"frames": "https://a.example\r\nX: y"},
        {"public": "https://a.example;script-src"},
        {"public": "https://me:secret@a.example/"},
        {"public": "https://a.example/x?y"},
        {"public": "https://a.example/x;y"},
        {"public": "https://a.example/\n"},
    ],
)
def test_what_goes_into_the_pages_policy_is_a_site_and_nothing_else(tmp_path, given):
    with pytest.raises(BadInput, match=r"is not a site; write https|is not an address; it begins with https"):
        voila_command(tmp_path / "page.ipynb", 1234, "t", **given)
    voila_command(tmp_path / "page.ipynb", 1234, "t", frames="'self' https://a.example http://127.0.0.1:99")


@pytest.mark.slow
def test_more_pages_than_the_machine_has_files_for_are_refused_at_the_start(tmp_path):
    said = r"20 pages at once need \d+ open files, and this process may open 256: .*--most"
    with pytest.raises(RuntimeError, match=said), visited(tmp_path, files=256):
        pass


def test_a_browser_learns_the_token_from_a_file_of_its_own():
    with redirect_page("http://127.0.0.1:1/?token=t") as page:
        assert "token=t" in page.read_text() and page.parent.stat().st_mode & 0o077 == 0
    assert not page.exists()


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        taken = one.getsockname()[1]
        with pytest.raises(BadInput, match=rf"port {taken}: .* --port"):
            free_port(taken)
        assert free_port(None) != taken
    with pytest.raises(BadInput, match="no such notebook"):
        serve(tmp_path / "none.ipynb")
    with pytest.raises(BadInput, match="is not an address"):
        serve(write_notebook(tmp_path / "page.ipynb", "1"), public="example.org")


def test_a_server_that_fails_is_said(tmp_path, monkeypatch):
    """Also where another one took the port meanwhile, and answers there."""
    (tmp_path / "page.ipynb").write_text("{")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        monkeypatch.setattr("widgets.server.serving.free_port", lambda wanted: one.getsockname()[1])
        with pytest.raises(BadInput, match="did not start"):
            serve(tmp_path / "page.ipynb", browser=False)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_it_ends(tmp_path, how):
    """Neither a server nor a kernel nor a folder, whatever ends the process that started it."""
    notebook = write_notebook(tmp_path / "page.ipynb", "1")
    port = any_port()
    code = (
        "from pathlib import Path; from widgets.server.serving import serve; "
        f"serve(Path({str(notebook)!r}), port={port}, "
    )
    code += "browser=False, preheat=1, echo=lambda line: print(line, flush=True))"
    everything = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=everything)
    assert re.search(rf"http://127.0.0.1:{port}/\w{{32}}/\?token=", process.stdout.readline())
    assert eventually(lambda: any("ipykernel" in line for line in processes(str(tmp_path))))
    process.send_signal(how)
    assert process.wait(90) == (-how if how == signal.SIGKILL else 0)
    assert eventually(lambda: not processes(str(tmp_path)))
    left = [path.name for path in tmp_path.glob("workbench-*")]
    assert not left or (how == signal.SIGKILL and len(left) == 1)  # the redirection; the next scratch clears it away
    process.stdout.close()


@pytest.mark.slow
def test_a_page_that_stood_ready_is_not_ended_before_it_is_opened(tmp_path):
    """The kernel is as old as the server when its first reader comes."""
    with visited(tmp_path, preheat=1, without_page=2, every=1) as one:
        assert eventually((one.witness / "environment.json").exists)
        time.sleep(4)
        opened = time.monotonic()
        kernel = one.open_page()[1]
        assert eventually(lambda: not one.lives(kernel))
        assert time.monotonic() - opened >= 2


def test_what_was_saved_in_a_notebook_is_not_served(tmp_path):
    """Nor what is meant for JupyterLab."""
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("1", outputs=[nbformat.v4.new_output("stream", text="saved")]),
            nbformat.v4.new_markdown_cell("saved, run the cell", metadata={"tags": ["lab"]}),
        ],
        metadata={"widgets": {"state": "saved"}, "kernelspec": {"name": "gone", "display_name": "Gone"}},
    )
    nbformat.write(notebook, tmp_path / "page.ipynb")
    assert "saved" not in copied(tmp_path / "page.ipynb", tmp_path / "page", "A title").read_text()


def test_the_log_of_a_failed_cell_names_places_and_no_data():
    text = "Traceback\nFile \x1b[32m/somewhere/table.py:12\x1b[0m, in read(x)\n   1 secret\nValueError: secret"
    try:
        raise CellExecutionError(text, "ValueError", "secret")
    except CellExecutionError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "y", 1, "failed: %r", ("secret source",), info)
    assert RedactingFilter().filter(record)
    assert logging.Formatter().format(record) == "a cell failed: ValueError at /somewhere/table.py:12"


def test_the_notebooks_are_there():
    assert {"dashboard.ipynb", "explore.ipynb"} <= {path.name for path in NOTEBOOKS.glob("*.ipynb")}
