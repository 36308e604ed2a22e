"""Shares that would leave a small count too few feasible values are suppressed, and sentences mention it."""

import numpy as np
import pandas as pd

from workbench.data.published import rounded_by
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.publication.audited_groups import audited
from workbench.publication.details import Groups, exposures
from workbench.releases.published_classes import HIDDEN

COUNTS = {20: (14, 39, 2), 21: (1, 46, 2), 22: (5, 104, 0), 23: (1, 104, 0), 24: (9, 45, 0)}
ILLS = ("flu", "none", "rare")


def opened() -> tuple[Table, list[Groups]]:
    """Return three releases of few ages in which two nested groups differ by one person with the flu."""
    rows = [(age, ill) for age, counts in COUNTS.items() for ill, n in zip(ILLS, counts, strict=True) for _ in range(n)]
    plain = Table.from_frame(pd.DataFrame(rows, columns=["age", "ill"]), ["age"], "ill")
    table = rounded_by(plain, bytes([7] * 32))
    return table, [Groups(Mondrian()(table, KAnonymity(k)), 5) for k in (5, 60, 120)]


def test_a_share_that_narrows_a_small_difference_is_dropped():
    table, groups = opened()
    after = audited(table, groups)
    hidden = sum(int(one.hidden.sum()) for one in after)
    before, rows = ([row for one in each for row in exposures(one).to_pylist()] for each in (groups, after))
    stated = [sum(row["value"] is not None for row in each) for each in (before, rows)]
    assert stated[0] - stated[1] == hidden > 0
    dropped = [row for row in rows if HIDDEN in row["sentence"] and row["people"]]
    assert len(dropped) == hidden and all(row["value"] is None for row in dropped)
    assert {row["sentence"] for row in dropped} == {f"Other groups would reveal its few members: {HIDDEN}."}
    assert all((row["fewest"], row["share"], row["posterior"]) == (0.0, 1.0, None) for row in dropped)


def test_groups_without_sensitive_columns_or_of_few_people_are_unchanged():
    frame = pd.DataFrame({"age": np.arange(400) % 20, "ill": np.arange(400) % 3})
    bare = Table.from_frame(frame.drop(columns="ill"), ["age"])
    groups = [Groups(Mondrian()(bare, KAnonymity(20)), 5)]
    assert audited(bare, groups) == groups
    few = Table.from_frame(frame, ["age"], "ill")
    groups = [Groups(Mondrian()(few, KAnonymity(20)), 10)]
    assert audited(few, groups) == groups, "groups of fewer than 600 people are not listed"
