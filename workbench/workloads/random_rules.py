"""Queries at random: which columns have conditions, and which values meet them, by one of five rules.

values, literal: Li & Li 2009, section 5.2. Conditions on some quasi-identifiers and on a sensitive column, each of
values of its domain D drawn at random: of |D| * selectivity ** (1 / conditions) of them, so that a query has about
`selectivity` of all combinations of values, or of |D| * selectivity of them, as the paper's sentence has it.
type 1, type 2: Loukides & Shao 2008, section 4.1. Ranges on three columns, or on five, around a record drawn at
random: the narrowest that hold the selectivity in records, wide by the same share of them on each column.
equality: one value of each of the `columns` that somebody has; no query twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from workbench.base import query_kernels
from workbench.base.errors import BadInput, at, columns_meant, meant, said
from workbench.data.table import Table
from workbench.workloads.conditions import Conditions, pack
from workbench.workloads.together import Coded, sums
from workbench.workloads.tree import Tree

OF_TYPE = {"type 1": 3, "type 2": 5}  # columns, where none are named
RULES = ("values", "literal", *OF_TYPE, "equality")
MOST = 1_000_000  # queries
HALVINGS = 20


@dataclass(frozen=True)
class Settings:
    """What is said of random queries."""

    count: int = 1000
    dimension: int = 4
    selectivity: float = 0.05
    rule: str = "values"
    sensitive: bool = True
    seed: int = 0
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            object.__setattr__(self, field.name, value.item() if isinstance(value, np.generic) else value)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Settings:
        """Of plain data; BadInput for what no table can be asked."""
        for name, value in given.items():
            with at(name):
                if name not in cls.__dataclass_fields__:
                    known = meant(name, cls.__dataclass_fields__)
                    raise BadInput(f"random queries have no setting {said(name)}; {known}")
                if name == "columns" and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
                    raise BadInput(f"random queries: columns = {said(value)} must be {_KINDS[tuple]}")
        settings: dict[str, Any] = {**given, "columns": tuple(given.get("columns", ()))}
        found = cls(**settings)
        found._check_values()
        return found

    def spec(self) -> dict[str, Any]:
        """As plain data, without what is as usual."""
        usual = asdict(Settings())
        return {
            name: list(value) if name == "columns" else value
            for name, value in asdict(self).items()
            if value != usual[name]
        }

    def checked(self, table: Table) -> Settings:
        """The same; BadInput for what no table, or not this one, can be asked."""
        self._check_values()
        for name in self.columns:
            if name not in table.names:
                with at("columns"):
                    there = columns_meant(name, table.names)
                    raise BadInput(f"random queries: there is no column {said(name)}; {there}")
        if self.rule in ("values", "literal"):
            self._check_roles(table)
        elif not self.ranged(table):
            raise BadInput(f"random queries: the rule {self.rule} needs columns; name them in columns")
        return self

    def _check_values(self) -> None:
        for field in fields(self):
            value, kind = getattr(self, field.name), type(field.default)
            kinds = (int, float) if kind is float else kind
            with at(field.name):
                if not isinstance(value, kinds) or isinstance(value, bool) != (kind is bool):
                    raise BadInput(f"random queries: {field.name} = {said(value)} must be {_KINDS[kind]}")
        for name, good, cure in (
            ("rule", self.rule in RULES, f"is not one of {', '.join(RULES)}"),
            ("count", 1 <= self.count <= MOST, f"must be from 1 to {MOST:,}"),
            ("selectivity", 0 < self.selectivity <= 1, "must be above 0 and at most 1"),
            ("seed", self.seed >= 0, "must be at least 0"),
        ):
            with at(name):
                if not good:
                    raise BadInput(f"random queries: {name} = {said(getattr(self, name))} {cure}")
        with at("columns"):
            for name in self.columns:
                if self.columns.count(name) > 1:
                    raise BadInput(f"random queries: columns name {said(name)} twice; leave one out")

    def _check_roles(self, table: Table) -> None:
        among = len(self.quasi(table))
        if not 0 <= self.dimension <= among:
            raise BadInput(
                f"random queries: dimension = {self.dimension} must be from 0 to {among}, the number of "
                f"{'columns' if self.columns else 'quasi-identifiers'}"
            )
        if self.sensitive and not table.sensitive:
            raise BadInput("random queries: the table has no sensitive column; say sensitive = false")
        if not self.dimension and not self.sensitive:
            raise BadInput("random queries: there is nothing to ask about; raise dimension")

    @property
    def slides(self) -> tuple[str, ...]:
        """Which of the numbers that say how large queries are the rule looks at."""
        if self.rule == "equality":
            return ()
        return ("selectivity",) if self.rule in OF_TYPE else ("dimension", "selectivity")

    def quasi(self, table: Table) -> tuple[str, ...]:
        """The columns that conditions are on, but for the sensitive one: the quasi-identifiers, if none are named."""
        return self.columns or table.quasi

    def ranged(self, table: Table) -> tuple[str, ...]:
        """The columns of ranges and equalities."""
        return self.columns or (table.quasi[: OF_TYPE[self.rule]] if self.rule in OF_TYPE else ())


_KINDS = {
    int: "a whole number",
    float: "a number",
    str: "a word",
    bool: "true or false",
    tuple: "a list of columns",
}


def drawn(table: Table, settings: Settings) -> Conditions:
    """The conditions of as many queries as the settings say."""
    rng = np.random.default_rng(settings.seed)
    if settings.rule == "equality":
        return _equalities(table, settings, rng)
    return _ranges(table, settings, rng) if settings.rule in OF_TYPE else _values(table, settings, rng)


def _values(table: Table, settings: Settings, rng: np.random.Generator) -> Conditions:
    """Values at random, of quasi-identifiers at random and a sensitive column at random."""
    quasi, sensitive = settings.quasi(table), tuple(table.sensitive) if settings.sensitive else ()
    names = tuple(dict.fromkeys((*quasi, *sensitive)))
    asked = np.zeros((settings.count, len(names)), bool)
    chosen = np.argsort(rng.random((settings.count, len(quasi))), axis=1, kind="stable")[:, : settings.dimension]
    np.put_along_axis(asked, chosen, True, axis=1)
    if sensitive:
        which = rng.integers(len(sensitive), size=settings.count)
        asked[np.arange(settings.count), np.array([names.index(name) for name in sensitive])[which]] = True
    seeds = rng.integers(2**63, size=asked.shape).astype(np.uint64)
    predicates = settings.dimension + bool(sensitive)
    share = settings.selectivity ** (1 / predicates if settings.rule == "values" else 1)
    sizes = {name: table.columns[name].size for name in names}
    found = Conditions.empty(sizes, asked)
    for c, (name, size) in enumerate(sizes.items()):
        rows = np.flatnonzero(asked[:, c])
        count = math.ceil(round(size * share, 9))
        query_kernels.draw(found.bits, found.at[rows, c], seeds[rows, c], _same_order(table, name), count)
    return found


def _same_order(table: Table, name: str) -> np.ndarray:
    """The codes in an order that no hierarchy changes."""
    column = table.columns[name]
    known = np.arange(len(column.values))
    if column.kind == "text":
        known = np.argsort(np.array(column.labels, dtype=object))
    return np.append(known, np.arange(len(known), column.size)).astype(np.int64)


def _equalities(table: Table, settings: Settings, rng: np.random.Generator) -> Conditions:
    """Combinations of values that somebody has, each as likely as any other."""
    names = settings.columns
    codes = table.engine.collapse(names, []).quasi
    ranked = [np.argsort(_same_order(table, name))[axis] for name, axis in zip(names, codes, strict=True)]
    codes = codes[:, np.lexsort(ranked[::-1])]  # whatever the hierarchies are
    chosen = np.sort(rng.permutation(codes.shape[1])[: settings.count])
    sizes = {name: table.columns[name].size for name in names}
    found = Conditions.empty(sizes, np.ones((len(chosen), len(names)), bool))
    for c in range(len(names)):
        code = codes[c, chosen].astype(np.int64)
        found.bits[found.at[:, c] + (code >> 6)] = np.uint64(1) << (code & 63).astype(np.uint64)
    return found


def _ranges(table: Table, settings: Settings, rng: np.random.Generator) -> Conditions:
    """Ranges around records at random, found by halving: wider ranges hold no fewer records."""
    names = settings.ranged(table)
    cells = table.engine.collapse(names, [])
    tree, sizes = Tree.of(list(cells.quasi), cells.weight), [table.columns[name].size for name in names]
    of_record = np.searchsorted(np.cumsum(cells.weight), rng.integers(table.records, size=settings.count), side="right")
    centres = cells.quasi[:, of_record]
    needed = math.ceil(round(settings.selectivity * table.records, 6))
    low, high = np.zeros(settings.count), np.ones(settings.count)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = _held(tree, sizes, _around(table, names, centres, middle)) >= needed
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return _around(table, names, centres, high)


def _around(table: Table, names: Sequence[str], centres: np.ndarray, share: np.ndarray) -> Conditions:
    """Runs of codes around others, each with about this share of the records on its column."""
    sizes = {name: table.columns[name].size for name in names}
    found = Conditions.empty(sizes, np.ones((len(share), len(names)), bool))
    for c, name in enumerate(names):
        below = np.append(0, np.cumsum(table.columns[name].totals)) / table.records
        middle = (below[centres[c]] + below[centres[c] + 1]) / 2
        begin = np.clip(middle - share / 2, 0, 1 - share)
        low = np.minimum(np.searchsorted(below, begin, side="right") - 1, centres[c])
        high = np.maximum(np.searchsorted(below, begin + share, side="left") - 1, centres[c])
        codes = np.arange(sizes[name])
        for rows in np.array_split(np.arange(len(share)), len(share) * sizes[name] // 10_000_000 + 1):
            bits = pack((codes >= low[rows, None]) & (codes <= high[rows, None]))
            found.bits[found.at[rows, c][:, None] + np.arange(bits.shape[1])] = bits
    return found


def _held(tree: Tree, sizes: Sequence[int], conditions: Conditions) -> np.ndarray:
    """The records that meet each of these conditions."""
    levels = [
        Coded(size, np.ascontiguousarray(at), conditions.bits) for size, at in zip(sizes, conditions.at.T, strict=True)
    ]
    return sums(tree, levels, len(conditions.at))
