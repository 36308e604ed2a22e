"""Subtract answers to named queries: two that differ in few people, a query and its near complement, a query and a
column's counts.

Each attack finds a hidden count in exact answers. Published answers are identical for tables with other counts.
"""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tests.attacks.studies import random_queries
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.publication.details import distributions
from workbench.publication.publishable_queries import query_answers
from workbench.queries.workload import Workload
from workbench.redaction.controlled_rounding import LISTED

SMALLEST, RECORDS = 10, 800
SEEDS = [pytest.param(seed, marks=[] if seed < 2 else pytest.mark.exhaustive) for seed in range(30)]
TRIES, COUNTS = 100, 4


def published_answers(table: Table, smallest: int = SMALLEST, ks: tuple[int, ...] = (50,)) -> str:
    """Return the published answers and distributions of some releases."""
    releases = [Mondrian()(table, KAnonymity(k)) for k in ks]
    return json.dumps([[query_answers(one, smallest), distributions(one, smallest)["columns"]] for one in releases])


def make_ward(hidden: int, *texts: str) -> Table:
    """Return people of three towns; in the small one only the hidden number of women is ill."""
    rng = np.random.default_rng(1)
    small = np.arange(RECORDS) < 40
    town = np.where(small, "small", rng.choice(["north", "south"], RECORDS))
    ill = np.where(small, "well", rng.choice(["well", "flu"], RECORDS, p=[0.7, 0.3]))
    ill[:hidden] = "flu"
    sex = np.where(small | (np.arange(RECORDS) % 3 > 0), "woman", "man")
    age = np.where(np.arange(RECORDS) < hidden, 40, rng.choice(np.r_[20:40, 41:70], RECORDS))
    frame = pd.DataFrame({"age": age, "town": town, "sex": sex, "ill": ill})
    return Table.from_frame(frame, ["age", "town", "sex"], "ill").with_settings(workloads={"mine": [*texts]})


PAIRS = {
    "one more year": ("age >= 40", "age >= 41"),
    "a query and its near complement": ("ill = 'flu' and age <= 40", "ill = 'flu' and age < 40"),
    "all except one town": ("ill = 'flu'", "ill = 'flu' and town in ('north', 'south')"),
    "by a third query": ("sex = 'woman' and ill = 'flu'", "sex = 'woman' and ill = 'flu' and town != 'small'"),
}


@pytest.mark.parametrize("texts", PAIRS.values(), ids=PAIRS)
def test_the_difference_of_two_queries_is_not_published(texts):
    tables = [make_ward(n, *texts) for n in range(1, SMALLEST)]
    exact = [np.diff(Workload.from_texts(table, list(texts)).truth)[0] for table in tables]
    assert [-one for one in exact] == list(range(1, SMALLEST)), "the attack on exact answers"
    published = [published_answers(table) for table in tables]
    assert max(published.count(one) for one in published) >= SMALLEST // 3
    for table in tables:
        rows = query_answers(Mondrian()(table, KAnonymity(50)), SMALLEST)["rows"]
        assert len(rows) <= 1, "the second query is suppressed"


@pytest.mark.parametrize("texts", PAIRS.values(), ids=PAIRS)
def test_the_difference_of_queries_in_two_studies_has_many_feasible_counts(texts):
    """Each study names one query, so neither query hides the other: only rounding hides the small count."""
    published = ["".join(published_answers(make_ward(n, text)) for text in texts) for n in range(1, SMALLEST)]
    assert max(published.count(one) for one in published) >= SMALLEST // 3


def test_the_suppression_of_a_query_discloses_no_count():
    """A query is suppressed for a difference of 0 to 9."""
    for texts in PAIRS.values():
        hidden = {
            query_answers(Mondrian()(make_ward(n, *texts), KAnonymity(50)), SMALLEST)["hidden"] for n in range(10)
        }
        assert hidden == {1}


# --- an attacker who enumerates tables


class QueriedTable:
    """A study's table, and the counts that follow from its queries."""

    def __init__(self, frame: pd.DataFrame, texts: list[str], smallest: int) -> None:
        self.frame, self.texts, self.smallest = frame, texts, smallest
        self.table = Table.from_frame(frame, ["age", "sex", "town"], "ill").with_settings(workloads={"mine": texts})
        met = np.array([_matches(self.table, text) for text in texts])
        self.groups = [*met, *(~one for one in met)]
        self.groups += [one & other for one, other in combinations(self.groups, 2)]

    @property
    def counts(self) -> list[int]:
        """Return the counts of each query, each complement and each intersection of two of these."""
        return [int(one.sum()) for one in self.groups]

    def published(self) -> str:
        return published_answers(self.table, self.smallest, (20, 60))

    def edit(self, group: np.ndarray, rng: np.random.Generator) -> "QueriedTable":
        """Return a table in which someone, often of a group, has another value, exchanged or not."""
        frame = self.frame.copy()
        around = np.flatnonzero(group) if rng.random() < 0.5 and group.any() else np.arange(len(frame))
        a, b = int(rng.choice(around)), int(rng.integers(len(frame)))
        name = str(rng.choice(frame.columns))
        one, other = frame.at[a, name], frame.at[b, name]
        frame.at[a, name] = other
        if rng.random() < 0.7:
            frame.at[b, name] = one
        return QueriedTable(frame, self.texts, self.smallest)


def _matches(table: Table, text: str) -> np.ndarray:
    """Return which records match the conditions of a query."""
    workload, found = Workload.from_texts(table, [text]), np.ones(table.records, bool)
    for name in workload.columns:
        codes = workload.condition(0, name)
        found &= True if codes is None else codes[table.codes[name]]
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_small_counts_of_queries_are_not_unique(seed):
    """A table with another count has identical published answers and distributions for two releases."""
    rng, smallest = np.random.default_rng(seed), 5
    frame, texts = random_queries(rng, LISTED * smallest + 20)
    first = QueriedTable(frame, texts, smallest)
    small = [i for i, count in enumerate(first.counts) if 0 < count < smallest]
    assert query_answers(Mondrian()(first.table, KAnonymity(20)), smallest)["rows"]
    before, now = first.published(), first
    left = set(rng.permutation(small)[:COUNTS].tolist())
    for _ in range(TRIES * len(left)):
        if not left:
            break
        other = now.edit(now.groups[int(rng.choice(sorted(left)))], rng)
        if other.published() == before:  # continue from here
            now, left = other, {j for j in left if other.counts[j] == first.counts[j]}
    assert not left, f"no witness for counts {[first.counts[i] for i in left]}"
