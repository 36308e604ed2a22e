"""What each address of the server answers, and to whom."""

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

ROOM = 3  # seconds that a page waits for room: the one it was reloaded from is just closing


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


class PageHandler(Locked, TornadoVoilaHandler):
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


class KernelStatus(Locked, KernelHandler):
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


class NotFound(Locked):
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


def told_path(handler: web.RequestHandler) -> str:
    """What was asked for, without what is secret in an address."""
    return handler.request.path.removeprefix(handler.settings["base_url"].rstrip("/"))
