"""Which of a study's queries may be told of with their true answers: of many people, and not nearly the same as others.

Nothing here follows from a release, so the truth that is told beside several releases is the same. A query is hidden,
with its text, where one of these holds; which one is not told:

- few people meet it, or all of its conditions but one, so that the difference of the two is few;
- nearly the same people meet it as another query that is told of, or all others but few: subtracted, they leave few;
- it asks about sensitive values among fewer people than shares are told of, nearly all of them have these or nearly
  none, or single values are asked for where the study has groups of them released;
- it names a value that few people have, or nobody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from workbench.base.errors import Undefined
from workbench.base.small_counts import few, may_list_groups
from workbench.data.column import Column
from workbench.data.table import Table
from workbench.disclosure.recommendable import FAR, NEARLY
from workbench.publication.accuracy import FINE
from workbench.workloads.query import Query
from workbench.workloads.tokens import Token, tokens
from workbench.workloads.workload import Workload

MOST = 20  # queries of a study
EQUAL = ("=", "!=", "<>")  # words behind which a number names a value, and no bound

Met = Mapping[str, np.ndarray]  # which codes of each column meet a query
Count = Callable[[Met], float]


class Named(NamedTuple):
    """A query that was written in a study: the name of its workload, its number in it, its text without comments."""

    workload: str
    number: int
    text: str


def written(table: Table) -> list[Named]:
    """The queries that were written in the study, the first of them."""
    lists = {name: spec for name, spec in table.workloads.items() if isinstance(spec, list)}
    every = [Named(name, i, without_comments(text)) for name, texts in lists.items() for i, text in enumerate(texts)]
    return every[:MOST]


def how_many(table: Table) -> int:
    """How many were written."""
    return sum(len(spec) for spec in table.workloads.values() if isinstance(spec, list))


def tellable(table: Table, smallest: int) -> list[Named]:
    """The queries that may be told of; Undefined where none of a table may."""
    if not may_list_groups(table.records, smallest):
        raise Undefined(f"the table has so few {table.wording.many} that its groups are not listed")
    if table.weight is not None:
        raise Undefined(f"records stand for different numbers of {table.wording.many}")
    return table.remember(("tellable", smallest), lambda: list(_chosen(table, smallest)))


class _Asked(NamedTuple):
    """What a query asks: the codes that meet it, the columns it has conditions on, whether it adds up."""

    conditions: tuple[str, ...]  # as they are written
    met: Met
    own: tuple[str, ...]
    amount: bool

    @classmethod
    def of(cls, table: Table, text: str) -> _Asked:
        asked = Workload.of(table, [text])
        own = [name for name, its in zip(asked.columns, asked.asked[0].tolist(), strict=True) if its]
        return cls(conditions_of(text) if own else (), met_by(asked), tuple(own), bool(asked.summed[0] >= 0))

    def negated(self) -> list[Met]:
        """All conditions but one, and not this one."""
        return [{**self.met, name: ~self.met[name]} for name in self.own]

    def rest(self, but: str) -> Met:
        """All conditions but that on one column."""
        return {name: codes for name, codes in self.met.items() if name != but}


def _chosen(table: Table, smallest: int) -> Iterator[Named]:
    every = [(one, _Asked.of(table, one.text)) for one in written(table)]
    count, kept = _counted(table, [asked for _, asked in every]), list[_Asked]()
    for one, asked in every:
        large = _of_many(count, asked, smallest) and _uncertain(table, count, asked, smallest)
        if large and _common(table, one.text, asked.own, smallest) and _apart(table, count, asked, kept, smallest):
            kept.append(asked)
            yield one


def _counted(table: Table, every: Sequence[_Asked]) -> Count:
    """How many people meet each of the conjunctions that matter, counted at once."""
    needed: list[Met] = [_both(one.met, other.met) for one, other in combinations(every, 2)]
    for one in every:
        secret = [name for name in one.own if name in table.sensitive]
        needed += [one.met, *one.negated(), *({name: one.met[name]} for name in secret), *map(one.rest, secret)]
    found = dict(zip(map(_key, needed), people(table, needed).tolist(), strict=True))
    return lambda met: found[_key(met)]


def _of_many(count: Count, asked: _Asked, smallest: int) -> bool:
    """Whether many meet it, and many all conditions but one."""
    enough = FINE * max(smallest, 1) if asked.amount else few(smallest)
    return count(asked.met) >= enough and all(count(one) >= few(smallest) for one in asked.negated())


def _uncertain(table: Table, count: Count, asked: _Asked, smallest: int) -> bool:
    """Whether what it says of sensitive values is a share of many, neither nearly all nor nearly none of them, of
    values as they are released."""
    for name in (name for name in asked.own if name in table.sensitive):
        own, among = asked.met[name], count(asked.rest(name))
        if among < FINE * max(smallest, 1):
            return False
        share, usual = count(asked.met) / among, count({name: own}) / table.records
        if (share >= NEARLY and share - usual >= FAR) or (1 - share >= NEARLY and usual - share >= FAR):
            return False
        if level := table.levels.get(name, 0):
            node = table.columns[name].node(level - 1)
            if any(len(set(own[node == one].tolist())) > 1 for one in np.unique(node)):
                return False
    return True


def _apart(table: Table, count: Count, asked: _Asked, kept: Sequence[_Asked], smallest: int) -> bool:
    """Whether it leaves many when it is subtracted from another that is told of, or from the others' rest."""
    for other in kept:
        differ = count(asked.met) + count(other.met) - 2 * count(_both(other.met, asked.met))
        if asked.conditions == other.conditions or _the_rest(table, asked.met, other.met):
            continue  # the same people, whatever the records are
        if differ < few(smallest) or table.records - differ < few(smallest):
            return False
    return True


def _the_rest(table: Table, one: Met, other: Met) -> bool:
    """Whether both are about one column of text, and each has the values that the other has not: which there are is
    told in any case, as those that may be named and all others."""
    if one.keys() != other.keys() or len(one) != 1:
        return False
    (name,) = one
    return table.columns[name].kind == "text" and np.array_equal(one[name], ~other[name])


def _both(one: Met, other: Met) -> Met:
    return {**one, **other, **{name: one[name] & other[name] for name in one if name in other}}


def _key(met: Met) -> frozenset[tuple[str, bytes]]:
    return frozenset((name, codes.tobytes()) for name, codes in met.items())


def met_by(asked: Workload) -> Met:
    """Which codes of each column meet the first query; none of a column that it adds up, where nothing is missing."""
    found, own = {name: asked.condition(0, name) for name in asked.columns}, asked.asked[0].tolist()
    return {
        name: codes
        for (name, codes), its in zip(found.items(), own, strict=True)
        if codes is not None and (its or not codes.all())
    }


def people(table: Table, asked: Sequence[Met]) -> np.ndarray:
    """How many records meet each conjunction."""
    found = np.full(len(asked), float(table.records))
    places = [i for i, met in enumerate(asked) if met]
    if places:
        found[places] = Workload.asking(table, [Query("", "count", None, {**asked[i]}) for i in places]).truth
    return found


# --- texts


def without_comments(text: str) -> str:
    """A query in one line, as it was written but for comments."""
    words = [word for word in tokens(text) if word.kind not in ("end", "wrong")]
    gaps = [" " if before.end < after.start else "" for before, after in pairwise(words)]
    return "".join(word.spelled + gap for word, gap in zip(words, [*gaps, ""], strict=True))


def conditions_of(text: str) -> tuple[str, ...]:
    """The words of the conditions of a query."""
    words = [one.word or one.spelled for one in tokens(text)]
    return tuple(words[words.index("where") + 1 :] if "where" in words else words)


def _common(table: Table, text: str, own: Sequence[str], smallest: int) -> bool:
    """Whether all values that the text names are those of many people."""
    columns, before, listed = [table.columns[name] for name in own], "", False
    for word in tokens(text):
        name = word.kind == "quoted" and word.said in table.columns
        if word.kind in ("text", "quoted") and not name and not _known(word, columns, smallest):
            return False
        if word.kind in ("number", "date") and (listed or before in EQUAL) and _rare(word, columns, smallest):
            return False
        listed, before = (listed or word.word == "in") and word.word != ")", word.word
    return True


def _known(word: Token, columns: Sequence[Column], smallest: int) -> bool:
    """Whether many people have the value, or one of the group, in each column that has it; and some column has it."""
    totals = [int(total) for column in columns for total in _totals(column, word.said)]
    return bool(totals) and min(totals) >= few(smallest)


def _totals(column: Column, said: str) -> Iterator[int]:
    """How many have the value, and how many each group of the hierarchy that is called so."""
    if said in column.labels:
        yield int(column.counts[list(column.labels).index(said)])
    for j, level in enumerate(column.hierarchy.levels if column.hierarchy else ()):
        if said in level.labels:
            node = column.node(j)[: len(column.counts)]
            yield int(column.counts[node == list(level.labels).index(said)].sum())


def _rare(word: Token, columns: Sequence[Column], smallest: int) -> bool:
    """Whether a number or a date is a value that few people have."""
    plain = re.sub(r"^\+", "", word.said)
    return any(0 < total < few(smallest) for column in columns for total in _totals(column, plain))
