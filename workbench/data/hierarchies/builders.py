"""Hierarchy builders: parameters in the constructor, a column in the call, a hierarchy as the result."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from decimal import Decimal
from functools import partial
from itertools import pairwise
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, safe_repr
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import (
    Hierarchy,
    Level,
    Misfit,
    bound,
    key,
    keys,
    quoted,
    read_rows,
    rows_of,
    starts_of,
)
from workbench.data.range_ends import End, range_text

# Levels of intervals over numbers, labeled by their ends, and of calendar units over dates.


def integers(column: Column) -> bool:
    """Return whether a column contains whole numbers."""
    return column.kind == "number" and column.values.dtype.kind in "iu"


def coded(column: Column, bottom: float | None, top: float | None, between: Callable[[Column], Level]) -> Level:
    """Return a level with one node below the bottom, one from the top on, and a division of the values between them."""
    low = 0 if bottom is None else int(np.searchsorted(column.values, bottom))
    high = len(column.values) if top is None else int(np.searchsorted(column.values, top))
    starts, labels = [np.zeros(min(low, 1), np.int32)], [f"under {_named(bottom)}"] if low else []
    if low < high:
        inner = slice(low, high)
        part = replace(
            column, values=column.values[inner], labels=column.labels[inner], counts=column.counts[inner], missing=0
        )
        level = between(part)
        starts.append(level.starts + np.int32(low))
        labels += level.labels
    if high < len(column.values):
        starts.append(np.array([high], np.int32))
        labels.append(f"{_named(top)} and over")
    return Level(np.concatenate(starts), tuple(labels))


def single_level(column: Column) -> Level:
    """Return a level with every value by itself."""
    return Level(np.arange(len(column.values), dtype=np.int32), column.labels)


def width_level(
    column: Column, width: float, origin: float, bottom: float | None = None, top: float | None = None
) -> Level:
    """Return intervals of one width, aligned at the origin. Labels end at the bottom and the top, too."""
    values = column.values
    least: Any = -math.inf if bottom is None else bottom
    most: Any = math.inf if top is None else top
    if integers(column) and isinstance(width, int) and isinstance(origin, int) and width < 2**62:
        shift = origin % width  # subtracting the origin itself could overflow
        group = values // width - (values % width < shift)
        ends = [(int(k) * width + shift, (int(k) + 1) * width + shift) for k in group[starts_of(group)]]
        return Level(starts_of(group), tuple(_interval(max(low, least), min(high, most), True) for low, high in ends))
    step, start = Decimal(str(width)), Decimal(str(origin))
    ratio = np.floor((values.astype(float) - origin) / width)
    if np.abs(ratio).max() > 2**53:
        raise BadInput(f"column {column.name!r}: width {width:g} is too small for values up to {values.max()}")
    # 0.3 // 0.1 is 2, so the quotient is corrected with the interval's decimal ends
    group, inverse = np.unique(ratio.astype(np.int64), return_inverse=True)
    low, high = (np.array([float(start + (int(k) + side) * step) for k in group]) for side in (0, 1))
    group = group[inverse] - (values < low[inverse]) + (values >= high[inverse])
    exact = [(start + int(k) * step, start + (int(k) + 1) * step) for k in group[starts_of(group)]]
    inside = [(max(low, Decimal(str(least))), min(high, Decimal(str(most)))) for low, high in exact]
    names = [_interval(*ends, integers(column)) for ends in inside]
    return Level(starts_of(group), tuple(names))


def cut_level(column: Column, cuts: Sequence[float]) -> Level:
    """Return the intervals below, between and above the cut points."""
    whole = integers(column)
    group = np.searchsorted(np.asarray(cuts), column.values, side="right")
    points = [math.ceil(c) if whole else Decimal(str(c)) for c in cuts]

    def label(g: int) -> str:
        if g == 0:
            return f"<{_spelled(points[0])}"
        return f">={_spelled(points[-1])}" if g == len(points) else _interval(points[g - 1], points[g], whole)

    starts = starts_of(group)
    return Level(starts, tuple(label(g) for g in group[starts]))


def quantile_level(column: Column, groups: int, bottom: float | None = None, top: float | None = None) -> Level:
    """Return intervals with similar numbers of records, and with ends that the column allows."""
    counts = np.asarray(column.counts, dtype=float)
    middle = np.cumsum(counts) - counts / 2
    starts = starts_of(np.floor(middle * groups / max(counts.sum(), 1)))
    if column.ends is not None:
        starts = column.ends.nearest_boundaries(starts)
    ends = zip(starts, np.append(starts[1:], len(counts)) - 1, strict=True)
    dash = " to " if column.values[0] < 0 else "-"
    if column.ends is not None:
        return Level(starts, tuple(_allowed_label(column, int(a), int(b), bottom, top) for a, b in ends))
    names = [column.labels[a] if a == b else f"[{column.labels[a]}{dash}{column.labels[b]}]" for a, b in ends]
    return Level(starts, tuple(names))


def _allowed_label(column: Column, low: int, high: int, bottom: float | None, top: float | None) -> str:
    """Return a group's label with ends that the column allows; open ends are replaced by declared ones."""
    assert column.ends is not None
    below, above = column.ends.printed(column, low, high)
    if low == high and below is not None and below.closed:
        return column.labels[low]
    if below is None and bottom is not None:
        below = End(_named(bottom), True)
    if above is None and top is not None:
        above = End(_named(top), False)
    return range_text(column, below, above)


def _exact(number: float) -> float:
    """Return an int if the number is whole, so that labels have no decimals."""
    exact = isinstance(number, Integral) or (number == int(number) and abs(number) < 2**53)
    return int(number) if exact else float(number)


def finite_numbers(where: str, given: object) -> tuple[float, ...]:
    """Return one or several numbers as a tuple. Raise BadInput for anything else."""
    values = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
            raise BadInput(f"intervals: {where} hold {value!r}; use finite numbers")
    return tuple(map(_exact, values))


def end_number(where: str, given: object) -> float | None:
    """Return the number at which the first or last node begins, or None."""
    found = () if given is None else finite_numbers(where, given)
    if len(found) > 1:
        raise BadInput(f"intervals: {where} holds {len(found)} numbers; use one")
    return found[0] if found else None


def _interval(low: int | Decimal, high: int | Decimal, whole: bool) -> str:
    """Return the label of the values from low to below high.

    Labels of whole numbers include both ends; `[1.5-3[` excludes 3.
    """
    if whole:
        low, high = math.ceil(low), math.ceil(high) - 1
        if low >= high:
            return str(low)
    dash = " to " if low < 0 else "-"
    return f"[{_spelled(low)}{dash}{_spelled(high)}{']' if whole else '['}"


def _named(number: float | None) -> str:
    return _spelled(number if isinstance(number, int) else Decimal(str(number)))


def _spelled(number: int | Decimal) -> str:
    if isinstance(number, int):
        return str(number)
    plain = format(number.normalize(), "f") if number else "0"
    return plain if len(plain) <= 20 else str(number.normalize())


def calendar(dates: np.ndarray, level: str) -> Level:
    """Return the days, months, quarters, years or decades of ascending dates."""
    unit, size = {"day": ("D", 1), "month": ("M", 1), "quarter": ("M", 3), "year": ("Y", 1), "decade": ("Y", 10)}[level]
    group = dates.astype(f"datetime64[{unit}]").astype(np.int64) // size
    if level == "decade":
        group = (dates.astype("datetime64[Y]").astype(np.int64) + 1970) // 10
    starts = starts_of(group)
    days = [str(day) for day in dates[starts].astype("datetime64[D]")]
    names = [_date_label(day, g, level) for day, g in zip(days, group[starts].tolist(), strict=True)]
    return Level(starts, tuple(names))


def _date_label(day: str, group: int, level: str) -> str:
    if level == "decade":
        return f"{group * 10}s"
    if level == "quarter":
        return f"{day[:-6]}-Q{group % 4 + 1}"
    return {"day": day, "month": day[:-3], "year": day[:-6]}[level]


DATES = ("day", "month", "quarter", "year", "decade")


class Builder(ABC):
    """A function from a column to its hierarchy; the fields are plain data."""

    name: ClassVar[str]

    @abstractmethod
    def __call__(self, column: Column) -> Hierarchy:
        """Return the hierarchy of this column's values."""

    def to_dict(self) -> dict[str, Any]:
        """Return the builder's name, and the fields that differ from their defaults, as plain data."""
        explicit = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}  # type: ignore[arg-type]
        return {"builder": self.name, **{name: _plain(value) for name, value in explicit.items()}}

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


def from_dict(given: Mapping[str, Any]) -> Builder:
    """Return the builder that `to_dict` described."""
    kinds: dict[Any, type[Builder]] = {kind.name: kind for kind in Builder.__subclasses__()}
    kind = kinds.get(given.get("builder"))
    if kind is None:
        name = given.get("builder")
        wrong = "a hierarchy needs a builder" if name is None else f"there is no hierarchy builder {safe_repr(name)}"
        raise BadInput(f"{wrong}; use one of {', '.join(kinds)}")
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    settings = {key: value for key, value in given.items() if key != "builder"}
    unknown = [key for key in settings if key not in known]
    if unknown:
        raise BadInput(f"{kind.name} has no setting {quoted(unknown)}; it has {', '.join(known)}")
    needed = [key for key, field in known.items() if field.default is MISSING and key not in settings]
    if needed:
        raise BadInput(f"{kind.name} needs {', '.join(needed)}")
    return kind(**settings)


@dataclass(frozen=True)
class Intervals(Builder):
    """Intervals of numbers: with equal widths, between cut points, or with equal numbers of records (quantiles).

    Parameters
    ----------
    widths
        One level per width; intervals start at multiples of the width from `origin`.
    cuts
        Cut points of one level, or a list of them for each level.
    quantiles
        One level per number of groups.
    origin
        A value at which intervals of equal widths start.
    bottom, top
        At every level, values below `bottom` and from `top` on are one node each: `under 20`, `80 and over`. If only
        these are given, the values between them remain unchanged.
    """

    name = "intervals"
    widths: float | Sequence[float] = ()
    cuts: float | Sequence[float] | Sequence[Sequence[float]] = ()
    quantiles: int | Sequence[int] = ()
    origin: float = 0
    bottom: float | None = None
    top: float | None = None

    def __post_init__(self) -> None:
        widths, quantiles = finite_numbers("widths", self.widths), finite_numbers("quantiles", self.quantiles)
        given = tuple(self.cuts) if isinstance(self.cuts, Iterable) else (self.cuts,)
        several = any(isinstance(c, Iterable) for c in given)
        cuts = tuple(finite_numbers("cuts", c) for c in (given if several else (given,) if given else ()))
        (origin,) = finite_numbers("origin", self.origin)
        bottom, top = end_number("bottom", self.bottom), end_number("top", self.top)
        ways = sum(map(bool, (widths, cuts, quantiles)))
        if ways > 1 or (not ways and bottom is None and top is None):
            raise BadInput("intervals: specify exactly one of widths, cuts and quantiles, or only a top or bottom")
        if min(widths, default=1) <= 0:
            raise BadInput(f"intervals: width {min(widths):g} must be above 0")
        for level in cuts:
            if not level or any(a >= b for a, b in pairwise(level)):
                raise BadInput(f"intervals: cuts {level} must be ascending and distinct, at least one per level")
        self._check_ends(bottom, top, cuts)
        if any(q < 2 or q != int(q) for q in quantiles):
            raise BadInput(f"intervals: quantiles {quantiles} must be whole numbers of groups, 2 or more")
        self._set("widths", tuple(sorted(set(widths))))
        self._set("cuts", cuts)
        self._set("quantiles", tuple(sorted(set(quantiles), reverse=True)))
        self._set("origin", origin)
        self._set("bottom", bottom)
        self._set("top", top)

    @staticmethod
    def _check_ends(bottom: float | None, top: float | None, cuts: Sequence[Sequence[float]]) -> None:
        if bottom is not None and top is not None and bottom >= top:
            raise BadInput(f"intervals: bottom {bottom:g} must be below top {top:g}")
        low, high = -math.inf if bottom is None else bottom, math.inf if top is None else top
        if any(not low < cut < high for level in cuts for cut in level):
            raise BadInput("intervals: every cut must be between bottom and top: values beyond them are one node")

    def __call__(self, column: Column) -> Hierarchy:
        """Return the intervals that contain values of a column of numbers."""
        _require(column, "number", "intervals need numbers; use groups, prefixes, dates or a nested mapping")
        if not len(column.values):
            return Hierarchy(())
        return Hierarchy(column.labels, tuple(coded(column, self.bottom, self.top, one) for one in self._levels()))

    def _levels(self) -> list[Callable[[Column], Level]]:
        """Return a function per level that divides the values between bottom and top."""
        bottom, top = self.bottom, self.top
        found: list[Callable[[Column], Level]] = [
            partial(width_level, width=width, origin=self.origin, bottom=bottom, top=top)
            for width in self.widths  # type: ignore[union-attr]
        ]
        for level in self.cuts:  # type: ignore[union-attr]
            points = [cut for cut in (bottom, *level, top) if cut is not None]  # type: ignore[misc]
            found.append(partial(cut_level, cuts=points))
        found += [
            partial(quantile_level, groups=groups, bottom=bottom, top=top)
            for groups in self.quantiles  # type: ignore[union-attr]
        ]
        return found or [single_level]


@dataclass(frozen=True)
class Groups(Builder):
    """Named groups of values: a mapping `label -> values` per level, finest first.

    Parameters
    ----------
    levels
        One mapping per level. A value that a level does not mention is a group of its own.
    order
        The order of all values, if it is meaningful.
    """

    name = "groups"
    levels: Sequence[Mapping[str, Sequence[object]]]
    order: Sequence[object] = ()

    def __post_init__(self) -> None:
        levels = (self.levels,) if isinstance(self.levels, Mapping) else self.levels
        if isinstance(levels, str) or not (
            isinstance(levels, Sequence) and all(isinstance(v, Mapping) for v in levels)
        ):
            raise BadInput("groups: levels must be a mapping per level, label: [values]")
        plain = tuple({str(label): _texts(values, label) for label, values in level.items()} for level in levels)
        self._set("levels", plain)
        self._set("order", _texts(self.order, "order"))
        for number, level in enumerate(plain, 1):
            twice = [v for v, n in Counter(v for values in level.values() for v in values).items() if n > 1]
            if twice:
                raise BadInput(
                    f"groups: level {number} is not a partition: {quoted(twice)} listed more than once; list it once"
                )

    def __call__(self, column: Column) -> Hierarchy:
        """Return the groups above this column's values."""
        mentioned = dict.fromkeys(v for level in self.levels for values in level.values() for v in values)
        if self.order:
            leaves = [str(v) for v in self.order]
            strangers = [v for v in mentioned if v not in set(leaves)]
            if strangers:
                raise BadInput(f"column {column.name!r}: {quoted(strangers)} missing from the order; add them")
        else:
            known = {key(str(v), column.kind) for v in mentioned}
            rest = [v for v, k in zip(column.labels, keys(column), strict=True) if k not in known]
            leaves = [*map(str, mentioned), *(sorted(rest) if column.kind == "text" else rest)]
        assigned = []
        for number, level in enumerate(self.levels, 1):
            group = {v: label for label, values in level.items() for v in values}
            lone = [leaf for leaf in leaves if leaf not in group and leaf in level]
            if lone:
                text = (
                    f"column {column.name!r}: level {number}: {quoted(lone)} is a group and a value outside it; "
                    "rename the group or list the value in it"
                )
                raise Misfit(text, "lone", lone, level=number)
            assigned.append([group.get(leaf, leaf) for leaf in leaves])
        return bound(column, leaves, assigned, ordered=bool(self.order))


@dataclass(frozen=True)
class Prefixes(Builder):
    """Codes that share their first characters, such as zip codes.

    Parameters
    ----------
    keep
        Numbers of characters that are kept, one per level.
    pad
        Pad codes with zeros on the left up to this length.
    """

    name = "prefixes"
    keep: int | Sequence[int] = (4, 3, 2)
    pad: int | None = None

    def __post_init__(self) -> None:
        keep = tuple(self.keep) if isinstance(self.keep, Iterable) else (self.keep,)
        pads = () if self.pad is None else (self.pad,)
        if not keep or any(isinstance(k, bool) or not isinstance(k, int) or k < 0 for k in (*keep, *pads)):
            raise BadInput(f"prefixes: keep {quoted(keep)} and pad {self.pad} must be whole numbers of characters")
        self._set("keep", tuple(sorted(set(keep), reverse=True)))

    def __call__(self, column: Column) -> Hierarchy:
        """Return levels of shared prefixes, with stars for hidden characters; leaves are sorted by code."""
        whole = integers(column)
        if column.kind == "date" or (column.kind == "number" and not whole):
            raise BadInput(f"column {column.name!r}: prefixes need text or whole numbers; use intervals or dates")
        if whole and len(column.values) and column.values[0] < 0:
            raise BadInput(f"column {column.name!r}: prefixes need numbers of at least 0, and some are negative")
        longest = max(map(len, column.labels), default=0)
        pad = max(longest, self.pad or 0) if whole else self.pad or 0
        codes = [label.rjust(pad, "0") for label in column.labels]
        order = range(len(codes)) if whole else sorted(range(len(codes)), key=codes.__getitem__)
        length = max(longest, pad)
        if codes and all(k >= length for k in self.keep):  # type: ignore[union-attr]
            raise BadInput(
                f"column {column.name!r}: prefixes: keep = {list(self.keep)} hides nothing, since its values have at "  # type: ignore[arg-type]
                f"most {length} characters; keep fewer"
            )
        hidden = {k: "*" * (length - k) for k in self.keep}  # type: ignore[union-attr]
        levels = [[codes[i][:k] + hidden[k] * (len(codes[i]) >= k) for i in order] for k in hidden]
        where = f"column {column.name!r}"
        return Hierarchy.from_assignment([column.labels[i] for i in order], levels, ordered=True, where=where)


@dataclass(frozen=True)
class Dates(Builder):
    """Days, months, quarters, years and decades of dates."""

    name = "dates"
    levels: Sequence[str] = ("month", "quarter", "year", "decade")

    def __post_init__(self) -> None:
        levels = (
            (self.levels,) if isinstance(self.levels, str) or not isinstance(self.levels, Iterable) else self.levels
        )
        levels = tuple(levels)
        unknown = [level for level in levels if level not in DATES]
        if unknown or not levels:
            raise BadInput(f"dates: no level is called {quoted(unknown) or 'nothing'}; choose from {', '.join(DATES)}")
        self._set("levels", tuple(level for level in DATES if level in levels))

    def __call__(self, column: Column) -> Hierarchy:
        """Return the calendar levels above a column of dates."""
        _require(column, "date", "dates need a column of dates")
        if not len(column.values):
            return Hierarchy(())
        return Hierarchy(column.labels, tuple(calendar(column.values, level) for level in self.levels))


@dataclass(frozen=True)
class Nested(Builder):
    """A tree of named groups: mappings for groups, lists of values at the bottom; a value without members is a leaf."""

    name = "nested"
    tree: Any

    def __post_init__(self) -> None:
        paths = list(_paths(self.tree, ()))
        depth = max((len(path) for path, _ in paths), default=0)
        for d in range(depth):
            named: dict[str, tuple[str, ...]] = {}
            for path, leaf in paths:
                node, label = (path[: d + 1], path[d]) if d < len(path) else ((*path, "", leaf), leaf)
                if named.setdefault(label, node) != node:
                    raise BadInput(f"nested: two groups of one level have the name {label!r}; rename one")

    def __call__(self, column: Column) -> Hierarchy:
        """Return the tree above this column's values; a leaf is its own node up to the level of its group."""
        paths = list(_paths(self.tree, ()))
        depth = max((len(path) for path, _ in paths), default=0)
        levels = [[path[d] if d < len(path) else leaf for path, leaf in paths] for d in range(depth)]
        return bound(column, [leaf for _, leaf in paths], levels[::-1])


def _paths(tree: object, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every leaf with the groups above it, the widest first."""
    if isinstance(tree, Mapping):
        for label, below in tree.items():
            if below is None or (isinstance(below, (Sequence, Mapping)) and len(below) == 0):
                yield above, str(label)
            else:
                yield from _paths(below, (*above, str(label)))
    elif isinstance(tree, Iterable) and not isinstance(tree, (str, bytes)):
        for item in tree:
            if isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
                yield above, str(item)
            else:
                yield from _paths(item, above)
    else:
        raise BadInput(f"nested: {'/'.join(above) or 'the tree'} holds {tree!r}; use a mapping or a list of values")


@dataclass(frozen=True)
class Columns(Builder):
    """A hierarchy table, given by its rows: the leaf first, then its label at each level, finest first.

    If rows for some leaves are missing, `given` has the total number of leaves, then those below each run by level.
    """

    name = "columns"
    rows: pd.DataFrame | Sequence[Sequence[object]]
    source: str = ""
    given: Sequence[object] = ()

    def __post_init__(self) -> None:
        frame = self.rows
        if not isinstance(frame, pd.DataFrame) and not (
            isinstance(frame, Sequence) and all(isinstance(row, Sequence) and not isinstance(row, str) for row in frame)
        ):
            raise BadInput(f"{self._where()}: rows must be a list of lists: the leaf, then its label at each level")
        rows = list(frame.itertuples(index=False, name=None) if isinstance(frame, pd.DataFrame) else map(tuple, frame))
        for number, row in enumerate(rows, 1):
            if len(row) != len(rows[0]) or not row:
                raise BadInput(
                    f"{self._where()}: row {number} has {len(row)} cells, the first has {len(rows[0])}; make them equal"
                )
            if any(cell is None or cell is pd.NA or cell != cell for cell in row) or "" in row[1:]:
                raise BadInput(f"{self._where()}: row {number} has an empty cell; label every leaf at every level")
        if not rows:
            raise BadInput(f"{self._where()}: no rows; add one row per leaf")
        self._set("rows", tuple(tuple(map(str, row)) for row in rows))

    def __call__(self, column: Column) -> Hierarchy:
        """Return the hierarchy that the rows define over this column's values."""
        leaves, *levels = ([row[i] for row in self.rows] for i in range(len(self.rows[0])))  # type: ignore[index]
        made = bound(column, leaves, levels, source=self.source)
        return made.with_given(self.given) if self.given else made

    def _where(self) -> str:
        return f"hierarchy {self.source}" if self.source else "columns"


def read_csv(path: str | PathLike[str], delimiter: str | None = None, header: bool | None = None) -> Columns:
    """Read a hierarchy file in our format or ARX's: a row per leaf, a column per level; detects the delimiter."""
    return Columns(read_rows(path, delimiter, header), source=Path(path).name)


def parse_csv(text: str, source: str = "") -> Columns:
    """Parse the text of a hierarchy file."""
    return Columns(rows_of(text, source or "as pasted"), source=source)


def _require(column: Column, kind: str, need: str) -> None:
    if column.kind != kind:
        kinds = column.kind if column.kind == "text" else f"{column.kind}s"
        raise BadInput(f"column {column.name!r} contains {kinds}: {need}")


def _texts(values: Sequence[object], where: str) -> tuple[str, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise BadInput(f"groups: {where!r} holds {values!r}; use a list of values")
    return tuple(map(str, values))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value
