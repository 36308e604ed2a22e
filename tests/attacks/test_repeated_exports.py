"""Two exports of one release with exchanged values: whoever has both knows no more of anybody than from one.

The attacker knows everybody's quasi-identifiers, finds the same people in both files, and looks at which values came
out twice. What comes out twice, should be what chance brings together in the person's bucket, not what is true.
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


def test_two_files_agree_in_all_that_is_published(release, tmp_path):
    exports = [release.export(tmp_path / f"{n}.csv")[:2] for n in range(2)]
    one, other = (buckets(*map(pd.read_csv, paths)) for paths in exports)
    assert one == other and len(one) > 10
    assert exports[0][0].read_text() != exports[1][0].read_text(), "each in an order of its own"


def buckets(persons, counts):
    """Who is in a bucket, and how often it has each value; its number is another in each file."""
    held = persons.groupby("class")[PERSON].apply(lambda rows: tuple(sorted(map(tuple, rows.to_numpy()))))
    told = counts.groupby("class")[["illness", "count"]].apply(lambda rows: tuple(sorted(map(tuple, rows.to_numpy()))))
    return sorted((held[number], told[number]) for number in held.index)


def test_what_comes_out_twice_is_no_truer_than_by_the_counts_of_the_bucket(release):
    truth = people(5)
    alone = ~truth.duplicated(PERSON, keep=False)
    shares = release.classes.distributions("illness")[release.group_of_record[alone]]
    values = release.table.sensitive["illness"].labels
    own = np.array([values.index(value) for value in truth["illness"][alone]])
    known = pd.MultiIndex.from_frame(truth[PERSON][alone])
    sets = [frame.set_index(PERSON)["illness"] for frame in (release.frame() for _ in range(60))]
    told = np.stack([one[one.index.isin(known)].reindex(known).map(values.index) for one in sets])
    right = (told[:-1] == told[1:]) & (told[:-1] == own)
    chance = shares[np.arange(len(own)), own] ** 2
    assert len(own) > 80 and (told[0] != told[1]).any()
    expected, spread = len(right) * chance.sum(), np.sqrt(len(right) * (3 * chance).sum())  # neighbours share a file
    assert abs(right.sum() - expected) < 5 * spread
