import numpy as np
import pytest

from tests.methods.raking.tables import table
from workbench.measures.privacy.learning import about_learning, guessed_right
from workbench.methods import Mondrian
from workbench.miners.learning import learnt
from workbench.models import KAnonymity


@pytest.fixture(scope="module")
def release():
    return Mondrian(publish="bucketized")(table(), KAnonymity(100))


def test_guesses_of_who_learns_are_counted_and_others_are_believed(release):
    found = learnt(release, "illness")
    sizes, right = guessed_right(release, "illness", "learning")
    counted = sum(row[belief.argmax()] for row, belief in zip(found.true, found.learning, strict=True))
    assert sizes @ right == pytest.approx(counted)
    histogram = release.classes.histograms["illness"]
    sizes, right = guessed_right(release, "illness", "own class")
    assert sizes @ right == pytest.approx(histogram.max(axis=1).sum())


def test_the_sentence_tells_people_and_population_apart(release):
    found = learnt(release, "illness")
    sentence = about_learning(release, "illness", np.full(len(found.learning), 0.25))
    assert sentence.startswith("99.9 % of the people lose at most 0.25, on average 0.25. Who learns guesses right for")
    assert sentence.count("nats") == 3 and "which no release tells" in sentence
