"""Groups of several releases that are published together, solved by linear programs with the totals of the page.

The attacker reads tables of groups: the quasi-identifiers and size of each, and the share of its most frequent value.
She knows k, and that each record is in one group of every release. The unknowns are the counts of each age and illness.
"""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.attacks.linear import Attacker, page_of
from workbench.data.published import rounded_by
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.publication.audited_groups import audited
from workbench.publication.details import Groups, exposures
from workbench.publication.results import _summary

THRESHOLD = 5
STEPS = (100, 20, 10, 4)


def random_people(rng: np.random.Generator, awkward: bool) -> pd.DataFrame:
    """Return skewed, correlated ages and illnesses, or counts next to rounding boundaries for each age."""
    rows = []
    for age in range(20, 20 + int(rng.integers(4, 9))):
        size = int(rng.choice([44, 45, 49, 54, 55, 59, 104, 105, 109])) if awkward else int(rng.geometric(0.015)) + 5
        ill = int(rng.choice([1, 4, 5, 9, 14])) if awkward else rng.binomial(size, min(0.02 * (age - 19), 0.5))
        rare = int(rng.integers(0, 4))
        ill = min(ill, size)
        rare = min(rare, size - ill)
        rows += [(age, "flu")] * ill + [(age, "rare")] * rare + [(age, "none")] * (size - ill - rare)
    return pd.DataFrame(rows, columns=["age", "ill"])


def ages_of(label: str | None, ages: list[int]) -> list[int]:
    """Return the ages that a label covers."""
    ends = [int(one) for one in re.findall(r"\d+", label or "")]
    return [age for age in ages if not ends or ends[0] <= age <= ends[-1]]


class Reader:
    """The unknown counts by age and illness, constrained by tables of groups."""

    def __init__(self, frame: pd.DataFrame, page: Any) -> None:
        self.ages, self.ills = sorted(frame["age"].unique().tolist()), sorted(frame["ill"].unique())
        self.attacker = Attacker({"ill": self.ills}, [str(age) for age in self.ages], THRESHOLD)
        self.attacker.read(page)

    def row(self, ages: list[int], ills: list[str] | None = None) -> np.ndarray:
        return sum(self.attacker.row(str(age), "ill", ills or self.ills) for age in ages)

    def read(self, rows: list[dict[str, Any]], k: int) -> None:
        """Add the constraints of a release's groups."""
        for one in rows:
            ages, people = ages_of(one["age"], self.ages), one["people"]
            size = self.row(ages)
            if people is None:
                self.limit(-size, -k)
                self.limit(size, 2 * THRESHOLD - 1)
                continue
            self.limit(-size, -max(people - THRESHOLD + 1, k))
            self.limit(size, people + THRESHOLD - 1)
            if one["value"] is not None:
                self.read_share(one, size, self.row(ages, [one["value"]]))

    def read_share(self, one: dict[str, Any], size: np.ndarray, part: np.ndarray) -> None:
        n = next((n for n in STEPS if one["people"] >= n * THRESHOLD), 2)
        few, text = int(np.ceil(1.5 * THRESHOLD)) - 1, one["sentence"]
        if one["posterior"] is not None:
            self.limit(part - (one["posterior"] + 0.5 / n) * size, 0)
            self.limit((one["posterior"] - 0.5 / n) * size - part, 0)
        elif found := re.match(r"Under (\d+)", text):
            self.limit(part - int(found[1]) / 100 * size, 0)
        elif found := re.match(r"Over (\d+)", text):
            self.limit(int(found[1]) / 100 * size - part, 0)
        elif found := re.match(r"(\d+)–(\d+)", text):
            self.limit(part - int(found[2]) / 100 * size, 0)
            self.limit(int(found[1]) / 100 * size - part, 0)
        elif text.startswith("Fewer than"):
            self.limit(part, few)
        elif text.startswith("All but fewer"):
            self.limit(size - part, few)
        elif text.startswith("All of"):
            self.limit(size - part, 0)

    def limit(self, row: np.ndarray, high: float) -> None:
        self.attacker.upper.append((row, high))


def recover_counts(seed: int, awkward: bool) -> list[tuple[object, ...]]:
    """Return the counts below the threshold (of groups, values and differences) with too few feasible values."""
    rng = np.random.default_rng([seed, awkward])
    frame = random_people(rng, awkward)
    while len(frame) < 60 * THRESHOLD:
        frame = pd.concat([frame, random_people(rng, awkward)])
    table = rounded_by(Table.from_frame(frame, ["age"], "ill"), rng.bytes(32))
    reader = Reader(frame, page_of("", {"table": _summary(table, THRESHOLD), "points": []}))
    groups: list[list[int]] = []
    ks = sorted({int(k) for k in rng.choice([2, 5, 8, 20, 60, 100], 3)})
    opened = audited(table, [Groups(Mondrian()(table, KAnonymity(k)), THRESHOLD) for k in ks])
    for k, one in zip(ks, opened, strict=True):
        rows = exposures(one).to_pylist()
        reader.read(rows, k)
        groups += [ages_of(row["age"], reader.ages) for row in rows]
    exact = frame.groupby(["age", "ill"]).size()
    found = []
    targets = [(ages, ills) for ages in groups for ills in (None, *([one] for one in reader.ills))]
    targets += [(sorted(set(a) - set(b)), None) for a in groups for b in groups if set(b) < set(a)]
    for ages, ills in {(tuple(ages), tuple(ills or reader.ills)) for ages, ills in targets}:
        count = int(sum(exact.get((age, ill), 0) for age in ages for ill in ills))
        if not 0 < count < THRESHOLD:
            continue
        low, high = reader.attacker.feasible_range(reader.row(list(ages), list(ills)))
        assert low <= count <= high, "the true count is feasible"
        if high - low + 1 < THRESHOLD:
            found.append((ages, ills, count, low, high))
    return found


SEEDS = [pytest.param(i, marks=[] if i < 10 else pytest.mark.exhaustive) for i in range(500)]


@pytest.mark.parametrize("awkward", [False, True], ids=["random", "awkward"])
@pytest.mark.parametrize("seed", SEEDS)
def test_small_counts_have_at_least_as_many_feasible_values_as_the_threshold_given_several_releases(seed, awkward):
    assert recover_counts(seed, awkward) == []
