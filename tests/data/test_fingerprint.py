"""Fingerprints differ by content, role, level, hierarchy, range of levels and population."""

import pandas as pd

from workbench.data.engines import remote
from workbench.data.fingerprint import fingerprint, has_same_data
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table

FRAME = pd.DataFrame({"age": [20, 31, 31, 44], "sex": list("fmfm"), "ill": ["a", "b", "a", "b"]})


def test_everything_that_changes_a_release_changes_the_fingerprint():
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


def test_the_fingerprint_does_not_depend_on_the_engine():
    roles = {"quasi": ["age", "sex"], "sensitive": "ill"}
    here, there = (Table.read(FRAME, **roles, engine=engine) for engine in ("memory", "duckdb"))
    assert (
        here.fingerprint != there.fingerprint
        and has_same_data(here, there)
        and has_same_data(there, here)
        and has_same_data(here, here)
    )
    for column, values in (("age", [20, 31, 31, 45]), ("age", [20, 20, 31, 44]), ("sex", list("mfmf"))):
        assert not has_same_data(Table.read(FRAME.assign(**{column: values}), **roles), there)
    assert not has_same_data(here.with_roles(["age"], "ill"), there)


def test_columns_are_compared_if_combinations_do_not_fit(monkeypatch):
    monkeypatch.setattr(remote, "MOST", 1)
    here, there = (Table.read(FRAME, ["age", "sex"], "ill", engine=engine) for engine in ("memory", "duckdb"))
    assert has_same_data(here, there) and not has_same_data(
        Table.read(FRAME.assign(ill=list("aaab")), ["age", "sex"], "ill"), there
    )
