"""The forms of the hierarchy editor: typed texts, and their conversion to and from builders."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.base.errors import BadInput
from workbench.data.column import Column
from workbench.data.hierarchies.builders import (
    DATES,
    Builder,
    Columns,
    Dates,
    Groups,
    Intervals,
    Prefixes,
    calendar,
    integers,
    parse_csv,
)
from workbench.data.hierarchies.hierarchy import Hierarchy, Misfit, lines_of, quoted
from workbench.data.hierarchies.proposal import propose

Form = Mapping[str, Any]
BY = ("widths", "cuts", "quantiles")
ENDS = ("bottom", "top")
DRAWN = 400  # maximum number of drawn lines per level
BINS = 60


class AtField(BadInput):
    """An error of one field of a form; `several` has the numbers of a row that lists more than one level."""

    def __init__(self, field: str, text: str, several: Sequence[str] = ()) -> None:
        super().__init__(text)
        self.field, self.several = field, tuple(several)


def without_hierarchy(column: Column) -> Column:
    """Return the column without its hierarchy, as builders need it."""
    return replace(column, hierarchy=None)


def tabs(column: Column) -> tuple[str, ...]:
    """Return the forms for a column, the most suitable first."""
    if column.kind == "date":
        return ("dates", "groups", "import")
    if column.kind == "text":
        return ("groups", "prefixes", "import")
    codes = integers(column) and len(column.values) > 0 and column.values[0] >= 0
    return ("intervals", "groups", *(("prefixes",) if codes else ()), "import")


def tab_of(builder: Builder | None, column: Column) -> str:
    """Return the form for a builder."""
    names = {Intervals: "intervals", Prefixes: "prefixes", Dates: "dates", Columns: "import"}
    found = names.get(type(builder), "groups") if builder else tabs(column)[0]
    if isinstance(builder, Columns) and not builder.source:
        found = "groups"
    return found if found in tabs(column) else "groups"


# --- from a builder to the form


def fill_form(tab: str, column: Column, builder: Builder | None) -> dict[str, Any]:
    """Return the form of a tab: the builder's settings, or a suggestion if it has another type."""
    if tab == "intervals":
        return _intervals_form(builder if isinstance(builder, Intervals) else propose(without_hierarchy(column))[0])
    if tab == "prefixes":
        given = builder if isinstance(builder, Prefixes) else propose(without_hierarchy(column))[0]
        keep = given.keep if isinstance(given, Prefixes) else _some_lengths(column)
        pad = given.pad if isinstance(given, Prefixes) else None
        return {"keep": ", ".join(map(str, keep)), "pad": "" if pad is None else str(pad)}  # type: ignore[arg-type]
    if tab == "dates":
        given = builder if isinstance(builder, Dates) else propose(without_hierarchy(column))[0]
        return {"levels": list(given.levels) if isinstance(given, Dates) else []}
    if tab == "import":
        file = builder if isinstance(builder, Columns) else None
        return {"text": format_rows(file.rows) if file else "", "source": file.source if file else ""}
    return {"level": 1, "name": ""}


def parse_form(tab: str, column: Column, given: Any) -> dict[str, Any]:
    """Return a form that a view sent, after checking that its fields are texts or lists of texts."""
    kept = fill_form(tab, column, None)
    for name, was in kept.items():
        value = given.get(name, was) if isinstance(given, Mapping) else None
        if type(value) is not type(was) or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
            raise BadInput(f"the form {tab} came without its {name}; reload the page")
        kept[name] = value
    return kept


def _intervals_form(builder: Builder | None) -> dict[str, Any]:
    form: dict[str, Any] = {"by": "widths", "widths": [""], "cuts": [""], "quantiles": [""], "origin": "0"}
    form |= {"bottom": "", "top": ""}
    if not isinstance(builder, Intervals):
        return form
    for by in BY:
        given: Any = getattr(builder, by)
        if given:
            form["by"] = by
            form[by] = [", ".join(map(str, row)) if by == "cuts" else str(row) for row in given]
    ends = {name: "" if getattr(builder, name) is None else str(getattr(builder, name)) for name in ENDS}
    return {**form, "origin": str(builder.origin), **ends}


def _some_lengths(column: Column) -> tuple[int, ...]:
    """Return up to three lengths below that of the shortest code."""
    shortest = min(map(len, column.labels), default=1)
    return tuple(range(shortest - 1, 0, -1))[:3] or (1,)


def format_rows(rows: Any) -> str:
    """Format rows as a hierarchy file."""
    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="\n").writerows(rows)
    return out.getvalue()


# --- from the form to a builder


def read_form(tab: str, form: Form) -> Builder:
    """Return the builder of a form; errors name their field."""
    readers = {"intervals": _intervals, "prefixes": _prefixes, "dates": _dates, "import": _file}
    return readers[tab](form)


def check(builder: Builder, column: Column) -> None:
    """Raise AtField for a level that changes nothing or suppresses everything."""
    if isinstance(builder, Intervals) and column.kind == "number" and len(column.values):
        _check_ends(builder, column)
    fits = column.kind == "text" or integers(column)  # else the builder raises
    if not isinstance(builder, Prefixes) or not fits or not column.labels:
        return
    lengths, digits, pad = [len(label) for label in column.labels], column.kind == "number", builder.pad
    if pad is not None and pad <= (max(lengths) if digits else min(lengths)):
        have = f"are padded to {max(lengths)} digits anyway" if digits else f"have {pad} characters or more"
        raise AtField("pad", f"All values {have}: padding to {pad} changes nothing. Leave it empty, or enter more.")
    longest = max(max(lengths), pad or 0)
    codes = [label.rjust(longest if digits else pad or 0, "0") for label in column.labels]
    for keep in builder.keep:  # type: ignore[union-attr]
        if keep == 0:
            raise AtField("keep", "Keeping 0 characters would hide the whole value: keep 1 or more.")
        if len({code[:keep] for code in codes}) == len(codes):
            why = f"No value is longer than {longest}" if keep >= longest else f"No two values share their first {keep}"
            raise AtField("keep", f"{why} characters: keeping {keep} changes nothing. Keep fewer.")


def _check_ends(builder: Intervals, column: Column) -> None:
    low, high = column.values[[0, -1]].tolist()
    if builder.bottom is not None and not low < builder.bottom <= high:
        none = builder.bottom <= low
        cure = (
            "this forms no groups. Leave the field empty or enter a larger number"
            if none
            else "no other group is left. Enter a smaller number"
        )
        raise AtField("bottom", f"{'No' if none else 'Every'} value is below {builder.bottom}: {cure}.")
    if builder.top is not None and not low < builder.top <= high:
        none = builder.top > high
        cure = (
            "this forms no groups. Leave the field empty or enter a smaller number"
            if none
            else "no other group is left. Enter a larger number"
        )
        raise AtField("top", f"{'No' if none else 'Every'} value is {builder.top} or more: {cure}.")


def _intervals(form: Form) -> Intervals:
    by = str(form.get("by"))
    if by not in BY:
        raise AtField("by", f"intervals are defined by {', '.join(BY)}")
    origin = _number(str(form.get("origin", "0")).strip() or "0", "origin") if by == "widths" else 0
    ends, levels = _ends(form), list[Any]()
    for i, row in enumerate(form.get(by, ())):
        field, texts = f"{by}-{i}", _split(str(row))
        if not texts:
            continue
        numbers = tuple(_number(text, field) for text in texts)
        if by != "cuts" and len(numbers) > 1:
            raise AtField(field, "A level has one number; use a level for each.", texts)
        level = numbers if by == "cuts" else numbers[0]
        if level in levels:
            raise AtField(field, f"{row.strip()} is already a level.")
        try:
            setting: dict[str, Any] = {by: (level,)}
            Intervals(**setting, **ends)
        except BadInput as error:
            raise AtField(field, str(error).removeprefix("intervals: ")) from None
        levels.append(level)
    if not levels and not ends:
        wanted = {"widths": "a width, such as 10", "cuts": "cut points, such as 18, 65", "quantiles": "how many groups"}
        raise AtField(f"{by}-0", f"Type {wanted[by]}.")
    made: dict[str, Any] = {by: tuple(levels), **ends}
    return Intervals(**made, origin=origin)


def _ends(form: Form) -> dict[str, Any]:
    """Return the bounds of the groups at both ends, if any."""
    texts = {name: str(form.get(name, "")).strip() for name in ENDS}
    ends = {name: _number(text, name) for name, text in texts.items() if text}
    if len(ends) > 1 and ends["bottom"] >= ends["top"]:
        raise AtField("top", f"{texts['top']} must be greater than the other end, {texts['bottom']}.")
    return ends


def _split(text: str) -> list[str]:
    """Split a list at commas, semicolons or spaces."""
    return [part for part in re.split(r"[,;\s]+", text) if part]


def _number(text: str, field: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise AtField(field, f"{text!r} is not a number; write one such as 10 or 2.5.")
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else number


def _prefixes(form: Form) -> Prefixes:
    keep, pad = (_split(str(form.get(name, ""))) for name in ("keep", "pad"))
    for field, texts in (("keep", keep), ("pad", pad)):
        for text in texts:
            if not text.isdecimal():
                raise AtField(field, f"{text!r} is not a number of characters; write whole numbers such as 3.")
    if not keep:
        raise AtField("keep", "Type how many characters each level keeps, such as 4, 3, 2.")
    if len(pad) > 1:
        raise AtField("pad", "Only one length is needed: that of the longest code.")
    return Prefixes(tuple(map(int, keep)), int(pad[0]) if pad else None)


def _dates(form: Form) -> Dates:
    levels = [str(level) for level in form.get("levels", ())]
    if not levels:
        raise AtField("dates", "Tick at least one, or remove the hierarchy.")
    return Dates(tuple(levels))


def _file(form: Form) -> Columns:
    text, source = str(form.get("text", "")), str(form.get("source", ""))
    if not text.strip():
        raise AtField("import", "Paste the text of a hierarchy file, or choose a file with one row per value.")
    blank = [row[0] for _, row in lines_of(text, source or "as pasted") if "" in (cell.strip() for cell in row[1:])]
    if blank:
        raise Misfit(f"{quoted(blank)}: a label is empty; label every value on every level", "ragged", blank)
    return parse_csv(text, source)


# --- the description of a form


def about(tab: str, form: Form, column: Column, hierarchy: Hierarchy | None) -> dict[str, Any]:
    """Describe the result of a form: groups by level, samples, or values of a file that the column lacks."""
    if tab == "intervals":
        by = form.get("by")
        return {"rows": [_row(str(by), str(row), form, column) for row in form.get(str(by), ())]}
    if tab == "dates":
        return {"groups": {name: len(calendar(column.values, name).labels) for name in DATES if len(column.values)}}
    if tab == "prefixes" and hierarchy:
        size = len(hierarchy.leaves)
        chosen = sorted({size // 6, size // 2, size * 5 // 6})
        nodes = [(level, hierarchy.node(i)) for i, level in enumerate(hierarchy.levels)]
        return {"samples": [[hierarchy.leaves[c], *(lv.labels[n[c]] for lv, n in nodes)] for c in chosen if c < size]}
    if tab == "import" and hierarchy:
        return {"notes": _strangers(form, hierarchy)}
    return {}


def _row(by: str, row: str, form: Form, column: Column) -> dict[str, Any]:
    """Describe the groups of a level of intervals, and the cuts of quantiles."""
    if not row.strip():
        return {"groups": None}
    try:
        level = _intervals({**form, by: [row]})(without_hierarchy(column)).levels[0]
    except (BadInput, IndexError):
        return {"groups": None}
    lines = column.values[level.starts[1:]].tolist() if len(level.starts) <= DRAWN else None
    return {"groups": len(level.starts), "lines": lines if by == "quantiles" else None}


def _strangers(form: Form, hierarchy: Hierarchy) -> list[str]:
    """Return a note on the values of a file that the data lack."""
    rows = _file(form).rows
    extra = len(rows) - len(hierarchy.leaves)
    if extra <= 0:
        return []
    known = set(hierarchy.leaves)
    named = [row[0] for row in rows if row[0] not in known]  # type: ignore[index]
    return [f"{extra:,} of the file's {len(rows):,} values are not in the data, which is fine: {quoted(named, 5)}."]


def histogram(column: Column) -> dict[str, Any] | None:
    """Return the histogram of a numeric column."""
    if column.kind != "number" or len(column.values) < 2:
        return None
    low, high = float(column.values[0]), float(column.values[-1])
    if not math.isfinite(high - low):
        return None
    counts, _ = np.histogram(column.values.astype(float), bins=BINS, range=(low, high), weights=column.counts)
    return {"low": low, "high": high, "counts": counts, "whole": integers(column)}


def describe_proposal(builder: Builder | None) -> str:
    """Describe a proposal in a few words."""
    if builder is None:
        return ""
    given = builder.to_dict()
    if isinstance(builder, Groups):
        return f"{len(builder.levels[0])} groups"
    names = {"widths": "intervals of", "quantiles": "equally filled, groups:", "keep": "characters kept:", "levels": ""}
    return "; ".join(f"{names[k]} {', '.join(map(str, v))}".strip() for k, v in given.items() if k in names)
