"""Answers to named queries, subtracted: two that differ in few, one and nearly all others, one and a column's counts.

Told exactly, each attack finds a count that is hidden. As they are told, another table with other counts is told alike.
"""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tests.attacks.studies import random_queries
from workbench.base.small_counts import LISTED
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.publication.distributions import distributions
from workbench.publication.queries import queries
from workbench.queries.workload import Workload

SMALLEST, RECORDS = 10, 800
SEEDS = [pytest.param(seed, marks=[] if seed < 2 else pytest.mark.exhaustive) for seed in range(30)]
TRIES, COUNTS = 100, 4


def told(table: Table, smallest: int = SMALLEST, ks: tuple[int, ...] = (50,)) -> str:
    """Answers, and the columns beside them, of some releases."""
    releases = [Mondrian()(table, KAnonymity(k)) for k in ks]
    return json.dumps([[queries(one, smallest), distributions(one, smallest)["columns"]] for one in releases])


def ward(hidden: int, *asked: str) -> Table:
    """People of two towns, so many women of the small one ill, and nobody else there."""
    rng = np.random.default_rng(1)
    small = np.arange(RECORDS) < 40
    town = np.where(small, "small", rng.choice(["north", "south"], RECORDS))
    ill = np.where(small, "well", rng.choice(["well", "flu"], RECORDS, p=[0.7, 0.3]))
    ill[:hidden] = "flu"
    sex = np.where(small | (np.arange(RECORDS) % 3 > 0), "woman", "man")
    age = np.where(np.arange(RECORDS) < hidden, 40, rng.choice(np.r_[20:40, 41:70], RECORDS))
    frame = pd.DataFrame({"age": age, "town": town, "sex": sex, "ill": ill})
    return Table.from_frame(frame, ["age", "town", "sex"], "ill").with_workloads({"mine": [*asked]})


PAIRS = {
    "a year more": ("age >= 40", "age >= 41"),
    "a query and nearly all others": ("ill = 'flu' and age <= 40", "ill = 'flu' and age < 40"),
    "all but those of a town": ("ill = 'flu'", "ill = 'flu' and town in ('north', 'south')"),
    "through a third": ("sex = 'woman' and ill = 'flu'", "sex = 'woman' and ill = 'flu' and town != 'small'"),
}


@pytest.mark.parametrize("asked", PAIRS.values(), ids=PAIRS)
def test_the_difference_of_two_queries_is_not_told(asked):
    tables = [ward(n, *asked) for n in range(1, SMALLEST)]
    exact = [np.diff(Workload.from_texts(table, list(asked)).truth)[0] for table in tables]
    assert [-one for one in exact] == list(range(1, SMALLEST)), "the attack, on true answers"
    seen = [told(table) for table in tables]
    assert max(seen.count(one) for one in seen) >= SMALLEST // 3
    for table in tables:
        rows = queries(Mondrian()(table, KAnonymity(50)), SMALLEST)["rows"]
        assert len(rows) <= 1, "the second is hidden"


@pytest.mark.parametrize("asked", PAIRS.values(), ids=PAIRS)
def test_the_difference_of_two_queries_of_two_studies_fits_many_counts(asked):
    """Each study names one of them, so neither is hidden beside the other: rounding alone hides the few."""
    seen = ["".join(told(ward(n, one)) for one in asked) for n in range(1, SMALLEST)]
    assert max(seen.count(one) for one in seen) >= SMALLEST // 3


def test_whether_a_query_is_told_says_nothing_of_one_count():
    """None and a few are hidden alike, and a few are as they were."""
    for asked in PAIRS.values():
        hidden = {queries(Mondrian()(ward(n, *asked), KAnonymity(50)), SMALLEST)["hidden"] for n in range(10)}
        assert hidden == {1}


# --- who enumerates tables


class Asked:
    """A study's table, and the counts that follow from its queries."""

    def __init__(self, frame: pd.DataFrame, texts: list[str], smallest: int) -> None:
        self.frame, self.texts, self.smallest = frame, texts, smallest
        self.table = Table.from_frame(frame, ["age", "sex", "town"], "ill").with_workloads({"mine": texts})
        met = np.array([_met(self.table, text) for text in texts])
        self.groups = [*met, *(~one for one in met)]
        self.groups += [one & other for one, other in combinations(self.groups, 2)]

    @property
    def counts(self) -> list[int]:
        """How many meet each query, not each, and each two of these together."""
        return [int(one.sum()) for one in self.groups]

    def told(self) -> str:
        return told(self.table, self.smallest, (20, 60))

    def edited(self, group: np.ndarray, rng: np.random.Generator) -> "Asked":
        """Another table: somebody inside or beside a group has another value, exchanged with somebody else or not."""
        frame = self.frame.copy()
        around = np.flatnonzero(group) if rng.random() < 0.5 and group.any() else np.arange(len(frame))
        a, b = int(rng.choice(around)), int(rng.integers(len(frame)))
        name = str(rng.choice(frame.columns))
        one, other = frame.at[a, name], frame.at[b, name]
        frame.at[a, name] = other
        if rng.random() < 0.7:
            frame.at[b, name] = one
        return Asked(frame, self.texts, self.smallest)


def _met(table: Table, text: str) -> np.ndarray:
    """Who meets the conditions of a query."""
    asked, found = Workload.from_texts(table, [text]), np.ones(table.records, bool)
    for name in asked.columns:
        codes = asked.condition(0, name)
        found &= True if codes is None else codes[table.codes[name]]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_small_counts_of_queries_are_not_unique(seed):
    """Another table is told alike, in queries and columns of two releases, in which the small count is another."""
    rng, smallest = np.random.default_rng(seed), 5
    frame, texts = random_queries(rng, LISTED * smallest + 20)
    first = Asked(frame, texts, smallest)
    small = [i for i, count in enumerate(first.counts) if 0 < count < smallest]
    assert queries(Mondrian()(first.table, KAnonymity(20)), smallest)["rows"]
    before, now = first.told(), first
    left = set(rng.permutation(small)[:COUNTS].tolist())
    for _ in range(TRIES * len(left)):
        if not left:
            break
        other = now.edited(now.groups[int(rng.choice(sorted(left)))], rng)
        if other.told() == before:  # from here it goes on
            now, left = other, {j for j in left if other.counts[j] == first.counts[j]}
    assert not left, f"counts {[first.counts[i] for i in left]} may be worked out"
