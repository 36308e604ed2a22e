"""A restricted Voila server: one page, only messages of widgets, and kernels that end with their page.

It is started by the command of `widgets.server.serving.voila_command`. It has only the handlers listed below, none of
Voila's others.
"""

from __future__ import annotations

import workbench.base.startup  # noqa: F401 (before Jupyter's server)

# isort: split
import argparse
import logging
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jupyter_server.log
import nbformat
from jupyter_server.utils import url_path_join
from tornado import web
from tornado.ioloop import IOLoop, PeriodicCallback
from traitlets import Integer, Unicode
from traitlets.config import Config
from voila.app import Voila
from voila.paths import collect_static_paths

from widgets.server.handlers import Channels, Closed, Identity, KernelStatus, NotFound, PageHandler, Static, safe_path
from widgets.server.jupyter_kernels import Kernels, Messages, RedactingFilter, room_for
from widgets.server.serving import secret_path
from workbench.base.errors import BadInput
from workbench.base.files import scratch

TEMPLATES = Path(__file__).parent / "template"
TEMPLATE = "workbench"
EXTENSIONS = ["anywidget", "@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8"]
KERNEL = r"(?P<kernel_id>\w+-\w+-\w+-\w+-\w+)"
LARGEST = 4_000_000  # bytes of a message; uploads are sent in smaller pieces
LARGEST_BODY = 64_000  # only closing pages post, a few bytes


class Server(Voila):
    """A server for one notebook, with access only by the token."""

    public = Unicode("", help="the address of the page for its readers, behind a proxy").tag(config=True)
    frames = Unicode("'none'", help="the sites that may show the page in a frame").tag(config=True)
    ready = Integer(None, allow_none=True, help="file descriptor to write to when the port is open").tag(config=True)

    def init_settings(self) -> dict[str, Any]:
        settings = super().init_settings()
        public = urlsplit(self.public)
        self.kernel_manager.allowed_message_types = sorted(Messages.INCOMING)
        settings.update(
            jinja2_env=settings["voila_jinja2_env"],  # for error pages as well
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
        """Return all handlers of the server; every other path is refused."""
        page = {
            "notebook_path": os.path.relpath(self.notebook_path, self.root_dir),
            "template_paths": self.template_paths,
            "config": self.config,
            "voila_configuration": self.voila_configuration,
        }
        styles = {"path": collect_static_paths(["voila", "nbconvert"], TEMPLATE)}
        extensions = "|".join(EXTENSIONS)
        handlers: dict[str, tuple[Any, ...]] = {
            "/": (PageHandler, page),
            rf"/voila/templates/{TEMPLATE}/static/(.+)": (Static, styles),
            r"/voila/static/(.+)": (Static, styles),
            rf"/voila/labextensions/((?:{extensions})/static/.+)": (Static, {"path": self.labextensions_path}),
            rf"/api/kernels/{KERNEL}": (KernelStatus,),
            rf"/api/kernels/{KERNEL}/channels": (Channels,),
            rf"/voila/api/shutdown/{KERNEL}": (Closed,),
        }
        return [*((url_path_join(self.base_url, path), *rest) for path, rest in handlers.items()), (".*", NotFound)]

    def listen(self) -> None:
        """Listen on this port only, until a signal or the end of the parent process."""
        self.app.listen(self.port, self.ip, max_body_size=LARGEST_BODY)
        if self.ready is not None:
            with open(self.ready, "wb") as pipe:
                pipe.write(b"ready")
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
    """Log only errors of the server, without the query, which may contain the token."""
    if handler.get_status() >= 500:
        jupyter_server.log.access_log.error(
            "%d %s %s", handler.get_status(), handler.request.method, safe_path(handler)
        )


def quieted(log: logging.Logger) -> None:
    """Redact a log, and the messages of Python's last-resort handler."""
    for handler in (*log.handlers, logging.lastResort):
        if handler is not None:
            handler.addFilter(RedactingFilter())


def copied(notebook: Path, folder: Path, title: str) -> Path:
    """Copy the notebook to an empty folder, without saved outputs and without cells tagged `lab`."""
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
    """Return the settings of Voila, its kernels and its access."""
    return Config(
        Server={
            "ip": "127.0.0.1",
            "port": given.port,
            "token": token,
            "identity_provider_class": Identity,
            "base_url": urlsplit(given.public).path.rstrip("/") + secret_path(token),
            "public": given.public,
            "frames": given.frames,
            "ready": given.ready,
            "config_file_paths": [],  # settings of the user or the machine must not open the server
            "open_browser": False,
            "log_level": given.log_level,
            "connection_dir_root": str(private),
            "kernel_websocket_connection_class": Messages,
            "tornado_settings": {
                "websocket_max_message_size": LARGEST,
                "ws_ping_interval": 1000 * given.ping,
                "ws_ping_timeout": 3000 * given.ping,  # a timeout equal to the interval would be too short
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
        AsyncIOLoopKernelRestarter={"restart_limit": 0},  # a new kernel would not know the page
    )


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="widgets.server.server", description="Serve one page in Voila.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--public", default="", help="the address of the page for its readers, behind a proxy")
    parser.add_argument("--frames", default="'none'", help="the sites that may show the page in a frame")
    parser.add_argument("--theme", choices=("auto", "light", "dark"), default="auto")
    parser.add_argument("--preheat", type=int, default=0, help="number of preloaded kernels")
    parser.add_argument("--folder", type=Path, help="the working folder of kernels; by default an empty folder")
    parser.add_argument("--without-page", type=int, required=True, help="seconds a kernel outlives its page")
    parser.add_argument("--left-alone", type=int, required=True, help="seconds after which an idle page is closed")
    parser.add_argument("--every", type=int, required=True, help="seconds between checks of the kernels")
    parser.add_argument("--most", type=int, required=True, help="pages at once")
    parser.add_argument("--ping", type=int, required=True, help="seconds between checks that a page is still open")
    parser.add_argument("--ready", type=int, help="file descriptor to write to when the port is open")
    parser.add_argument("--log-level", choices=("INFO", "WARN", "ERROR"), default="ERROR")  # DEBUG would log the data
    return parser


def homes(private: Path) -> Mapping[str, str]:
    """Return environment variables that keep the files of Jupyter and IPython in the private folder."""
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
        tempfile.tempdir = str(private)  # JUPYTER_NO_CONFIG makes jupyter_core create a folder that it never removes
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
