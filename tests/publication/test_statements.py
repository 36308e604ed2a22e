"""Statements about a published release."""

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.planted import people, planted
from tests.publication.published import included_files, study_release
from workbench.base.figures import format_number
from workbench.data.table import Table
from workbench.data.wording import Wording
from workbench.frontier.sweep import sweep
from workbench.measures import UtilityLoss
from workbench.publication import cost, statements
from workbench.publication.offer import PublishedStudy
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.page import data
from workbench.publication.results import _exposure


def test_the_share_of_right_guesses_is_that_of_the_released_file(whole):
    """Count in the file how often the most common value of each group is right."""
    read = whole
    for index in included_files(read):
        file, *_ = read.files(index)
        released = pd.read_csv(file, dtype=str)
        groups = released.groupby(["age", "town", "sex"])["disease"]
        right = groups.agg(lambda values: values.value_counts().iloc[0]).sum() / len(released)
        attack = read.opened(index)["attack"]
        assert abs(attack["right"] - right) * 600 <= 20, "both the baseline guess and the gain are rounded"
        chance = released["disease"].value_counts(normalize=True).iloc[0]
        assert abs(attack["chance"] - chance) * 600 < 10
        assert attack["commonest"] == released["disease"].value_counts().index[0]
        sample = read.opened(index)["accuracy"]["sample"]
        assert (sample is not None) == (" about them as the " in cost.cost(read, index)["sentence"])
        assert sample is None or 0 < sample <= 1
        share = round(100 * attack["right"])
        assert f"right for about {share} people in 100" in statements.guesses(read, index)
        card = statements.learnt(read, index)
        assert card["figure"] == f"About {share} in 100" or read.points[index]["against"]
        assert attack["commonest"] not in card["figure"] + card["unit"], "they are in the index of a batch, too"
        assert attack["commonest"] in card["sentence"]
        assert "age, town and sex" in statements.attackers(read, index, None)[0][0]
        assert read.opened(index)["classes"] == groups.ngroups


def test_a_study_of_a_sample_states_the_size_of_the_population(study, tmp_path):
    few = study.with_(data={**study.data, "sample": 500}, recipes=study.recipes[:1])
    read = Published(publish(few, tmp_path / "out", releases=False, warn=lambda said: None))
    assert statements.about(read).startswith("About 500 people, a random sample of about 600 people. An attacker")
    assert "The table is about 500 people, a random sample of about 600 people." in data(read, 0, None)
    assert "sample: 500" in read.study_text()


def test_nine_in_ten_large_groups_are_reported_within_the_range(tmp_path):
    """Large groups have shares in steps of a twentieth or less, so that no share is of few people."""
    study = planted(tmp_path, smallest=5)
    read, table = Published(publish(study, tmp_path / "out", releases=False)), study.table(study.read())
    for index in read.efficient:
        said = read.opened(index)["accuracy"]["example"]
        detail = UtilityLoss()(study_release(read, index, table)).detail
        fine = detail["support"] >= 20 * read.smallest
        assert said["support"] == max(0.05, 0.17) and fine.any()
        told, truth = detail["told"][fine].ravel(), detail["truth"][fine].ravel()
        near = (truth >= said["low"] - 1e-9) & (truth <= said["high"] + 1e-9)
        assert near.sum() >= 20
        assert (np.abs(told - truth)[near] <= said["off"] + 1e-9).mean() >= 0.9
        assert f"{100 * said['low']:g} to {100 * said['high']:g} %" in cost.example(read, index)
        assert f"off by up to {100 * said['off']:.0f} percentage point" in cost.example(read, index)
        assert cost.example(read, index).startswith(f"A true {100 * said['about']:g} % may appear as ")


def test_more_accurate_releases_within_the_limit_are_counted_with_objections(read, study, table):
    """The recommended release is not called the most accurate if unsafe ones satisfy the limit."""
    cap = max(read.loss(i, read.privacy) for i in read.efficient)
    best = read.opens(cap)
    exact = [point.values for point in sweep(table, study.candidates(), study.measured()).measured]
    better = [
        i
        for i, point in enumerate(read.points)
        if not point["baseline"] and exact[i]["P_loss"] <= cap and exact[i]["U_loss"] < exact[best]["U_loss"]
    ]
    said = statements.more_accurate(read, best, cap)
    assert better and all(read.points[i]["against"] for i in better)
    assert said.startswith(
        "One more accurate release satisfies" if len(better) == 1 else f"{len(better)} more accurate"
    )
    first = min(better, key=lambda i: exact[i]["U_loss"])
    assert all(one in said for one in read.points[first]["against"])
    assert statements.more_accurate(read, read.opens(None), None) == "", "there is no limit to satisfy"
    assert statements.more_accurate(read, best, read.privacy["low"]) == ""


def test_a_comparison_of_two_releases_names_both_gains_and_losses(read):
    """The most exposed people may be safer although more guesses are right overall."""
    shown = [i for i in read.efficient if "reason" not in read.opened(i)["attack"]]
    safer, first = shown[0], shown[-1]
    assert statements.comparison_sentence(read, safer, first) == "Safer for the person exposed most, and less accurate."
    assert (
        statements.comparison_sentence(read, first, safer)
        == "Less safe for the person exposed most, and more accurate."
    )
    points = [dict(point) for point in read.points]
    for i, right in ((safer, 0.306), (first, 0.285)):
        points[i]["opened"] = {**points[i]["opened"], "attack": {**points[i]["opened"]["attack"], "right": right}}
    study = PublishedStudy({**read.results, "points": points})
    assert statements.comparison_sentence(study, safer, first).endswith(
        "Yet over all people the disease is guessed right more often: for 31 in 100, not 28."
    )
    assert statements.comparison_sentence(study, first, safer).endswith(
        "guessed right less often: for 28 in 100, not 31."
    )
    assert (
        statements.comparison_sentence(study, first, first)
        == "About as safe for the person exposed most, and about as accurate."
    )


def test_the_card_states_one_share_and_what_the_limit_allows_for_that_value(tmp_path):
    read = Published(publish(planted(tmp_path, caps={"P_loss": 0.2}), tmp_path / "out", releases=False))
    shown = [statements.most_exposed(read, i, 0.2) for i in read.efficient]
    found = [re.search(r"the limit for this value: (\d+) %", card["unit"]) for card in shown]
    hidden = [statements.hidden_by_rounding(read, i, 0.2) for i in read.efficient]
    assert any(hidden) and all(not (one and near) for one, near in zip(found, hidden, strict=True)), (
        "it would exceed the limit"
    )
    named = ["have disease" in card["unit"] for card in shown]
    assert [one is not None for one in found] == [one and not near for one, near in zip(named, hidden, strict=True)]
    for i, card, allowed in zip(read.efficient, shown, found, strict=True):
        if allowed is None:
            continue
        assert "of the worst group have disease" in card["unit"] and "may have it at most" not in card["sentence"]
        if read.within(i, 0.2):
            assert int(re.findall(r"(\d+) %", card["figure"])[-1]) <= int(allowed[1])
    assert "limit" not in statements.most_exposed(read, read.efficient[0], None)["unit"]


def test_attackers_with_different_files_are_distinguished(read):
    """Every certain value follows from the tables of the page; the files together give none."""
    together = {**read.results["together"], "certain": 90, "sentence": "the disease of about 90 of about 600 people"}
    of_files = {**together, "of_files": "nobody’s disease"}
    points = [dict(point) for point in read.points]
    shown = next(i for i in read.included if i in read.efficient)
    telling = next(i for i in read.efficient if i != shown)
    sure = {"certain": "", "figure": "About 90 people", "unit": "", "sentence": ""}
    for i in [i for i, point in enumerate(points) if point["opened"]]:
        none = {**points[i]["opened"]["surest"], "figure": ""}
        points[i]["opened"] = {**points[i]["opened"], "surest": sure if i == telling else none}
    study = PublishedStudy({**read.results, "points": points, "together": of_files})
    said = statements.alone(study, shown, None)
    assert said.startswith("Publish only this file, and do not pass this page on: one table that can be opened on it (")
    assert points[telling]["recipe"] in said and "reveals the disease of about 90 of about 600 people." in said
    assert said.endswith(("jointly reveal nobody’s disease.", "The file reveals nobody’s disease."))
    found = dict(statements.attackers(study, shown, None))
    assert [of for who, of in found.items() if "tables" in who] == ["the disease of about 90 of about 600 people"]
    assert [
        of
        for who, of in found.items()
        if who.startswith(("Anyone with all", "Anyone with both")) and "tables" not in who
    ] == ["nobody’s disease"]


def test_the_promise_names_its_attacker(read):
    one = next(i for i, point in enumerate(read.points) if point["settings"]["model"])
    said = statements.holds(read, one)
    assert (
        said.startswith("What this version promises holds against an attacker who knows everybody’s ")
        and "group by itself" in said
    )
    assert said.endswith("One who learns from all groups together may be surer of the disease.")
    none = next(i for i, point in enumerate(read.points) if not point["settings"]["model"])
    assert statements.holds(read, none) == "", "there is no promise about groups"


def test_the_end_of_the_chart_is_not_called_certainty_if_no_loss_is_that_large(tmp_path):
    """No posterior exceeds a half with l = 2, and the published loss does not exceed what that allows."""
    recipes = [{"method": {"name": "mondrian"}, "model": {"name": "l-diversity", "l": [2.0, 2.5]}}]
    read = Published(publish(planted(tmp_path, recipes=recipes), tmp_path / "out", releases=False))
    assert all(read.loss(i, read.privacy) < read.privacy["scale"]["dearest"] for i in read.efficient)
    assert statements.ends(read) == ["nobody stands out", "more may be learned"]


def test_the_end_of_the_chart_may_be_certainty_if_groups_are_small(read):
    assert statements.ends(read)[1] == "somebody’s value may be certain"


def test_every_card_is_about_the_same_sensitive_column(tmp_path):
    frame = people().assign(coin=["heads", "tails"] * 300)
    roles = {"quasi": ["age", "town", "sex"], "sensitive": ["coin", "disease"], "identifiers": ["name", "wage"]}
    study = planted(tmp_path, data={"given": "people"}, roles=roles)
    read = Published(publish(study, tmp_path / "out", given=frame, releases=False))
    shown = [i for i, point in enumerate(read.points) if point["opened"]]
    assert {read.opened(i)["attack"]["sensitive"] for i in shown} == {read.privacy["scale"]["column"]}
    assert {read.opened(i)["accuracy"]["sensitive"] for i in shown} == {"disease"}
    said = [statements.learnt(read, i)["sentence"] for i in shown]
    assert all("he best guess of the " in one or "guesses the " in one for one in said)
    assert "of each group one sensitive column is shown" in read.results["exposure"]


def test_guesses_are_stated_per_1000_people_if_these_exceed_the_rounding(read):
    """Regression: a page about 2,571 people stated 514 in 1,000 instead of 511, since counts are rounded to 10."""
    study = PublishedStudy({**read.results, "table": {**read.results["table"], "records": 10_000}})
    index = next(i for i in read.efficient if not read.points[i]["against"])
    right = math.ceil(round(1000 * read.opened(index)["attack"]["right"], 9))
    assert statements.learnt(study, index)["figure"] == f"{right} in 1,000"
    assert re.fullmatch(r"About \d+ in 100", statements.learnt(read, index)["figure"])


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({}, "(those that at most half of everybody have); of each group"),
        ({"disease": ["Flu"]}, "(those that the study names, of other columns those that at most half of everybody"),
        ({"disease": ["Flu"], "coin": ["heads"]}, "(those that the study names); of each group"),
    ],
)
def test_the_choice_of_values_shown_for_groups_is_stated(declared, said):
    """A group shows another value although a common one is closer to certainty."""
    frame = people().assign(coin=["heads"] * 400 + ["tails"] * 200)[["age", "disease", "coin"]]
    table = Table.from_frame(frame, quasi=["age"], sensitive=["disease", "coin"])
    table = replace(table, settings=replace(table.settings, wording=Wording(harmful=declared)))
    assert said in _exposure(table) and ("80 %" in _exposure(table)) == bool(declared)


def test_nothing_is_called_weighted_without_large_groups(read):
    table = {**read.results["table"], "weighted": True}
    assert "which are marked as weighted; all other shares" in statements.about(
        PublishedStudy({**read.results, "table": table})
    )
    bare = statements.about(PublishedStudy({**read.results, "table": {**table, "sensitive": []}}))
    assert bare.endswith("by a survey weight. All shares and numbers are of these people themselves.")


def test_a_page_about_few_people_is_for_internal_use(read, tmp_path):
    assert "internal use" not in statements.about(read), "600 people at a threshold of 10"
    few = Published(publish(planted(tmp_path, smallest=11), tmp_path / "few", releases=False))
    assert "For internal use only: in a table of fewer than 660 people" in statements.about(few)


# --- statements about limits never contradict the decision


def test_a_figure_within_the_limit_is_not_displayed_above_it(read):
    seen = 0
    for stop in read.stops:
        for number in read.decision(stop)["within"]:
            index = number - 1
            shown, value = statements.shown_figure(read, index, stop), float(read.points[index]["values"]["P_loss"])
            assert statements.hidden_by_rounding(read, index, stop) == (value > stop)
            assert shown == (f"at most {format_number(stop)}" if value > stop else format_number(value, "lower"))
            seen += value > stop
    assert seen, "some published figures exceed a limit that the exact one satisfies"


def test_an_unsatisfied_limit_is_stated_with_the_nearest_release(study, tmp_path):
    asked = study.with_(caps={"P_loss": 0.001})
    read = Published(publish(asked, tmp_path / "out", releases=False, warn=lambda text: None))
    said = statements.limit(read)
    assert said.startswith("No candidate satisfies the limit of at most 0.001 on privacy loss. The nearest is")
    assert f"number {read.opens(0.001) + 1}, {read.points[read.opens(0.001)]['recipe']}, with " in said
    assert statements.unsatisfied(read, read.stops[-1]) == "" == statements.unsatisfied(read, None)


def test_the_absence_of_a_limit_is_stated(read):
    assert statements.limit(read) == "" and statements.scale(read, None) == "no limit"
