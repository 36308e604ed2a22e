"""The files of a release: its tables and codebook, which appear together or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base.errors import BadInput
from workbench.base.files import ENDINGS, atomic_write, codebooks, refuse_ending, refuse_nameless
from workbench.releases import export, recount
from workbench.releases.codebook import Entry, as_json, as_rows, is_codebook
from workbench.releases.export import Rows

if TYPE_CHECKING:
    from workbench.releases.base import Release


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
            recount.refuse_other(aside, rows, path)
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
