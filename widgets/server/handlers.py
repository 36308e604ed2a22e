"""The request handlers of the server, which check the token."""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Awaitable
from http.client import responses
from types import TracebackType
from typing import Any, cast

from jupyter_server.auth.identity import IdentityProvider
from jupyter_server.base.handlers import FileFindHandler, JupyterHandler
from jupyter_server.services.kernels.handlers import KernelHandler
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from tornado import web
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError
from voila.tornado.handler import TornadoVoilaHandler

from widgets.server.jupyter_kernels import V1, Kernels, placed

ROOM = 3  # seconds that a page waits for a free kernel, since the page before a reload is just closing


class Locked(JupyterHandler):
    """A handler that requires the token: no login, no redirect, no pages of other origins."""

    def get_login_url(self) -> str:
        raise web.HTTPError(403)

    def check_origin(self, origin_to_satisfy_tornado: str = "") -> bool:
        """Refuse requests from pages of other sites, even with the token."""
        origin = self.get_origin()
        return origin is None or origin.lower() in (self.settings["allow_origin"], f"http://{self.request.host}")

    def set_cors_headers(self) -> None:
        """Set no CORS headers: other sites may not read responses."""

    async def prepare(self, **given: Any) -> None:
        if self.sent_by_another_site() or not self.check_origin():
            raise web.HTTPError(403)
        await super().prepare(**given)
        if not self.current_user:
            raise web.HTTPError(403)

    def sent_by_another_site(self) -> bool:
        """Return whether another site caused the request, which would start kernels without the user's knowledge.

        Another port of this host is another site.
        """
        header = self.request.headers.get
        if header("Sec-Fetch-Site", "none") in ("none", "same-origin"):
            return False
        framed = header("Sec-Fetch-Dest") == "iframe" and header("Referer", "").rstrip("/") in self.settings["frames"]
        went = header("Sec-Fetch-Mode") == "navigate" and (framed or header("Sec-Fetch-Dest") == "document")
        return not went or "Sec-Purpose" in self.request.headers

    def write_error(self, status_code: int, **given: Any) -> None:
        """Write a plain message without details, since the client may be unauthenticated."""
        page = self.settings["jinja2_env"].select_template([f"{status_code}.html", "error.html"])
        words = {"base_url": self.base_url, "status_message": responses.get(status_code, "An error")}
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.finish(page.render(words))

    def log_exception(
        self, typ: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Log an error without the query, which has the token, and without its text; ignore closed connections."""
        gone = isinstance(value, StreamClosedError | WebSocketClosedError)
        if typ is not None and not gone and not (isinstance(value, web.HTTPError) and value.status_code < 500):
            self.log.error("%s %s: %s", self.request.method, safe_path(self), placed(typ, tb))


class PageHandler(Locked, TornadoVoilaHandler):
    """The notebook in its own kernel, if the limit of kernels allows one more."""

    async def prepare(self, **given: Any) -> None:
        """Require the token in the link to start kernels: browsers send cookies for any site."""
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


class KernelStatus(Locked, KernelHandler):
    """The status of a kernel, which the page requests before it connects."""

    SUPPORTED_METHODS = ("GET",)


class Channels(Locked, KernelWebsocketHandler):
    """The messages between a page and its kernel, in a single protocol."""

    async def prepare(self, **given: Any) -> None:
        await super().prepare(**given)
        if V1 not in re.split(r"[,\s]+", self.request.headers.get("Sec-WebSocket-Protocol", "")):
            raise web.HTTPError(400)
        if not cast(Kernels, self.kernel_manager).connects(self.path_kwargs["kernel_id"], self):
            raise web.HTTPError(429)

    def on_finish(self) -> None:
        """Release the reservation of a refused connection; accepted ones keep theirs."""
        if self.get_status() != 101:
            cast(Kernels, self.kernel_manager).connected.discard(self)
        super().on_finish()

    def on_connection_close(self) -> None:
        cast(Kernels, self.kernel_manager).connected.discard(self)
        super().on_connection_close()


class Closed(Locked):
    """Shut down the kernel of a closed page; only that page knows the kernel's ID."""

    SUPPORTED_METHODS = ("POST",)

    def check_xsrf_cookie(self) -> None:
        """Require the origin instead of a header, since a closing page cannot send headers."""
        if self.get_origin() is None or not self.check_origin():
            raise web.HTTPError(403)

    async def post(self, kernel_id: str) -> None:
        if kernel_id in self.kernel_manager:
            await self.kernel_manager.shutdown_kernel(kernel_id)
        self.set_status(204)


class NotFound(Locked):
    """All other paths."""

    async def prepare(self, **given: Any) -> None:
        await super().prepare(**given)
        raise web.HTTPError(404)


class Identity(IdentityProvider):
    """Authentication by the token, compared in constant time."""

    async def get_user_token(self, handler: web.RequestHandler) -> Any:
        given = self.get_token(handler) or ""
        if not self.token or not hmac.compare_digest(given.encode(), self.token.encode()):
            return None
        return self.get_user_cookie(handler) or self.generate_anonymous_user(handler)

    @property
    def auth_enabled(self) -> bool:
        return bool(self.token)


def safe_path(handler: web.RequestHandler) -> str:
    """Return the requested path without the secrets of its query."""
    return handler.request.path.removeprefix(handler.settings["base_url"].rstrip("/"))
