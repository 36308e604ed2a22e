"""Select the study's queries whose true answers may be published.

The selection does not depend on a release, so the true answers published with several releases are the same. A query
and its text are hidden, without the reason, if one of these conditions holds:

- few people meet the query, or all of its conditions with one negated: the difference of the two would be small;
- it differs by few people from another published query, or from the complement of one: subtraction would reveal few;
- it is about sensitive values of fewer people than shares are published for, of whom nearly all or nearly none have
  these values, or it names single values although the study releases groups of them;
- it names a value that few people have, or nobody.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.figures import format_number
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.disclosure.recommendable import FAR, NEARLY
from workbench.publication.accuracy import FINE
from workbench.publication.published_types import Queries, QueryRow
from workbench.queries.exact import AVG, COUNT
from workbench.queries.query import AGGREGATES, Query
from workbench.queries.tokens import Token, tokens
from workbench.queries.workload import Workload
from workbench.redaction.controlled_rounding import may_list_groups, round_count, small_limit
from workbench.releases.base import Release

MOST = 20  # maximum number of published queries
EQUAL = ("=", "!=", "<>")  # operators after which a number is a value, not a bound

Met = Mapping[str, np.ndarray]  # by column, which codes satisfy a conjunction
Count = Callable[[Met], float]


class Named(NamedTuple):
    """A query of the study: its workload, its position in the workload, and its text without comments."""

    workload: str
    number: int
    text: str


def written(table: Table) -> list[Named]:
    """Return the first queries of the study, at most `MOST`."""
    lists = {name: spec for name, spec in table.settings.workloads.items() if isinstance(spec, list)}
    every = [Named(name, i, without_comments(text)) for name, texts in lists.items() for i, text in enumerate(texts)]
    return every[:MOST]


def how_many(table: Table) -> int:
    """Return the number of queries in the study."""
    return sum(len(spec) for spec in table.settings.workloads.values() if isinstance(spec, list))


def publishable_queries(table: Table, smallest: int) -> list[Named]:
    """Return the queries that may be published; raise Undefined if the table allows none."""
    if not may_list_groups(table.records, smallest):
        raise Undefined(f"the table has so few {table.settings.wording.many} that its groups are not listed")
    if table.weight is not None:
        raise Undefined(f"records represent different numbers of {table.settings.wording.many}")
    if table.settings.rounding.part_of is not None:
        raise Undefined("the table is a part of the data, and its answers could be subtracted from those of the whole")
    return table.remember(("publishable_queries", smallest), lambda: list(_chosen(table, smallest)))


class _ParsedQuery(NamedTuple):
    """A parsed query: its conditions, the codes that satisfy them, their columns, and whether it is a sum."""

    conditions: tuple[str, ...]  # the tokens of the text
    met: Met
    own: tuple[str, ...]
    amount: bool

    @classmethod
    def parse(cls, table: Table, text: str) -> _ParsedQuery:
        workload = Workload.from_texts(table, [text])
        own = [name for name, its in zip(workload.columns, workload.has_condition[0].tolist(), strict=True) if its]
        return cls(conditions_of(text) if own else (), met_by(workload), tuple(own), bool(workload.summed[0] >= 0))

    def negated(self) -> list[Met]:
        """Return the conjunctions in which one condition is negated."""
        return [{**self.met, name: ~self.met[name]} for name in self.own]

    def rest(self, but: str) -> Met:
        """Return all conditions except that on one column."""
        return {name: codes for name, codes in self.met.items() if name != but}


def _chosen(table: Table, smallest: int) -> Iterator[Named]:
    every = [(one, _ParsedQuery.parse(table, one.text)) for one in written(table)]
    count, kept = _counted(table, [query for _, query in every]), list[_ParsedQuery]()
    for one, query in every:
        large = _of_many(count, query, smallest) and _uncertain(table, count, query, smallest)
        if (
            large
            and _common(table, one.text, query.own, smallest)
            and _is_distinct(table, count, query, kept, smallest)
        ):
            kept.append(query)
            yield one


def _counted(table: Table, every: Sequence[_ParsedQuery]) -> Count:
    """Count the people of all needed conjunctions in one pass; return the lookup."""
    needed: list[Met] = [_both(one.met, other.met) for one, other in combinations(every, 2)]
    for one in every:
        secret = [name for name in one.own if name in table.sensitive]
        needed += [one.met, *one.negated(), *({name: one.met[name]} for name in secret), *map(one.rest, secret)]
    found = dict(zip(map(_key, needed), people(table, needed).tolist(), strict=True))
    return lambda met: found[_key(met)]


def _of_many(count: Count, query: _ParsedQuery, smallest: int) -> bool:
    """Return whether many people satisfy the query, and also each conjunction with one condition negated."""
    enough = FINE * max(smallest, 1) if query.amount else small_limit(smallest)
    return count(query.met) >= enough and all(count(one) >= small_limit(smallest) for one in query.negated())


def _uncertain(table: Table, count: Count, query: _ParsedQuery, smallest: int) -> bool:
    """Return whether a query about sensitive values has an uncertain answer in a large group.

    The share must not be nearly all or nearly none, and the values must be whole groups of the released level.
    """
    for name in (name for name in query.own if name in table.sensitive):
        own, among = query.met[name], count(query.rest(name))
        if among < FINE * max(smallest, 1):
            return False
        share, usual = count(query.met) / among, count({name: own}) / table.records
        if (share >= NEARLY and share - usual >= FAR) or (1 - share >= NEARLY and usual - share >= FAR):
            return False
        if level := table.levels.get(name, 0):
            node = table.columns[name].node(level - 1)
            if any(len(set(own[node == one].tolist())) > 1 for one in np.unique(node)):
                return False
    return True


def _is_distinct(table: Table, count: Count, query: _ParsedQuery, kept: Sequence[_ParsedQuery], smallest: int) -> bool:
    """Return whether subtracting the query from each published one, or its complement, leaves many people."""
    for other in kept:
        differ = count(query.met) + count(other.met) - 2 * count(_both(other.met, query.met))
        if query.conditions == other.conditions or _the_rest(table, query.met, other.met):
            continue  # the same people in every table
        if differ < small_limit(smallest) or table.records - differ < small_limit(smallest):
            return False
    return True


def _the_rest(table: Table, one: Met, other: Met) -> bool:
    """Return whether two queries select complementary values of one text column.

    The values that may be named and all others are published in any case.
    """
    if one.keys() != other.keys() or len(one) != 1:
        return False
    (name,) = one
    return table.columns[name].kind == "text" and np.array_equal(one[name], ~other[name])


def _both(one: Met, other: Met) -> Met:
    return {**one, **other, **{name: one[name] & other[name] for name in one if name in other}}


def _key(met: Met) -> frozenset[tuple[str, bytes]]:
    return frozenset((name, codes.tobytes()) for name, codes in met.items())


def met_by(workload: Workload) -> Met:
    """Return the codes of each column that satisfy the first query; summed columns only if values are missing."""
    found, own = {name: workload.condition(0, name) for name in workload.columns}, workload.has_condition[0].tolist()
    return {
        name: codes
        for (name, codes), its in zip(found.items(), own, strict=True)
        if codes is not None and (its or not codes.all())
    }


def people(table: Table, conjunctions: Sequence[Met]) -> np.ndarray:
    """Return how many records satisfy each conjunction."""
    found = np.full(len(conjunctions), float(table.records))
    places = [i for i, met in enumerate(conjunctions) if met]
    if places:
        found[places] = Workload.from_queries(
            table, [Query("", "count", None, {**conjunctions[i]}) for i in places]
        ).truth
    return found


# --- texts


def without_comments(text: str) -> str:
    """Return a query in one line, without comments."""
    words = [word for word in tokens(text) if word.kind not in ("end", "wrong")]
    gaps = [" " if before.end < after.start else "" for before, after in pairwise(words)]
    return "".join(word.spelled + gap for word, gap in zip(words, [*gaps, ""], strict=True))


def conditions_of(text: str) -> tuple[str, ...]:
    """Return the tokens of the conditions of a query."""
    words = [one.word or one.spelled for one in tokens(text)]
    return tuple(words[words.index("where") + 1 :] if "where" in words else words)


def _common(table: Table, text: str, own: Sequence[str], smallest: int) -> bool:
    """Return whether many people have each value that the text names."""
    columns, before, listed = [table.columns[name] for name in own], "", False
    for word in tokens(text):
        name = word.kind == "quoted" and word.said in table.columns
        if word.kind in ("text", "quoted") and not name and not _is_common(word, columns, smallest):
            return False
        if word.kind in ("number", "date") and (listed or before in EQUAL) and _rare(word, columns, smallest):
            return False
        listed, before = (listed or word.word == "in") and word.word != ")", word.word
    return True


def _is_common(word: Token, columns: Sequence[Column], smallest: int) -> bool:
    """Return whether some column has the value or a group of that name, and many people have it in each such column."""
    totals = [int(total) for column in columns for total in _totals(column, word.said)]
    return bool(totals) and min(totals) >= small_limit(smallest)


def _totals(column: Column, label: str) -> Iterator[int]:
    """Yield the number of people with the value, and with each group of that name in the hierarchy."""
    if label in column.labels:
        yield int(column.counts[list(column.labels).index(label)])
    for j, level in enumerate(column.hierarchy.levels if column.hierarchy else ()):
        if label in level.labels:
            node = column.node(j)[: len(column.counts)]
            yield int(column.counts[node == list(level.labels).index(label)].sum())


def _rare(word: Token, columns: Sequence[Column], smallest: int) -> bool:
    """Return whether a number or a date is a value that few people have."""
    plain = re.sub(r"^\+", "", word.said)
    return any(0 < total < small_limit(smallest) for column in columns for total in _totals(column, plain))


# --- the answer from the released data, and the true answer

# Counts are rounded to the threshold. Sums and averages are published for large groups only, with two significant
# digits and in steps no finer than as many people as the threshold can move them. If a step exceeds a tenth of the true
# answer, neither answer is published.

COARSEST = 0.1  # largest step of a sum or an average, as a share of the true answer
FINDS = {"count": "count", "sum": "find a sum of", "avg": "find an average of"}


def query_answers(release: Release, smallest: int) -> Queries:
    """Return the published queries of one release; raise Undefined if none may be published."""
    table = release.table
    if not how_many(table):
        return {"rows": [], "hidden": 0}
    named = publishable_queries(table, smallest)
    if release.suppressed:
        raise Undefined("records are suppressed, and counts of the original would reveal their values")
    rows = [row for one in named if (row := _row(release, one, smallest))]
    return {"rows": rows, "hidden": how_many(table) - len(rows)}


def _row(release: Release, one: Named, smallest: int) -> QueryRow | None:
    """Return the row of one query; None if its answer is not published."""
    workload = Workload.from_texts(release.table, [one.text])
    answers = float(workload.truth[0]), float(release.count(workload)[0])
    if workload.aggregate[0] == COUNT:
        truth, released = (_count(round(answer, 6), smallest) for answer in answers)
        rounded = f" (rounded to multiples of {smallest})" if smallest > 1 else ""
    else:
        step = one_figure(_moved(workload, smallest))
        if not 0 < step <= COARSEST * abs(answers[0]):
            return None
        truth, released = (_amount(answer, step) for answer in answers)
        rounded = ""
    finds = FINDS[AGGREGATES[workload.aggregate[0]]]
    sentence = f"A user of the released data would {finds} {released}; in truth {truth}{rounded}."
    return {"workload": one.workload, "query": one.text, "told": released, "truth": truth, "sentence": sentence}


def _count(count: float, smallest: int) -> str:
    if smallest <= 1:
        return format_number(count)
    return (
        f"fewer than {small_limit(smallest):,}"
        if count < small_limit(smallest)
        else f"about {round_count(count, smallest):,}"
    )


def _moved(workload: Workload, smallest: int) -> float:
    """Return the largest change of a sum or an average that the threshold of people can cause."""
    table, name = workload.table, workload.columns[int(workload.summed[0])]
    values = table.columns[name].values.astype(float)
    if workload.aggregate[0] != AVG:
        return 2 * max(smallest, 1) * float(np.abs(values).max())
    return 2 * max(smallest, 1) * float(values.max() - values.min()) / float(people(table, [met_by(workload)])[0])


def one_figure(step: float) -> float:
    """Round a step up to one significant digit."""
    if not (math.isfinite(step) and step > 0):
        return 0.0
    power = 10.0 ** math.floor(math.log10(step))
    return math.ceil(round(step / power, 9)) * power


def _amount(value: float, step: float) -> str:
    """Round to a multiple of the step, or to two significant digits if that is coarser."""
    if math.isnan(value):
        return "nothing"
    unit = max(step, 10.0 ** (math.floor(math.log10(abs(value))) - 1)) if value else step
    return f"about {format_number(round(round(value / unit) * unit, 9))}"
