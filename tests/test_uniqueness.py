"""Records singled out, against pandas' groupby; and the roles proposed from them."""

import random
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tests.conftest import people
from workbench.table import Table
from workbench.uniqueness import NAMELIKE, namelike, propose_roles, says, single_out, survey


def naive(frame: pd.DataFrame, names: tuple[str, ...]) -> tuple[int, int]:
    """Distinct combinations, and records alone with theirs."""
    sizes = frame.astype(object).fillna("?").groupby(list(names)).size()
    return len(sizes), int((sizes == 1).sum())


@pytest.mark.parametrize("seed", range(6))
def test_every_combination_is_counted_as_by_groupby(seed):
    frame = people(random.Random(seed), missing=seed % 2 == 1)
    table = Table.bare(frame)
    for size in (1, 2, 3, 6):
        for names in combinations(frame.columns, size):
            found = single_out(table, names)
            assert (found.distinct, found.unique) == naive(frame, names)
            assert found.share == found.unique / len(frame)


@pytest.mark.parametrize("seed", range(4))
def test_a_survey_of_few_columns_is_complete_and_exact(seed):
    frame = people(random.Random(seed), missing=True)
    found = survey(Table.bare(frame), leave_out=["person"])
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
    found = single_out(Table.bare(wide), tuple(wide.columns))
    assert (found.distinct, found.unique) == naive(wide, tuple(wide.columns))


def test_a_large_table_is_counted_on_some_of_the_combinations_and_says_so():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"a": rng.geometric(0.002, 40_000), "b": rng.geometric(0.01, 40_000), "c": rng.integers(0, 3, 40_000)}
    )
    table = Table.bare(frame)
    true = naive(frame, ("a", "b"))
    found = single_out(table, ("a", "b"), exact=10_000)
    assert found.one_in == 4
    assert found.distinct == pytest.approx(true[0], rel=0.05) and found.unique == pytest.approx(true[1], rel=0.05)
    assert (single_out(table, ("c",), exact=10_000).one_in, single_out(table, ("c",), exact=10_000).distinct) == (1, 3)
    assert survey(table, exact=10_000).notes == (
        "Large numbers are estimates: counted on one in 4 of the combinations of values.",
    )


def test_many_columns_are_counted_within_bounds_and_the_notes_say_which():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"q{i}": rng.integers(0, 2 + 3 * i, 500) for i in range(60)})
    calls = []
    found = survey(Table.bare(frame), progress=lambda done, total: calls.append((done, total)))
    assert len(found.columns) == 60 and len(found.pairs) == 30 * 29 // 2 and len(found.triples) == 500
    assert {name for one in found.pairs for name in one.names} > {f"q{i}" for i in range(35, 60)}
    assert found.notes == (
        "Combined were the 30 of 60 columns in which two records agree least often.",
        "Of the triples, 500 of 4,060 were counted: around the worst pairs.",
    )
    assert calls[-1] == (935, 935) and all(total == 935 for _, total in calls)
    sample = found.triples[::50]
    assert all((one.distinct, one.unique) == naive(frame, one.names) for one in sample)


def test_progress_may_stop_it():
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        survey(Table.bare(people(random.Random(0), missing=False)), progress=stop)


def test_no_column_and_one_record():
    one = Table.bare(pd.DataFrame({"a": [1], "b": ["x"]}))
    assert single_out(one, ()).unique == 1 and single_out(one, ("a", "b")).unique == 1
    assert survey(one).pairs == () and set(propose_roles(one, survey(one))) == {"a", "b"}


def test_proposed_roles_of_adult():
    from workbench import datasets

    table = Table.bare(datasets.path("adult"))
    advice = propose_roles(table, survey(table, [name for name, c in table.columns.items() if namelike(c)]))
    by_role = {role: {name for name, one in advice.items() if one.role == role} for role in ("quasi", "identifier")}
    assert by_role["quasi"] == {
        "age", "workclass", "education", "marital_status", "race", "sex", "hours_per_week", "native_country",
    }  # fmt: skip
    assert by_role["identifier"] == {"fnlwgt", "education_num"}
    assert {name for name, one in advice.items() if one.likely} == {"occupation", "salary"}
    assert advice["education_num"].reason == "It tells the same as education in every record; one of them is enough."
    alone, together = (
        naive(table.frame, ("education", "hours_per_week")),
        naive(table.frame, ("age", "education", "hours_per_week")),
    )
    more = (together[1] - alone[1]) / table.records
    assert f"beside education and hours_per_week it singles out {100 * more:.1f} % more" in advice["age"].reason
    assert all(one.reason.endswith(".") for one in advice.values())


def test_proposals_that_follow_from_one_column():
    n = 400
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "number": np.arange(n),
            "often": np.arange(n) % int(n * NAMELIKE + 20),
            "reading": rng.normal(size=n),
            "same": ["x"] * n,
            "Surname": rng.integers(0, 50, n).astype(str),
            "mainDiagnosis": rng.integers(0, 5, n),
            "a": rng.integers(0, 40, n),
            "b": rng.integers(0, 40, n),
            "flag": rng.integers(0, 2, n) * 0 + (np.arange(n) == 0),
        }
    )
    table = Table.bare(frame)
    advice = propose_roles(table, survey(table, [name for name, c in table.columns.items() if namelike(c)]))
    roles = {name: one.role for name, one in advice.items()}
    assert roles == {
        "number": "identifier", "often": "identifier", "reading": "neutral", "same": "neutral", "Surname": "identifier",
        "mainDiagnosis": "neutral", "a": "quasi", "b": "quasi", "flag": "quasi",
    }  # fmt: skip
    assert [name for name, one in advice.items() if one.likely] == ["mainDiagnosis"]


@pytest.mark.parametrize("name", ["name", "Patient Name", "last_name", "LastName", "email", "e-mail", "ssn", "phone"])
def test_what_is_called_like_a_name_is_an_identifier_though_not_unique(name):
    frame = pd.DataFrame({name: ["Anna", "Bo", "Carl", "Dora"] * 25, "age": range(100)})
    table = Table.bare(frame)
    assert propose_roles(table, survey(table))[name].role == "identifier"


@pytest.mark.parametrize(
    ("name", "values"), [("country_name", ["A", "B"]), ("product name", ["A", "B"]), ("name", [1, 2])]
)
def test_not_every_name_is_a_persons(name, values):
    table = Table.bare(pd.DataFrame({name: values * 50, "age": range(100)}))
    assert propose_roles(table, survey(table))[name].role != "identifier"


def test_words_in_names():
    assert says("patientAge", ("age",)) and says("age_group", ("age",)) and not says("agency", ("age",))
    assert says("ICD10", ("icd",)) and says("diagnosis", ("diagnos",)) and not says("salt", ("salary",))
