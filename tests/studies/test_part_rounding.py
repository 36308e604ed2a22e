"""The counts of all parts are rounded together and add up to the published counts of the whole."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.published import published_total, published_values, rounded_by
from workbench.studies.study import Study


def wards(rng: np.random.Generator) -> pd.DataFrame:
    ward = rng.choice(["north", "south", "east", "tiny"], 700, p=[0.5, 0.3, 0.19, 0.01])
    ill = np.where(ward == "north", rng.choice(["flu", "cold"], 700), rng.choice(["flu", "gout", "cold"], 700))
    return pd.DataFrame(
        {"ward": ward, "age": rng.integers(20, 60, 700), "ill": ill, "sex": rng.choice(["f", "m"], 700)}
    )


def study(**data: object) -> Study:
    roles = {"quasi": ["age"], "sensitive": ["ill", "sex"], "dropped": ["ward"]}
    return Study.from_dict({"study": "W", "data": {"given": "w", **data}, "roles": roles})


@pytest.mark.parametrize("seed", range(8))
def test_parts_add_up_to_the_whole(seed):
    base = study().read(wards(np.random.default_rng(seed)))
    secret = bytes([seed + 1] * 32)
    tables = {ward: rounded_by(study(only={"ward": ward}).table(base), secret) for ward in ("north", "south", "east")}
    whole = rounded_by(study().table(base), secret)
    for name in ("ill", "sex"):
        labels = whole.sensitive[name].labels
        rest = published_values(whole, name, 10).copy()
        for table in tables.values():
            counts = published_values(table, name, 10)
            assert counts.sum() == published_total(table, 10) and (counts % 10 == 0).all()
            assert np.abs(counts - table.sensitive[name].totals).max() < 20
            rest[[labels.index(label) for label in table.sensitive[name].labels]] -= counts
        assert rest.sum() == published_total(whole, 10) - sum(published_total(one, 10) for one in tables.values())
        assert 0 <= rest.sum() <= 30, "the ward without a report"


def test_a_part_of_a_part_adds_up_to_that_part():
    base = study().read(wards(np.random.default_rng(3)))
    north = study(only={"ward": "north"}).with_(sensitive=("ill",)).table(base)
    halves = [study(only={"ward": "north", "sex": sex}).with_(sensitive=("ill",)).table(base) for sex in ("f", "m")]
    for one in halves:
        assert published_values(one, "ill", 10).sum() == published_total(one, 10)
    both = sum(pd.Series(published_values(one, "ill", 10), index=one.sensitive["ill"].labels) for one in halves)
    assert both.to_dict() == dict(zip(north.sensitive["ill"].labels, published_values(north, "ill", 10), strict=True))


def test_a_copy_in_another_process_has_the_same_counts():
    import pickle

    base = study().read(wards(np.random.default_rng(5)))
    table = study(only={"ward": "north"}).table(base)
    copy = pickle.loads(pickle.dumps(table.settings.rounding))
    assert published_total(table, 10) == copy.total(table.records, 10)
