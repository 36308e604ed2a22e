"""A group shows the sensitive column in which a value is closest to certainty."""

from dataclasses import replace

import numpy as np
import pytest

from tests.releases.test_published_classes import random_classes
from workbench.data.sensitive import Sensitive
from workbench.models.classes import Classes
from workbench.publication.exposed_values import choose_exposed_values
from workbench.releases.published_classes import redact_classes

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
