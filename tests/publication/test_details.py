"""The published details of one release."""

import re

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table as exchanging
from tests.planted import people
from workbench import BadInput
from workbench.disclosure.exposure import assess_exposure
from workbench.methods import RakedBuckets
from workbench.models import TCloseness
from workbench.publication import groups
from workbench.publication.certainty import describe_certainty
from workbench.publication.details import Groups, _most_exposed, exposures
from workbench.publication.details import _risk as shown_risk
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.report.reporting import Report


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
                or "as mixed" in row["sentence"]
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
