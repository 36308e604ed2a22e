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
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.data.records import fingerprint
from workbench.data.table import Table
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
