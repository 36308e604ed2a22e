"""The files of a release: its tables and codebook, which appear together or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.base.files import ENDING, ENDINGS, atomic_write, codebooks, own_name, refuse_ending, refuse_nameless
from workbench.base.progress import checkpoint
from workbench.data.column import unused_name
from workbench.data.engines import ClassesOfCells, ClassesOfParts
from workbench.data.engines.spark import Spark
from workbench.data.engines.spark_session import Session
from workbench.releases import export
from workbench.releases.codebook import Entry, as_json, as_rows, is_codebook
from workbench.releases.export import ColumnValues, EngineRecords, Rows, expected, sums, text_of

if TYPE_CHECKING:
    from workbench.releases.base import Release


# Write a Spark table or a folder of files completely or not at all: under a temporary name, verified, then renamed.

SETTLED = 5  # seconds to wait for the tasks of a failed query


class Aside(ABC):
    """A temporary place for a DataFrame."""

    def __init__(self, session: Session, place: str) -> None:
        self.session, self.place = session, place

    def write(self, frame: Any) -> None:
        """Write the whole DataFrame."""
        self.session.run(lambda: self._write(frame.write))

    @abstractmethod
    def _write(self, writer: Any) -> None: ...

    @abstractmethod
    def read(self) -> Any:
        """Read what was written, as any reader would."""


class Table(Aside):
    def _write(self, writer: Any) -> None:
        writer.saveAsTable(self.place)

    def read(self) -> Any:
        return self.session.run(lambda: self.session.spark.table(self.place))


class Parquet(Aside):
    def _write(self, writer: Any) -> None:
        writer.parquet(self.place)

    def read(self) -> Any:
        return self.session.run(lambda: self.session.spark.read.parquet(self.place))


class Csv(Aside):
    """CSV in UTF-8 with a header in each file; quotes are doubled, and missing values are empty."""

    OPTIONS: ClassVar = {"header": True, "quote": '"', "escape": '"'}

    def _write(self, writer: Any) -> None:
        writer.csv(self.place, quoteAll=True, emptyValue="", nullValue="", **self.OPTIONS)

    def read(self) -> Any:
        return self.session.run(lambda: self.session.spark.read.csv(self.place, multiLine=True, **self.OPTIONS))


def is_folder(name: str) -> bool:
    """Return whether a target is a folder; the name of a table has no slash."""
    return "/" in name


def is_text(name: str) -> bool:
    """Return whether the target is text."""
    return is_folder(name) and Path(name).suffix == ".csv"


@contextmanager
def whole(session: Session, name: str) -> Iterator[Aside]:
    """Yield a place to write; rename it to the target if no error occurred."""
    with _folder(session, Path(name)) if is_folder(name) else _catalog_table(session, name) as aside:
        yield aside


@contextmanager
def _folder(session: Session, path: Path) -> Iterator[Aside]:
    """Yield a folder that this process also sees, since Spark cannot rename folders."""
    refuse_ending(path)
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {str(path.parent)!r} does not exist here; create it, or write a table")
    if os.path.lexists(path):
        raise BadInput(f"{path} already exists; choose another name")
    aside = path.parent.absolute() / f"{own_name()}{ENDING}"
    try:
        yield (Csv if path.suffix == ".csv" else Parquet)(session, str(aside))
        if not aside.is_dir():
            raise BadInput(f"{path}: Spark writes to {aside}, which this process cannot see; write a table instead")
        os.rename(aside, path)
    finally:
        _remove(aside)


def _remove(folder: Path) -> None:
    """Remove a folder; tasks of a failed query may still be writing to it."""
    until = time.monotonic() + SETTLED
    shutil.rmtree(folder, ignore_errors=True)
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.05)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _catalog_table(session: Session, name: str) -> Iterator[Aside]:
    if session.run(lambda: session.spark.catalog.tableExists(quoted(name))):
        raise BadInput(f"the table {name} already exists in Spark; choose another name")
    *above, last = parts(name)
    aside = quoted(".".join([*above, f"workbench_{secrets.token_hex(6)}"]))
    try:
        yield Table(session, aside)
        target = quoted(".".join([*above[-1:], last]))  # ALTER TABLE does not accept the catalog
        _rename(session, aside, target)
    except BaseException:
        with suppress(BadInput):  # if the connection is lost, the first error matters
            session.run(lambda: session.spark.sql(f"DROP TABLE IF EXISTS {aside}").toArrow())
        raise


def _rename(session: Session, aside: str, target: str) -> None:
    failure = None
    try:
        session.run(lambda: session.spark.sql(f"ALTER TABLE {aside} RENAME TO {target}").toArrow())
    except BadInput as error:
        failure = BadInput(f"{error}; if the server cannot rename tables, write files: 'spark:/folder/name.parquet'")
    if failure:
        raise failure


def parts(name: str) -> list[str]:
    """Return catalog, schema and table, as far as they are given."""
    return [part.strip("`") for part in name.split(".")]


def quoted(name: str) -> str:
    """Return a table's name in SQL."""
    return ".".join(f"`{part}`" for part in parts(name))


def released(
    engine: Spark, values: list[pa.Array], names: Sequence[str | None], partition: ClassesOfCells | ClassesOfParts
) -> Any:
    """Return the released records in random order, with columns v0, v1, ... for `names` (None: the class).

    `values` has the published values of the codes of each column. Suppressed records are not included.
    """
    frame = engine.in_classes([name for name in names if name], partition)
    labels = {f"c{i}": one.dictionary_encode("encode") for i, one in enumerate(values) if names[i] is None}
    if labels:  # few distinct labels: sent as numbers, they are small enough for every worker
        numbers = np.arange(len(next(iter(labels.values()))), dtype=np.int32)
        known = pa.table({"class": numbers, **{code: found.indices for code, found in labels.items()}})
        frame = frame.join(engine.session.upload(known), on="class", how="inner")
    for i, (name, one) in enumerate(zip(names, values, strict=True)):
        code, shown = (f"c{i}", labels[f"c{i}"].dictionary) if name is None else (engine.code_of(name), one)
        numbers = np.arange(len(shown), dtype=np.int32)
        frame = frame.join(engine.session.upload(pa.table({code: numbers, f"v{i}": shown})), on=code, how="inner")
    # a key from the operating system; on one server rand(seed) is a constant, which does not sort
    digest = f"sha2(concat('{secrets.token_hex(32)}', CAST(monotonically_increasing_id() AS STRING)), 256)"
    chance = f"substring({digest}, 1, 32) AS chance"  # 128 bits, since Spark shuffles them with the records
    listed = [f"v{i}" for i in range(len(names))]
    return frame.selectExpr(*listed, chance).orderBy("chance").selectExpr(*listed)


RECORDS = "records"  # name of the file of a bucketized release that has one row per record


def write_files(
    path: Path,
    tables: Mapping[str, Rows],
    codebook: Sequence[Entry],
    of: str = "",
    layout: Mapping[str, Any] | None = None,
    *,
    defuse: bool,
    overwrite: bool,
) -> list[Path]:
    """Write the tables as CSV or Parquet, by the extension of the name, and the codebook next to them.

    The codebook includes the sample `of` which they are and the layout. A previous release's codebook is replaced or
    removed.
    """
    refuse_nameless(path)
    if not any(rows.columns for rows in tables.values()):
        raise BadInput(f"{path}: the release has no column to write; remove fewer columns")
    if defuse and path.suffix == ".parquet":
        raise BadInput(f"{path}: nothing in Parquet is interpreted as a formula; defuse is for CSV")
    targets = [*files_of(path, tables), *(books := codebooks(path) if codebook or of else [])]
    existing = [] if overwrite else [str(target) for target in targets if os.path.lexists(target)]
    if existing:
        raise BadInput(f"{existing[0]} already exists; choose another name, or allow overwriting")
    every = [*tables.values(), *([as_rows(codebook)] if books else [])]
    written = dict(zip(targets, [rows.defused() if defuse else rows for rows in every], strict=False))
    outdated = [] if books else _books_of(path, targets)
    write_tables(written, {books[1]: as_json(codebook, of, layout)} if books else {}, outdated)
    return targets


def file_names(release: Release) -> tuple[str, ...]:
    """Return the names of the published files: one, or for buckets the records and each sensitive column."""
    if release.layout["kind"] != "buckets":
        return ("release",)
    columns = release.table.sensitive
    return (unused_name(RECORDS, columns), *(name for name in columns if name not in release.unpublished_columns))


def rows_with_suppressed(release: Release, where: str | Path) -> dict[str, Rows]:
    """Return the rows with a row of `*` for each suppressed record. All cells are text, except for Parquet."""
    tables = release.rows()
    if not release.suppressed:
        return tables
    if len(tables) > 1 or release.classes.exact:
        raise BadInput(
            f"{where}: rows of * represent records suppressed in one file with generalized values; this release "
            "publishes quasi-identifiers unchanged. Export it without rows of * instead"
        )
    kept = release.table.records - release.suppressed
    as_text = Path(where).suffix != ".parquet"
    return {name: export.with_suppressed_rows(rows, kept, release.suppressed, as_text) for name, rows in tables.items()}


def described(release: Release) -> dict[str, Any]:
    """Return what an audit needs besides labels: the layout of the release, and the roles of its columns."""
    roles = {"quasi": release.table.quasi, "sensitive": release.table.sensitive}
    named = {role: [name for name in names if name not in release.unpublished_columns] for role, names in roles.items()}
    return {**release.layout, **named}


def _books_of(path: Path, targets: Sequence[Path]) -> list[Path]:
    """Return the codebook of the release that is overwritten; empty if that release also has files with another
    extension."""
    siblings = {target.with_suffix(ending) for target in targets for ending in ENDINGS}
    existing = [one for one in siblings if os.path.lexists(one)]
    replaced = existing and all(one in targets for one in existing)
    return [book for book in codebooks(path) if is_codebook(book)] if replaced else []


def write_tables(
    tables: Mapping[Path, Rows], texts: Mapping[Path, str] | None = None, gone: Iterable[Path] = ()
) -> None:
    """Write tables as CSV or Parquet, by extension, and texts; files appear, and those in `gone` disappear, only after
    all are written."""
    for path in tables:
        refuse_ending(path)
    with ExitStack() as all_or_none:
        for path, text in (texts or {}).items():
            all_or_none.enter_context(atomic_write(path)).write_text(text, "utf-8")
        for path, rows in tables.items():
            aside = all_or_none.enter_context(atomic_write(path))
            with aside.open("wb") as file:
                (export.write_csv if path.suffix == ".csv" else export.write_parquet)(rows, file)
            export.refuse_other(aside, rows, path)
        for path in gone:
            path.unlink(missing_ok=True)  # before the others appear, since an old codebook would mislead


def files_of(path: Path, tables: Collection[str]) -> list[Path]:
    """Return the path of each table, all different from each other and from the codebook's, even ignoring case."""
    found: list[Path] = []
    taken = {str(book).casefold() for book in codebooks(path)}
    for name in tables:
        safe = re.sub(r"[^\w.-]+", "_", name)
        target = path if len(tables) == 1 else path.with_stem(f"{path.stem}-{safe}")
        while str(target).casefold() in taken:
            target = target.with_stem(f"{target.stem}_")
        taken.add(str(target).casefold())
        found.append(target)
    return found


# A release that Spark writes, to a table or a folder of its own: counted again before it has its name.

IN_SPARK = "spark:"  # prefix of targets in Spark


def write_in_spark(release: Release, name: str, smallest: int, *, defuse: bool, stars: bool) -> list[Path]:
    """Write all tables of a release and its codebook; none gets its name before its records were verified."""
    where = f"{IN_SPARK}{name}"
    if stars:
        raise BadInput(f"{where}: rows of * are only written to files; leave stars out, or name a file")
    if defuse and not is_text(name):
        raise BadInput(f"{where}: only CSV is protected from formulas; leave defuse out")
    tables, books = release.rows(), release.codebook(smallest)
    held = next((rows.held for rows in tables.values() if rows.held), None)
    engine = held.engine if held else None
    if not isinstance(engine, Spark):
        raise BadInput(f"{where}: only a release of records in Spark can be written there; name a file")
    targets: dict[str, Rows] = {}
    for table, rows in tables.items():
        targets[name if len(tables) == 1 else _sibling(name, table, targets)] = rows
    if books:
        targets[_sibling(name, "codebook", targets)] = as_rows(books)
    with ExitStack() as all_or_none:
        for target, rows in targets.items():
            aside = all_or_none.enter_context(whole(engine.session, target))
            rows = rows.defused() if defuse else rows
            values = [_array(column, is_text(target)) for column in rows.columns]
            names = [column.name for column in rows.columns]
            if rows.held is None:
                aside.write(engine.session.upload(_table(rows, values)).toDF(*names))
            else:
                checkpoint(f"{engine.records:,} records, written by Spark")
                aside.write(released(engine, values, rows.held.names, rows.held.partition).toDF(*names))
                _recount(engine, aside, values, rows.held)
    return [Path(f"{IN_SPARK}{target}") for target in targets]


def _sibling(name: str, table: str, taken: Container[str]) -> str:
    """Return the name of one of several tables: a folder next to the others, or a table in the same schema."""
    safe, path = re.sub(r"\W+", "_", table), Path(name)
    target = str(path.with_stem(f"{path.stem}-{safe}")) if is_folder(name) else f"{name}_{safe}"
    return unused_name(target, taken)


def _array(column: ColumnValues, as_text: bool) -> pa.Array:
    """The distinct values of a column, in the types of a file of Parquet, or as a file of CSV has them."""
    if as_text:
        return text_of(column.values)(column.values).cast(pa.string())
    found = pa.array(column.values, from_pandas=True)
    return found.cast(pa.string()) if pa.types.is_large_string(found.type) or pa.types.is_null(found.type) else found


def _table(rows: Rows, values: Sequence[pa.Array]) -> pa.Table:
    """A table of counts of sensitive values instead of records."""
    codes = [np.concatenate(parts) for parts in zip(*rows.batches(), strict=True)]
    return pa.table({f"v{i}": one.take(pa.array(at)) for i, (one, at) in enumerate(zip(values, codes, strict=True))})


def _recount(engine: Spark, aside: Aside, values: Sequence[pa.Array], held: EngineRecords) -> None:
    """Raise BadInput unless what was written is the release; else the table has changed meanwhile."""
    checkpoint(f"{engine.records:,} records, counted again")
    written = aside.read()
    written = written.toDF(*(f"v{i}" for i in range(len(held.names))))
    for wanted in map(sums, expected(held, values)):
        keys = [name for name in wanted.column_names if name != "count"]
        query = written.groupBy(*keys).count() if keys else written.selectExpr("count(*) AS count")
        if not sums(engine.session.ask(query).cast(wanted.schema)).equals(wanted):
            raise engine.changed()
