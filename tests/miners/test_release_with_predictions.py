"""The completed release: gains computed by hand, and predictions never lower them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench import Table
from workbench.base.errors import Undefined
from workbench.measures import AccuracyGain, KnowledgeGain
from workbench.methods import Mondrian, Remove
from workbench.methods.keep import Keep
from workbench.miners.release_with_predictions import gains
from workbench.models import KAnonymity


def table_of(ages, ill):
    return Table.from_frame(pd.DataFrame({"age": ages, "ill": ill}), ["age"], "ill")


def test_gains_counted_by_hand():
    table = table_of([20, 30, 20, 30], list("xyxy"))
    release = Remove()(table)
    found = gains(release, "ill", np.array([0, 1, 0, 1]))
    assert found.accuracy == pytest.approx((0, 0.5))  # with the predictions, everybody's value is certain
    assert found.knowledge == pytest.approx((0, 0.5))
    nothing = gains(release, "ill", np.array([0, 0, 1, 1]))
    assert nothing.accuracy == nothing.knowledge == (0, 0)


def test_without_predictions_the_gains_are_those_of_the_release():
    rng = np.random.default_rng(0)
    ages = rng.integers(20, 60, 300)
    table = table_of(ages, np.where(ages + rng.integers(0, 30, 300) > 55, "x", np.where(ages % 2, "y", "z")))
    release = Mondrian()(table, KAnonymity(7))
    found = gains(release, "ill", np.full(300, -1))
    assert found.accuracy == pytest.approx([AccuracyGain()(release).value] * 2)
    assert found.knowledge == pytest.approx([KnowledgeGain()(release).value] * 2)


@examples(40)
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("xyz"), st.integers(-1, 3)), min_size=2, max_size=60))
def test_gains_never_decrease(rows):
    ages, ill, predicted = zip((1, "x", 0), (2, "y", 0), *rows, strict=True)  # two values at least
    release = Mondrian()(table_of(ages, ill), KAnonymity(2))
    found = gains(release, "ill", np.array(predicted))
    assert found.accuracy[1] >= found.accuracy[0] - 1e-12
    assert found.knowledge[1] >= found.knowledge[0] - 1e-12


def test_buckets_publish_quasi_identifiers_unchanged_and_have_no_completed_release():
    release = Mondrian(publish="bucketized")(table_of([20, 30, 40, 50], list("xyxy")), KAnonymity(2))
    with pytest.raises(Undefined, match="regions alone"):
        gains(release, "ill", np.zeros(4, int))
    assert Keep()(table_of([1, 2], list("xy"))).classes
