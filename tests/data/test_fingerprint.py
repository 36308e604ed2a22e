"""A fingerprint differs where a release may: by content, role, level, hierarchy, range of levels, population."""

import pandas as pd

from workbench.data.fingerprint import fingerprint
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table

FRAME = pd.DataFrame({"age": [20, 31, 31, 44], "sex": list("fmfm"), "ill": ["a", "b", "a", "b"]})


def test_whatever_changes_a_release_changes_it():
    table = Table.from_frame(FRAME, ["age", "sex"], "ill", hierarchies={"age": Intervals(widths=(10, 20))})
    others = [
        Table.from_frame(FRAME.assign(age=[20, 31, 31, 45]), ["age", "sex"], "ill"),
        table.with_roles(["age"], "ill"),
        table.with_hierarchies({"age": Intervals(widths=(5, 20))}),
        table.with_level_ranges({"age": (1, 2)}),
        table.with_population(FRAME),
    ]
    found = [fingerprint(one) for one in (table, *others)]
    assert len(set(found)) == len(found)
    again = Table.from_frame(FRAME, ["age", "sex"], "ill", hierarchies={"age": Intervals(widths=(10, 20))})
    assert fingerprint(again) == fingerprint(table) == table.fingerprint
