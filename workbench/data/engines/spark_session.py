"""A session of Spark's, by Spark Connect or in this process: what crosses to this side, what stops it, what fails."""

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
from workbench.base.progress import stoppable

T = TypeVar("T")
SMALL = 2**25  # bytes of a table that every worker may have
TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"  # the variable that Spark's own client reads
# parameters of an address that are no secret; every other one is sent to the server as it is, and may be one
HARMLESS = ("use_ssl", "user_id", "user_agent", "session_id", "x-databricks-cluster-id")
ADDRESS = (
    "remote is the address of a server that speaks Spark Connect, such as 'sc://host:15002', with a port of at most "
    "65535, and with parameters such as 'sc://host:443/;use_ssl=true'"
)
INSTALL = "pip install 'privacy-utility-workbench[spark]'"
OF_PANDAS = "PySpark does not yet fully support pandas"
ORIGINS = "_enable_debugging_cache"  # whether it is noted where queries are written; None until a server was asked
UNKNOWN = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND")
REFUSED = ("UNAUTHENTICATED", "PERMISSION_DENIED")
LOST = (
    "UNAVAILABLE", "failed to connect", "Connection refused", "Socket closed", "SESSION_NOT_FOUND", "SESSION_CLOSED",
    "SESSION_CHANGED", "Broken pipe", "Connection reset",
)  # fmt: skip
# Spark's own client would wait ten minutes for a server that is gone; this is about seven seconds
PATIENCE: dict[str, Any] = {
    "max_retries": 6,
    "initial_backoff": 50,
    "backoff_multiplier": 2.5,
    "max_backoff": 4000,
    "jitter": 100,
}


class Untyped(BadInput):
    """Values that do not fit the type that the server says they have."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"{where}: values do not fit the type that the server names, as unsigned numbers may not; read a view "
            "that casts them, such as to DECIMAL(20, 0)"
        )


class Unable(BadInput):
    """What Spark was asked and cannot do, for a reason that may quote a value."""


class Session:
    """`where` is what messages call it. Everything is asked in text, which is the same in every kind of session."""

    def __init__(self, spark: Any) -> None:
        _quiet()
        self.spark = spark
        self.same_workers: bool | None = None  # whether they have this package; None until it was asked
        self.answered = False  # a question; a query that is only written asks nothing
        self.remote = type(spark).__module__.startswith("pyspark.sql.connect")
        self.where = f"Spark at {spark.client.host}" if self.remote else "Spark in this process"

    @classmethod
    def opened(cls, remote: str) -> Session:
        """The session of this process on a server; it is closed when the process ends."""
        refuse_secrets(remote)
        if remote in _OPENED:
            return _OPENED[remote]
        try:
            spark = client().builder.remote(remote).create()
        except ValueError:  # a session_id that is none
            raise BadInput(ADDRESS) from None
        made = cls(spark)
        made.spark.client.set_retry_policies([])  # `run` is patient; at the end nobody waits for a server that is gone
        atexit.register(made.spark.stop)
        return _OPENED.setdefault(remote, made)

    def ask(self, frame: Any) -> pa.Table:
        """What a query finds. Nothing else crosses from Spark to this side."""
        found = self.run(frame.toArrow)
        self.answered = True
        return found

    def given(self, table: pa.Table) -> Any:
        """A table of this side in Spark: the codes of values, the classes of cells. Where it is small, every worker has
        it, so that records stay where they are when they are joined with it."""
        found = self.run(lambda: self.spark.createDataFrame(table))
        return found.hint("broadcast") if table.nbytes <= SMALL else found

    def run(self, work: Callable[[], T]) -> T:
        """What this comes to in Spark; it stops there too when whoever waits has had enough."""
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
                return stoppable(tagged, lambda: interrupt(tag))
            except errors as error:
                failure = self._explained(error)
        raise failure  # outside the except: Spark's message may quote a record, and must not be seen behind ours

    def _tags(self) -> tuple[Callable[[str], object], ...]:
        """What tags the work of this thread, what ends that, and what stops all work of a tag."""
        if self.remote:
            return self.spark.addTag, self.spark.removeTag, self.spark.interruptTag
        context = self.spark.sparkContext  # a classic session's own tags are not those of what is fetched as Arrow
        if context._jsc is None:
            raise self._lost()
        return context.addJobTag, context.removeJobTag, context.cancelJobsWithTag

    @contextmanager
    def _impatient(self) -> Iterator[None]:
        """Whoever waits for a server that is gone hears of it soon; a session of the caller's is then as before."""
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
        """Our words for Spark's, without the values that it quotes."""
        if isinstance(error, pa.ArrowException):
            return Untyped(self.where)
        named = getattr(error, "getCondition", lambda: None)() or ""
        text = f"{named} {error}"
        if any(sign in text for sign in LOST):
            for remote in [remote for remote, session in _OPENED.items() if session is self]:
                del _OPENED[remote]  # the next who asks gets a new one
            return self._lost()
        if any(sign in text for sign in REFUSED):
            return BadInput(f"{self.where}: it lets nobody in so; put a token that it knows into {TOKEN}")
        if any(sign in text for sign in UNKNOWN):
            return BadInput(f"{self.where}: there is no such table, or it may not be read; correct its name")
        return Unable(f"{self.where}: it cannot do this ({(named or type(error).__name__)[:80]})")

    def _lost(self) -> BadInput:
        if not self.answered:
            return BadInput(f"{self.where}: no server answers there; see that it runs and can be reached from here")
        return BadInput(
            f"{self.where}: the connection is lost; what was finished is kept. See that the server runs and can be "
            "reached, and read the table again"
        )


_OPENED: dict[str, Session] = {}
_ASKING: dict[Any, tuple[int, list[Any]]] = {}  # by client, how many threads ask, and its patience before
_LOCK = threading.Lock()


def _know_origins(spark: Any) -> None:
    """Ask the server at hand whether it is noted where queries are written, before Spark's client does: that asks the
    session that was made first, once, whoever's query it is, and the server of that may be gone."""
    from pyspark.errors import utils

    if getattr(utils, ORIGINS, False) is None:
        setattr(utils, ORIGINS, spark.conf.get("spark.python.sql.dataFrameDebugging.enabled", "true") == "true")


def _quiet() -> None:
    """Spark's client warns of pandas 3 wherever it is imported or called; nothing here gives it a frame of pandas."""
    warnings.filterwarnings("ignore", OF_PANDAS, FutureWarning)


def client() -> Any:
    """What makes sessions by Spark Connect; BadInput where it is not installed.

    It takes a program that is no file (`python -c`) for its own doctests, and would end it.
    """
    _quiet()
    program = sys.modules["__main__"]
    bare = not hasattr(program, "__file__")
    if bare:
        program.__file__ = __file__
    try:
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise BadInput(f"there is no client for Spark here; {INSTALL}") from None
    finally:
        if bare:
            del program.__file__
    return SparkSession


def refuse_secrets(remote: str) -> None:
    """Raise BadInput for what is no address of a server, and for one that may hold a secret, which is not repeated."""
    address, *given = remote.split(";")
    try:
        place = urlsplit(address)
        known = place.scheme == "sc" and place.hostname and place.port != 0 and place.path in ("", "/")
    except ValueError:  # a port that is no number, or too large
        known = False
    if "@" in address or "token=" in remote or any(one.partition("=")[0] not in HARMLESS for one in given):
        raise BadInput(
            f"remote may hold a secret; leave out all parameters but {join_names(HARMLESS)}, and put a token into the "
            f"environment as {TOKEN}"
        )
    if not known or place.query or place.fragment or any(one.count("=") != 1 for one in given):
        raise BadInput(ADDRESS)


def _errors(remote: bool) -> tuple[type[Exception], ...]:
    """What Spark raises, and what the way to it does; Arrow where values are not what their type says."""
    from pyspark.errors import PySparkException

    if remote:
        import grpc

        return (PySparkException, pa.ArrowException, grpc.RpcError, ConnectionError)
    from py4j.protocol import Py4JError

    return (PySparkException, pa.ArrowException, Py4JError, ConnectionError)


def _patience() -> Any:
    from pyspark.sql.connect.client.retries import DefaultPolicy

    return DefaultPolicy(**PATIENCE)
