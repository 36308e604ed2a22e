"""People of a population in classes, compared with a count of single people."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.tables import random_frame
from workbench.base.errors import BadInput
from workbench.data.table import Table

QUASI = ["whole", "word", "real", "day"]


def near(value, values, low, high, missing):
    """Return whether a person's value is within a run of a column's codes; values that the column lacks are in none."""
    if pd.isna(value):
        return missing and high == len(values)
    if value in values:
        return low <= values.index(value) <= high
    if isinstance(value, str) or not values[0] < value < values[-1]:
        return False
    code = max(i for i, one in enumerate(values) if one < value)
    return low <= code and code + 1 <= high


@examples(25)
@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.2]))
def test_people_in_regions_are_counted_as_in_a_loop(seed, missing):
    sample, everybody = random_frame(seed, 20, missing=missing), random_frame(seed + 1, 60, missing=0.1)
    everybody["word"] = everybody["word"].replace("w5", "elsewhere")
    table = Table.from_frame(sample, QUASI).with_population(everybody)
    rng, columns = np.random.default_rng(seed), [table.columns[name] for name in table.quasi]
    ends = np.stack([np.sort(rng.integers(0, one.size, (30, 2)), axis=1) for one in columns], axis=1)
    low, high = (np.ascontiguousarray(ends[:, :, side], np.int32) for side in (0, 1))
    values = [pd.Series(one.values).tolist() for one in columns]
    fits = np.zeros(30, int)
    for row in everybody[list(table.quasi)].astype(object).itertuples(index=False):
        for c in range(30):
            fits[c] += all(
                near(value, known, low[c, a], high[c, a], columns[a].missing > 0)
                for a, (value, known) in enumerate(zip(row, values, strict=True))
            )
    assert table.population.fitting(low, high).tolist() == fits.tolist()
    assert table.population.records == 60


def test_a_set_of_codes_contains_only_its_values():
    sample, everybody = pd.DataFrame({"age": [10, 20, 30]}), pd.DataFrame({"age": [10, 15, 20, 20, 30, 30, 30]})
    population = Table.from_frame(sample, ["age"]).with_population(everybody).population
    run = np.array([[0]], np.int32), np.array([[2]], np.int32)
    assert population.fitting(*run).tolist() == [7]
    assert population.fitting(*run, {0: np.array([[True, False, True]])}).tolist() == [4]


def test_records_without_a_separate_person_are_counted():
    sample = pd.DataFrame({"age": [10, 10, 20, 30]})
    table = Table.from_frame(sample, ["age"])
    assert table.with_population(pd.DataFrame({"age": [10, 20, 20, 25]})).population.lacking == 2
    assert table.with_population(sample).population.lacking == 0


def test_the_population_follows_the_table_and_is_in_its_fingerprint(tmp_path):
    frame = pd.DataFrame({"age": [1, 2, 3], "town": list("cab"), "ill": list("xyx")})
    everybody = pd.DataFrame({"town": list("abcc"), "name": list("pqrs"), "age": [1, 2, 3, 1]})
    everybody.to_csv(tmp_path / "everybody.csv", index=False)
    table = Table.from_frame(frame, ["age", "town"], "ill")
    beside = table.with_population(tmp_path / "everybody.csv")
    assert table.population is None and "name" not in beside.population_table.columns
    assert beside.fingerprint == table.with_population(tmp_path / "everybody.csv").fingerprint != table.fingerprint
    assert beside.fingerprint != table.with_population(everybody[:3]).fingerprint
    other = beside.with_roles(["town"], "ill").with_hierarchies({}).drop(["age"])
    codes = np.array([[0], [2]], np.int32)
    assert other.population.fitting(codes, codes).tolist() == [1, 2]
    with pytest.raises(BadInput, match=r"no column 'town' .as quasi-identifier of the population"):
        table.with_population(everybody.drop(columns="town"))
