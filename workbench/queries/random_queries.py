"""Random queries: which columns have conditions, and which values meet them, by one of five rules.

values, literal: Li & Li 2009, section 5.2. Conditions on some quasi-identifiers and on a sensitive column, each on
values of its domain D drawn at random: on |D| * selectivity ** (1 / conditions) of them, so that a query has about
`selectivity` of all combinations of values, or on |D| * selectivity of them, as the paper's sentence has it.

type 1, type 2: Loukides & Shao 2008, section 4.1. Ranges on three columns, or on five, around a randomly drawn record:
the narrowest that contain the selectivity in records, with the same share of records on each column.

equality: one existing combination of values of the `columns`; no query twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from workbench.base.errors import BadInput, prefix_path, safe_repr, suggest, suggest_column
from workbench.data.table import Table
from workbench.queries import kernels
from workbench.queries.exact import CodeLevel, Conditions, Tree, batch_sums, pack

OF_TYPE = {"type 1": 3, "type 2": 5}  # default numbers of columns
RULES = ("values", "literal", *OF_TYPE, "equality")
MOST = 1_000_000  # queries
HALVINGS = 20


@dataclass(frozen=True)
class Settings:
    """Settings of random queries."""

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
    def from_spec(cls, given: Mapping[str, Any]) -> Settings:
        """Build from plain data; raise BadInput for settings that suit no table."""
        for name, value in given.items():
            with prefix_path(name):
                if name not in cls.__dataclass_fields__:
                    known = suggest(name, cls.__dataclass_fields__)
                    raise BadInput(f"random queries have no setting {safe_repr(name)}; {known}")
                if name == "columns" and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
                    raise BadInput(f"random queries: columns = {safe_repr(value)} must be {_KINDS[tuple]}")
        settings: dict[str, Any] = {**given, "columns": tuple(given.get("columns", ()))}
        found = cls(**settings)
        found._check_values()
        return found

    def spec(self) -> dict[str, Any]:
        """Return plain data without default values."""
        usual = asdict(Settings())
        return {
            name: list(value) if name == "columns" else value
            for name, value in asdict(self).items()
            if value != usual[name]
        }

    def checked(self, table: Table) -> Settings:
        """Return the settings; raise BadInput if they do not suit this table."""
        self._check_values()
        for name in self.columns:
            if name not in table.names:
                with prefix_path("columns"):
                    hint = suggest_column(name, table.names)
                    raise BadInput(f"random queries: there is no column {safe_repr(name)}; {hint}")
        if self.rule in ("values", "literal"):
            self._check_roles(table)
        elif not self.ranged(table):
            raise BadInput(f"random queries: the rule {self.rule} needs columns; name them in columns")
        return self

    def _check_values(self) -> None:
        for field in fields(self):
            value, kind = getattr(self, field.name), type(field.default)
            kinds = (int, float) if kind is float else kind
            with prefix_path(field.name):
                if not isinstance(value, kinds) or isinstance(value, bool) != (kind is bool):
                    raise BadInput(f"random queries: {field.name} = {safe_repr(value)} must be {_KINDS[kind]}")
        for name, good, cure in (
            ("rule", self.rule in RULES, f"is not one of {', '.join(RULES)}"),
            ("count", 1 <= self.count <= MOST, f"must be from 1 to {MOST:,}"),
            ("selectivity", 0 < self.selectivity <= 1, "must be above 0 and at most 1"),
            ("seed", self.seed >= 0, "must be at least 0"),
        ):
            with prefix_path(name):
                if not good:
                    raise BadInput(f"random queries: {name} = {safe_repr(getattr(self, name))} {cure}")
        with prefix_path("columns"):
            for name in self.columns:
                if self.columns.count(name) > 1:
                    raise BadInput(f"random queries: `columns` lists {safe_repr(name)} twice; remove one")

    def _check_roles(self, table: Table) -> None:
        among = len(self.quasi(table))
        if not 0 <= self.dimension <= among:
            raise BadInput(
                f"random queries: dimension = {self.dimension} must be from 0 to {among}, the number of "
                f"{'columns' if self.columns else 'quasi-identifiers'}"
            )
        if self.sensitive and not table.sensitive:
            raise BadInput("random queries: the table has no sensitive column; set sensitive = false")
        if not self.dimension and not self.sensitive:
            raise BadInput("random queries: there are no columns for conditions; raise dimension")

    @property
    def slides(self) -> tuple[str, ...]:
        """The size settings that the rule uses."""
        if self.rule == "equality":
            return ()
        return ("selectivity",) if self.rule in OF_TYPE else ("dimension", "selectivity")

    def quasi(self, table: Table) -> tuple[str, ...]:
        """Return the columns of conditions besides the sensitive one: the quasi-identifiers by default."""
        return self.columns or table.quasi

    def ranged(self, table: Table) -> tuple[str, ...]:
        """Return the columns of ranges and equalities."""
        return self.columns or (table.quasi[: OF_TYPE[self.rule]] if self.rule in OF_TYPE else ())


_KINDS = {
    int: "a whole number",
    float: "a number",
    str: "a word",
    bool: "true or false",
    tuple: "a list of columns",
}


def draw_conditions(table: Table, settings: Settings) -> Conditions:
    """Draw the conditions of as many queries as the settings require."""
    rng = np.random.default_rng(settings.seed)
    if settings.rule == "equality":
        return _equalities(table, settings, rng)
    return _ranges(table, settings, rng) if settings.rule in OF_TYPE else _values(table, settings, rng)


def _values(table: Table, settings: Settings, rng: np.random.Generator) -> Conditions:
    """Draw values of random quasi-identifiers and of a random sensitive column."""
    quasi, sensitive = settings.quasi(table), tuple(table.sensitive) if settings.sensitive else ()
    names = tuple(dict.fromkeys((*quasi, *sensitive)))
    conditioned = np.zeros((settings.count, len(names)), bool)
    chosen = np.argsort(rng.random((settings.count, len(quasi))), axis=1, kind="stable")[:, : settings.dimension]
    np.put_along_axis(conditioned, chosen, True, axis=1)
    if sensitive:
        which = rng.integers(len(sensitive), size=settings.count)
        conditioned[np.arange(settings.count), np.array([names.index(name) for name in sensitive])[which]] = True
    seeds = rng.integers(2**63, size=conditioned.shape).astype(np.uint64)
    predicates = settings.dimension + bool(sensitive)
    share = settings.selectivity ** (1 / predicates if settings.rule == "values" else 1)
    sizes = {name: table.columns[name].size for name in names}
    found = Conditions.empty(sizes, conditioned)
    for c, (name, size) in enumerate(sizes.items()):
        rows = np.flatnonzero(conditioned[:, c])
        count = math.ceil(round(size * share, 9))
        kernels.draw(found.bits, found.at[rows, c], seeds[rows, c], _same_order(table, name), count)
    return found


def _same_order(table: Table, name: str) -> np.ndarray:
    """Return the codes in an order that is independent of the hierarchy."""
    column = table.columns[name]
    known = np.arange(len(column.values))
    if column.kind == "text":
        known = np.argsort(np.array(column.labels, dtype=object))
    return np.append(known, np.arange(len(known), column.size)).astype(np.int64)


def _equalities(table: Table, settings: Settings, rng: np.random.Generator) -> Conditions:
    """Draw existing combinations of values with equal probability."""
    names = settings.columns
    codes = table.engine.collapse(names, []).quasi
    ranked = [np.argsort(_same_order(table, name))[axis] for name, axis in zip(names, codes, strict=True)]
    codes = codes[:, np.lexsort(ranked[::-1])]  # independent of the hierarchies
    chosen = np.sort(rng.permutation(codes.shape[1])[: settings.count])
    sizes = {name: table.columns[name].size for name in names}
    found = Conditions.empty(sizes, np.ones((len(chosen), len(names)), bool))
    for c in range(len(names)):
        code = codes[c, chosen].astype(np.int64)
        found.bits[found.at[:, c] + (code >> 6)] = np.uint64(1) << (code & 63).astype(np.uint64)
    return found


def _ranges(table: Table, settings: Settings, rng: np.random.Generator) -> Conditions:
    """Return ranges around random records, found by bisection: wider ranges contain at least as many records."""
    names = settings.ranged(table)
    cells = table.engine.collapse(names, [])
    tree, sizes = Tree.from_columns(list(cells.quasi), cells.weight), [table.columns[name].size for name in names]
    of_record = np.searchsorted(np.cumsum(cells.weight), rng.integers(table.records, size=settings.count), side="right")
    centers = cells.quasi[:, of_record]
    needed = math.ceil(round(settings.selectivity * table.records, 6))
    low, high = np.zeros(settings.count), np.ones(settings.count)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = _held(tree, sizes, _around(table, names, centers, middle)) >= needed
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return _around(table, names, centers, high)


def _around(table: Table, names: Sequence[str], centers: np.ndarray, share: np.ndarray) -> Conditions:
    """Return runs of codes around the given runs, each with about this share of the records on its column."""
    sizes = {name: table.columns[name].size for name in names}
    found = Conditions.empty(sizes, np.ones((len(share), len(names)), bool))
    for c, name in enumerate(names):
        below = np.append(0, np.cumsum(table.columns[name].totals)) / table.records
        middle = (below[centers[c]] + below[centers[c] + 1]) / 2
        begin = np.clip(middle - share / 2, 0, 1 - share)
        low = np.minimum(np.searchsorted(below, begin, side="right") - 1, centers[c])
        high = np.maximum(np.searchsorted(below, begin + share, side="left") - 1, centers[c])
        codes = np.arange(sizes[name])
        for rows in np.array_split(np.arange(len(share)), len(share) * sizes[name] // 10_000_000 + 1):
            bits = pack((codes >= low[rows, None]) & (codes <= high[rows, None]))
            found.bits[found.at[rows, c][:, None] + np.arange(bits.shape[1])] = bits
    return found


def _held(tree: Tree, sizes: Sequence[int], conditions: Conditions) -> np.ndarray:
    """Count the records that meet each of these conditions."""
    levels = [
        CodeLevel(size, np.ascontiguousarray(at), conditions.bits)
        for size, at in zip(sizes, conditions.at.T, strict=True)
    ]
    return batch_sums(tree, levels, len(conditions.at))
