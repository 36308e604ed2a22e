"""The kernels of a served page: a minimal environment, only messages of widgets, and a shutdown without a page."""

from __future__ import annotations

import json
import logging
import os
import re
import resource
import struct
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from types import TracebackType
from typing import Any
from weakref import WeakSet

from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.kernelmanager import AsyncMappingKernelManager
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from nbclient.exceptions import CellExecutionError
from traitlets import Dict, Integer, Set, Unicode

from workbench.base.errors import BadInput

NEEDED = re.compile(
    r"PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|LD_LIBRARY_PATH|VIRTUAL_ENV|PYTHONPATH"
    r"|(NUMBA|OMP|OPENBLAS|MKL)_\w+|WORKBENCH_(?!TOKEN)\w+|IPYTHONDIR|JUPYTER_(CONFIG|DATA|RUNTIME)_DIR"
    r"|SERVER_SOFTWARE|VOILA_(PREHEAT|BASE_URL|SERVER_URL|APP_PORT)"
)
HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # a surrogate, half of a character
CONNECTIONS = 4  # per page: one is used, and lost ones may not be detected yet
FILES, KERNEL_FILES, CONNECTION_FILES = 100, 16, 13  # maximum open files of the server, a kernel, a connection
V1 = "v1.kernel.websocket.jupyter.org"  # the only supported protocol


class Kernels(AsyncMappingKernelManager):
    """Kernels with a minimal environment that are shut down soon after their page closes."""

    folder = Unicode(help="where kernels work").tag(config=True)
    without_page = Integer(120, help="seconds a kernel outlives its page").tag(config=True)
    left_alone = Integer(28_800, help="seconds after which an idle page is closed").tag(config=True)
    most = Integer(20, help="maximum number of kernels, including preloaded ones").tag(config=True)
    room = Integer(80, help="maximum number of connections, over all pages").tag(config=True)
    met = Dict(help="when each kernel was first used by a page; preloaded kernels are absent")

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.cull_idle_timeout, self.cull_connected = self.without_page, True
        self.connected: WeakSet[KernelWebsocketHandler] = WeakSet()

    def connects(self, kernel_id: str, asking: KernelWebsocketHandler) -> bool:
        """Reserve a connection for a page; return whether there was room."""
        own = sum(one.path_kwargs["kernel_id"] == kernel_id for one in self.connected)
        if own >= CONNECTIONS or len(self.connected) >= self.room:
            return False
        self.connected.add(asking)
        return True

    @property
    def full(self) -> bool:
        """Return whether the maximum number of kernels is reached, including those that are starting."""
        return len({*self._kernels, *self._pending_kernels}) >= self.most

    async def start_kernel(self, *, path: str | None = None, env: Mapping[str, str] | None = None, **given: Any) -> str:  # type: ignore[override]
        needed = {name: value for name, value in (env or os.environ).items() if NEEDED.fullmatch(name)}
        return await super().start_kernel(cwd=self.folder, env=needed, **given)

    async def shutdown_kernel(self, kernel_id: str, *rest: Any, **given: Any) -> None:  # type: ignore[override]
        """Shut down a kernel and notify its page."""
        await super().shutdown_kernel(kernel_id, *rest, **given)
        self.met.pop(kernel_id, None)
        for connection in list(ZMQChannelsWebsocketConnection._open_sockets):
            if connection.kernel_id == kernel_id:
                connection.websocket_handler.close(1001, "the kernel has ended")

    def notify_disconnect(self, kernel_id: str) -> None:
        """Restart the idle timer when the page closes."""
        super().notify_disconnect(kernel_id)
        if kernel_id in self:
            self._kernels[kernel_id].last_activity = datetime.now(UTC)

    async def cull_kernel_if_idle(self, kernel_id: str) -> None:
        """Shut down a kernel soon after its page closes, or much later if the page is idle."""
        kernel = self._kernels[kernel_id]
        met: datetime = self.met.setdefault(kernel_id, datetime.now(UTC))
        kernel.last_activity = max(kernel.last_activity, met)
        self.cull_idle_timeout = self.left_alone if self._kernel_connections.get(kernel_id) else self.without_page
        await super().cull_kernel_if_idle(kernel_id)


def room_for(most: int) -> int:
    """Return the number of connections that the limit of open files allows."""
    kernels = FILES + most * KERNEL_FILES
    wanted = kernels + most * CONNECTIONS * CONNECTION_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    room = (wanted if soft == resource.RLIM_INFINITY else min(wanted, soft)) - kernels
    if room < most * CONNECTION_FILES:
        least = kernels + most * CONNECTION_FILES
        raise BadInput(
            f"{most:,} pages at once need {least:,} open files, and this process may open {soft:,}: "
            "allow fewer pages (--most), or more files (ulimit -n)"
        )
    return room // CONNECTION_FILES


class Messages(ZMQChannelsWebsocketConnection):
    """A filter between a page and its kernel, which passes only messages of widgets."""

    INCOMING = frozenset({"comm_open", "comm_msg", "comm_close", "comm_info_request", "kernel_info_request"})
    OUTGOING = frozenset({"comm_open", "comm_msg", "comm_close", "comm_info_reply", "kernel_info_reply", "status"})
    CONTROL = "jupyter.widget.control"  # for the state of all widgets; the only comm that a page may open
    opened = Set(help="the comms that this page has opened, which it may close")

    def handle_incoming_message(self, incoming_msg: Any) -> None:
        if self.subprotocol != V1:  # the connection is closing; later messages would be misread
            return
        try:
            _in_it(incoming_msg)
            channel, parts = deserialize_msg_from_ws_v1(incoming_msg)
            header, _, _, content = (_read(part) for part in parts[:4])
            if self.welcome(channel, header["msg_type"], content):
                super().handle_incoming_message(incoming_msg)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, struct.error):
            self.websocket_handler.close(1002, "invalid message")

    def welcome(self, channel: str, kind: str, content: Mapping[str, Any]) -> bool:
        if channel != "shell" or kind not in self.INCOMING:
            return False
        comm = content.get("comm_id")
        if kind == "comm_open":
            if content.get("target_name") != self.CONTROL:
                return False
            self.opened.add(comm)
        return kind != "comm_close" or comm in self.opened

    def handle_outgoing_message(self, stream: Any, outgoing_msg: list[Any]) -> None:
        """Drop the output of a kernel, since printed text, displays and errors may contain data."""
        _, parts = self.session.feed_identities(outgoing_msg)
        if self.session.unpack(parts[1])["msg_type"] in self.OUTGOING:
            super().handle_outgoing_message(stream, outgoing_msg)


def _in_it(message: bytes) -> None:
    """Check the offsets at the start of a message; invalid ones would keep the server busy."""
    count = int.from_bytes(message[:8], "little")
    if 8 * (count + 1) > len(message):
        raise ValueError("more parts than bytes")
    starts = struct.unpack_from(f"<{count}Q", message, 8)
    if any(low > high for low, high in pairwise((8 * (count + 1), *starts, len(message)))):
        raise ValueError("parts that overlap")


def _read(part: bytes) -> Any:
    """Parse a part of a message; reject lone surrogates, which cannot be encoded again."""
    read = json.loads(part)
    if HALF.search(part):
        json.dumps(read, ensure_ascii=False).encode()
    return read


class RedactingFilter(logging.Filter):
    """A filter that removes the text of errors, which may contain data, and the query of addresses."""

    def filter(self, record: logging.LogRecord) -> bool:
        kind, error, trace = record.exc_info or (None, None, None)
        text = record.getMessage().partition("\n")[0]
        if isinstance(error, CellExecutionError):
            plain = re.sub(r"\x1b\[[\d;]*m", "", error.traceback)
            places = re.findall(r"^File (\S+?:\d+)", plain, re.MULTILINE)
            text = f"a cell failed: {error.ename} at {' > '.join(places) or 'its own code'}"
        elif kind is not None:
            text = f"an error: {placed(kind, trace)}"
        record.msg, record.args = re.sub(r"\?\S*", "?...", text), ()
        record.exc_info = record.exc_text = record.stack_info = None
        return True


def placed(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Return the type of an error and its places in the code."""
    places = (f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(trace))
    return f"{kind.__name__} at {' > '.join(places)}"
