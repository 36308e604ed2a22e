"""Unique people by subset of the quasi-identifiers, in the original and in a release."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from tests.releases.toys import Perturb
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.disclosure.any_subset import smallest_sets, uniqueness_by_subset
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases.foreign import foreign

FOUR = pd.DataFrame({"age": [1, 1, 2, 2], "sex": list("FFFM"), "town": list("xyxx")})


def test_a_worked_example():
    """The man is unique by sex, the person in y by town; the others by age and town or age and sex."""
    found = uniqueness_by_subset(Table.from_frame(FOUR, list(FOUR.columns)), k=2).set_index("known")
    assert found["unique"].to_dict() == {
        "": 0, "age": 0, "sex": 1, "town": 1, "age, sex": 2, "age, town": 2, "sex, town": 2, "age, sex, town": 4
    }  # fmt: skip
    assert found["minimal"].to_dict() == {
        "": 0, "age": 0, "sex": 1, "town": 1, "age, sex": 1, "age, town": 1, "sex, town": 0, "age, sex, town": 0
    }  # fmt: skip
    assert list(found["columns"]) == [0, 1, 1, 1, 2, 2, 2, 3]


def test_minimal_sets_are_counted_with_the_people_whom_no_subset_identifies(small):
    table = small(0)
    frame = uniqueness_by_subset(table).sort_values("minimal", ascending=False)
    found = smallest_sets(table, 3)
    assert [alone for _, alone in found] == [n for n in frame["minimal"][:3] if n]
    assert all(frame.set_index("known")["minimal"][", ".join(names)] == alone for names, alone in found)
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({f"q{i}": rng.integers(0, 9, 50) for i in range(13)})
    assert smallest_sets(Table.from_frame(wide, list(wide.columns)), 3) == []


@pytest.mark.parametrize(
    ("method", "model"),
    [
        (Keep(), None), (Remove(), None), (Remove("age"), None), (Mondrian(), KAnonymity(4)),
        (Mondrian(publish="bucketized"), KAnonymity(4)),
    ],
)  # fmt: skip
def test_a_release_is_counted_by_its_published_regions(small, method, model):
    table = small(2)
    release = method(table, model)
    file = next(iter(release.tables().values()))
    found = uniqueness_by_subset(table, release, 4)
    for known, unique, below in found[["known", "unique in the release", "below 4 in the release"]].values:
        names = [name for name in known.split(", ") if name in file.columns]
        sizes = Counter(map(tuple, file[names].astype(object).fillna("?").values))
        assert unique == sum(n == 1 for n in sizes.values()) and below == sum(n for n in sizes.values() if n < 4)
    if isinstance(method, Keep):
        assert (found["minimal"] == found["minimal in the release"]).all()
    if model and method.publish == "generalized":
        assert not found["below 4 in the release"].any()


def test_files_and_perturbed_values_are_counted(small):
    table = small(0)
    release = Mondrian()(table, KAnonymity(4))
    file = foreign(release.frame().drop(columns="person"), original=table.drop(table.neutral))
    there = uniqueness_by_subset(file.table, file)
    assert (there["groups in the release"] == uniqueness_by_subset(table, release)["groups in the release"]).all()
    assert (uniqueness_by_subset(table, Perturb()(table))["unique in the release"] >= 0).all()


def test_invalid_arguments_are_refused(small):
    with pytest.raises(BadInput, match="k = 0 must be a whole number"):
        uniqueness_by_subset(small(0), k=0)
    with pytest.raises(BadInput, match="the release is of another table"):
        uniqueness_by_subset(small(0), Keep()(small(2)))
