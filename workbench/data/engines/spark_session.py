"""A Spark session, over Spark Connect or in this process: queries, cancellation and errors."""

from __future__ import annotations

import atexit
import sys
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.base.figures import join_names
from workbench.base.progress import run_interruptible

T = TypeVar("T")
SMALL = 2**25  # maximum bytes of a table that is copied to every worker
TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # the variable that Spark's own client reads
# parameters of an address that cannot be secrets; all others are sent to the server unchanged
HARMLESS = ("use_ssl", "user_id", "user_agent", "session_id", "x-databricks-cluster-id")
ADDRESS = (
    "remote must be the address of a Spark Connect server, such as 'sc://host:15002', with a port of at most 65535; "
    "parameters are added as in 'sc://host:443/;use_ssl=true'"
)
INSTALL = "pip install 'privacy-utility-workbench[spark]'"
OF_PANDAS = "PySpark does not yet fully support pandas"
ORIGINS = "_enable_debugging_cache"  # whether queries record where they were written; None until a server was asked
UNKNOWN = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")
REFUSED = ("UNAUTHENTICATED", "PERMISSION_DENIED")
LOST = (
    "UNAVAILABLE", "failed to connect", "Connection refused", "Socket closed", "SESSION_NOT_FOUND", "SESSION_CLOSED",
    "SESSION_CHANGED", "Broken pipe", "Connection reset",
)  # fmt: skip
# about seven seconds; the client's default is to wait ten minutes for a server that does not respond
PATIENCE: dict[str, Any] = {
    "max_retries": 6,
    "initial_backoff": 50,
    "backoff_multiplier": 2.5,
    "max_backoff": 4000,
    "jitter": 100,
}


class Untyped(BadInput):
    """Values do not fit the type that the server declares."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"{where}: values do not fit the type declared by the server, for example unsigned numbers; read a view "
            "that casts them, for example to DECIMAL(20, 0)"
        )


class Unable(BadInput):
    """Spark cannot run a query, for a reason that may quote a value."""


class Session:
    """A session; `where` is its name in messages. All queries are text, which works in every kind of session."""

    def __init__(self, spark: Any) -> None:
        _quiet()
        self.spark = spark
        self.same_workers: bool | None = None  # whether the workers have this package; None until checked
        self.answered = False  # whether the server has answered a query
        self.remote = type(spark).__module__.startswith("pyspark.sql.connect")
        self.where = f"Spark at {spark.client.host}" if self.remote else "Spark in this process"

    @classmethod
    def opened(cls, remote: str) -> Session:
        """Return this process's session on a server; it is closed when the process ends."""
        refuse_secrets(remote)
        if remote in _OPENED:
            return _OPENED[remote]
        try:
            spark = client().builder.remote(remote).create()
        except ValueError:  # an invalid session_id
            raise BadInput(ADDRESS) from None
        made = cls(spark)
        made.spark.client.set_retry_policies([])  # `run` retries; closing must not wait for a server
        atexit.register(made.spark.stop)
        return _OPENED.setdefault(remote, made)

    def ask(self, frame: Any) -> pa.Table:
        """Return the result of a query. No other data leave Spark."""
        found = self.run(frame.toArrow)
        self.answered = True
        return found

    def upload(self, table: pa.Table) -> Any:
        """Upload a small table, such as the codes of values or the classes of cells.

        Every worker gets a copy if it is small enough, so that joins do not move the records.
        """
        found = self.run(lambda: self.spark.createDataFrame(table))
        return found.hint("broadcast") if table.nbytes <= SMALL else found

    def run(self, work: Callable[[], T]) -> T:
        """Run work in Spark; cancel it there, too, when the caller cancels."""
        tag, errors, failure = f"workbench-{uuid.uuid4()}", _errors(self.remote), None
        begin, end, interrupt = self._tags()

        def tagged() -> T:
            begin(tag)
            try:
                if self.remote:
                    _know_origins(self.spark)
                return work()
            finally:
                end(tag)

        with self._impatient():
            try:
                return run_interruptible(tagged, lambda: interrupt(tag))
            except errors as error:
                failure = self._explained(error)
        raise failure  # outside the except: the context would contain Spark's message, which may quote a record

    def _tags(self) -> tuple[Callable[[str], object], ...]:
        """Return functions that start a tag for this thread's work, end the tag, and cancel the tagged work."""
        if self.remote:
            return self.spark.addTag, self.spark.removeTag, self.spark.interruptTag
        context = self.spark.sparkContext  # a classic session's own tags do not apply to results fetched as Arrow
        if context._jsc is None:
            raise self._lost()
        return context.addJobTag, context.removeJobTag, context.cancelJobsWithTag

    @contextmanager
    def _impatient(self) -> Iterator[None]:
        """Give up early on a server that does not respond; the policy of a caller's session is restored."""
        if not self.remote:
            yield
            return
        client = self.spark.client
        with _LOCK:
            asking, before = _ASKING.get(client, (0, client.get_retry_policies()))
            _ASKING[client] = asking + 1, before
            client.set_retry_policies([_patience()])
        try:
            yield
        finally:
            with _LOCK:
                asking, before = _ASKING.pop(client)
                if asking > 1:
                    _ASKING[client] = asking - 1, before
                else:
                    client.set_retry_policies(before)

    def _explained(self, error: Exception) -> BadInput:
        """Replace Spark's error: its message may quote values."""
        if isinstance(error, pa.ArrowException):
            return Untyped(self.where)
        named = getattr(error, "getCondition", lambda: None)() or ""
        text = f"{named} {error}"
        if any(sign in text for sign in LOST):
            for remote in [remote for remote, session in _OPENED.items() if session is self]:
                del _OPENED[remote]  # the next call opens a new session
            return self._lost()
        if any(sign in text for sign in REFUSED):
            return BadInput(f"{self.where}: access denied; set the environment variable {TOKEN} to a valid token")
        if any(sign in text for sign in UNKNOWN):
            return BadInput(f"{self.where}: the table does not exist or access is denied; check its name")
        return Unable(f"{self.where}: Spark cannot run this query ({(named or type(error).__name__)[:80]})")

    def _lost(self) -> BadInput:
        if not self.answered:
            return BadInput(f"{self.where}: no server responds; check the address, and that the server is running")
        return BadInput(
            f"{self.where}: the connection is lost; finished results are kept. Check that the server is running and "
            "reachable, then read the table again"
        )


_OPENED: dict[str, Session] = {}
_ASKING: dict[Any, tuple[int, list[Any]]] = {}  # by client: number of threads, previous policies
_LOCK = threading.Lock()


def _know_origins(spark: Any) -> None:
    """Ask this server whether queries record where they were written, before Spark's client does.

    The client would ask the first session of the process, once, and its server may be gone.
    """
    from pyspark.errors import utils

    if getattr(utils, ORIGINS, False) is None:
        setattr(utils, ORIGINS, spark.conf.get("spark.python.sql.dataFrameDebugging.enabled", "true") == "true")


def _quiet() -> None:
    """Suppress the client's warnings about pandas 3: no pandas frame is passed to it."""
    warnings.filterwarnings("ignore", OF_PANDAS, FutureWarning)


def client() -> Any:
    """Return the class that creates sessions over Spark Connect. Raise BadInput if it is not installed.

    If the program is not a file (`python -c`), the import would run Spark's doctests and exit, so set `__file__`.
    """
    _quiet()
    program = sys.modules["__main__"]
    bare = not hasattr(program, "__file__")
    if bare:
        program.__file__ = __file__
    try:
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise BadInput(f"the Spark client is not installed; run {INSTALL}") from None
    finally:
        if bare:
            del program.__file__
    return SparkSession


def refuse_secrets(remote: str) -> None:
    """Raise BadInput for an invalid address, and for one that may contain a secret, without repeating it."""
    address, *given = remote.split(";")
    try:
        place = urlsplit(address)
        known = place.scheme == "sc" and place.hostname and place.port != 0 and place.path in ("", "/")
    except ValueError:  # an invalid port
        known = False
    if "@" in address or "token=" in remote or any(one.partition("=")[0] not in HARMLESS for one in given):
        raise BadInput(
            f"remote may contain a secret; remove all parameters except {join_names(HARMLESS)}, and put a token into "
            f"the environment variable {TOKEN}"
        )
    if not known or place.query or place.fragment or any(one.count("=") != 1 for one in given):
        raise BadInput(ADDRESS)


def _errors(remote: bool) -> tuple[type[Exception], ...]:
    """Return the exceptions of Spark and its transport, and Arrow's for values that contradict their type."""
    from pyspark.errors import PySparkException

    if remote:
        import grpc

        return (PySparkException, pa.ArrowException, grpc.RpcError, ConnectionError)
    from py4j.protocol import Py4JError

    return (PySparkException, pa.ArrowException, Py4JError, ConnectionError)


def _patience() -> Any:
    from pyspark.sql.connect.client.retries import DefaultPolicy

    return DefaultPolicy(**PATIENCE)
