"""The published details of one release."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table as exchanging
from tests.planted import people
from tests.releases.test_published_classes import random_classes
from workbench import BadInput
from workbench.base.errors import Undefined
from workbench.data.hierarchies.builders import Intervals
from workbench.data.published import published_total
from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.disclosure.exposure import assess_exposure
from workbench.methods import Keep, Mondrian, RakedBuckets, Remove
from workbench.models import KAnonymity, TCloseness
from workbench.models.classes import Classes
from workbench.publication import groups
from workbench.publication.certainty import describe_certainty
from workbench.publication.details import REST, Groups, _most_exposed, choose_exposed_values, distributions, exposures
from workbench.publication.details import _risk as shown_risk
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.reporting import Report
from workbench.releases.published_classes import redact_classes


def test_classes_are_those_of_the_file_with_small_counts_suppressed(whole):
    read = whole
    index = next(i for i, point in enumerate(read.points) if point["recipe"].startswith("k-anonymity, k = 4 "))
    released = pd.read_csv(read.files(index)[0], dtype=str)
    truth = released.groupby(["age", "town", "sex"])["disease"].value_counts().unstack(fill_value=0)
    count, rows = read.exposures(index, most=10_000)
    assert count == len(rows) == len(truth)
    keys = [(row["small"], -row["share"], -(row["posterior"] or 0), -(row["people"] or 0), row["who"]) for row in rows]
    assert keys == sorted(keys) and 0 < sum(row["small"] for row in rows) == read.opened(index)["small"]
    assert "fewer than 20 people" in groups.order(read, index)
    for row in rows:
        known = [truth.index.get_level_values(i) == v for i, v in enumerate(row["labels"]) if v is not None]
        size = int(truth[np.logical_and.reduce(known)].to_numpy().sum())
        people = row["people"]
        assert size < 20 if people is None else people >= 20 and abs(people - size) < 10, (
            "no difference discloses a small count"
        )
        assert groups.how_many(read, row) == (f"about {people} people" if people else "fewer than 20 people")
        having = int(truth[np.logical_and.reduce(known)][row["value"]].sum()) if row["value"] else None
        if people is None:
            assert (row["value"], row["posterior"], row["prior"]) == (None, None, None)
            assert row["sentence"] == "The group is too small: its values are not published." and 0 < row["share"] <= 1
            continue
        assert having is not None or "that few people have" in row["sentence"]
        few_do = having is not None and (having < 15 or 0 < size - having < 15)
        assert (row["posterior"] is None) == (people < 100 or few_do or having is None)
        if row["posterior"] is None:
            assert (
                re.match(r"(Over |Under |\d+–)\d+ % of", row["sentence"])
                or "about the same as among" in row["sentence"]
                or (having == size >= 15)
            )
        else:
            assert row["posterior"] == pytest.approx(having / size, abs=0.05)
        if having is not None:
            usual = truth[row["value"]].sum() / 600
            moved = (having / size - usual) / (1 - usual)
            assert row["share"] >= moved - 0.02, "the published figure is never better"
            assert row["fewest"] <= max(moved, 0) + 0.02
        assert 0 <= row["fewest"] <= row["share"] <= 1 and groups.how_exposed(row).endswith((" %", "not published"))


def test_populations_contain_no_small_count(read):
    for index in read.efficient:
        for row in read.populations(index):
            assert row["truth"] == round(row["truth"], 2) and 0 < row["truth"] < 1
            assert row["share"] * 600 >= 20


def test_people_at_risk_for_any_sensitive_column_are_counted(study, tmp_path):
    frame = people()
    frame["salary"] = np.where(frame["name"] > "planted-0270", "high", "low")
    both = study.with_(data={"given": "p"}, sensitive=("disease", "salary"), identifiers=("name", "wage"))
    table = both.table(both.read(frame))
    release = both.candidates()[0].release(table)
    risks = [assess_exposure(release, name).losses.at_risk() for name in table.sensitive]
    either = int(release.classes.sizes[risks[0] | risks[1]].sum())
    assert either > max(int(release.classes.sizes[one].sum()) for one in risks)
    said = shown_risk(Groups(release, 1))["at_risk"]
    assert said.startswith(f"{either:,} of ") and "600" in said


@pytest.mark.parametrize("t", [0.1, 0.00001])
def test_no_values_of_people_are_stated_if_values_were_swapped(t):
    table = exchanging(1)
    release, model = RakedBuckets()(table, TCloseness(t, distance="js")), TCloseness(t, distance="js")
    groups = Groups(release, 10, t, model)
    sentences = exposures(groups)["sentence"].to_pylist()
    worst, guess = _most_exposed(groups, "js"), describe_certainty(release, 10, model)
    assert all("published" in one for one in sentences)
    for text in (*sentences, worst["unit"], worst["sentence"], guess["sentence"]):
        assert not re.search(r"\b(have|right|are about|is about)\b", text), text


def test_single_groups_are_not_published_for_few_people(study, tmp_path):
    few = study.with_(smallest=11)  # 600 people are fewer than 60 times the threshold
    read = Published(publish(few, tmp_path / "few"))
    assert not list(read.folder.rglob("disclosure.parquet"))
    for i, point in enumerate(read.points):
        if point["opened"]:
            assert "so few people" in point["opened"]["classes"]["reason"] and not point["opened"]["small"]
            assert "reason" in point["opened"]["worst"] and not read.populations(i)
            assert all("reason" in point["opened"][one] for one in ("attack", "surest", "risk"))
            assert all(why.endswith("so few people that the reason is not published") for why in point["against"])
            assert groups.unlisted(read, i).endswith("so few people that its groups are not listed.")
            with pytest.raises(BadInput, match="not listed"):
                read.exposures(i)
    page = Report(read)["classes"].body
    assert "its groups are not listed." in page and "<table" not in page


# --- a group shows the sensitive column in which a value is closest to certainty

FEW = 10


def classes_from_counts(**counts) -> Classes:
    """Return classes with given counts for each column: classes x values."""
    counts = {name: np.array(rows) for name, rows in counts.items()}
    seen = {
        name: Sensitive(name, tuple(f"{name} {v}" for v in range(rows.shape[1])), rows.sum(axis=0), ())
        for name, rows in counts.items()
    }
    return Classes(next(iter(counts.values())).sum(axis=1), counts, seen)


def test_an_exposed_value_is_shown_and_not_a_mix_of_many_values():
    """The first class has many rare diagnoses that differ from the others, but 75 % are well, not 40 %."""
    many = np.array([[20] * 15 + [0] * 15, [40] * 15 + [140] * 15])
    well = np.array([[225, 75], [1000, 1700]])
    classes = classes_from_counts(diagnosis=many, well=well)
    by_loss = redact_classes(classes, "js", FEW)
    assert by_loss.exposed_value(0)[0].name == "diagnosis"
    found = choose_exposed_values(classes, FEW)
    seen, label, count, of = found.exposed_value(0)
    assert (seen.name, label, count, of) == ("well", "well 0", 225, 300)
    usual = 1225 / 3000
    low, high = found.certainty_gain(0)
    assert low <= (0.75 - usual) / (1 - usual) <= high and high - low < 0.1


def test_a_value_that_most_people_have_is_never_the_exposed_value():
    """Nearly everyone in the first class has no asthma, like everyone else: this is harmless and not named."""
    asthma, disease = np.array([[295, 5], [2500, 200]]), np.array([[150, 150], [900, 1800]])
    found = choose_exposed_values(classes_from_counts(asthma=asthma, disease=disease), FEW)
    assert found.exposed_value(0)[:2][0].name == "disease" and found.exposed_value(0)[1] == "disease 0"
    assert [
        choose_exposed_values(classes_from_counts(asthma=asthma), FEW).exposed_value(row)[1] for row in range(2)
    ] == [
        "asthma 1",
        "asthma 1",
    ]


def test_the_harmful_value_with_the_largest_increase_of_odds_is_shown():
    """One value rises from 6 to 55 %; the common one falls from 60 to 40 %, the other from 34 to 5 %."""
    counts = np.array([[80, 110, 10], [1120, 10, 670]])
    assert choose_exposed_values(classes_from_counts(ill=counts), FEW).exposed_value(0)[1] == "ill 1"


def test_only_values_declared_harmful_are_shown():
    classes = classes_from_counts(ill=np.array([[80, 110, 10], [1120, 10, 670]]))
    declared = replace(classes.sensitive["ill"], harmful=("ill 2",))
    found = choose_exposed_values(replace(classes, sensitive={"ill": declared}), FEW)
    assert [found.exposed_value(row)[1] for row in range(2)] == ["ill 2", "ill 2"]


@pytest.mark.parametrize("kind", ["a few", "many", "nearly all the same"])
def test_the_exposure_of_a_group_is_that_of_its_most_exposed_column(kind):
    rng = np.random.default_rng(3)
    for _ in range(10):
        one = random_classes(kind, rng)
        coin = rng.binomial(one.sizes, rng.beta(2, 2, len(one)))
        both = classes_from_counts(ill=one.histograms["ill"], coin=np.stack([coin, one.sizes - coin], axis=1))
        found = choose_exposed_values(both, FEW)
        for name in both.histograms:
            alone = choose_exposed_values(classes_from_counts(**{name: both.histograms[name]}), FEW)
            for row in range(len(one)):
                news = alone.exposed_value(row)[0].prior[alone.value[row]] <= 0.75
                assert not news or found.certainty_gain(row)[1] >= alone.certainty_gain(row)[1] - 1e-9


def test_the_column_shown_for_a_small_group_does_not_depend_on_its_values():
    """The column does not depend on the values of the 12 people in the first group."""
    shown = set()
    for few in (0, 3, 12):
        first, second = np.array([[few, 12 - few], [600, 700]]), np.array([[12 - few, few], [300, 1000]])
        found = choose_exposed_values(classes_from_counts(a=first, b=second), FEW)
        shown.add((found.exposed_value(0)[0].name, found.exposed_value(0)[1], found.certainty_gain(0)))
    assert len(shown) == 1


@pytest.mark.parametrize("kind", ["two values", "a small table", "nearly all the same"])
def test_equal_classes_have_equal_rows(kind):
    rng = np.random.default_rng(5)
    ill = random_classes(kind, rng).histograms["ill"][rng.integers(0, 4, 50)]
    first_or_not = np.stack([ill[:, 0], ill[:, 1:].sum(axis=1)], axis=1)
    found = choose_exposed_values(classes_from_counts(ill=ill, first=first_or_not), FEW)
    first, number = found.distinct
    assert len(first) < len(ill)
    for row, like in enumerate(first[number].tolist()):
        for tells in (found.certainty_gain, found.published_prior, found.posterior, found.belief_sentence):
            assert tells(row) == tells(like)
        assert found.exposed_value(row)[1:] == found.exposed_value(like)[1:]


# --- published distributions of original and release: coarse, without rare values and cells of cross tables

RARE = "Markeritis"


def table(records=900, rare=4, richest=987_654, smallest_town=0):
    rng = np.random.default_rng(4)
    ill = rng.choice(["flu", "gout", "cold"], records, p=[0.6, 0.3, 0.1]).astype(object)
    ill[:rare] = RARE
    town = rng.choice(["Ash", "Elm"], records)
    town[records - smallest_town :] = "Fir"
    wage = rng.integers(1000, 9000, records)
    wage[0] = richest
    frame = pd.DataFrame({"age": rng.integers(20, 70, records), "town": town, "wage": wage, "ill": ill})
    return Table.from_frame(frame, ["age", "town", "wage"], "ill", hierarchies={"age": Intervals(widths=(5, 10))})


def test_numbers_are_coarse_and_rare_values_are_merged():
    found = distributions(Mondrian()(table(), KAnonymity(20)), 10)
    assert [one["column"] for one in found["columns"]] == ["age", "town", "ill"]
    for one in found["columns"]:
        for row in one["rows"]:
            assert row["before"] % 10 == row["after"] % 10 == 0 and RARE not in row["label"]
            assert row["before"] >= 20 or row["label"] == REST
        assert sum(row["before"] for row in one["rows"]) == published_total(table(), 10), "the parts add up"
    ill = {row["label"]: row for row in found["columns"][-1]["rows"]}
    seen = table().sensitive["ill"]
    published = dict(zip(seen.labels, seen.published(10).tolist(), strict=True))
    assert ill["flu"]["before"] == published["flu"]
    assert ill.get(REST, {"before": 0})["before"] == published[RARE] in (0, 10)


def test_the_maximum_value_does_not_affect_the_published_distribution():
    """Bins of equal width would begin and end at single people's values: such a column is not published."""
    told = [distributions(Keep()(table(richest=rich)), 10)["columns"] for rich in (9_500, 987_654)]
    assert told[0] == told[1] and "wage" not in {one["column"] for one in told[0]}


def test_one_step_of_a_cross_table_is_published():
    found = distributions(Mondrian()(table(), KAnonymity(60)), 10)
    assert found["pairs"] and all(set(one) == {"columns", "moved"} for one in found["pairs"])
    assert {tuple(one["columns"]) for one in found["pairs"]} >= {("age", "ill"), ("town", "ill"), ("age", "town")}
    assert all(0 <= one["moved"] <= 1 for one in found["pairs"])
    assert [one["moved"] for one in found["pairs"]] == sorted((one["moved"] for one in found["pairs"]), reverse=True)
    kept = distributions(Keep()(table()), 10)["pairs"]
    assert {one["moved"] for one in kept} == {0.0}


def test_no_count_of_the_original_is_published_for_a_release_with_suppressed_records():
    release = Mondrian()(table(), KAnonymity(60)).without(np.array([0]))
    with pytest.raises(Undefined, match="suppressed"):
        distributions(release, 10)


def test_no_distributions_are_published_of_few_people_or_removed_columns():
    with pytest.raises(Undefined, match="so few"):
        distributions(Keep()(table(500)), 10)
    assert [one["column"] for one in distributions(Remove()(table()), 10)["columns"]] == ["ill"]
