"""The data step: a bundled table, a path, an upload, a table on a server, or a data frame of the notebook."""

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
from workbench.base.column_text import format_names, parse_names
from workbench.base.errors import BadColumns, BadInput, safe_repr
from workbench.base.progress import cancellable
from workbench.data.reading.column_types import parse_type
from workbench.data.reading.formats import is_packed, refuse_larger
from workbench.data.reading.row_files import SeveralTables
from workbench.data.table import Table
from workbench.studies.schema import LEAVES_OUT
from workbench.studies.study import Study

READ_AS = ("types", "missing")  # settings for reading values
MOST_BYTES = 200_000_000
UNPACKED = 20  # a packed file may expand by this factor


T = TypeVar("T")


class ReadingCancelled(Exception):
    """Reading was cancelled."""


class DataPicker(Part):
    """Choose the data. `base` is the table without roles, and `data` its source, as in a study.

    `given` is a data frame, a table, a path, or the setting `data`; the default is the bundled data. `paths=False`
    refuses paths on the server, and `most_bytes` limits uploads; only Python can set them.
    """

    _esm = script("data/data")
    _css = styles("data/data", "data/catalog")
    data = traitlets.Dict(help="as in a study: bundled, path, spark or given, and drop_missing")
    base = traitlets.Instance(Table, allow_none=True, help="all columns without roles, and all records")
    paths = traitlets.Bool(True, help="whether paths on this server and addresses of other servers are allowed")
    most_bytes = traitlets.Int(MOST_BYTES, min=1, help="the largest upload")
    folder = traitlets.Unicode(".", help="the folder of relative paths")
    trouble = traitlets.Unicode("", help="why the last requested data could not be read")

    def __init__(self, given: Any = None, **traits: Any) -> None:
        self._worker = Worker(self._failed)
        self._catalog = Catalog(self.send_message, lambda error: self.wrong("spark", error), lambda: self.folder)
        self._upload: Upload | None = None
        self._busy = ""  # what is being read
        self._field = "source"
        self._typed = ""
        self._requested: dict[str, Any] = {}  # the last requested data
        self._unreadable: list[dict[str, Any]] = []  # its unreadable columns, and why
        self._tables: tuple[str, ...] = ()  # of a file with several tables
        self._failed_markers: tuple[str, ...] = ()  # texts that were read as missing in them
        self._good: dict[str, Any] = {}  # the source of `base`
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
        self.observe(lambda _: self._source_changed(), "data")
        self.observe(lambda _: self._table_changed(), "base")
        self.observe(lambda _: self._show_state(), ["paths", "most_bytes"])
        if self._given is not None:
            self._read(self._handed(), "source")
        else:
            self._read(dict(given or ADULT.data), "source")

    def read(self, data: Mapping[str, Any]) -> None:
        """Read these data; `data` and `base` change when that is done, and `trouble` is set if it fails."""
        self._read(dict(data), "source")

    def about(self) -> str:
        return f"{describe_source(self.data)}, {self.base.records:,} records" if self.base else "no data yet"

    @property
    def reading(self) -> bool:
        """Return whether data are being read."""
        return bool(self._busy)

    def take(self, data: Mapping[str, Any], base: Table) -> None:
        """Show a table that was read elsewhere, with its source."""
        self._worker.cancel()
        self._idle()
        self._put(dict(data), base, summary(base))

    # --- content of the view

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
            types=self._requested.get("types", {}),
            missing=format_names(self._markers()),
            listed="missing" in self._requested,
            tables=self._tables,
            unreadable=self._unreadable,
        )

    def _markers(self) -> list[str]:
        """Return the texts that are read as missing: those of the user, or those that were found."""
        listed = self._requested.get("missing")
        found = (
            self._failed_markers
            if self._unreadable
            else self.base.origin.missing_texts
            if self.base is not None
            else ()
        )
        return [one for one in (found if listed is None else listed) if one]

    def _show_summary(self) -> None:
        self.send_message("summary", **self._summary)

    def _table_changed(self) -> None:
        """Show a new table, from the worker or a program."""
        if self._summarised is not self.base:
            self._summarised, self._summary = self.base, summary(self.base) if self.base is not None else {}
        self._show_summary()
        self._show_state()  # shows the texts that were read as missing

    def _source_changed(self) -> None:
        """Follow a new source, from the worker or a program."""
        if origin(self.data) == origin(self._good):
            self._good = dict(self.data)
            self._show_state()
        else:
            self._read(dict(self.data), "source")

    # --- requests of the view

    def receive_choose(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        field, value = content.get("field"), content.get("value")
        if field == "drop_missing":
            self._set_filter(field, True if value else None)
        elif field == "sample":
            wrong = "the number of records must be a whole number, 1 or above; empty: all"
            self._set_filter(field, None if value == "" else read_integer(content, "value", 1, wrong=wrong))
        elif field in ("type", "missing", "table"):
            self._read_as(field, content)
        elif field == "path":
            self._typed = str(value or "").strip()
            if not self.paths:
                raise BadInput("paths on the server are switched off here; upload the file instead")
            if not self._typed:
                raise BadInput("type the path of a file; without a leading / it is relative to the notebook's folder")
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

    def _set_filter(self, field: str, value: object) -> None:
        """Set or remove a filter of records."""
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
        """Read the last requested data again with other types of columns, or other texts for missing values."""
        if self._busy:
            raise BadInput("wait until the data are read, or cancel that first")
        settings = {key: self._requested[key] for key in READ_AS if key in self._requested}
        value = content.get("value")
        if field == "type":
            kind = value
            types = {name: one for name, one in settings.pop("types", {}).items() if name != content.get("column")}
            if kind:
                types[str(content.get("column"))] = str(parse_type(kind))
            settings |= {"types": types} if types else {}
        elif "add" in content:
            settings["missing"] = [*dict.fromkeys([*self._markers(), *map(str, content["add"])])]
        elif field == "missing" and value is None:
            settings.pop("missing", None)
        elif field == "missing":
            settings["missing"] = [*parse_names(str(value))]
        data = {key: one for key, one in self._requested.items() if key not in READ_AS} | settings
        data |= {"table": str(value)} if field == "table" else {}
        if str(data.get("given", "")).startswith("upload: "):
            self._requested = data
            raise BadInput("upload the file again, since it is not stored here; it will then be read in this way")
        if isinstance(self._given, Table) and "given" in data:
            raise BadInput("the notebook passed a table that was read already; set the types where it is read")
        self._read(data, field)

    def receive_upload(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Accept an upload; its chunks follow."""
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
            return  # of a cancelled upload
        try:
            complete = upload.add(content.get("index"), memoryview(buffers[0] if buffers else b""))
        except (BadInput, OSError) as error:
            self._cancel()
            reason = f"{upload.name} cannot be stored ({error.strerror})" if isinstance(error, OSError) else str(error)
            self.problem("upload", reason)
            return
        self.send_message("got", upload=upload.token, received=upload.received)
        if complete:
            self._upload = None
            again = self._requested if self._requested.get("given") == f"upload: {upload.name}" else {}
            settings = {key: one for key, one in again.items() if key in (*READ_AS, "table")}
            self._read({"given": f"upload: {upload.name}", **settings}, "upload", upload)

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
        """Read in the background; the last table remains until the new one is read."""
        if self._upload:
            self._upload.discard()
            self._upload = None
        self._field, self.trouble, self._requested = field, "", data
        self._busy = upload.name if upload else describe_source(data)
        self.send_message("reading", what=self._busy, records=0)
        is_given = "given" in data and not str(data["given"]).startswith("upload: ")
        given, folder = upload.path if upload else self._given if is_given else None, self.folder
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
        """Set `base` and `data` together, so that observers of one find the other."""
        self._good, self._summary, self._summarised = data, seen, table
        self._requested, self._unreadable = data, []
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
            one = "1 column cannot be read"
            many = f"{len(columns):,} columns cannot be read"
            self.problem(self._field, f"{one if len(columns) == 1 else many}; choose below how to read them")
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
    raise failure.with_traceback(None)  # its frames would contain the source's folder


def origin(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that decide which data are read; filters come later."""
    return {key: value for key, value in data.items() if key not in LEAVES_OUT}


def describe_source(data: Mapping[str, Any]) -> str:
    """Describe the source of data in a few words."""
    found = next((str(data[key]) for key in ("bundled", "path", "spark", "given") if key in data), "the query")
    name = (Path(found).name if "path" in data else found) or found or "the data"
    return f"{name}: {data['table']}" if "table" in data else name


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
