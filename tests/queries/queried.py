"""Small releases of every kind, queries about them, and the answers that a record-by-record count gives."""

from __future__ import annotations

import io
import random
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd

from tests.releases.toys import Cluster
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table
from workbench.methods import FullDomain, Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.queries.query import Query, text_of
from workbench.queries.workload import Workload
from workbench.releases.foreign import foreign

CITIES, ILLS, JOBS = ["Aix", "Bern", "Cork", "Delft"], ["cold", "cough", "ulcer", "wart", "flu"], ["a", "b", "c"]
PARTS = Groups(({"lungs": ("cold", "cough", "flu"), "skin": ("wart",), "belly": ("ulcer",)},))
RELEASES = {
    "kept": lambda table: Keep()(table),
    "removed": lambda table: Remove()(table),
    "one removed": lambda table: Remove(("age", "job"))(table),
    "ill removed": lambda table: Remove("ill")(table),
    "generalized": lambda table: Mondrian()(table, KAnonymity(3)),
    "relaxed": lambda table: Mondrian(strict=False)(table, KAnonymity(4)),
    "sets": lambda table: Cluster(5)(table),
    "left out": lambda table: FullDomain(suppress=0.4)(table, KAnonymity(3)),
    "bucketized": lambda table: Mondrian(publish="bucketized")(table, KAnonymity(4)),
    "relaxed, bucketized": lambda table: Mondrian(strict=False, publish="bucketized")(table, KAnonymity(3)),
    "bucketized, left out": lambda table: without_one(Mondrian(publish="bucketized")(table, KAnonymity(4))),
    "foreign": lambda table: _read_back(Mondrian()(table, KAnonymity(3)), table),
}


@cache
def table(seed: int, weighted: bool = False, level: int = 0) -> Table:
    """Return about 24 people: ages with gaps, fractional doses, cities, two sensitive columns, and a neutral one."""
    rng = random.Random(seed)
    rows = []
    for _ in range(rng.randint(18, 30)):
        old = rng.random() < 0.4
        rows.append(
            {
                "age": rng.choice([60, 61, 70, 85] if old else [20, 22, 23, 30]),
                "dose": rng.choice([0.5, 0.75, 1.5, 4.0]),
                "city": rng.choices(CITIES, [5, 1, 1, 1] if old else [1, 4, 2, 1])[0],
                "ill": rng.choices(ILLS, [4, 1, 1, 1, 3] if old else [1, 1, 4, 2, 1])[0],
                "wage": rng.choice([-5, 10, 40] if old else [10, 20]),
                "job": rng.choice(JOBS),
                "stands_for": rng.choice([1, 2, 5]),
            }
        )
    frame = pd.DataFrame(rows).astype({"age": "Int64", "wage": "Int64"})
    if seed % 2:
        for column in ("age", "city", "wage", "job"):
            frame.loc[[rng.random() < 0.12 for _ in rows], column] = None
    if not weighted:
        frame = frame.drop(columns="stands_for")
    return Table.from_frame(
        frame,
        quasi=["age", "dose", "city"],
        sensitive=["ill", "wage"],
        hierarchies={"ill": PARTS},
        levels={"ill": level},
        weight="stands_for" if weighted else None,
    )


def without_one(release):
    return release.without(np.array([0])) if len(release.classes) > 1 else release


def _read_back(release, original):
    text = release.frame().drop(columns="job").to_csv(index=False)
    return foreign(pd.read_csv(io.StringIO(text), dtype=str), original=original)


def queries(table: Table, seed: int, count: int = 12, sensitive: int = 2, sums: bool = True) -> Workload:
    """Return queries with all kinds of conditions on some columns, at most `sensitive` of them sensitive."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        names = list(rng.permutation([name for name in table.names if name != table.weight])[: rng.integers(0, 5)])
        aggregate = rng.choice(["count", "sum", "avg"]) if sums else "count"
        numbers = [name for name in ("age", "dose", "wage") if name in table.names]
        of = None if aggregate == "count" else str(rng.choice(numbers))
        secret = [name for name in dict.fromkeys([*names, *([of] if of else [])]) if name in table.sensitive]
        for name in secret[sensitive:]:
            if name == of:
                names = [one for one in names if one not in table.sensitive]
            else:
                names.remove(name)
        met = {str(name): rng.random(table.columns[name].size) < rng.choice([0.1, 0.5, 0.9]) for name in names}
        for codes in met.values():
            if rng.random() < 0.3:  # a range
                low, high = sorted(rng.integers(0, len(codes), 2))
                codes[:] = (np.arange(len(codes)) >= low) & (np.arange(len(codes)) <= high)
        found.append(Query(text_of(table, met, str(aggregate), of), str(aggregate), of, met))
    return Workload.from_queries(table, found)


# --- published values of a record, in loops


def values_of(column, codes, numbers):
    """Return the values in a region: (width, number, codes on both sides)."""
    if column.kind == "text" or len(codes) == 1:
        return [(1.0, numbers[c], (c, c)) for c in codes]
    if column.name == "age":  # every whole number from the first to the last, and missing as one more
        known = [c for c in codes if c < len(column.values)]
        found = [(1.0, 0.0, (c, c)) for c in codes if c not in known]
        for whole in range(column.values[known[0]], column.values[known[-1]] + 1) if known else ():
            below, above = (
                max(c for c in known if column.values[c] <= whole),
                min(c for c in known if column.values[c] >= whole),
            )
            found.append((1.0, float(whole), (below, above)))
        return found
    at = [float(v) for v in column.values]  # fractions reach halfway to their neighbours
    middles = [at[0], *((a + b) / 2 for a, b in pairwise(at)), at[-1]]
    return [(middles[c + 1] - middles[c], at[c], (c, c)) for c in codes]


def factor(column, codes, met, summed):
    """Return the share of a region that meets a condition, or the expected contribution to a sum."""
    numbers = [*map(float, column.values)] if column.kind == "number" else [1.0] * len(column.values)
    numbers += [0.0] if summed else [1.0]
    parts = values_of(column, codes, numbers)
    inside = [(share, number) for share, number, (a, b) in parts if met[a] and met[b]]
    return sum(share * (number if summed else 1.0) for share, number in inside) / sum(share for share, *_ in parts)


class Naive:
    """Answers of a release, computed record by record."""

    def __init__(self, release, group=None, hidden=()):
        self.release, self.table = release, release.table
        self.group = release.group_of_record if group is None else group
        self.hidden = {*release.unpublished_columns, *hidden}
        weight = self.table.weight
        column = self.table.columns[weight] if weight else None
        self.weights = (
            [float(column.values[c]) for c in self.table.codes[weight]] if weight else [1.0] * self.table.records
        )
        self.records = range(self.table.records)

    def node(self, name, code):
        """Return the codes that are published as one for a code of a sensitive column."""
        column, level = self.table.columns[name], self.table.levels.get(name, 0)
        nodes = column.released_at[level]
        return [c for c in range(column.size) if nodes[c] == nodes[code]]

    def region(self, i, name):
        """Return the codes that a record may have in a column."""
        code = int(self.table.codes[name][i])
        if name in self.table.sensitive:
            return self.node(name, code)
        if name not in self.table.quasi or self.release.classes.exact:
            return [code]
        a, g, classes = self.table.quasi.index(name), self.group[i], self.release.classes
        if a in classes.sets:
            return [c for c, held in enumerate(classes.sets[a][g]) if held]
        return [*range(classes.low[g, a], classes.high[g, a] + 1)]

    def anybody(self, name, met, summed):
        """Return the factor of a record about which nothing is published."""
        column = self.table.columns[name]
        if name not in self.table.sensitive:
            return factor(column, [*range(column.size)], met, summed)
        each = [factor(column, self.region(j, name), met, summed) for j in self.records]
        return np.average(each, weights=self.weights)

    def one(self, i, name, met, summed):
        """Return the factor of a record."""
        if name in self.hidden or self.group[i] == len(self.release.classes):
            return self.anybody(name, met, summed)
        column = self.table.columns[name]
        if name in self.table.sensitive and self.release.classes.exact:
            bucket = [j for j in self.records if self.group[j] == self.group[i]]
            each = [factor(column, self.region(j, name), met, summed) for j in bucket]
            return np.average(each, weights=[self.weights[j] for j in bucket])
        return factor(column, self.region(i, name), met, summed)

    def answer(self, workload, q):
        """Return the expected answer to a query."""
        met = {name: workload.condition(q, name) for name in workload.columns}
        met = {name: codes for name, codes in met.items() if codes is not None}
        of = workload.columns[workload.summed[q]] if workload.summed[q] >= 0 else None
        count = total = 0.0
        for i in self.records:
            each = {name: self.one(i, name, codes, False) for name, codes in met.items()}
            count += self.weights[i] * np.prod(list(each.values()))
            if of:
                each[of] = self.one(i, of, met[of], True)
                total += self.weights[i] * np.prod(list(each.values()))
        return [count, total, total / count if count else np.nan][workload.aggregate[q]]
