"""Subtract published distributions of original and release: the total and the named values, two studies, two tables.

Each attack finds the hidden count in exact figures; many counts are feasible given the published ones.
"""

import json

import numpy as np
import pandas as pd
import pytest

from workbench.data.published import rounded_by
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity
from workbench.publication.details import distributions
from workbench.releases.before_after import cross

SMALLEST, RECORDS = 10, 800


def make_ward(hidden: int) -> Table:
    """Return people of three towns; in the small one the hidden number of women is ill."""
    rng = np.random.default_rng(1)
    town = np.where(np.arange(RECORDS) < 40, "small", rng.choice(["north", "south"], RECORDS))
    ill = rng.choice(["well", "flu"], RECORDS, p=[0.8, 0.2]).astype(object)
    ill[:40] = "well"
    ill[:hidden] = "flu"
    sex = np.where(np.arange(RECORDS) % 3 == 0, "man", "woman")
    sex[:40] = "woman"
    frame = pd.DataFrame({"town": town, "sex": sex, "ill": ill})
    return Table.from_frame(frame, ["town", "sex"], "ill")


def published_distributions(table: Table) -> str:
    return json.dumps(distributions(Mondrian()(table, KAnonymity(50)), SMALLEST), sort_keys=True)


def test_a_cell_of_a_cross_table_does_not_follow_from_its_row():
    """The attacker knows everyone except one cell: the exact cross table discloses it, the published one does not."""
    exact = {
        int(cross(Mondrian()(make_ward(n), KAnonymity(50)), "town", "ill").before.min()) for n in range(1, SMALLEST)
    }
    assert len(exact) == SMALLEST - 1, "the attack on the exact cross table"
    published = [published_distributions(make_ward(n)) for n in range(1, SMALLEST)]
    assert max(published.count(one) for one in published) >= SMALLEST // 2
    assert all("cell" not in one and "before" in one for one in published)


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [pytest.param(2, marks=pytest.mark.slow), 7])
def test_the_count_of_all_others_does_not_follow_from_the_total_and_the_named_values(hidden):
    """The attacker knows everyone else and the rounded total and counts, but not the secret."""

    def rows(count: int, secret: int) -> dict[str, int]:
        ill = np.array(["well"] * (RECORDS - 203) + ["flu"] * 203 + ["rare"] * count, object)
        frame = pd.DataFrame({"age": np.arange(len(ill)) % 30, "ill": ill})
        table = rounded_by(Table.from_frame(frame, ["age"], "ill"), bytes([secret] * 32))
        columns = distributions(Keep()(table), SMALLEST)["columns"]
        return {row["label"]: row["before"] for one in columns if one["column"] == "ill" for row in one["rows"]}

    mine = rows(hidden, 0)
    assert "rare" not in mine and all(count % SMALLEST == 0 for count in mine.values())
    feasible = [count for count in range(2 * SMALLEST) if any(rows(count, secret) == mine for secret in range(60))]
    assert hidden in feasible and len(feasible) >= 4, "the total is rounded to the nearest multiple, without the secret"


def test_the_release_of_a_second_study_adds_no_count_of_the_original():
    """The counts of the original are identical for every release of a table."""
    table = make_ward(5)
    found = [distributions(Mondrian()(table, KAnonymity(k)), SMALLEST)["columns"] for k in (20, 100, 300)]
    before = [[[(row["label"], row["before"]) for row in one["rows"]] for one in columns] for columns in found]
    assert before[0] == before[1] == before[2]


def test_the_number_of_rare_values_is_not_published():
    """Each of 24 values belongs to one person, or few people."""

    def publish(people: int) -> str:
        rare = [f"rare {i // people}" for i in range(24)]
        common = [f"town {i % 12}" for i in range(RECORDS - 24)]
        frame = pd.DataFrame({"town": common + rare, "ill": ["well", "flu"] * (RECORDS // 2)})
        return json.dumps(distributions(Keep()(Table.from_frame(frame, ["town"], "ill")), SMALLEST))

    assert publish(1) == publish(2) == publish(4)
    assert "others: " not in publish(1)
