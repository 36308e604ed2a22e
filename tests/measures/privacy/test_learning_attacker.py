import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.measures.privacy.learning_attacker import guess_accuracy, learning_sentence
from workbench.methods import Mondrian, RakedBuckets
from workbench.miners.adversary import learned_beliefs
from workbench.models import KAnonymity, TCloseness


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
    for value, bucket in zip(data.sensitive_codes("illness"), release.group_of_record, strict=True):
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
