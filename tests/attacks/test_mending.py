"""A count that steps at random do not change is changed first, and what is told otherwise is mended."""

import pytest

from tests.attacks.everything import Seen, What, everything
from tests.attacks.mending import Mending
from tests.attacks.search import published

ILL_AND_YOUNG = What((0, 11, 0, 1, 0, 3), "ill", 1)  # one person, in the ward of 86 people of batch 18


@pytest.mark.parametrize("how, seed", [("study", 3), pytest.param("batch", 18, marks=pytest.mark.exhaustive)])
def test_another_table_with_another_count_is_published_alike(how, seed):
    """In batch 18 the utility losses of the whole and of the ward are near the ends of what is told as they are."""
    studies, base, rng = published(how, seed)
    among = len(studies) - 1
    first = Seen(studies[among], base)
    what = ILL_AND_YOUNG if how == "batch" else next(iter(first.small()))
    other = Mending(studies, base, among, what, rng).witness(8000)
    assert other is not None and Seen(studies[among], other).count(what) != first.count(what)
    assert [everything(study, base) for study in studies] == [everything(study, other) for study in studies]


def test_a_figure_that_is_farther_off_counts_more():
    (study,), base, _ = published("study", 3)
    first, near, far = (Seen(study, base) for _ in range(3))
    for seen, factor in ((near, 1.01), (far, 2.0)):
        key = next(one for one, value in first.exact.items() if value)
        seen.figures = {**first.figures, key: "otherwise"}
        seen.exact = {**first.exact, key: factor * first.exact[key]}
    assert first.far(first) == 0 < first.far(near) < first.far(far)
