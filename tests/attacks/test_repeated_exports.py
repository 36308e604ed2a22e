"""Two exports of one release with swapped values disclose no more about anyone than one export.

The attacker knows all quasi-identifiers, finds the same people in both files and looks for values that occur twice.
The repetition must be explained by chance within the person's bucket and not depend on the true value.
"""

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import people, table
from workbench.methods import RakedBuckets
from workbench.models import TCloseness

PERSON = ["age", "town", "sex"]


@pytest.fixture(scope="module", params=[None, 1.0], ids=["no noise", "rho"])
def release(request):
    data = table(5).drop(["wage"])
    return RakedBuckets(smallest=20, rho=request.param)(data, TCloseness(0.2, distance="js"))


def test_two_files_have_identical_buckets(release, tmp_path):
    exports = [release.export(tmp_path / f"{n}.csv")[:2] for n in range(2)]
    one, other = (read_buckets(*map(pd.read_csv, paths)) for paths in exports)
    assert one == other and len(one) > 10
    assert exports[0][0].read_text() != exports[1][0].read_text(), "the orders differ"


def read_buckets(persons, counts):
    """Return the people and the counts of values of each bucket, independently of its number in the file."""
    members = persons.groupby("class")[PERSON].apply(lambda rows: tuple(sorted(map(tuple, rows.to_numpy()))))
    tallies = counts.groupby("class")[["illness", "count"]].apply(
        lambda rows: tuple(sorted(map(tuple, rows.to_numpy())))
    )
    return sorted((members[number], tallies[number]) for number in members.index)


def test_repeated_values_are_true_as_often_as_the_counts_of_the_bucket_imply(release):
    truth = people(5)
    alone = ~truth.duplicated(PERSON, keep=False)
    shares = release.classes.distributions("illness")[release.group_of_record[alone]]
    values = release.table.sensitive["illness"].labels
    own = np.array([values.index(value) for value in truth["illness"][alone]])
    known = pd.MultiIndex.from_frame(truth[PERSON][alone])
    sets = [frame.set_index(PERSON)["illness"] for frame in (release.frame() for _ in range(60))]
    values_by_export = np.stack([one[one.index.isin(known)].reindex(known).map(values.index) for one in sets])
    right = (values_by_export[:-1] == values_by_export[1:]) & (values_by_export[:-1] == own)
    chance = shares[np.arange(len(own)), own] ** 2
    assert len(own) > 80 and (values_by_export[0] != values_by_export[1]).any()
    expected, spread = (
        len(right) * chance.sum(),
        np.sqrt(len(right) * (3 * chance).sum()),
    )  # consecutive pairs share a file
    assert abs(right.sum() - expected) < 5 * spread
