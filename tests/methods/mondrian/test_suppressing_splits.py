"""Records are suppressed if a split compensates for them, within the limit, and the others satisfy the model."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.tables import HIERARCHIES, random_frame
from workbench.base.errors import Unsatisfiable
from workbench.data.table import Table
from workbench.measures import InformationLoss
from workbench.methods import Mondrian
from workbench.models import AlphaK, KAnonymity, ProbabilisticLDiversity, TCloseness

MODELS = [KAnonymity(5), KAnonymity(3) & ProbabilisticLDiversity(2), TCloseness(0.2)]


def make_table(seed: int) -> Table:
    frame = random_frame(seed, 150, missing=0.05 * (seed % 2))
    return Table.from_frame(frame, ["whole", "word", "day"], "s", ["person"], HIERARCHIES)


@examples(25)
@given(st.integers(0, 10**6), st.sampled_from(MODELS), st.sampled_from([0.02, 0.1, 0.4]), st.booleans())
def test_suppression_stays_within_its_limit_and_the_model_is_satisfied(seed, model, share, bucketized):
    table = make_table(seed)
    try:
        release = Mondrian(suppress=share, publish="bucketized" if bucketized else "generalized")(table, model)
    except Unsatisfiable:
        return
    assert 0 <= release.suppressed <= share * table.records
    assert release.classes.sizes.sum() + release.suppressed == table.records
    assert release.audit(model).holds
    published = np.bincount(release.group_of_record, minlength=len(release.classes) + 1)
    assert published[:-1].tolist() == release.classes.sizes.tolist() and published[-1] == release.suppressed


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_suppression_reduces_the_loss(model):
    """The loss falls, although all quasi-identifiers of suppressed records are lost, too."""
    lost = []
    for seed in range(12):
        table = make_table(seed)
        without, with_ = (Mondrian(suppress=share)(table, model) for share in (0.0, 0.1))
        lost.append([InformationLoss()(release).value for release in (without, with_)])
    before, after = np.mean(lost, axis=0)
    assert after < before or model is MODELS[0]
    assert after <= before


def test_a_class_that_violates_the_model_is_suppressed_if_no_split_helps():
    """One value is too frequent in the whole table, but not without a class that has only this value."""
    frame = pd.DataFrame({"q": [1] * 40 + [2] * 60, "s": ["a"] * 40 + ["a", "b", "c"] * 20})
    table = Table.from_frame(frame, ["q"], "s")
    with pytest.raises(Unsatisfiable):
        Mondrian()(table, AlphaK(0.4, 2))
    release = Mondrian(suppress=0.4)(table, AlphaK(0.4, 2))
    assert release.suppressed == 40 and release.classes.sizes.tolist() == [60]
