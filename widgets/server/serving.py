"""Serving a notebook as a page: the command, and its process."""

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
from workbench.base.files import scratch

PORT = 8866
MOST = 20  # maximum number of open pages; each has a kernel
SITE = re.compile(r"'none'|'self'|https?://[\w.-]+(:\d+)?")
ADDRESS = re.compile(r"https?://[\w.-]+(:\d+)?(/[\w.~-]+)*/?")
START, END = 60, 20  # maximum seconds of the server's start and end


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
    """Return the command that serves a notebook, and its environment. Without a token the page is open to everyone.

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
                f"frames: {site!r} is not a site; write https://portal.example.org, separate several with spaces"
            )
    options = {
        "port": port, "public": public, "frames": frames, "theme": theme, "preheat": preheat, "folder": folder or "",
        "without-page": without_page, "left-alone": left_alone, "every": every, "most": most, "ping": ping,
    }  # fmt: skip
    command = [sys.executable, "-m", "widgets.server.server", os.fspath(Path(notebook).resolve())]
    command += [f"--{name}={value}" for name, value in options.items() if value != ""]
    environment = {
        **os.environ,
        "WORKBENCH_TOKEN": token or "",
        "WORKBENCH_TITLE": title,
    }  # not in the command, which all users can see
    if published is not None:
        environment["WORKBENCH_PUBLISHED"] = os.fspath(Path(published).resolve())
    return command, environment


def new_token() -> str:
    return secrets.token_urlsafe(24)


def link(port: int, token: str | None, public: str = "") -> str:
    """Return the link of the page, including the token."""
    host = public.rstrip("/") or f"http://127.0.0.1:{port}"
    return host + secret_path(token) + (f"?token={token}" if token else "")


def secret_path(token: str | None) -> str:
    """Return the path of the page, which cannot be guessed, so that browsers do not send its cookie to other ports."""
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
    with running(command, environment) as process, redirect_page(link(chosen, secret, public)) as page:
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
    """Return the requested port if it is free; by default the usual port, or any free one."""
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
    """Run a server until it has started; at the end, or on Ctrl+C or a signal, end it together with its kernels."""
    before = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        process, ready = _started(command, environment)
        try:
            _await(ready)
            with suppress(KeyboardInterrupt):  # ends the server
                yield process
        finally:
            for number in before:
                signal.signal(number, signal.SIG_IGN)  # a second Ctrl+C must not leave kernels behind
            _end(process)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


def _started(command: list[str], environment: dict[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start the process; return it and a pipe that signals readiness, since another server could answer at the port."""
    ready, writer = os.pipe()
    try:
        command = [*command, f"--ready={writer}"]
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True, pass_fds=[writer]
        )
    except BaseException:
        os.close(ready)
        raise
    finally:
        os.close(writer)
    return process, ready


def _await(ready: int) -> None:
    try:
        if not (select.select([ready], [], [], START)[0] and os.read(ready, 1)):  # it ended before it was ready
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
def redirect_page(address: str) -> Iterator[Path]:
    """Yield a file that redirects a browser to the link; as an argument, all users could see the token."""
    folder = scratch()
    try:
        page = folder / "open.html"
        page.write_text(Markup('<meta http-equiv="refresh" content="0;url={}">').format(address), "utf-8")
        yield page
    finally:
        shutil.rmtree(folder, ignore_errors=True)
