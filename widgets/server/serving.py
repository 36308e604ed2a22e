"""A notebook as a page: the command that serves it, locked, and its process from the first line to the last."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any

from markupsafe import Markup

from workbench.base.errors import BadInput
from workbench.base.scratch import scratch

PORT = 8866
MOST = 20  # pages at once: each is a kernel
SITE = re.compile(r"'none'|'self'|https?://[\w.-]+(:\d+)?")
ADDRESS = re.compile(r"https?://[\w.-]+(:\d+)?(/[\w.~-]+)*/?")
START, END = 60, 20  # seconds that the server may take


def voila_command(
    notebook: str | PathLike[str],
    port: int,
    token: str | None,
    *,
    title: str = "Workbench",
    published: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    public: str = "",
    frames: str = "'none'",
    theme: str = "auto",
    preheat: int = 0,
    without_page: int = 120,
    left_alone: int = 8 * 60 * 60,
    every: int = 15,
    most: int = MOST,
    ping: int = 30,
) -> tuple[list[str], dict[str, str]]:
    """The command that serves a notebook on this machine, and its environment. Without a token the page is open to all.

    `published` is the folder the dashboard shows; `folder` is where kernels work, an empty one by default; `public` is
    the page's address behind a proxy; `frames` are the sites that may show it in a frame. A kernel ends `without_page`
    seconds after its page has gone, `left_alone` seconds after anybody touched it, to within `every` seconds; there are
    `most` at once. A page that does not answer for three times `ping` seconds has gone.
    """
    if public and not ADDRESS.fullmatch(public):
        raise BadInput(f"address: {public!r} is not an address; it begins with https:// (or http://) and a name")
    for site in frames.split():
        if not SITE.fullmatch(site):
            raise BadInput(
                f"frames: {site!r} is not a site; write https://portal.example.org, several with spaces between"
            )
    options = {
        "port": port, "public": public, "frames": frames, "theme": theme, "preheat": preheat, "folder": folder or "",
        "without-page": without_page, "left-alone": left_alone, "every": every, "most": most, "ping": ping,
    }  # fmt: skip
    command = [sys.executable, "-m", "widgets.server.server", os.fspath(Path(notebook).resolve())]
    command += [f"--{name}={value}" for name, value in options.items() if value != ""]
    environment = {**os.environ, "WORKBENCH_TOKEN": token or "", "WORKBENCH_TITLE": title}  # all users see a command
    if published is not None:
        environment["WORKBENCH_PUBLISHED"] = os.fspath(Path(published).resolve())
    return command, environment


def new_token() -> str:
    return secrets.token_urlsafe(24)


def link(port: int, token: str | None, public: str = "") -> str:
    """The address to give out: the whole of it, since without the token nothing opens."""
    host = public.rstrip("/") or f"http://127.0.0.1:{port}"
    return host + secret_path(token) + (f"?token={token}" if token else "")


def secret_path(token: str | None) -> str:
    """The folder of the page: nobody can guess it, so no page on another port of this host is sent its cookie."""
    return f"/{hashlib.blake2s(token.encode(), person=b'path', digest_size=16).hexdigest()}/" if token else "/"


def serve(
    notebook: Path,
    *,
    port: int | None = None,
    token: bool = True,
    browser: bool = True,
    public: str = "",
    echo: Callable[[str], object] = print,
    **options: Any,
) -> None:
    """Serve a notebook until Ctrl+C; `options` are those of `voila_command`."""
    if not notebook.is_file():
        raise BadInput(f"{notebook}: there is no such notebook")
    chosen = free_port(port)
    secret = new_token() if token else None
    command, environment = voila_command(notebook, chosen, secret, public=public, **options)
    with running(command, environment) as process, a_click(link(chosen, secret, public)) as page:
        echo(f"Open {link(chosen, secret, public)}")
        echo(
            "Anyone with this link can see the page."
            if secret
            else "No token: every user of this machine can see the page."
        )
        echo("Ctrl+C ends it.")
        if browser:
            webbrowser.open(page.as_uri())
        if process.wait():
            raise BadInput("the server failed; see its output above")


def free_port(wanted: int | None) -> int:
    """The port that was asked for; unless one was, the usual one, or any that is free."""
    for port in (wanted,) if wanted is not None else (PORT, 0):
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(("127.0.0.1", port))
            except OSError as error:
                reason = error.strerror
            else:
                return int(one.getsockname()[1])
    raise BadInput(f"port {wanted}: {reason}; name another with --port, or leave it out")


@contextmanager
def running(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A server's process, up; Ctrl+C and the signals to end reach us alone, and we end it, and with it its kernels."""
    before = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        process, ready = _started(command, environment)
        try:
            _await(ready)
            with suppress(KeyboardInterrupt):  # the way to end it
                yield process
        finally:
            for number in before:
                signal.signal(number, signal.SIG_IGN)  # impatience must not leave kernels behind
            _end(process)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _started(command: list[str], environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    """The process, and where it says that it listens: at its port another server may answer."""
    ready, told = os.pipe()
    try:
        command = [*command, f"--ready={told}"]
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=[told]
        )
    except BaseException:
        os.close(ready)
        raise
    finally:
        os.close(told)
    return process, ready


def _await(ready: int) -> None:
    try:
        if not (select.select([ready], [], [], START)[0] and os.read(ready, 1)):  # it has ended without a word
            raise BadInput("the server did not start; see its output above")
    finally:
        os.close(ready)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def a_click(address: str) -> Iterator[Path]:
    """A file that leads a browser to the address: as an argument of the browser, every user would see the token."""
    folder = scratch()
    try:
        page = folder / "open.html"
        page.write_text(Markup('<meta http-equiv="refresh" content="0;url={}">').format(address), "utf-8")
        yield page
    finally:
        shutil.rmtree(folder, ignore_errors=True)
