"""A partition with sets of values instead of runs, compared with naive counts."""

import csv
import json

import numpy as np
import pandas as pd
import pytest

from tests.releases.toys import Cluster
from workbench import Recipe, Store, Table, disclosure_table, sweep
from workbench.measures import GeneralizationSteps, InformationLoss, PrivacyLoss, UtilityLoss
from workbench.methods import Keep
from workbench.releases.base import COVERING_CLASSES
from workbench.releases.foreign import foreign

CITIES = ["Aix", "Bern", "Cork, IE", "Delft", "Essen", "Faro"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    rank = rng.beta(1, 2, 240)
    city = rng.choice(6, 240, p=[0.3, 0.05, 0.3, 0.05, 0.25, 0.05])
    frame = pd.DataFrame({"age": (rank * 60).astype(int), "city": [CITIES[c] for c in city]})
    frame["ill"] = np.array(["cold", "flu", "none"])[(np.clip(rank + rng.normal(0, 0.2, 240), 0, 0.99) * 3).astype(int)]
    frame.loc[frame.index % 31 == 0, "city"] = None
    return Table.from_frame(frame, ["age", "city"], "ill")


@pytest.fixture(scope="module")
def release(table):
    return Cluster(12)(table)


def members(release):
    """The records of each class, by number."""
    return [np.flatnonzero(release.group_of_record == c) for c in range(len(release.classes))]


def codes(release, name):
    """The codes of each class's records."""
    return [release.table.codes[name][records] for records in members(release)]


def test_a_class_shows_the_values_that_its_records_have(release):
    held = release.classes.sets[1]
    assert [set(np.flatnonzero(row)) for row in held] == [set(found) for found in codes(release, "city")]
    assert any(np.ptp(np.flatnonzero(row)) + 1 > row.sum() for row in held), "some set is no run"


def test_a_population_covers_the_share_of_a_set_that_is_in_it(table, release):
    age = table.columns["age"]
    runs = np.array([[[a, b], [c, d]] for a, b in ((0, 9), (5, age.size - 1)) for c, d in ((1, 3), (2, 2), (3, 6))])
    left, right = age.edges
    expected = np.zeros((len(runs), 3))
    for p, ((a, b), (c, d)) in enumerate(runs):
        for records, ages, cities in zip(members(release), codes(release, "age"), codes(release, "city"), strict=True):
            inside = min(right[ages.max()], right[b]) - max(left[ages.min()], left[a])
            share = max(inside, 0) / (right[ages.max()] - left[ages.min()])
            share *= len([one for one in {*cities} if c <= one <= d]) / len({*cities})
            expected[p] += share * np.bincount(table.codes["ill"][records], minlength=3)
    assert release.estimate(runs, "ill") == pytest.approx(expected)
    assert UtilityLoss(0.1)(release).value > 0


def test_the_loss_counts_the_values_of_a_set(release):
    wide, sizes = [len({*found}) - 1 for found in codes(release, "city")], release.classes.sizes
    assert InformationLoss()(release).detail["width"]["city"] == pytest.approx(np.average(wide, weights=sizes))
    raised = GeneralizationSteps()(release).detail["per_attribute"]["city"]
    assert raised == pytest.approx(np.average([n > 0 for n in wide], weights=sizes))


def test_labels_name_every_value_and_no_other(table, release):
    labels, names = release.class_labels("city"), table.columns["city"].value_labels()
    for label, found in zip(labels, codes(release, "city"), strict=True):
        inside = {names[code] for code in found}
        assert all(name in label for name in inside) and not any(name in label for name in {*CITIES} - inside)
    assert foreign(release.frame(), original=table).own_classes.sizes.sum() == table.records


def test_classes_are_merged_by_their_sets_and_not_by_the_runs_around_them():
    frame = pd.DataFrame({"age": [1, 1, 1, 2, 2, 2], "city": ["a", "b", "c", "a", "c", "c"], "ill": list("xyxyxy")})
    release = Cluster(3)(Table.from_frame(frame, ["age", "city"], "ill"))
    assert len(release.classes) == 2 and release.class_labels("city").tolist() == ["{a, b, c}", "{a, c}"]
    whole = release.classes.merged(np.array([0, 0]))
    assert whole.sets[1].tolist() == [[True] * 3] and release.classes.take(np.array([1])).sets[1].sum() == 2


def test_a_set_goes_into_codebook_files_store_and_tables(table, release, tmp_path):
    release.export(tmp_path / "out.csv", smallest=1)
    labels = set(release.class_labels("city"))
    book = json.loads((tmp_path / "out-codebook.json").read_text())["columns"]["city"]
    assert {one["label"] for one in book} == labels
    listed = next(one for one in book if one["label"].startswith("{"))
    assert listed["values"] and all(value in listed["label"] for value in listed["values"])
    with open(tmp_path / "out.csv", newline="") as file:
        assert {row["city"] for row in csv.DictReader(file)} == labels
    assert set(disclosure_table(release)["city"]) == labels
    store = Store(tmp_path / "points")
    frontier = sweep(table, [Recipe(Cluster(12))], [PrivacyLoss(), UtilityLoss()], store)
    kept = store.classes(frontier.measured[0].key)
    assert [list(found) for found in kept["set:city"]] == [np.flatnonzero(r).tolist() for r in release.classes.sets[1]]


def test_covering_classes_pool_all_records_that_cover_a_person(table, release):
    sizes, beliefs = release.posterior("ill", COVERING_CLASSES)
    found, every = {}, list(zip(members(release), codes(release, "age"), codes(release, "city"), strict=True))
    for age, city in zip(table.codes["age"], table.codes["city"], strict=True):
        covering = [r for r, ages, cities in every if ages.min() <= age <= ages.max() and city in cities]
        found[age, city] = np.bincount(table.codes["ill"][np.concatenate(covering)], minlength=3)
    expected = [found[key] / found[key].sum() for key in sorted(found)]
    assert sizes.sum() == table.records and beliefs == pytest.approx(np.array(expected))
    own, apart = PrivacyLoss()(release).value, PrivacyLoss(adversary=COVERING_CLASSES)(release).value
    assert 0 < apart <= own
    assert "adversary=covering classes" in PrivacyLoss(adversary=COVERING_CLASSES).key
    assert PrivacyLoss().key == "P_loss"


def test_disjoint_classes_have_equal_posteriors_for_both_attackers(table):
    kept = Keep()(table)
    assert PrivacyLoss(adversary=COVERING_CLASSES)(kept).value == pytest.approx(PrivacyLoss()(kept).value)
