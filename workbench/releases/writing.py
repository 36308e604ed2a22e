"""The files of a release: its tables and its codebook, which all appear whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from workbench.base.errors import BadInput
from workbench.base.files import ENDINGS, codebooks, refuse_ending, refuse_nameless, whole
from workbench.releases import export, recount
from workbench.releases.codebook import Entry, as_json, as_rows, is_codebook
from workbench.releases.export import Rows


def write_files(
    path: Path, tables: Mapping[str, Rows], codebook: Sequence[Entry], of: str = "", *, defuse: bool, overwrite: bool
) -> list[Path]:
    """Write the tables, as CSV or Parquet by the ending of the name, and the codebook beside them, which also says `of`
    which sample they are. The codebook of a release whose place they take goes with it."""
    refuse_nameless(path)
    if defuse and path.suffix == ".parquet":
        raise BadInput(f"{path}: nothing in Parquet is taken for a formula; defuse is for CSV")
    targets = [*files_of(path, tables), *(books := codebooks(path) if codebook or of else [])]
    there = [] if overwrite else [str(target) for target in targets if os.path.lexists(target)]
    if there:
        raise BadInput(f"{there[0]} already exists; choose another name, or allow overwriting")
    every = [*tables.values(), *([as_rows(codebook)] if books else [])]
    written = dict(zip(targets, [rows.defused() if defuse else rows for rows in every], strict=False))
    gone = [] if books else _books_of(path, targets)
    write_tables(written, {books[1]: as_json(codebook, of)} if books else {}, gone)
    return targets


def _books_of(path: Path, targets: Sequence[Path]) -> list[Path]:
    """The codebook of the release that is written over; of none that has a file of another ending, too."""
    alike = {target.with_suffix(ending) for target in targets for ending in ENDINGS}
    there = [one for one in alike if os.path.lexists(one)]
    replaced = there and all(one in targets for one in there)
    return [book for book in codebooks(path) if is_codebook(book)] if replaced else []


def write_tables(
    tables: Mapping[Path, Rows], texts: Mapping[Path, str] | None = None, gone: Iterable[Path] = ()
) -> None:
    """Tables as CSV or Parquet, by the ending of each name, and texts; none appears, and nothing that is to be `gone`
    goes, before all are written."""
    for path in tables:
        refuse_ending(path)
    with ExitStack() as all_or_none:
        for path, text in (texts or {}).items():
            all_or_none.enter_context(whole(path)).write_text(text, "utf-8")
        for path, rows in tables.items():
            aside = all_or_none.enter_context(whole(path))
            with aside.open("wb") as file:
                (export.write_csv if path.suffix == ".csv" else export.write_parquet)(rows, file)
            recount.refuse_other(aside, rows, path)
        for path in gone:
            path.unlink(missing_ok=True)  # before the others have their names: beside these it would mislead


def files_of(path: Path, tables: Collection[str]) -> list[Path]:
    """The file of each table: no name is that of another or of a codebook, also where capitals make no difference."""
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
