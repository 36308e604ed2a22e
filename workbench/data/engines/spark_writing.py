"""A table of Spark's, or a folder of files, that appears whole or not at all: written aside, looked at, then moved."""

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
from workbench.base.files import ENDING, refuse_ending
from workbench.base.scratch import name_here
from workbench.data.engines import ClassesOfCells, ClassesOfParts
from workbench.data.engines.spark import Spark
from workbench.data.engines.spark_session import Session

SETTLED = 5  # seconds in which tasks of a failed query end


class Aside(ABC):
    """Where a DataFrame is written before it has its name."""

    def __init__(self, session: Session, place: str) -> None:
        self.session, self.place = session, place

    def write(self, frame: Any) -> None:
        """Write all of it."""
        self.session.run(lambda: self._write(frame.write))

    @abstractmethod
    def _write(self, writer: Any) -> None: ...

    @abstractmethod
    def read(self) -> Any:
        """What was written, as anybody reads it."""


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
    """Text in UTF-8, a line of names in each file; quotes are doubled, and what is missing is empty."""

    OPTIONS: ClassVar = {"header": True, "quote": '"', "escape": '"'}

    def _write(self, writer: Any) -> None:
        writer.csv(self.place, quoteAll=True, emptyValue="", nullValue="", **self.OPTIONS)

    def read(self) -> Any:
        return self.session.run(lambda: self.session.spark.read.csv(self.place, multiLine=True, **self.OPTIONS))


def is_folder(name: str) -> bool:
    """Whether a target is a folder; a table's name has no slash."""
    return "/" in name


def is_text(name: str) -> bool:
    """Whether all is written as text."""
    return is_folder(name) and Path(name).suffix == ".csv"


@contextmanager
def whole(session: Session, name: str) -> Iterator[Aside]:
    """Where to write what then has this name, if all went well."""
    with _folder(session, Path(name)) if is_folder(name) else _table(session, name) as aside:
        yield aside


@contextmanager
def _folder(session: Session, path: Path) -> Iterator[Aside]:
    """A folder that this process sees too, since Spark itself moves none."""
    refuse_ending(path)
    if not path.parent.is_dir():
        raise BadInput(f"{path}: the folder {str(path.parent)!r} does not exist here; make it, or write a table")
    if os.path.lexists(path):
        raise BadInput(f"{path} already exists; choose another name")
    aside = path.parent.absolute() / f"{name_here()}{ENDING}"
    try:
        yield (Csv if path.suffix == ".csv" else Parquet)(session, str(aside))
        if not aside.is_dir():
            raise BadInput(f"{path}: Spark writes where this process sees nothing, to {aside}; write a table instead")
        os.rename(aside, path)
    finally:
        _remove(aside)


def _remove(folder: Path) -> None:
    """Some of Spark's tasks may still write when it has said that one of them failed."""
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
        target = quoted(".".join([*above[-1:], last]))  # a table stays in its catalog, which no server wants to hear of
        _rename(session, aside, target)
    except BaseException:
        with suppress(BadInput):  # where Spark is gone, what went wrong has been said
            session.run(lambda: session.spark.sql(f"DROP TABLE IF EXISTS {aside}").toArrow())
        raise


def _rename(session: Session, aside: str, target: str) -> None:
    failure = None
    try:
        session.run(lambda: session.spark.sql(f"ALTER TABLE {aside} RENAME TO {target}").toArrow())
    except BadInput as error:
        failure = BadInput(f"{error}; where it renames no table, write a folder of files: 'spark:/folder/name.parquet'")
    if failure:
        raise failure


def parts(name: str) -> list[str]:
    """Catalog, schema and table, as far as they are named."""
    return [part.strip("`") for part in name.split(".")]


def quoted(name: str) -> str:
    """A table's name as SQL has it."""
    return ".".join(f"`{part}`" for part in parts(name))


def released(
    engine: Spark, values: list[pa.Array], names: Sequence[str | None], partition: ClassesOfCells | ClassesOfParts
) -> Any:
    """The records in random order, as columns v0, v1, ... of the `values` of the codes of these columns (None: of the
    class); those that are left out are not in it."""
    frame = engine.in_classes([name for name in names if name], partition)
    labels = {f"c{i}": one.dictionary_encode("encode") for i, one in enumerate(values) if names[i] is None}
    if labels:  # of which there are few: as numbers the labels of all classes are small enough for every worker
        numbers = np.arange(len(next(iter(labels.values()))), dtype=np.int32)
        known = pa.table({"class": numbers, **{code: found.indices for code, found in labels.items()}})
        frame = frame.join(engine.session.given(known), on="class", how="inner")
    for i, (name, one) in enumerate(zip(names, values, strict=True)):
        code, shown = (f"c{i}", labels[f"c{i}"].dictionary) if name is None else (engine.code_of(name), one)
        numbers = np.arange(len(shown), dtype=np.int32)
        frame = frame.join(engine.session.given(pa.table({code: numbers, f"v{i}": shown})), on=code, how="inner")
    # a key of the operating system's, and not rand(seed), which one server takes for a constant and does not sort by
    digest = f"sha2(concat('{secrets.token_hex(32)}', CAST(monotonically_increasing_id() AS STRING)), 256)"
    chance = f"substring({digest}, 1, 32) AS chance"  # 128 bits of it: all of them are shuffled with the records
    listed = [f"v{i}" for i in range(len(names))]
    return frame.selectExpr(*listed, chance).orderBy("chance").selectExpr(*listed)
