"""Original beside release, subtracted: the total less the values, another study's sums, the same table with one more.

Told exactly, each attack finds the count that is hidden; as it is told, many counts fit.
"""

import json

import numpy as np
import pandas as pd
import pytest

from workbench.data.published_counts import rounded_by
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity
from workbench.publication.distributions import distributions
from workbench.releases.before_after import cross

SMALLEST, RECORDS = 10, 800


def ward(hidden: int) -> Table:
    """People of two sexes; so many women in the small town are ill, and hardly anybody else there."""
    rng = np.random.default_rng(1)
    town = np.where(np.arange(RECORDS) < 40, "small", rng.choice(["north", "south"], RECORDS))
    ill = rng.choice(["well", "flu"], RECORDS, p=[0.8, 0.2]).astype(object)
    ill[:40] = "well"
    ill[:hidden] = "flu"
    sex = np.where(np.arange(RECORDS) % 3 == 0, "man", "woman")
    sex[:40] = "woman"
    frame = pd.DataFrame({"town": town, "sex": sex, "ill": ill})
    return Table.from_frame(frame, ["town", "sex"], "ill")


def told(table: Table) -> str:
    return json.dumps(distributions(Mondrian()(table, KAnonymity(50)), SMALLEST), sort_keys=True)


def test_a_cell_of_a_cross_table_is_not_what_its_row_leaves():
    """She knows everybody but one cell; the exact cross table gives it, what is told fits half of the small counts."""
    exact = {int(cross(Mondrian()(ward(n), KAnonymity(50)), "town", "ill").before.min()) for n in range(1, SMALLEST)}
    assert len(exact) == SMALLEST - 1, "the attack, on the cross table itself"
    seen = [told(ward(n)) for n in range(1, SMALLEST)]
    assert max(seen.count(one) for one in seen) >= SMALLEST // 2
    assert all("cell" not in one and "before" in one for one in seen)


@pytest.mark.parametrize("hidden", [2, 7])
def test_what_all_others_are_is_not_the_total_less_the_named(hidden):
    """She knows all others, and how many there are of everybody and of each value, rounded by a secret."""

    def rows(count: int, secret: int) -> dict[str, int]:
        ill = np.array(["well"] * (RECORDS - 203) + ["flu"] * 203 + ["rare"] * count, object)
        frame = pd.DataFrame({"age": np.arange(len(ill)) % 30, "ill": ill})
        table = rounded_by(Table.from_frame(frame, ["age"], "ill"), bytes([secret] * 32))
        columns = distributions(Keep()(table), SMALLEST)["columns"]
        return {row["label"]: row["before"] for one in columns if one["column"] == "ill" for row in one["rows"]}

    mine = rows(hidden, 0)
    assert "rare" not in mine and all(count % SMALLEST == 0 for count in mine.values())
    alike = [count for count in range(2 * SMALLEST) if any(rows(count, secret) == mine for secret in range(60))]
    assert hidden in alike and len(alike) >= 4, "the total is rounded to the nearest multiple, without the secret"


def test_the_release_of_a_second_study_adds_no_number_to_before():
    """Before is the same beside every release of a table: two tell no more of it than one."""
    table = ward(5)
    found = [distributions(Mondrian()(table, KAnonymity(k)), SMALLEST)["columns"] for k in (20, 100, 300)]
    before = [[[(row["label"], row["before"]) for row in one["rows"]] for one in columns] for columns in found]
    assert before[0] == before[1] == before[2]


def test_how_many_values_few_people_have_is_not_told():
    """Twenty-four values and about as many people who have them: each would be one person's."""

    def seen(people: int) -> str:
        rare = [f"rare {i // people}" for i in range(24)]
        common = [f"town {i % 12}" for i in range(RECORDS - 24)]
        frame = pd.DataFrame({"town": common + rare, "ill": ["well", "flu"] * (RECORDS // 2)})
        return json.dumps(distributions(Keep()(Table.from_frame(frame, ["town"], "ill")), SMALLEST))

    assert seen(1) == seen(2) == seen(4)
    assert "others: " not in seen(1)
