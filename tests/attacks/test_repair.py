"""A witness is found by changing the count first and repairing the other figures."""

import pytest

from tests.attacks.repair import Repair
from tests.attacks.search import random_publications
from tests.attacks.witness_walk import CountKey, PublishedTable, published_text

ILL_AND_YOUNG = CountKey((0, 11, 0, 1, 0, 3), "ill", 1)  # one person, in the ward of 86 people of batch 18


@pytest.mark.parametrize("how, seed", [("study", 3), pytest.param("batch", 18, marks=pytest.mark.exhaustive)])
def test_a_table_with_another_count_has_identical_publications(how, seed):
    """The utility losses of the whole and of the ward in batch 18 are next to rounding boundaries."""
    studies, base, rng = random_publications(how, seed)
    study_index = len(studies) - 1
    first = PublishedTable(studies[study_index], base)
    key = ILL_AND_YOUNG if how == "batch" else next(iter(first.small_counts()))
    other = Repair(studies, base, study_index, key, rng).witness(8000)
    assert other is not None and PublishedTable(studies[study_index], other).count(key) != first.count(key)
    assert [published_text(study, base) for study in studies] == [published_text(study, other) for study in studies]


def test_a_larger_difference_of_a_figure_has_a_larger_weight():
    (study,), base, _ = random_publications("study", 3)
    first, near, far = (PublishedTable(study, base) for _ in range(3))
    for changed, factor in ((near, 1.01), (far, 2.0)):
        figure = next(name for name, value in first.exact.items() if value)
        changed.figures = {**first.figures, figure: "different"}
        changed.exact = {**first.exact, figure: factor * first.exact[figure]}
    assert first.distance(first) == 0 < first.distance(near) < first.distance(far)
