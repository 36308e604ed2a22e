"""Hierarchy builders: parameters in the constructor, a column in the call, a hierarchy as the result."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import partial
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, safe_repr
from workbench.data.column import Column
from workbench.data.hierarchies.hierarchy import Hierarchy, Level, Misfit, quoted
from workbench.data.hierarchies.intervals import (
    calendar,
    coded,
    cut_level,
    end_number,
    finite_numbers,
    integers,
    quantile_level,
    single_level,
    width_level,
)
from workbench.data.hierarchies.matching import bound, key, keys, read_rows, rows_of

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
