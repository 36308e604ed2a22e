"""Voila, locked: one page and what it needs, of messages only those of widgets, kernels that end with their page.

Started by the command that `workbench.serving.voila_command` makes. What Voila would serve besides is not there at all:
the list of handlers below is the whole server.
"""

from __future__ import annotations

import argparse
import asyncio
import hmac
import logging
import os
import re
import shutil
import time
from collections.abc import Awaitable, Mapping, Sequence
from http.client import responses
from pathlib import Path
from types import TracebackType
from typing import Any, cast
from urllib.parse import urlsplit

import jupyter_server.log
import nbformat
from jupyter_server.auth.identity import IdentityProvider
from jupyter_server.base.handlers import FileFindHandler, JupyterHandler
from jupyter_server.services.kernels.handlers import KernelHandler
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.ioloop import IOLoop, PeriodicCallback
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError
from traitlets import Unicode
from traitlets.config import Config
from voila.app import Voila
from voila.paths import collect_static_paths
from voila.tornado.handler import TornadoVoilaHandler

from widgets.kernels import V1, Kernels, Messages, Quiet, placed, room_for
from workbench.errors import BadInput
from workbench.scratch import scratch
from workbench.serving import secret_path

TEMPLATES = Path(__file__).parent / "template"
TEMPLATE = "workbench"
EXTENSIONS = ["anywidget", "@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8"]
KERNEL = r"(?P<kernel_id>\w+-\w+-\w+-\w+-\w+)"
ROOM = 3  # seconds that a page waits for room: the one it was reloaded from is just closing
LARGEST = 4_000_000  # bytes of a message: an upload comes in smaller pieces
LARGEST_BODY = 64_000  # nothing is posted but a closing page's word


class Locked(JupyterHandler):
    """Nothing without the token: no way to log in, no redirect, no page of another origin."""

    def get_login_url(self) -> str:
        raise web.HTTPError(403)

    def check_origin(self, origin_to_satisfy_tornado: str = "") -> bool:
        """A browser says where a request comes from; even the token does not open the door to another site's page."""
        origin = self.get_origin()
        return origin is None or origin.lower() in (self.settings["allow_origin"], f"http://{self.request.host}")

    def set_cors_headers(self) -> None:
        """None: no other site reads anything here."""

    async def prepare(self, **given: Any) -> None:
        if self.sent_by_another_site() or not self.check_origin():
            raise web.HTTPError(403)
        await super().prepare(**given)
        if not self.current_user:
            raise web.HTTPError(403)

    def sent_by_another_site(self) -> bool:
        """Whether a site had this asked without its reader's going here: that would start kernels behind their back.

        Another port of this host is another site.
        """
        said = self.request.headers.get
        if said("Sec-Fetch-Site", "none") in ("none", "same-origin"):
            return False
        framed = said("Sec-Fetch-Dest") == "iframe" and said("Referer", "").rstrip("/") in self.settings["frames"]
        went = said("Sec-Fetch-Mode") == "navigate" and (framed or said("Sec-Fetch-Dest") == "document")
        return not went or "Sec-Purpose" in self.request.headers

    def write_error(self, status_code: int, **given: Any) -> None:
        """In plain words, the same for everybody: who asks may be unknown yet, and what went wrong is not theirs."""
        page = self.settings["jinja2_env"].select_template([f"{status_code}.html", "error.html"])
        words = {"base_url": self.base_url, "status_message": responses.get(status_code, "An error")}
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.finish(page.render(words))

    def log_exception(
        self, typ: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Neither the query, where the token is, nor the error's text; and that a reader has gone is no error."""
        gone = isinstance(value, StreamClosedError | WebSocketClosedError)
        if typ is not None and not gone and not (isinstance(value, web.HTTPError) and value.status_code < 500):
            self.log.error("%s %s: %s", self.request.method, told_path(self), placed(typ, tb))


class ThePage(Locked, TornadoVoilaHandler):
    """The notebook, run in a kernel of its own, as long as there is room for one more."""

    async def prepare(self, **given: Any) -> None:
        """A browser sends a cookie for whoever asks it to: what starts kernels wants the whole link."""
        await super().prepare(**given)
        if self.identity_provider.auth_enabled and not self.token_authenticated:
            raise web.HTTPError(403)

    async def get(self, path: str | None = None) -> None:
        until = time.monotonic() + ROOM
        kernels = cast(Kernels, self.kernel_manager)
        while kernels.full:
            if time.monotonic() > until:
                raise web.HTTPError(503)
            await asyncio.sleep(0.1)
        await cast(Awaitable[None], super().get(path))


class Static(Locked, FileFindHandler):
    """Scripts and styles of the page."""


class Model(Locked, KernelHandler):
    """That a kernel is there: the page asks before it connects."""

    SUPPORTED_METHODS = ("GET",)


class Channels(Locked, KernelWebsocketHandler):
    """The messages between a page and its kernel, written in one way only."""

    async def prepare(self, **given: Any) -> None:
        await super().prepare(**given)
        if V1 not in re.split(r"[,\s]+", self.request.headers.get("Sec-WebSocket-Protocol", "")):
            raise web.HTTPError(400)
        if not cast(Kernels, self.kernel_manager).connects(self.path_kwargs["kernel_id"], self):
            raise web.HTTPError(429)

    def on_finish(self) -> None:
        """Of a connection this is the beginning; of what was refused, the end."""
        if self.get_status() != 101:
            cast(Kernels, self.kernel_manager).connected.discard(self)
        super().on_finish()

    def on_connection_close(self) -> None:
        cast(Kernels, self.kernel_manager).connected.discard(self)
        super().on_connection_close()


class Closed(Locked):
    """A page that is closed ends its kernel; who asks knows the kernel's number, which only its page was told."""

    SUPPORTED_METHODS = ("POST",)

    def check_xsrf_cookie(self) -> None:
        """A page on its way out can send no header: its origin must do, and must be there."""
        if self.get_origin() is None or not self.check_origin():
            raise web.HTTPError(403)

    async def post(self, kernel_id: str) -> None:
        if kernel_id in self.kernel_manager:
            await self.kernel_manager.shutdown_kernel(kernel_id)
        self.set_status(204)


class Nothing(Locked):
    """Everything else."""

    async def prepare(self, **given: Any) -> None:
        await super().prepare(**given)
        raise web.HTTPError(404)


class Identity(IdentityProvider):
    """The token, compared in a time that tells nothing about it."""

    async def get_user_token(self, handler: web.RequestHandler) -> Any:
        given = self.get_token(handler) or ""
        if not self.token or not hmac.compare_digest(given.encode(), self.token.encode()):
            return None
        return self.get_user_cookie(handler) or self.generate_anonymous_user(handler)

    @property
    def auth_enabled(self) -> bool:
        return bool(self.token)


class Server(Voila):
    """One notebook, locked."""

    public = Unicode("", help="where the page is for its readers, when a proxy stands before it").tag(config=True)
    frames = Unicode("'none'", help="the sites that may show the page in a frame").tag(config=True)

    def init_settings(self) -> dict[str, Any]:
        settings = super().init_settings()
        public = urlsplit(self.public)
        self.kernel_manager.allowed_message_types = sorted(Messages.INCOMING)
        settings.update(
            jinja2_env=settings["voila_jinja2_env"],  # for pages that say what is wrong, too
            allow_remote_access=False,
            local_hostnames=["localhost", *([public.hostname] if public.hostname else [])],
            allow_origin=f"{public.scheme}://{public.netloc}" if public.netloc else f"http://localhost:{self.port}",
            log_function=log_request,
            frames=self.frames.split(),
            headers=self.headers(public.netloc),
        )
        return settings

    def headers(self, public: str) -> dict[str, str]:
        sockets = f"ws://127.0.0.1:{self.port} ws://localhost:{self.port}" + (f" wss://{public}" if public else "")
        policy = {
            "default-src": "'self'",
            "script-src": "'self' 'unsafe-inline' 'unsafe-eval' blob:",  # widgets are modules in blobs; Vega compiles
            "style-src": "'self' 'unsafe-inline'",
            "img-src": "'self' data: blob:",
            "font-src": "'self' data:",
            "connect-src": f"'self' data: blob: {sockets}",
            "worker-src": "'self' blob:",
            "object-src": "'none'",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": self.frames,
        }
        return {
            "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",  # the token is in the address
            "Server": "workbench",
        }

    def init_handlers(self) -> list[Any]:
        """The whole server. What is not in this list is not there."""
        page = {
            "notebook_path": os.path.relpath(self.notebook_path, self.root_dir),
            "template_paths": self.template_paths,
            "config": self.config,
            "voila_configuration": self.voila_configuration,
        }
        styles = {"path": collect_static_paths(["voila", "nbconvert"], TEMPLATE)}
        extensions = "|".join(EXTENSIONS)
        handlers: dict[str, tuple[Any, ...]] = {
            "/": (ThePage, page),
            rf"/voila/templates/{TEMPLATE}/static/(.+)": (Static, styles),
            r"/voila/static/(.+)": (Static, styles),
            rf"/voila/labextensions/((?:{extensions})/static/.+)": (Static, {"path": self.labextensions_path}),
            rf"/api/kernels/{KERNEL}": (Model,),
            rf"/api/kernels/{KERNEL}/channels": (Channels,),
            rf"/voila/api/shutdown/{KERNEL}": (Closed,),
        }
        return [*((url_path_join(self.base_url, path), *rest) for path, rest in handlers.items()), (".*", Nothing)]

    def listen(self) -> None:
        """On this port and no other, until a signal, or until the process that started it is gone."""
        self.app.listen(self.port, self.ip, max_body_size=LARGEST_BODY)
        self.ioloop = IOLoop.current()
        parent = os.getppid()

        def look() -> None:
            if os.getppid() != parent:
                self.ioloop.stop()

        orphaned = PeriodicCallback(look, 1000)
        orphaned.start()
        try:
            self.ioloop.start()
        except KeyboardInterrupt:
            self.log.debug("stopped at the keyboard")
        finally:
            orphaned.stop()
            self.stop()


def log_request(handler: web.RequestHandler) -> None:
    """Only what went wrong in the server, and never the query: the token may be in it."""
    if handler.get_status() >= 500:
        jupyter_server.log.access_log.error(
            "%d %s %s", handler.get_status(), handler.request.method, told_path(handler)
        )


def told_path(handler: web.RequestHandler) -> str:
    """What was asked for, without what is secret in an address."""
    return handler.request.path.removeprefix(handler.settings["base_url"].rstrip("/"))


def quieted(log: logging.Logger) -> None:
    """Whatever is written, by whomever: the server's own words, and those that nobody else writes down."""
    for handler in (*log.handlers, logging.lastResort):
        if handler is not None:
            handler.addFilter(Quiet())


def copied(notebook: Path, folder: Path, title: str) -> Path:
    """The notebook without anything that was saved in it, alone in a folder; cells tagged `lab` are for Lab only."""
    page = nbformat.read(notebook, as_version=4)
    page.cells = [cell for cell in page.cells if "lab" not in cell.metadata.get("tags", [])]
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        cell.pop("attachments", None)
    page.metadata.pop("widgets", None)
    page.metadata.title = title
    page.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    folder.mkdir()
    nbformat.write(page, folder / notebook.name)
    return folder / notebook.name


def settings(given: argparse.Namespace, private: Path, token: str) -> Config:
    """What Voila, its kernels and its door are told."""
    return Config(
        Server={
            "ip": "127.0.0.1",
            "port": given.port,
            "token": token,
            "identity_provider_class": Identity,
            "base_url": urlsplit(given.public).path.rstrip("/") + secret_path(token),
            "public": given.public,
            "frames": given.frames,
            "config_file_paths": [],  # no setting of this user or machine opens what is locked here
            "open_browser": False,
            "log_level": given.log_level,
            "connection_dir_root": str(private),
            "kernel_websocket_connection_class": Messages,
            "tornado_settings": {
                "websocket_max_message_size": LARGEST,
                "ws_ping_interval": 1000 * given.ping,
                "ws_ping_timeout": 3000 * given.ping,  # as long as the interval, every answer would be too late
            },
        },
        Identity={
            "cookie_name": f"workbench-{given.port}",
            "cookie_options": {"samesite": "Lax"},
            "secure_cookie": given.public.startswith("https:"),
        },
        VoilaConfiguration={
            "template": TEMPLATE,
            "theme": given.theme,
            "allow_template_override": "NO",
            "allow_theme_override": "NO",
            "show_tracebacks": False,
            "strip_sources": True,
            "file_allowlist": [],
            "file_denylist": [".*"],
            "extension_allowlist": EXTENSIONS,
            "multi_kernel_manager_class": Kernels,
            "preheat_kernel": given.preheat > 0,
            "default_pool_size": given.preheat,
        },
        Kernels={
            "folder": str(given.folder or private / "empty"),
            "without_page": given.without_page,
            "left_alone": given.left_alone,
            "cull_interval": given.every,
            "most": given.most + given.preheat,
            "room": room_for(given.most + given.preheat),
            "transport_encryption": "required",  # a kernel's ports are open to every user of this machine
        },
        AsyncIOLoopKernelRestarter={"restart_limit": 0},  # a fresh kernel knows nothing of the page: better say so
    )


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="widgets.server", description=__doc__)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--public", default="", help="the address of the page for its readers, behind a proxy")
    parser.add_argument("--frames", default="'none'", help="the sites that may show the page in a frame")
    parser.add_argument("--theme", choices=("auto", "light", "dark"), default="auto")
    parser.add_argument("--preheat", type=int, default=0, help="kernels that stand ready")
    parser.add_argument("--folder", type=Path, help="where kernels work; without it an empty folder of their own")
    parser.add_argument("--without-page", type=int, required=True, help="seconds a kernel outlives its page")
    parser.add_argument("--left-alone", type=int, required=True, help="seconds after which an untouched page ends")
    parser.add_argument("--every", type=int, required=True, help="seconds between two looks at the kernels")
    parser.add_argument("--most", type=int, required=True, help="pages at once")
    parser.add_argument("--ping", type=int, required=True, help="seconds between two questions whether a page is there")
    parser.add_argument("--log-level", choices=("INFO", "WARN", "ERROR"), default="ERROR")  # DEBUG would log the data
    return parser


def homes(private: Path) -> Mapping[str, str]:
    """Where Jupyter and IPython keep things: in the private folder, not at the user's."""
    return {
        "JUPYTER_PATH": str(TEMPLATES),
        "JUPYTER_NO_CONFIG": "1",
        **{name: str(private / "home") for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")},
        "JUPYTER_RUNTIME_DIR": str(private / "runtime"),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    given = options().parse_args(arguments)
    token = os.environ.pop("WORKBENCH_TOKEN", "")  # not in the list of processes, not in the kernels' environment
    private = scratch()
    try:
        for name in ("empty", "home", "runtime"):
            (private / name).mkdir()
        notebook = copied(given.notebook, private / "page", os.environ.get("WORKBENCH_TITLE", "Workbench"))
        os.environ.update(homes(private))
        server = Server.instance(config=settings(given, private, token))
        server.initialize([str(notebook)])
        quieted(server.log)
        logging.getLogger("tornado").setLevel(given.log_level)
        server.start()
    except BadInput as error:
        raise SystemExit(str(error)) from None
    finally:
        shutil.rmtree(private, ignore_errors=True)


if __name__ == "__main__":
    main()
