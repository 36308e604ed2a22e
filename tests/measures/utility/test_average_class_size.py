"""The average class size in sentences: one rounding for all numbers of a sentence."""

import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.measures import AverageClassSize
from workbench.methods import Mondrian
from workbench.models import KAnonymity


@pytest.mark.parametrize(
    ("k", "sentence"),
    [
        (1, "A class has 23.1 records on average."),
        (10, "A class has 23.1 records on average, 2.31 times k = 10."),
    ],
)
def test_numbers_of_one_sentence_agree(k, sentence):
    """13 classes of 300 records: the sentence for 23.05 used to be "23.0 records on average, 23.1 times k = 1"."""
    frame = pd.DataFrame(
        {"age": [*[1] * 144, *[i for i in range(2, 14) for _ in range(13)]], "ill": ["no", "yes"] * 150}
    )
    release = Mondrian()(Table.from_frame(frame, ["age"], "ill"), KAnonymity(13))
    assert len(release.classes) == 13
    found = AverageClassSize(k=k)(release)
    assert found.value == pytest.approx(300 / 13 / k) and found.sentence == sentence


@pytest.mark.parametrize(
    ("k", "sentence"),
    [
        (1, "A class has at most 33 records on average."),
        (10, "A class has at most 3.3 times k = 10 records on average."),
    ],
)
def test_the_published_figure_is_called_a_bound(k, sentence):
    """The figure is rounded up to a preferred number: a page used to show 290 in one place, and 330 in another."""
    frame = pd.DataFrame({"age": list(range(10)) * 29, "ill": ["no", "yes"] * 145})
    release, measure = Mondrian()(Table.from_frame(frame, ["age"], "ill"), KAnonymity(29)), AverageClassSize(k=k)
    value, said = measure.publish(measure(release), release, 10)
    assert len(release.classes) == 10 and value == pytest.approx(33 / k) and said == sentence
