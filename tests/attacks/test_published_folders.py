"""Attacks on a published folder: combined files, and neutral columns that identify people."""

import re

import numpy as np
import pytest

from tests.planted import people, planted
from workbench import BadInput
from workbench.data import datasets
from workbench.data.table import Table
from workbench.disclosure.several_releases import count_certain
from workbench.frontier.sweep import sweep
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.publication import groups, statements
from workbench.publication.decisions import decisions_of, opened_by
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.selection import redact_points
from workbench.redaction.controlled_rounding import describe_count as counted
from workbench.redaction.controlled_rounding import round_count
from workbench.releases.published_classes import Scale
from workbench.releases.side_information import nearly_identifying_columns
from workbench.studies.study import Study

FEW = 10


# --- several files


def test_at_most_four_files_are_included_unless_all_are_requested(tmp_path):
    study, warned = planted(tmp_path), []
    offered = Published(publish(study, tmp_path / "offered", warn=warned.append))
    every = Published(publish(study, tmp_path / "every", releases="all", warn=warned.append))
    choices = set(offered.choices(offered.results["cap"]).values()) - {None}
    safe = {i for i in choices if not offered.points[i]["against"]}
    assert set(offered.included) == safe <= choices and len(safe) <= 4
    assert all("not safe enough" in offered.opened(i)["refused"] for i in choices - safe)
    assert all(bool(offered.files(i)) == (i in offered.included) for i in offered.efficient)
    assert all(path.name.startswith("who-is-ill-release") for path in offered.folder.rglob("*.csv"))
    opened = [i for i, point in enumerate(every.points) if point["opened"]]
    assert every.included == opened and every.results["together"]["files"] == len(opened) > 4
    left = next(i for i in opened if i not in choices and not offered.points[i]["against"])
    assert "offered when this was published" in offered.opened(left)["refused"]
    with pytest.raises(BadInput, match="'all'"):
        publish(study, tmp_path / "other", releases="every")


@pytest.mark.parametrize("neutral", [(), ("wage",)], ids=["by class", "joined by a neutral column"])
def test_certainty_from_several_files_equals_what_an_attacker_finds(neutral):
    frame = people()[["age", "town", "sex", "disease", *neutral]]
    table = Table.from_frame(frame, quasi=["age", "town", "sex"], sensitive="disease")
    releases = [Mondrian()(table, KAnonymity(k)) for k in (2, 3, 5)]
    groups, values = [release.group_of_record for release in releases], frame["disease"].tolist()

    def values_in_common(columns, record):
        return {values[other] for other in range(len(values)) if all(g[other] == g[record] for g in columns)}

    found = count_certain(table, releases)
    alone = max(sum(len(values_in_common([one], i)) == 1 for i in range(len(values))) for one in groups)
    sure = (
        [i for i in range(len(values)) if len(values_in_common(groups, i)) == 1]
        if neutral
        else certain_by_subtraction(groups, values)
    )
    assert found == (len(sure), alone, bool(neutral)) and len(sure) > alone > 0
    crossed = sum(
        len(set.intersection(*(values_in_common([one], i) for one in groups))) == 1 for i in range(len(values))
    )
    assert len(sure) > crossed > alone
    assert count_certain(table, releases[:1])[0] == count_certain(table, releases[:1])[1]


def certain_by_subtraction(groups, values):
    """Return the records whose value follows from the counts of all classes.

    Bound the number of people with each value in each intersection of classes, and tighten the bounds by subtraction
    until they no longer change.
    """
    crossing = [*zip(*(group.tolist() for group in groups), strict=True)]
    least = {(own, value): 0 for own in set(crossing) for value in set(values)}
    most = dict.fromkeys(least, len(values))
    sums = [([(own, value) for value in set(values)], crossing.count(own)) for own in set(crossing)]
    for file, group in enumerate(groups):
        for one in set(group.tolist()):
            for value in set(values):
                there = [(own, value) for own in set(crossing) if own[file] == one]
                sums.append((there, sum(g == one and v == value for g, v in zip(group, values, strict=True))))
    before = None
    while before != (before := (sum(least.values()), sum(most.values()))):
        for parts, total in sums:
            for part in parts:
                most[part] = min(most[part], total - sum(least[other] for other in parts if other != part))
                least[part] = max(least[part], total - sum(most[other] for other in parts if other != part))
    sure = {own for own in set(crossing) if sum(most[own, value] > 0 for value in set(values)) == 1}
    assert all(most[own, value] > 0 for own, value in zip(crossing, values, strict=True))
    return [i for i, own in enumerate(crossing) if own in sure]


@pytest.mark.slow
def test_the_certainty_of_a_folder_includes_its_tables(tmp_path):
    """16 releases of Adult disclose 2,330 people with certainty, the four offered files 21, and the tables 90."""
    ready = Study.open(datasets.DATA / "studies" / "li_li_2009.yaml")
    table = ready.table(ready.read())
    swept = sweep(table, ready.candidates(), ready.measured()).on(*ready.axes)
    seen = redact_points(swept, table, 10)
    opened = [point.recipe.release(table) for point in seen.measured]
    shown = [opened[number - 1] for number in opened_by(seen, decisions_of(seen, ready))]
    assert count_certain(table, shown)[:2] == (2330, 90)
    read = Published(publish(ready, tmp_path / "out"))
    files = [opened[i] for i in read.included]
    shown = [opened[i] for i, point in enumerate(read.points) if point["opened"]]
    assert count_certain(table, files).together == 21 < count_certain(table, files, shown).together
    statement = read.results["together"]
    assert statement["files"] == len(files) and statement["certain"] == round_count(
        count_certain(table, files, shown).together, 10
    )
    begins, attackers = (
        f"Anyone with all {len(files)} files (‘Recommended’, ‘A bit safer’",
        [who for who, _ in statements.attackers(read, 0, read.results["cap"])],
    )
    assert any(who.startswith(begins) and "and all the tables" in who for who in attackers)
    best = read.opens(read.results["cap"])
    assert statements.alone(read, best, read.results["cap"]) == (
        "Publish only this file. Anyone who also gets the 3 other files offered where this page opens (‘A bit safer’, "
        "‘A bit more accurate’ and ‘Simplest to explain’) and the tables of this page can be certain of the occupation "
        f"of at least about {statement['certain']} of about 46,030 people."
    )
    elsewhere = statements.alone(read, best, read.privacy["high"])
    assert "other files offered where this page opens and the tables" in elsewhere, "other files are offered there"
    assert not any("Recommended" in who for who, _ in statements.attackers(read, 0, read.privacy["high"]))
    without = next(i for i, one in enumerate(read.points) if one["opened"] and i not in read.included)
    assert statements.alone(read, without, None).startswith(
        "Publish only one file. Anyone who gets the 4 files offered where this page opens and the tables of this page"
    )
    surest = [read.opened(i)["surest"] for i, point in enumerate(read.points) if point["opened"]]
    sure = [one for one in surest if one["figure"]]
    rows = [row for i, point in enumerate(read.points) if point["opened"] for row in read.exposures(i, most=10**6)[1]]
    assert (sure or any(row["sentence"].startswith("All of them") for row in rows)) and "nobody" not in statement[
        "sentence"
    ]
    assert counted(count_certain(table, files, shown).together, 10).removesuffix(" people") in statement["sentence"]


# --- neutral columns


def table_with(**columns) -> Table:
    frame = people()[["age", "town", "disease"]].assign(**columns)
    return Table.from_frame(frame, quasi=["age", "town"], sensitive="disease")


NUMBERS = np.arange(600)
NAMING = {
    "a number per person": ("member", [f"m{i}" for i in NUMBERS], True),
    "an integer per person": ("code", NUMBERS * 7, True),
    "half of them missing": ("member", [f"m{i}" if i % 2 else None for i in NUMBERS], True),
    "each twice": ("member", NUMBERS // 2, False),
    "each twice, with the name of an identifier": ("patient_id", NUMBERS // 2, True),
    "two values with the name of an identifier": ("phone", ["yes", "no"] * 300, False),
    "a measurement": ("cm", NUMBERS * 0.37, False),
    "a social security number read as a measurement": ("ssn", NUMBERS * 0.5, True),
    "a category": ("ward", NUMBERS % 20, False),
}


@pytest.mark.parametrize(("name", "values", "refused"), NAMING.values(), ids=NAMING)
def test_a_neutral_column_that_nearly_names_people_is_not_exported(name, values, refused, tmp_path):
    release = Mondrian()(table_with(**{name: values}), KAnonymity(20))
    assert (nearly_identifying_columns(release) == [name]) == refused
    if refused:
        with pytest.raises(BadInput, match=f"'{name}' nearly identifies people.*identifiers.*giveaways=True"):
            release.export(tmp_path / "r.csv")
        assert not list(tmp_path.iterdir())
        assert release.export(tmp_path / "r.csv", giveaways=True)[0].exists()


def test_undeclared_identifiers_are_not_exported_and_the_analyst_is_warned(tmp_path):
    frame = people().assign(ssn=[f"{i:03}-45-6789" for i in range(600)])
    study = planted(tmp_path).with_(data={"given": "people"}, identifiers=())
    warned = []
    read = Published(publish(study, tmp_path / "out", given=frame, warn=warned.append))
    assert not list(read.folder.rglob("*.csv"))
    for path in read.folder.rglob("*"):
        assert not path.is_file() or (b"planted-" not in path.read_bytes() and b"-45-6789" not in path.read_bytes())
    assert "name nearly names people, ssn nearly names people" in read.opened(read.efficient[0])["refused"]
    warnings = " ".join(warned)
    assert "'ssn' (neutral) is different" in warnings and "No file of a release was written" in warnings
    assert "Neutral (published unchanged): name, wage and ssn." in warnings
    assert statements.as_they_are(read) in warnings


def test_notes_for_the_analyst_are_printed_on_stderr_by_default(tmp_path, capsys):
    publish(planted(tmp_path), tmp_path / "out")
    printed = capsys.readouterr()
    assert "note: Neutral (published unchanged): wage" in printed.err and not printed.out


# --- the study's limit and the measure of exposure


def test_a_limit_that_no_release_satisfies_is_reported(tmp_path):
    warned = []
    study = planted(tmp_path, caps={"P_loss": 0.001, "R_id": 0.1})
    read = Published(publish(study, tmp_path / "out", warn=warned.append))
    assert (
        read.results["caps"] == {"P_loss": 0.001, "R_id": 0.1} and read.results["cap"] == read.privacy["low"] == 0.001
    )
    assert not read.decision(0.001)["satisfied"] and read.choices(0.001)["recommended"] is None
    said = (
        "the limit of at most 0.001 on privacy loss, combined with its limits on other measures. The nearest is number"
    )
    assert said in statements.limit(read) and statements.limit(read) in warned
    points = sweep(study.table(study.read()), study.candidates(), study.measured()).measured
    within = {str(point.recipe) for point in points if point.values["R_id"] <= 0.1}
    assert {read.points[number - 1]["recipe"] for number in read.decision(None)["within"]} == within - {"remove"}
    assert "candidates violate the study's limit of at most 0.1 on re-identification" in read.results["others"]
    none = Published(publish(study.with_(caps={"R_id": 1e-9}), tmp_path / "none"))
    assert "No candidate satisfies the study's limit" in none.results["others"] and len(none.points) == len(points)
    loose = Published(publish(planted(tmp_path, caps={"P_loss": 0.6}), tmp_path / "out"))
    assert loose.decision(0.6)["satisfied"] and loose.results["cap"] == 0.6


def test_the_losses_of_classes_and_of_full_disclosure_use_one_distance(tmp_path):
    measures = [{"name": "privacy loss", "distance": "variation"}, {"name": "utility loss"}]
    study = planted(tmp_path, measures=measures, axes=["P_loss(distance=variation)", "U_loss"])
    read = Published(publish(study, tmp_path / "out"))
    scale = Scale(**read.privacy["scale"])
    usual = scale.share + FEW / 2 / 600  # at most
    assert scale.max_share(0.1) == pytest.approx(usual + 0.1, abs=0.02), "in the study's own distance"
    assert {"title", "figure", "unit", "sentence"} == set(statements.most_exposed(read, read.efficient[0]))


def test_the_most_exposed_group_is_described_in_plain_words(tmp_path):
    read = Published(publish(planted(tmp_path), tmp_path / "out", releases=False))
    most = [Scale(**read.privacy["scale"]).max_share(read.loss(i, read.privacy)) for i in read.efficient]
    assert len(set(most)) >= 3, "rounded losses distinguish releases, though not in the order of the exact ones"
    sentences = " ".join(" ".join(statements.most_exposed(read, i).values()) for i in read.efficient)
    plain = r"\d+ % of the worst group have disease “\w+”; of everybody, \d+ % do .*About \d+ people: age "
    assert re.search(plain, sentences)
    opened = [i for i, point in enumerate(read.points) if point["opened"]]
    words = " ".join(row["sentence"] + groups.how_many(read, row) for i in opened for row in read.exposures(i)[1])
    assert "fewer than 20 people" in words
    safe = [i for i in read.efficient if not read.points[i]["against"]]
    assert safe and all("guessed right; without" in statements.learnt(read, i)["unit"] for i in safe)
