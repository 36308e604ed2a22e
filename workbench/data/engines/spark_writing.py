"""Write a Spark table or a folder of files completely or not at all: under a temporary name, verified, then renamed."""

from __future__ import annotations

import os
import secrets
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from workbench.base.errors import BadInput
from workbench.base.files import ENDING, own_name, refuse_ending
from workbench.data.engines import ClassesOfCells, ClassesOfParts
from workbench.data.engines.spark import Spark
from workbench.data.engines.spark_session import Session

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
    with _folder(session, Path(name)) if is_folder(name) else _table(session, name) as aside:
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
def _table(session: Session, name: str) -> Iterator[Aside]:
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
