"""The people among whom an attacker searches, and the published form of the largest probability."""

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table
from workbench.data.table import Table
from workbench.measures.privacy.attackers import (
    WHO,
    expected_chance,
    group_sizes,
    guess_accuracy,
    largest_published_risk,
    learning_sentence,
    search_groups,
)
from workbench.methods import Keep, Mondrian, RakedBuckets
from workbench.miners.adversary import learned_beliefs
from workbench.models import KAnonymity, TCloseness

SAMPLE = pd.DataFrame({"age": [1, 2, 2, 3, 3, 3]})
PEOPLE = pd.DataFrame({"age": [1] * 20 + [2] * 4 + [3] * 3})


def integral(size, fraction):
    s = (np.arange(400_000) + 0.5) / 10_000
    u = np.exp(-s)
    return fraction * float((u**size / (fraction + (1 - fraction) * u)).sum()) / 10_000


@pytest.mark.parametrize("fraction", [0.001, 0.05, 0.49, 0.5, 0.9])
def test_the_expected_chance_is_an_integral(fraction):
    sizes = np.array([1, 2, 7, 59, 60, 61])
    assert expected_chance(sizes, fraction) == pytest.approx([integral(one, fraction) for one in sizes], rel=1e-4)
    assert expected_chance(sizes, 1.0) == pytest.approx(1 / sizes)


def test_each_attacker_searches_among_different_people():
    release = Keep()(Table.from_frame(SAMPLE, ["age"]))
    beside = Keep()(Table.from_frame(SAMPLE, ["age"]).with_settings(population=PEOPLE))
    assert group_sizes(release).tolist() == [1, 2, 3]
    assert search_groups("prosecutor", beside, 0.1).risk == pytest.approx([1, 1 / 2, 1 / 3])
    assert search_groups("journalist", beside, 0.1).risk == pytest.approx([1 / 20, 1 / 4, 1 / 3])
    assert search_groups("journalist", release, 0.1).risk == pytest.approx(
        [integral(f, 0.1) for f in (1, 2, 3)], rel=1e-4
    )


@pytest.mark.parametrize("attacker", WHO)
def test_the_largest_probability_is_never_published_too_low(attacker):
    for people in (
        Table.from_frame(SAMPLE, ["age"]),
        Table.from_frame(SAMPLE, ["age"]).with_settings(population=PEOPLE),
    ):
        release = Keep()(people)
        for smallest in (1, 10):
            assert (
                largest_published_risk(attacker, release, 0.2, smallest)
                >= search_groups(attacker, release, 0.2).risk.max() - 1e-12
            )


@pytest.fixture(scope="module")
def release():
    return Mondrian(publish="bucketized")(table(), KAnonymity(100))


def test_guesses_of_a_learning_attacker_are_counted(release):
    found = learned_beliefs(release, "illness")
    sizes, right = guess_accuracy(release, "illness", "learning")
    counted = sum(row[belief.argmax()] for row, belief in zip(found.true, found.learning, strict=True))
    assert sizes @ right == pytest.approx(counted)
    histogram = release.classes.histograms["illness"]
    sizes, right = guess_accuracy(release, "illness", "own class")
    assert sizes @ right == pytest.approx(histogram.max(axis=1).sum())


@pytest.mark.parametrize("adversary", ["own class", "covering classes"])
def test_guesses_of_swapped_values_are_counted(adversary):
    """A bucket shows less of its commonest value than its people have, so guessing it is right more often."""
    data = table(1)
    release = RakedBuckets()(data, TCloseness(0.02, distance="js"))
    told, right = release.classes.histograms["illness"], 0.0
    for value, bucket in zip(data.model_view.codes["illness"], release.group_of_record, strict=True):
        guessed = np.flatnonzero(told[bucket] == told[bucket].max())
        right += (value in guessed) / len(guessed)
    sizes, found = guess_accuracy(release, "illness", adversary)
    assert sizes.sum() == 1500 and sizes @ found == pytest.approx(right)
    assert right > 1.1 * told.max(axis=1).sum()


def test_the_sentence_distinguishes_people_and_population(release):
    found = learned_beliefs(release, "illness")
    sentence = learning_sentence(release, "illness", "learning", np.full(len(found.learning), 0.25))
    assert sentence.startswith(
        "99.9 % of the people lose at most 0.25, on average 0.25. A learning attacker guesses correctly for"
    )
    assert sentence.count("nats") == 3 and "fitted to other people" in sentence
