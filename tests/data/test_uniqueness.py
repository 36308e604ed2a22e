"""Unique records, compared with groupby of pandas."""

import random
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import people
from workbench.base.errors import BadInput
from workbench.data.settings import role_notes
from workbench.data.table import Table
from workbench.data.uniqueness import count_unique, every_subset, repeats, survey
from workbench.studies.checker import check_study
from workbench.studies.proposal import propose_with_reasons


def naive(frame: pd.DataFrame, names: tuple[str, ...]) -> tuple[int, int]:
    """Return the numbers of distinct combinations and of unique records."""
    sizes = frame.astype(object).fillna("?").groupby(list(names)).size()
    return len(sizes), int((sizes == 1).sum())


@pytest.mark.parametrize("seed", range(6))
def test_counts_of_every_combination_equal_those_of_groupby(seed):
    frame = people(random.Random(seed), missing=seed % 2 == 1)
    table = Table.without_roles(frame)
    for size in (1, 2, 3, 6):
        for names in combinations(frame.columns, size):
            found = count_unique(table, names)
            assert (found.distinct, found.unique) == naive(frame, names)
            assert found.share == found.unique / len(frame)


@pytest.mark.parametrize("seed", range(4))
def test_a_survey_of_few_columns_is_complete_and_exact(seed):
    frame = people(random.Random(seed), missing=True)
    found = survey(Table.without_roles(frame), leave_out=["person"])
    rest = [name for name in frame.columns if name != "person"]
    assert {name: (one.distinct, one.unique) for name, one in found.columns.items()} == {
        name: naive(frame, (name,)) for name in frame.columns
    }
    for size, counted in ((2, found.pairs), (3, found.triples)):
        assert {one.names for one in counted} == set(combinations(rest, size))
        assert all((one.distinct, one.unique) == naive(frame, one.names) for one in counted)
        assert [one.unique for one in counted] == sorted((one.unique for one in counted), reverse=True)
    assert not found.notes


def test_keys_beyond_64_bits_are_ranked():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2**40, (3000, 8)), columns=list("abcdefgh")) // 2**30
    frame["i"] = frame["a"] * 0
    wide = pd.DataFrame({f"{name}{i}": frame[name].sample(frac=1, random_state=i) for name in "abc" for i in range(4)})
    wide = wide.reset_index(drop=True)
    assert np.prod([float(n) for n in wide.nunique()]) > 2**62
    found = count_unique(Table.without_roles(wide), tuple(wide.columns))
    assert (found.distinct, found.unique) == naive(wide, tuple(wide.columns))


def test_a_large_table_is_counted_on_some_combinations_with_a_note():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"a": rng.geometric(0.002, 40_000), "b": rng.geometric(0.01, 40_000), "c": rng.integers(0, 3, 40_000)}
    )
    table = Table.without_roles(frame)
    true = naive(frame, ("a", "b"))
    found = count_unique(table, ("a", "b"), exact=10_000)
    assert found.one_in == 4
    assert found.distinct == pytest.approx(true[0], rel=0.05) and found.unique == pytest.approx(true[1], rel=0.05)
    assert (count_unique(table, ("c",), exact=10_000).one_in, count_unique(table, ("c",), exact=10_000).distinct) == (
        1,
        3,
    )
    assert survey(table, exact=10_000).notes == ("Large numbers are estimates from one in 4 combinations of values.",)


def test_records_on_disk_are_counted_there():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {"zip": rng.integers(0, 900, 2000), "age": rng.integers(0, 90, 2000), "sex": rng.integers(0, 2, 2000)}
    )
    here, there = Table.without_roles(frame), Table.without_roles(frame, engine="duckdb")
    assert survey(there) == survey(here)
    sizes = frame.groupby(["zip", "age"]).size()
    found = count_unique(there, ["zip", "age"])
    assert (found.distinct, found.unique) == (len(sizes), int((sizes == 1).sum()))


def test_many_columns_are_counted_within_bounds_and_notes_name_them():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"q{i}": rng.integers(0, 2 + 3 * i, 500) for i in range(60)})
    calls = []
    found = survey(Table.without_roles(frame), progress=lambda done, total: calls.append((done, total)))
    assert len(found.columns) == 60 and len(found.pairs) == 30 * 29 // 2 and len(found.triples) == 500
    assert {name for one in found.pairs for name in one.names} > {f"q{i}" for i in range(35, 60)}
    assert found.notes == (
        "Combinations were counted for the 30 of 60 columns that distinguish records best.",
        "500 of 4,060 triples were counted, around the worst pairs.",
    )
    assert calls[-1] == (935, 935) and all(total == 935 for _, total in calls)
    sample = found.triples[::50]
    assert all((one.distinct, one.unique) == naive(frame, one.names) for one in sample)


def test_counting_can_be_cancelled():
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        survey(Table.without_roles(people(random.Random(0), missing=False)), progress=stop)


def test_no_column_and_one_record():
    one = Table.without_roles(pd.DataFrame({"a": [1], "b": ["x"]}))
    assert count_unique(one, ()).unique == 1 and count_unique(one, ("a", "b")).unique == 1
    assert survey(one).pairs == ()


# Every subset of the columns, compared with loops over people.


def subsets_naive(rows, columns, k):
    """Return, for each subset, the numbers of groups, of unique records, in groups below k, and of minimal ones."""
    alone, found = {}, {}
    for size in range(columns + 1):
        for chosen in combinations(range(columns), size):
            seen = [tuple(row[i] for i in chosen) for row in rows]
            sizes = {one: seen.count(one) for one in seen}
            alone[chosen] = {i for i, one in enumerate(seen) if sizes[one] == 1}
            earlier = set().union(*(alone[part] for part in combinations(chosen, size - 1))) if size else set()
            below = sum(n for n in sizes.values() if n < k)
            found[sum(1 << i for i in chosen)] = (
                len(sizes), len(alone[chosen]), below, len(alone[chosen] - earlier)
            )  # fmt: skip
    return [found[number] for number in range(2**columns)]


@pytest.mark.parametrize("seed", range(4))
def test_counts_of_every_subset_equal_those_of_loops(seed):
    table = Table.from_frame(people(random.Random(seed), missing=seed % 2 == 1), ["age", "work", "sex", "wage"])
    cells = table.cells()
    rows = list(zip(*(table.codes[name].tolist() for name in table.quasi), strict=True))
    assert [*zip(*map(list, every_subset([*cells.quasi], cells.weight, 3)), strict=True)] == subsets_naive(rows, 4, 3)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=12), st.integers(1, 4))
def test_rows_need_not_be_distinct(rows, k):
    codes = [np.array(one) for one in zip(*rows, strict=True)]
    found = every_subset(codes, np.ones(len(rows), np.int64), k)
    assert [*zip(*map(list, found), strict=True)] == subsets_naive(rows, 3, k)


def test_keys_beyond_64_bits_and_too_many_columns():
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, 2**20, 300) for _ in range(4)]
    found = every_subset(codes, np.ones(300, np.int64), 2)
    frame = pd.DataFrame(dict(enumerate(codes)))
    assert found.unique[15] == (frame.groupby([0, 1, 2, 3]).size() == 1).sum()
    with pytest.raises(BadInput, match="13 columns have 8,192 subsets; choose at most 12"):
        every_subset([codes[0]] * 13, np.ones(300, np.int64), 2)
    many = np.zeros(200_000, np.int8)
    with pytest.raises(BadInput, match="4,096 subsets and 200,000 combinations of values, too many"):
        every_subset([many] * 12, many, 2)


# People with several records: a warning that guarantees count records.

N, PEOPLE = 600, 120
SAID = "iid has 120 different values in 600 records, so several records may belong to one person. "


@pytest.fixture
def receipts():
    rng = np.random.default_rng(9)
    person = np.arange(N) % PEOPLE
    return pd.DataFrame(
        {
            "iid": person,
            "receipt_number": np.arange(N),
            "last_name": [f"n{i % 30}" for i in person],
            "age": rng.integers(18, 90, PEOPLE)[person],
            "town": rng.choice(["a", "b", "c"], PEOPLE)[person],
            "illness": rng.choice(["yes", "no"], N),
        }
    )


def test_the_identifier_with_the_most_values_that_repeats_is_named(receipts):
    table = Table.without_roles(receipts)
    assert repeats(table, ["receipt_number", "iid"]) == SAID + "Guarantees count records, not people."
    assert repeats(table, ["receipt_number"]) == "", "a unique number per record"
    assert repeats(table, ["last_name"]) == "", "different people may share a name"
    assert repeats(table, ["gone"]) == ""


def test_init_and_check_warn(receipts, tmp_path):
    path = tmp_path / "receipts.csv"
    receipts.to_csv(path, index=False)
    start = propose_with_reasons(path, folder=tmp_path)
    assert "iid" in start.study.identifiers and any(SAID in line for line in start.head)
    study = tmp_path / "receipts.study.yaml"
    study.write_text(start.text(), "utf-8")
    assert any(SAID in note for note in check_study(study).notes)
    assert SAID in " ".join(role_notes(start.study.table(start.study.read()))), "as commands and the workbench show it"


def test_records_are_named_after_their_unique_number(receipts, tmp_path):
    named = receipts.rename(columns={"iid": "person_id", "receipt_number": "receipt_id"})
    named[["person_id", *named.columns.drop("person_id")]].to_csv(tmp_path / "receipts.csv", index=False)
    start = propose_with_reasons(tmp_path / "receipts.csv", folder=tmp_path)
    assert start.study.wording.many == "receipts", "a person has several records"


def test_a_table_with_one_record_each_has_no_warning(receipts, tmp_path):
    receipts.drop_duplicates("iid").to_csv(tmp_path / "people.csv", index=False)
    start = propose_with_reasons(tmp_path / "people.csv", folder=tmp_path)
    assert "iid" in start.study.identifiers and not any("several records" in line for line in start.head)
