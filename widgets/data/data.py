"""Where the records come from, and what is in them: a bundled table, a path, an upload, or a frame of the notebook."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import traitlets

from widgets.base.inputs import ADULT
from widgets.base.part import Part, read_integer, script, styles
from widgets.base.worker import CallSoon, Throttle, Worker
from widgets.data.catalog import Catalog
from widgets.data.summary import summary
from widgets.data.unreadable import markers_in, unreadable_columns
from widgets.data.upload import CHUNK, KNOWN, Upload, suffix
from workbench.base.errors import BadColumns, BadInput, safe_repr
from workbench.base.names import format_names, parse_names
from workbench.base.progress import cancellable
from workbench.data.reading.column_types import parse_type
from workbench.data.reading.packed import is_packed, refuse_larger
from workbench.data.reading.table_choice import SeveralTables
from workbench.data.table import Table
from workbench.studies.schema import LEAVES_OUT
from workbench.studies.study import Study

READ_AS = ("types", "missing")  # settings about values
MOST_BYTES = 200_000_000
UNPACKED = 20  # times as many may be in a packed file


T = TypeVar("T")


class ReadingCancelled(Exception):
    """Whoever asked does not want it any more."""


class DataPicker(Part):
    """Choose the data. `base` is the table, every column neutral yet, `data` where it is from, as a study says it.

    Given is a frame, a table, a path, or `data` themselves; nothing stands for the bundled data.
    `paths=False` refuses paths on the server, `most_bytes` larger uploads; only Python can set them.
    """

    _esm = script("data/catalog", "data/data")
    _css = styles("data/data", "data/catalog")
    data = traitlets.Dict(help="as in a study: bundled, path, spark or given, and drop_missing")
    base = traitlets.Instance(Table, allow_none=True, help="every column, all neutral yet, all records")
    paths = traitlets.Bool(True, help="whether a path on the server may be typed, or the address of another server")
    most_bytes = traitlets.Int(MOST_BYTES, min=1, help="the largest upload")
    folder = traitlets.Unicode(".", help="where relative paths begin")
    trouble = traitlets.Unicode("", help="why what was asked for last could not be read")

    def __init__(self, given: Any = None, **traits: Any) -> None:
        self._worker = Worker(self._failed)
        self._catalog = Catalog(self.send_message, lambda error: self.wrong("spark", error), lambda: self.folder)
        self._upload: Upload | None = None
        self._busy = ""  # what is being read
        self._field = "source"
        self._typed = ""
        self._asked: dict[str, Any] = {}  # what was read last, or could not be
        self._unreadable: list[dict[str, Any]] = []  # its columns that could not be read, and why
        self._tables: tuple[str, ...] = ()  # to choose from, where a file has several
        self._failed_markers: tuple[str, ...] = ()  # what was read as missing in them
        self._good: dict[str, Any] = {}  # where `base` is from
        self._summary: dict[str, Any] = {}
        self._summarised: Table | None = None
        if isinstance(given, Study):
            given, traits = dict(given.data), {"folder": str(given.folder), **traits}
        elif isinstance(given, str) and given == "adult":
            given = dict(ADULT.data)
        if isinstance(given, (str, Path)):
            given = {"path": str(given)}
        self._given = None if isinstance(given, Mapping) else given
        super().__init__(**traits)
        self.observe(lambda _: self._told_where(), "data")
        self.observe(lambda _: self._told_what(), "base")
        self.observe(lambda _: self._show_state(), ["paths", "most_bytes"])
        if self._given is not None:
            self._read(self._handed(), "source")
        else:
            self._read(dict(given or ADULT.data), "source")

    def read(self, data: Mapping[str, Any]) -> None:
        """Read these data; `data` and `base` change when they are there, `trouble` says why they cannot be had."""
        self._read(dict(data), "source")

    def about(self) -> str:
        return f"{said_where(self.data)}, {self.base.records:,} records" if self.base else "no data yet"

    @property
    def reading(self) -> bool:
        """Return whether data are being read."""
        return bool(self._busy)

    def take(self, data: Mapping[str, Any], base: Table) -> None:
        """A table that has been read already, and where it is from."""
        self._worker.cancel()
        self._idle()
        self._put(dict(data), base, summary(base))

    # --- what the view hears

    def show(self) -> None:
        self._show_state()
        self._show_summary()

    def _show_state(self) -> None:
        self.send_message(
            "state",
            data=self.data,
            paths=self.paths,
            most=self.most_bytes,
            chunk=CHUNK,
            known=KNOWN,
            given=self._given is not None,
            typed=self._typed,
            busy=self._busy,
            types=self._asked.get("types", {}),
            missing=format_names(self._markers()),
            listed="missing" in self._asked,
            tables=self._tables,
            unreadable=self._unreadable,
        )

    def _markers(self) -> list[str]:
        """The texts that are read as missing: those that were listed, or those that were found."""
        listed = self._asked.get("missing")
        found = self._failed_markers if self._unreadable else self.base.missing_texts if self.base is not None else ()
        return [one for one in (found if listed is None else listed) if one]

    def _show_summary(self) -> None:
        self.send_message("summary", **self._summary)

    def _told_what(self) -> None:
        """Another table, from the worker or from a program."""
        if self._summarised is not self.base:
            self._summarised, self._summary = self.base, summary(self.base) if self.base is not None else {}
        self._show_summary()
        self._show_state()  # the texts that were read as missing

    def _told_where(self) -> None:
        """Follow a new source, set by a program or by the worker."""
        if origin(self.data) == origin(self._good):
            self._good = dict(self.data)
            self._show_state()
        else:
            self._read(dict(self.data), "source")

    # --- what the view asks

    def receive_choose(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        field, value = content.get("field"), content.get("value")
        if field == "drop_missing":
            self._leave_out(field, True if value else None)
        elif field == "sample":
            wrong = "the number of records must be a whole number, 1 or above; empty: all"
            self._leave_out(field, None if value == "" else read_integer(content, "value", 1, wrong=wrong))
        elif field in ("type", "missing", "table"):
            self._read_as(field, content)
        elif field == "path":
            self._typed = str(value or "").strip()
            if not self.paths:
                raise BadInput("paths on the server are switched off here; upload the file instead")
            if not self._typed:
                raise BadInput("type the path of a file; one without a leading / begins at the folder of the notebook")
            self._read(self._options({"path": self._typed}), "path")
        elif field == "spark":
            self._refuse_servers()
            self._read(self._options(self._catalog.data(content)), "spark")
        elif field == "source" and value == "bundled":
            self._read(self._options(dict(ADULT.data)), "source")
        elif field == "source" and value == "given" and self._given is not None:
            self._read(self._options(self._handed()), "source")
        else:
            raise BadInput(f"there is no such choice: {safe_repr(value)}")

    def _leave_out(self, field: str, value: object) -> None:
        """Set the filter of records; None: all."""
        if self._busy:
            raise BadInput("wait until the data are read, or cancel that first")
        rest = {key: one for key, one in self.data.items() if key != field}
        self.data = rest if value is None else {**rest, field: value}

    def receive_look(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Read a level of a catalog of a Spark server or a DuckDB file."""
        self._refuse_servers()
        self._catalog.look(content)

    def receive_stop(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self._catalog.forget()

    def _refuse_servers(self) -> None:
        if not self.paths:
            raise BadInput("other servers are switched off here; upload a file instead")

    def _read_as(self, field: str, content: Mapping[str, Any]) -> None:
        """Types of columns and what stands for missing: the data asked for last are read again with these."""
        if self._busy:
            raise BadInput("wait until the data are read, or cancel that first")
        said = {key: self._asked[key] for key in READ_AS if key in self._asked}
        value = content.get("value")
        if field == "type":
            kind = value
            types = {name: one for name, one in said.pop("types", {}).items() if name != content.get("column")}
            if kind:
                types[str(content.get("column"))] = str(parse_type(kind))
            said |= {"types": types} if types else {}
        elif "add" in content:
            said["missing"] = [*dict.fromkeys([*self._markers(), *map(str, content["add"])])]
        elif field == "missing" and value is None:
            said.pop("missing", None)
        elif field == "missing":
            said["missing"] = [*parse_names(str(value))]
        data = {key: one for key, one in self._asked.items() if key not in READ_AS} | said
        data |= {"table": str(value)} if field == "table" else {}
        if str(data.get("given", "")).startswith("upload: "):
            self._asked = data
            raise BadInput("upload the file again: it is not kept here, and will be read in this way")
        if isinstance(self._given, Table) and "given" in data:
            raise BadInput("the notebook handed over a table that was read already; say its types where it is read")
        self._read(data, field)

    def receive_upload(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """A file is announced; its chunks follow once it is welcome."""
        name = Path(str(content.get("name") or "file")).name[:200]
        self._cancel()
        suffix(name)
        size = read_integer(content, "size", 1, wrong=f"{name}: the file is empty")
        if size > self.most_bytes:
            here = " or name a path on the server" if self.paths else ""
            raise BadInput(f"{name}: {megabytes(size)} are more than the {megabytes(self.most_bytes)} allowed; "
                           f"leave out columns that are not needed, pack it (.gz, .parquet){here}")  # fmt: skip
        self._upload = Upload(str(content.get("upload"))[:40], name, size)
        self.send_message("welcome", upload=self._upload.token)

    def receive_chunk(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        upload = self._upload
        if upload is None or content.get("upload") != upload.token:
            return  # was on its way when the upload was cancelled
        try:
            complete = upload.add(content.get("index"), memoryview(buffers[0] if buffers else b""))
        except (BadInput, OSError) as error:
            self._cancel()
            reason = (
                f"{upload.name}: it cannot be kept here ({error.strerror})"
                if isinstance(error, OSError)
                else str(error)
            )
            self.problem("upload", reason)
            return
        self.send_message("got", upload=upload.token, received=upload.received)
        if complete:
            self._upload = None
            again = self._asked if self._asked.get("given") == f"upload: {upload.name}" else {}
            said = {key: one for key, one in again.items() if key in (*READ_AS, "table")}
            self._read({"given": f"upload: {upload.name}", **said}, "upload", upload)

    def receive_cancel(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self._cancel()
        self._back()

    def _cancel(self) -> None:
        self._worker.cancel()
        if self._upload:
            self._upload.discard()
            self._upload = None
        self._idle()

    # --- reading

    def _options(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the settings for reading; filters are kept only for the same data."""
        return dict(self.data) if origin(data) == origin(self.data) else data

    def _handed(self) -> dict[str, Any]:
        return {"given": "table" if isinstance(self._given, Table) else "frame"}

    def _read(self, data: dict[str, Any], field: str, upload: Upload | None = None) -> None:
        """Read in the background; the last table stays until the new one is there."""
        if self._upload:
            self._upload.discard()
            self._upload = None
        self._field, self.trouble, self._asked = field, "", data
        self._busy = upload.name if upload else said_where(data)
        self.send_message("reading", what=self._busy, records=0)
        handed = "given" in data and not str(data["given"]).startswith("upload: ")
        given, folder = upload.path if upload else self._given if handed else None, self.folder
        most = self.most_bytes

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            def progress(records: int) -> None:
                if cancel.is_set():
                    raise ReadingCancelled
                call_soon(self._progressed, records)

            try:
                if upload and is_packed(upload.path):
                    readable(lambda: refuse_larger(upload.path, UNPACKED * most, cancel.is_set), upload)
                with cancellable(cancel, Throttle(lambda words: call_soon(self._progressed, 0, words))):
                    table = readable(lambda: Study(data=data, folder=folder).read(given, progress), upload)
                    seen = summary(table)
            except ReadingCancelled:
                return
            finally:
                if upload:
                    upload.discard()
            if not cancel.is_set():
                call_soon(self._took, data, table, seen)

        self._worker.start(job)

    def _progressed(self, records: int, words: str = "") -> None:
        if self._busy:
            self.send_message("reading", what=self._busy, records=records, words=words)

    def _took(self, data: dict[str, Any], table: Table, seen: dict[str, Any]) -> None:
        if not self._busy:
            return  # cancelled at the last moment
        self._idle()
        self.guarded(self._field, self._put, data, table, seen)

    def _put(self, data: dict[str, Any], table: Table, seen: dict[str, Any]) -> None:
        """Both change together: whoever hears of one finds the other."""
        self._good, self._summary, self._summarised = data, seen, table
        self._asked, self._unreadable = data, []
        self._tables = ()
        for field in ("source", "path", "upload", "spark", "type", "missing", "table"):
            self.fine(field)
        with self.hold_trait_notifications():
            self.base, self.data, self.trouble = table, data, ""

    def _failed(self, error: BaseException) -> None:
        if not self._busy:
            return
        self._idle()
        columns = error.columns if isinstance(error, BadColumns) else {}
        if columns:
            one = "1 column cannot be read as it is"
            many = f"{len(columns):,} columns cannot be read as they are"
            self.problem(
                self._field, f"{one if len(columns) == 1 else many}; say below how, and the data are read again"
            )
        elif isinstance(error, BadInput):
            text = (
                str(error).partition("; ")[0] + "; choose one below" if isinstance(error, SeveralTables) else str(error)
            )
            self.problem(self._field, text)
        else:
            self.wrong(self._field, error)
        self._tables = error.tables if isinstance(error, SeveralTables) else ()
        self._unreadable, self._failed_markers = unreadable_columns(error), markers_in(error)
        self._show_state()
        self._back()
        known = "; ".join(f"column {one['name']!r}: {one['text']}" for one in self._unreadable) or str(error)
        self.trouble = known if isinstance(error, BadInput) else "the data cannot be read"

    def _back(self) -> None:
        """Return to the source of the last good table, if there is one."""
        if self.base is not None and origin(self.data) != origin(self._good):
            self.data = self._good

    def _idle(self) -> None:
        self._busy = ""
        self.send_message("idle")


def readable(read: Callable[[], T], upload: Upload | None) -> T:
    """Read data; errors name an upload by its original name."""
    try:
        return read()
    except BadColumns:
        raise
    except BadInput as error:
        failure = error
    if upload:
        failure.args = (str(failure).replace(str(upload.path), upload.name),)
    raise failure.with_traceback(None)  # its frames would keep the source's folder


def origin(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that decide which data are read; filters come later."""
    return {key: value for key, value in data.items() if key not in LEAVES_OUT}


def said_where(data: Mapping[str, Any]) -> str:
    """Describe the source of data in a word or two."""
    found = next((str(data[key]) for key in ("bundled", "path", "spark", "given") if key in data), "the query")
    name = (Path(found).name if "path" in data else found) or found or "the data"
    return f"{name}: {data['table']}" if "table" in data else name


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
