"""People of a population in classes, compared with a count of single people."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.register import ROWS, by_class, people_of, presence
from tests.examples import examples
from tests.methods.tables import random_frame
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data.hierarchies.builders import Columns, Dates, Intervals, Nested, Prefixes
from workbench.data.population import OF_VALUES, AbsentValues, with_values
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.measures.privacy.reidentification_risk import ReidentificationRisk
from workbench.methods import FullDomain, KMember, LocalRecoding, Mondrian, Remove
from workbench.models import DeltaPresence, KAnonymity, KMap
from workbench.releases.foreign import foreign

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
    table = Table.from_frame(sample, QUASI).with_settings(population=everybody)
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
    population = Table.from_frame(sample, ["age"]).with_settings(population=everybody).population
    run = np.array([[0]], np.int32), np.array([[2]], np.int32)
    assert population.fitting(*run).tolist() == [7]
    assert population.fitting(*run, {0: np.array([[True, False, True]])}).tolist() == [4]


def test_records_without_a_separate_person_are_counted():
    sample = pd.DataFrame({"age": [10, 10, 20, 30]})
    table = Table.from_frame(sample, ["age"])
    assert table.with_settings(population=pd.DataFrame({"age": [10, 20, 20, 25]})).population.lacking == 2
    assert table.with_settings(population=sample).population.lacking == 0


def test_the_population_follows_the_table_and_is_in_its_fingerprint(tmp_path):
    frame = pd.DataFrame({"age": [1, 2, 3], "town": list("cab"), "ill": list("xyx")})
    everybody = pd.DataFrame({"town": list("abcc"), "name": list("pqrs"), "age": [1, 2, 3, 1]})
    everybody.to_csv(tmp_path / "everybody.csv", index=False)
    table = Table.from_frame(frame, ["age", "town"], "ill")
    beside = table.with_settings(population=tmp_path / "everybody.csv")
    assert table.population is None and "name" not in beside.origin.population.columns
    assert (
        fingerprint(beside)
        == fingerprint(table.with_settings(population=tmp_path / "everybody.csv"))
        != fingerprint(table)
    )
    assert fingerprint(beside) != fingerprint(table.with_settings(population=everybody[:3]))
    other = beside.with_roles(["town"], "ill").with_hierarchies({}).drop(["age"])
    codes = np.array([[0], [2]], np.int32)
    assert other.population.fitting(codes, codes).tolist() == [1, 2]
    with pytest.raises(BadInput, match=r"no column 'town' .as quasi-identifier of the population"):
        table.with_settings(population=everybody.drop(columns="town"))


# People covered by labels, compared with a count of single people.

METHODS = {
    "full-domain": lambda rng: FullDomain(levels={"age": int(rng.integers(3)), "job": int(rng.integers(3))}),
    "local recoding": lambda _: LocalRecoding(),
    "Mondrian": lambda _: Mondrian(),
    "Mondrian on levels": lambda _: Mondrian(recode="levels"),
    "relaxed Mondrian": lambda _: Mondrian(strict=False),
    "clusters": lambda _: KMember(),
    "nothing": lambda _: Remove(),
}


def drawn(seed, missing=0.0):
    """Return a population and a table of some of its people, in which some leaves do not occur."""
    rng = np.random.default_rng(seed)
    jobs = [row[0] for row in ROWS]
    people = pd.DataFrame(
        {
            "age": (rng.beta(1, 3, 80) * 60).astype(int) + 20,
            "job": rng.choice([*jobs, "unlisted"], 80, p=[0.3, 0.05, 0.2, 0.05, 0.1, 0.05, 0.1, 0.05, 0.05, 0.05]),
        }
    )
    people["job"] = people["job"].where(rng.random(80) >= missing, None)
    listed = people[people.job != "unlisted"]
    sample = listed.sample(30, random_state=seed).reset_index(drop=True)
    hierarchies = {"age": Intervals(widths=(5, 20)), "job": Columns(ROWS)}
    return (
        people,
        Table.from_frame(sample, ["age", "job"], hierarchies=hierarchies).with_settings(population=people),
        rng,
    )


@pytest.mark.parametrize("method", METHODS)
@examples(10)
@given(seed=st.integers(0, 2**31), missing=st.sampled_from([0.0, 0.15]), safe=st.booleans())
def test_labels_cover_the_people_that_a_reader_would_count(method, seed, missing, safe):
    people, table, rng = drawn(seed, missing)
    if safe:  # ranges end where enough records do, or are open
        table = table.with_settings(regions={}, threshold=5)
    release = METHODS[method](rng)(table, KAnonymity(3) if method not in ("full-domain", "nothing") else None)
    if method == "nothing":
        assert release.classes.population_matches().tolist() == [80]
        return
    found = by_class(release, people_of(release, people))
    assert KMap().score(release.classes).tolist() == [len(covered) for _, covered in found]
    risk = max(1 / max(len(covered), records) for records, covered in found)
    assert ReidentificationRisk("largest", "journalist")(release).value == pytest.approx(risk)
    each = presence(found, len(people))
    covered = {person for _, some in found for person in some}
    assert DeltaPresence().score(release.classes) == pytest.approx(
        [max((each[person] for person in some), default=0) for _, some in found]
    )
    for low, high in ((0.0, 0.6), (0.2, 1.0), (0.3, 0.5)):
        audit = release.audit(DeltaPresence(low, high))
        assert audit.holds == all(low - 1e-9 <= one <= high + 1e-9 for one in each)
        assert audit.uncovered == (len(people) - len(covered) if low else 0)


def test_the_lower_limit_protects_people_whom_no_class_covers():
    people = pd.DataFrame({"job": list("AAABBBBBB")})
    table = Table.from_frame(people[:3], ["job"]).with_settings(population=people)
    release = Mondrian()(table)
    assert release.audit(DeltaPresence(0.0, 1.0)).holds
    audit = release.audit(DeltaPresence(0.1, 1.0))
    assert (audit.holds, audit.uncovered, len(audit.violating)) == (False, 6, 0)
    assert "6 people of the population whom no class covers" in str(audit)
    assert not release.audit(DeltaPresence(0.1, 1.0) & KAnonymity(2)).holds


def test_a_published_node_covers_its_leaves_that_the_table_lacks():
    people = pd.DataFrame({"job": ["a1"] * 2 + ["a2"] * 18 + ["b1"] * 4})
    sample = people[people.job.isin(["a1", "b1"])]
    table = Table.from_frame(sample, ["job"], hierarchies={"job": Columns(ROWS)}).with_settings(population=people)
    release = FullDomain(levels={"job": 1})(table)
    assert release.class_labels("job").tolist() == ["A", "B"]
    assert release.classes.population_matches().tolist() == [20, 4]
    assert DeltaPresence().score(release.classes).tolist() == [0.1, 1.0]  # two of those with a1 or a2
    assert not release.audit(DeltaPresence(0.2, 1.0)).holds


def test_people_covered_by_several_labels_count_once():
    people = pd.DataFrame({"age": [20, 30, 30, 40]})
    table = Table.from_frame(people[:3], ["age"]).with_settings(population=people)
    coverage = table.population.coverage(np.array([[0], [1]], np.int32), np.array([[1], [1]], np.int32))
    found = coverage.presence(np.array([1, 1]))  # one shows [20-30], one 30
    assert coverage.people.tolist() == [3, 2]
    assert found.most == pytest.approx([1 / 3 + 1 / 2, 1 / 3 + 1 / 2]) and found.least[0] == pytest.approx(1 / 3)
    assert found.uncovered == 1


@examples(10)
@given(seed=st.integers(0, 2**31), limits=st.sampled_from([(0.0, 0.5), (0.2, 0.6), (0.05, 0.45)]))
def test_full_domain_finds_a_node_exactly_where_a_search_of_all_nodes_does(seed, limits):
    people, table, _ = drawn(seed)
    low, high = limits
    allowed = []
    for age in range(4):
        for job in range(4):
            try:
                release = FullDomain(levels={"age": age, "job": job})(table)
            except BadInput:  # the hierarchy has fewer levels here
                continue
            found = by_class(release, people_of(release, people))
            if all(low - 1e-9 <= one <= high + 1e-9 for one in presence(found, len(people))):
                allowed.append((age, job))
    try:
        chosen = FullDomain(suppress=0)(table, DeltaPresence(low, high))
    except Unsatisfiable:
        assert not allowed
        return
    assert chosen.audit(DeltaPresence(low, high)).holds and allowed


@pytest.mark.parametrize("method", [name for name in METHODS if name != "nothing"])
def test_a_file_covers_the_people_whom_the_release_covers(method, tmp_path):
    for seed in range(6):
        people, table, rng = drawn(seed)
        if seed % 2:
            table = table.with_settings(regions={}, threshold=5)
        release = METHODS[method](rng)(table, KAnonymity(3) if method != "full-domain" else None)
        [path, *_] = release.export(tmp_path / "released.csv")
        read = foreign(path, original=table)
        assert read.classes.population_matches().tolist() == [
            len(some) for _, some in by_class(read, people_of(release, people))
        ]
        for model in (KMap(10), DeltaPresence(0.2, 0.6)):
            one, other = read.audit(model), release.audit(model)
            assert dict(one.achieved) == pytest.approx(dict(other.achieved))
            assert (one.holds, one.uncovered) == (other.holds, other.uncovered)


def test_another_tools_ranges_cover_numbers_that_the_original_lacks():
    people = pd.DataFrame({"age": [18, 20, 25, 39, 40, 55, 64, 90]})
    table = Table.from_frame(people.iloc[[1, 2, 4, 5]], ["age"]).with_settings(population=people)
    read = foreign(pd.DataFrame({"age": ["[20, 40)", "[20, 40)", ">=40", "*"]}), original=table)
    assert dict(zip(read.class_labels("age"), read.classes.population_matches().tolist(), strict=True)) == {
        "[20, 40)": 3, ">=40": 4, "*": 8,
    }  # fmt: skip


# Values of a population that the table lacks, and the labels that cover them.


def absent(sample, people, builder=None):
    hierarchies = {"x": builder} if builder else {}
    table = Table.from_frame(pd.DataFrame({"x": sample}), ["x"], hierarchies=hierarchies)
    found = AbsentValues.from_tables(
        table.with_settings(population=pd.DataFrame({"x": people})).origin.population, table
    )
    return found[0]


def test_absent_numbers_are_covered_by_ranges_and_intervals():
    found = absent([10, 12, 25, 31], [8, 11, 13, 29, 31, 39, 50], Intervals(widths=(10,)))
    assert found.places.tolist() == [-1, -2, -3, -4, 3, -5, -6]
    assert found.covered(0, 2, OF_VALUES).tolist() == [False, True, True, False, False, False]  # [10-25]
    assert found.covered(0, 1, OF_VALUES).tolist() == [False, True, True, False, False, False]  # the node [10-19]
    assert found.covered(3, 3, OF_VALUES).tolist() == [False] * 6  # 31
    assert found.covered(3, 3, 1).tolist() == [False, False, False, False, True, False]  # the node [30-39]
    assert found.covered(0, 3, 2).all()  # *


@pytest.mark.parametrize(
    "builder", [Columns(ROWS), Nested({"AB": {"A": ["a1", "a2"], "B": ["b1", "b2"]}, "CD": ["c1"]})]
)
def test_absent_text_is_covered_by_the_nodes_of_its_hierarchy(builder):
    found = absent(["a1", "b1", "c1"], ["a2", "b2", "unlisted", "a1"], builder)
    values = ["a2", "b2", "unlisted"]
    assert dict(zip(values, found.covered(0, 0, 1), strict=True)) == {"a2": True, "b2": False, "unlisted": False}
    assert dict(zip(values, found.covered(0, 1, 1), strict=True)) == {"a2": True, "b2": True, "unlisted": False}
    assert not found.covered(0, 0, OF_VALUES).any() and not found.covered(1, 2, OF_VALUES).any()


def test_a_star_of_the_hierarchy_covers_values_that_it_does_not_list():
    found = absent(["a", "b"], ["c", "d"], Columns([("a", "*"), ("b", "*"), ("c", "*")]))
    assert found.covered(0, 1, OF_VALUES).tolist() == [True, True]
    other = absent(["a", "b"], ["c", "d"], Columns([("a", "all"), ("b", "all"), ("c", "all")]))
    assert other.covered(0, 1, OF_VALUES).tolist() == [True, False]


def test_prefixes_and_dates_are_built_over_both():
    codes = absent(["60601", "60702"], ["60699", "60801"], Prefixes(3))
    assert codes.covered(0, 0, 1).tolist() == [True, False]
    days = absent(
        pd.to_datetime(["2024-01-05", "2024-02-01"]), pd.to_datetime(["2024-01-31", "2023-12-31"]), Dates("month")
    )
    assert days.covered(0, 0, 1).tolist() == [False, True]


def test_a_missing_value_is_covered_only_by_a_star():
    found = absent([1, 2, 3], [1, 2, None])
    assert len(found) == 1 and not found.covered(0, 2, OF_VALUES).any() and found.covered(0, 2, 1).all()
    table = absent([1, 3, None], [2, None])
    assert table.places.tolist() == [-1, 2]
    assert table.covered(0, 2, OF_VALUES).tolist() == [True] and table.covered(2, 2, OF_VALUES).tolist() == [False]


def test_a_range_covers_absent_numbers_up_to_its_printed_ends():
    ages = [*[20] * 12, *range(31, 52, 2), *[60] * 12, 83]
    table = Table.read(pd.DataFrame({"age": ages, "s": ["x", "y"] * (len(ages) // 2)}), ["age"], "s", regions={})
    people = Table.without_roles(pd.DataFrame({"age": [*ages, 10, 25, 53, 59, 61, 95]}))
    column = table.columns["age"]
    absent = AbsentValues.from_columns(people.columns["age"], column)
    shown = {column.ends.text(column, *run): run for run in ((0, 12), (1, 11), (12, 13))}
    assert set(shown) == {"[20-60]", "(20..60)", "60 and over"}
    covered = {text: absent.covered(*run, OF_VALUES).tolist() for text, run in shown.items()}
    assert covered["[20-60]"] == covered["(20..60)"] == [False, True, True, True, False, False]
    assert covered["60 and over"] == [False, False, False, False, True, True], "an open range covers all above"


# Values without records, added to a table's columns.

FRAME = pd.DataFrame(
    {
        "age": [20, 21, 35, 35, 50, 52, 20, 35] * 3,
        "job": ["a1", "b1", "c1", "a1", "b1", "c1", "a1", "b1"] * 3,
        "born": pd.to_datetime(["2000-01-05", "2001-03-04"] * 12),
        "ill": ["flu", "cold", "flu", "flu", "cold", "hiv", "flu", "cold"] * 3,
    }
)
ABSENT_VALUES_QUASI = ["age", "job", "born"]


def made():
    hierarchies = {"age": Intervals(widths=(10,)), "job": Columns(ROWS)}
    return Table.from_frame(FRAME, ABSENT_VALUES_QUASI, "ill", hierarchies=hierarchies)


def test_records_keep_their_values():
    table = made()
    more = {"age": ["5", "30", "99.5"], "job": ["a2", "zz"], "born": ["2000-06-01"], "ill": ["ague"]}
    wider = with_values(table, more)
    pd.testing.assert_frame_equal(wider.frame, table.frame, check_dtype=False)
    assert wider.columns["age"].values.tolist() == [5, 20, 21, 30, 35, 50, 52, 99.5]
    assert wider.columns["age"].counts.tolist() == [0, 6, 3, 0, 9, 3, 3, 0]
    assert wider.columns["born"].labels == ("2000-01-05", "2000-06-01", "2001-03-04")
    assert wider.sensitive["ill"].prior[wider.sensitive["ill"].labels.index("ague")] == 0
    levels = wider.columns["job"].hierarchy.levels
    job = wider.columns["job"]
    node = dict(zip(job.labels, np.array(levels[0].labels)[job.hierarchy.node(0)].tolist(), strict=True))
    assert node == {"a1": "A", "a2": "A", "b1": "B", "c1": "C", "zz": "zz"}


def test_figures_of_a_release_are_unchanged():
    table = made()
    wider = with_values(table, {"ill": ["ague"]})
    for measure in (PrivacyLoss(), UtilityLoss(0.1)):
        one, other = (measure(Mondrian()(each, KAnonymity(4))).value for each in (table, wider))
        assert other == pytest.approx(one)


def test_a_number_that_its_hierarchy_does_not_list_is_refused():
    rows = Columns([(str(age), "young" if age < 30 else "old") for age in (20, 21, 35, 50, 52)])
    table = Table.from_frame(FRAME, ["age"], "ill", hierarchies={"age": rows})
    with pytest.raises(BadInput, match="are missing from the hierarchy"):
        with_values(table, {"age": ["30"]})
