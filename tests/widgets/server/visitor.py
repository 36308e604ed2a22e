"""Somebody outside a served page: requests as they are written, messages as they are wished."""

from __future__ import annotations

import http.client
import itertools
import json
import re
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import websocket

from tests.browser.stage import free_port, served, write_notebook
from widgets.server.serving import secret_path, voila_command

TOKEN = "a-token-of-the-tests"
NAME, DISEASE = "PLANTED-NAME-4711", "PLANTED-DISEASE-0815"  # the records behind the page
PLANTED = (NAME, DISEASE)
SOURCE = "never_shown_to_anybody"  # in its code
V1 = "v1.kernel.websocket.jupyter.org"

NOTEBOOK = (
    f"""
import os, json, pathlib, sys
import anywidget, traitlets
from comm import get_comm_manager
RECORDS = [({NAME!r}, 36, {DISEASE!r})]
{SOURCE} = 1
WITNESS = pathlib.Path(os.environ["WORKBENCH_WITNESS"])
(WITNESS / "environment.json").write_text(json.dumps([dict(os.environ), os.getcwd(), os.listdir()]))
""",
    """
class Shown(anywidget.AnyWidget):
    _esm = "export default { render({ model, el }) { el.innerHTML = '<b class=shown>shown</b>'; } }"
    number = traitlets.Int(1).tag(sync=True)

def record(widget, content, buffers):
    if content.get("kind") == "download":
        return widget.send({"kind": "file"}, [b"x" * 1000])
    (WITNESS / "heard").touch()
    print(RECORDS)
    print(RECORDS, file=sys.stderr)
    display(RECORDS)
    raise ValueError(RECORDS)

shown = Shown()
shown.on_msg(record)
shown.observe(lambda change: (WITNESS / f"number-{change.new}").touch(), "number")
get_comm_manager().register_target("backdoor", lambda comm, message: (WITNESS / "backdoor").touch())
shown
""",
    "raise ValueError(RECORDS)",
)


class Visitor:
    """A client, with the token unless another is given."""

    def __init__(self, port: int, folder: Path, token: str | None = TOKEN) -> None:
        self.port, self.folder, self.witness, self.token = port, folder, folder / "witness", token
        self.base = secret_path(token).rstrip("/")

    def ask(self, path: str, method: str = "GET", token: str | None = "", **headers: str) -> tuple[int, str, Any]:
        """Return status, body and headers of a request below the page's secret path, without normalizing the path."""
        return self.ask_exactly(self.base + path, method, token, **headers)

    def ask_exactly(
        self, path: str, method: str = "GET", token: str | None = "", **headers: str
    ) -> tuple[int, str, Any]:
        token = self.token if token == "" else token
        sent = {"Host": f"127.0.0.1:{self.port}", **({"Authorization": f"token {token}"} if token else {}), **headers}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path, headers=sent)
            answer = connection.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace"), answer.headers

    def open_page(self) -> tuple[str, str]:
        """Return the page's source and its kernel's number."""
        status, page, _ = self.ask("/")
        assert status == 200, page
        return page, re.search(r'"kernelId": "([\w-]+)"', page)[1]

    def lives(self, kernel: str) -> bool:
        return self.ask(f"/api/kernels/{kernel}")[0] == 200

    @contextmanager
    def talk(self, kernel: str, protocol: str | None = V1, **headers: str) -> Iterator[Talk]:
        """Open a connection to a kernel, as the page does."""
        sent = {"Authorization": f"token {self.token}", "Origin": f"http://127.0.0.1:{self.port}", **headers}
        address = f"ws://127.0.0.1:{self.port}{self.base}/api/kernels/{kernel}/channels?session_id={uuid.uuid4()}"
        connection = websocket.create_connection(
            address,
            header=[f"{name}: {value}" for name, value in sent.items() if name != "Origin" and value],
            origin=sent["Origin"] or None,
            suppress_origin=not sent["Origin"],
            subprotocols=[protocol] if protocol else None,
            timeout=90,
        )
        with closing(connection):
            yield Talk(connection)


class Talk:
    """Messages to a kernel and back."""

    def __init__(self, connection: websocket.WebSocket) -> None:
        self.connection, self.raw = connection, ""

    def send(self, kind: str, content: dict[str, Any], channel: str = "shell") -> str:
        """Send a message and return its number."""
        number = uuid.uuid4().hex
        header = {
            "msg_id": number, "msg_type": kind, "session": "outside", "username": "", "version": "5.3",
            "date": "2026-01-01T00:00:00Z",
        }  # fmt: skip
        parts = [channel.encode(), *(json.dumps(part).encode() for part in (header, {}, {"version": "1.0.0"}, content))]
        offsets = [8 * (2 + len(parts))]
        for part in parts:
            offsets.append(offsets[-1] + len(part))
        start = b"".join(number.to_bytes(8, "little") for number in (len(offsets), *offsets))
        self.connection.send_binary(start + b"".join(parts))
        return number

    def receive(self) -> dict[str, Any]:
        """Return the next message, and add its bytes to `raw`."""
        message = self.connection.recv()
        if not message:
            raise ConnectionError("closed")
        self.raw += message.decode("utf-8", "replace")
        count = int.from_bytes(message[:8], "little")
        at = [int.from_bytes(message[8 * (i + 1) : 8 * (i + 2)], "little") for i in range(count)]
        parts = [message[low:high] for low, high in itertools.pairwise(at)]
        names = ("header", "parent_header", "metadata", "content")
        return {**dict(zip(names, map(json.loads, parts[1:5]), strict=True)), "buffers": parts[5:]}

    def answer(self, number: str, kind: str) -> dict[str, Any]:
        """Return the answer to a message, skipping others."""
        while True:
            message = self.receive()
            if message["header"]["msg_type"] == kind and message["parent_header"].get("msg_id") == number:
                return message["content"]

    def comms(self) -> list[str]:
        """Return the widgets, after all earlier messages of this channel were handled."""
        return list(self.answer(self.send("comm_info_request", {}), "comm_info_reply")["comms"])

    def download(self) -> bytes:
        """Return the buffer of a message from the widget."""
        self.send("comm_msg", {"comm_id": self.widget(), "data": {"method": "custom", "content": {"kind": "download"}}})
        while True:
            message = self.receive()
            if message["buffers"]:
                return message["buffers"][0]

    def widget(self) -> str:
        """Return the number of the displayed widget."""
        control = uuid.uuid4().hex
        self.send("comm_open", {"comm_id": control, "target_name": "jupyter.widget.control", "data": {}})
        self.send("comm_msg", {"comm_id": control, "data": {"method": "request_states"}})
        while True:
            message = self.receive()
            if message["header"]["msg_type"] == "comm_msg" and message["content"]["comm_id"] == control:
                states = message["content"]["data"]["states"]
                return next(number for number, state in states.items() if "number" in state["state"])


@contextmanager
def visited(folder: Path, token: str | None = TOKEN, files: int | None = None, **options: Any) -> Iterator[Visitor]:
    """Serve a notebook with records, next to files that nobody may read.

    `files` limits the server's open files.
    """
    witness = folder / "witness"
    witness.mkdir()
    for name in ("records.csv", "picture.png", ".hidden.csv", "published/results.json", "data/adult.csv"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(f"{NAME},36,{DISEASE}\n")
    notebook = write_notebook(folder / "page.ipynb", *NOTEBOOK)
    port = free_port()
    command, environment = voila_command(notebook, port, token, published=folder / "published", **options)
    environment["WORKBENCH_WITNESS"] = str(witness)
    if files is not None:
        command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
    with served(command, f"http://127.0.0.1:{port}/nothing", folder, **environment):
        yield Visitor(port, folder, token)


def eventually(holds: Any) -> bool:
    """Wait for a condition, for a long time, since the machine may be busy."""
    return within(90, holds)


def within(seconds: float, holds: Any) -> bool:
    """Wait for a condition, and return whether it became true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.1)
    return False


def origin(visitor):
    return f"http://127.0.0.1:{visitor.port}"
