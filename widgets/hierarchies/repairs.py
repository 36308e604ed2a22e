"""Fixes for a hierarchy file that does not fit: each has the text of a button and repairs the form."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from widgets.hierarchies.forms import AtField, Form, format_rows
from widgets.hierarchies.grouping import Rows, separate_parts
from workbench.base.errors import BadInput
from workbench.data.column import Column, unused_name
from workbench.data.hierarchies.hierarchy import Key, Misfit, key, lines_of

if TYPE_CHECKING:
    from widgets.hierarchies.editing import Editing

Repair = tuple[str, Callable[[], Form]]  # the text of a button, and the repaired form
SPELLINGS = 3  # maximum number of misspelt values with their own button


@dataclass(frozen=True)
class Remedy:
    """The label of a button, and the next state of the editor."""

    text: str
    step: Callable[[Editing], Editing]


@dataclass(frozen=True)
class FieldProblem:
    """The error of a field, with possible repairs."""

    field: str
    text: str
    fixes: tuple[Remedy, ...] = ()


def diagnose(tab: str, form: Form, column: Column, error: BadInput) -> FieldProblem:
    """Assign an error to a field of a form, with repairs."""
    field, text = tab, str(error)
    repairs: Iterable[Repair] = ()
    if isinstance(error, AtField):
        field, repairs = error.field, _one_level_each(form, error)
    else:
        text = text.removeprefix(f"column {column.name!r}: ")  # already in the title of the form
        text = text[:1].upper() + text[1:]
        if tab == "import" and isinstance(error, Misfit):
            repairs = _file_repairs(form, column, error)
    return FieldProblem(
        field, text, tuple(Remedy(button, partial(_use, column, tab, repair)) for button, repair in repairs)
    )


def _use(column: Column, tab: str, repair: Callable[[], Form], now: Editing) -> Editing:
    return now.use(column, tab, repair())


def _one_level_each(form: Form, error: AtField) -> Iterable[Repair]:
    if error.several:
        by, row = error.field.rsplit("-", 1)
        rows = [*form[by][: int(row)], *error.several, *form[by][int(row) + 1 :]]
        yield f"Make {len(error.several)} levels", lambda: {**form, by: rows}


def _file_repairs(form: Form, column: Column, error: Misfit) -> Iterable[Repair]:
    rows = [row for _, row in lines_of(str(form["text"]), "as pasted")]

    def fix(text: str, repair: Callable[[Rows], Rows]) -> Repair:
        return text, lambda: {**form, "text": format_rows(repair(rows))}

    if error.what == "duplicate":
        yield fix("Keep the first of each", lambda rows: _first_of_each(rows, column))
    if error.what == "ragged":
        yield fix("Fill the gaps from their own groups", _filled_in)
    if error.what == "split":
        yield fix("Give each part its own name", lambda rows: separate_parts(rows, column))
    if error.what == "unlisted":
        near = _spellings(error, column)
        for value, leaf in list(near.items())[:SPELLINGS]:
            yield fix(f"{leaf!r} in the file is {value!r}", partial(_respelt, spelling={leaf: value}))
        if len(near) > 1:
            every = {leaf: value for value, leaf in near.items()}
            yield fix(f"Correct all {len(near)} spellings", lambda rows: _respelt(rows, every))
        if column.kind == "text":
            name = _unused("other", rows)
            yield fix(f"Put them in their own group: {name}", lambda rows: _added(rows, error.values, name))
            yield fix("Leave them ungrouped", lambda rows: _added(rows, error.values, ""))
        else:
            yield fix(
                "Group each with the next lower value", lambda rows: _grouped_with_lower(rows, column, error.values)
            )


def _first_of_each(rows: Rows, column: Column) -> Rows:
    first: dict[Key, list[str]] = {}
    for row in rows:
        first.setdefault(key(row[0], column.kind), row)
    return list(first.values())


def _filled_in(rows: Rows) -> Rows:
    """Fill a gap with the label of the same group in other rows, or with the label to its left."""
    width = max(map(len, rows))
    whole = [[*row, *[""] * (width - len(row))] for row in rows]
    for k in range(1, width):
        above = {row[k - 1]: row[k] for row in whole if row[k].strip()} if k > 1 else {}
        for row in whole:
            row[k] = row[k] if row[k].strip() else above.get(row[k - 1], row[k - 1])
    return whole


def _spellings(error: Misfit, column: Column) -> dict[str, str]:
    """Return values of the data and their probable misspellings in the file."""
    held, used = set(column.labels), set[str]()
    near: dict[str, str] = {}
    for value, leaf in error.near.items():
        if leaf not in held and leaf not in used:
            near[value] = leaf
            used.add(leaf)
    return near


def _respelt(rows: Rows, spelling: dict[str, str]) -> Rows:
    return [[spelling.get(row[0], row[0]), *row[1:]] for row in rows]


def _unused(name: str, rows: Rows) -> str:
    return unused_name(name, {cell for row in rows for cell in row})


def _added(rows: Rows, values: Iterable[str], name: str) -> Rows:
    """Add rows for values, in one group or ungrouped; labels that all rows share are used as well."""
    roots = [rows[0][k] if len({row[k] for row in rows}) == 1 else "" for k in range(1, len(rows[0]))]
    taken = {cell for row in rows for cell in row[1:]}
    return [*rows, *([v, *(root or name or unused_name(v, taken) for root in roots)] for v in values)]


def _grouped_with_lower(rows: Rows, column: Column, values: Iterable[str]) -> Rows:
    """Add rows for values with the labels of the next lower known value, or of the lowest."""
    places = [(key(row[0], column.kind), row) for row in rows]
    known = sorted(((k, row) for k, row in places if not isinstance(k, str)), key=lambda one: one[0])
    if not known:
        raise BadInput(f"the file contains no {column.kind}; is it the file of another column?")
    found = []
    for value in values:
        at = bisect([k for k, _ in known], key(value, column.kind)) - 1
        found.append([value, *known[max(at, 0)][1][1:]])
    return [*rows, *found]
