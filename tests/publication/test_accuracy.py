"""The share of a large group that a release counts under a wrong value: counted and comparable between releases."""

import numpy as np
import pandas as pd
import pytest

from tests.planted import people, planted
from tests.publication.published import study_release
from workbench.data.table import Table
from workbench.measures import UtilityLoss
from workbench.methods import Mondrian, Remove
from workbench.models import KAnonymity
from workbench.models.distribution_distances import misplaced_share
from workbench.publication import cost
from workbench.publication.accuracy import accuracy_of, comparable, dearest
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published


def table_of(count=6000) -> Table:
    frame = people(count)[["age", "town", "sex", "disease"]]
    return Table.from_frame(frame, quasi=["age", "town", "sex"], sensitive="disease")


def shares_under_a_wrong_value(release, measure) -> np.ndarray:
    """Return the share of each large group in excess of the published shares."""
    detail = measure(release).detail
    missing = [
        sum(max(t - r, 0.0) for t, r in zip(truth, estimate, strict=True))
        for truth, estimate in zip(detail["truth"].tolist(), detail["told"].tolist(), strict=True)
    ]
    return np.array(missing)


@pytest.mark.parametrize("k", [20, 200, 3000])
def test_the_share_is_counted_and_not_a_bound(k):
    release, measure = Mondrian()(table_of(), KAnonymity(k=k)), UtilityLoss()
    value = measure(release).value
    found, _ = accuracy_of(release, measure, 10, value)
    each = shares_under_a_wrong_value(release, measure)
    assert found["counted"] and each.mean() <= found["wrong"] <= 1.2 * each.mean() + 0.01
    bound = misplaced_share(measure.distance, value)
    assert found["wrong"] < bound or bound == 0.01, "the maximum for such a loss"
    assert max(each.max(), found["wrong"]) <= found["most"] <= each.max() + 0.05 + 1e-9
    assert round(100 * found["wrong"], 9) % 1 == 0


def test_only_what_follows_from_the_loss_is_published_for_small_tables():
    release, measure = Mondrian()(table_of(300), KAnonymity(k=20)), UtilityLoss()
    found, rows = accuracy_of(release, measure, 10, 0.1)
    assert found["wrong"] == misplaced_share(measure.distance, 0.1)
    assert not found["counted"] and found["most"] is None and rows == []


def test_all_releases_are_compared_by_the_column_with_the_largest_loss():
    frame = people(3000)[["age", "town", "sex", "disease"]].assign(coin=["heads", "tails"] * 1500)
    table = Table.from_frame(frame, quasi=["age", "town", "sex"], sensitive=["coin", "disease"])
    measure = UtilityLoss()
    assert dearest(table, measure) == "disease" == measure(Remove()(table)).detail["sensitive"]
    for k in (2, 500):
        found, _ = accuracy_of(Mondrian()(table, KAnonymity(k=k)), measure, 10, 0.01)
        assert found["sensitive"] == "disease"


def test_a_release_with_a_smaller_loss_never_shows_a_larger_share(read):
    shown = [i for i, point in enumerate(read.points) if point["opened"]]
    details = {i: read.opened(i) for i in shown}
    losses = {i: {"U_loss": n / 10} for n, i in enumerate(reversed(shown))}
    for n, i in enumerate(reversed(shown)):
        details[i] = {**details[i], "accuracy": {**details[i]["accuracy"], "wrong": [0.3, 0.1, 0.2][n % 3]}}
    found = comparable(details, losses)
    wrong = [found[i]["accuracy"]["wrong"] for i in reversed(shown)]
    assert wrong == sorted(wrong) and set(wrong) == {0.3}, "the largest share at this loss"
    assert all(one["accuracy"]["most"] is None or one["accuracy"]["most"] >= 0.3 for one in found.values())


def test_the_card_states_the_average_and_the_maximum(tmp_path):
    study = planted(tmp_path, smallest=5)
    read, table = Published(publish(study, tmp_path / "out", releases=False)), study.table(study.read())
    ranked = sorted(read.efficient, key=lambda i: read.loss(i, read.utility))
    shown = [cost.cost(read, i) for i in ranked]
    assert [int(card["figure"].split()[0]) for card in shown] == sorted(
        int(card["figure"].split()[0]) for card in shown
    )
    for i, card in zip(ranked, shown, strict=True):
        true = 100 * shares_under_a_wrong_value(study_release(read, i, table), UtilityLoss()).mean()
        assert true <= int(card["figure"].split()[0]), "the published share is not too small"
        assert card["unit"].startswith("of the people in a large group are counted with the wrong disease, on average")


def test_a_nearly_certain_value_of_a_large_group_is_not_published_if_the_release_hides_it():
    """Everyone in the harbor votes red, and the release mixes them with others: the page must not disclose it."""
    rng = np.random.default_rng(4)
    town = np.repeat(["harbour", "hill", "mill"], [600, 2400, 3000])
    party = np.where(rng.random(6000) < np.where(town == "hill", 0.6, 0.2), "red", "blue")
    party[town == "harbour"] = "red"
    party[:6] = "blue"  # 1 % of them
    frame = pd.DataFrame({"town": town, "age": rng.integers(20, 60, 6000), "party": party})
    table = Table.from_frame(frame, quasi=["town", "age"], sensitive="party")
    release, measure = Remove()(table), UtilityLoss()
    _, rows = accuracy_of(release, measure, 10, measure(release).value)
    named = {row["who"].split(" · ")[0] for row in rows}
    assert "town hill" in named and not any("harbour" in who for who in named)
    for row in rows:  # the share of one of two values determines the other
        assert 0.05 < row["truth"] < 0.95


def test_a_difference_by_rounding_is_not_an_error():
    """The release is off by up to 3 points, and shares of 500 people are published in steps of 5 points."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": np.repeat(np.arange(20, 40), 500), "ill": rng.random(10_000) < 0.37})
    table = Table.from_frame(frame.astype({"ill": str}), quasi=["age"], sensitive="ill")
    release, measure = Mondrian()(table, KAnonymity(k=4000)), UtilityLoss()
    detail = measure(release).detail
    off = np.abs(detail["truth"] - detail["told"]).max(axis=1)
    steps = np.abs(np.round(20 * detail["truth"]) - np.round(20 * detail["told"])).max(axis=1)
    assert 0.01 < off.max() < 0.05 and steps.max() == 1, "one step apart although nearly equal"
    assert accuracy_of(release, measure, 10, measure(release).value)[1] == []


def test_small_groups_are_small_whatever_their_weight():
    """No share is published for groups of 30 records that represent thousands, nor for the worst of them."""
    frame = people(600)[["age", "town", "sex", "disease"]].assign(weight=5000.0)
    table = Table.from_frame(frame, quasi=["age", "town", "sex"], sensitive="disease", weight="weight")
    release, measure = Mondrian()(table, KAnonymity(k=60)), UtilityLoss()
    found, rows = accuracy_of(release, measure, 10, measure(release).value)
    assert found["most"] is None and all(row["share"] >= 200 / 600 - 0.05 for row in rows)
    same = frame.drop(columns="weight")
    plain = Table.from_frame(same, quasi=["age", "town", "sex"], sensitive="disease")
    unweighted = Mondrian()(plain, KAnonymity(k=60))
    other, others = accuracy_of(unweighted, measure, 10, measure(unweighted).value)
    assert other["wrong"] == found["wrong"] and others == rows and other["example"] == found["example"]
