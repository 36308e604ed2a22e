"""Published reasons contain advice with numbers of the study, and no counts or values of the data."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.data.table import Table
from workbench.measures import UtilityLoss
from workbench.methods import Mondrian
from workbench.models import AlphaK, DistinctLDiversity, EntropyLDiversity, KAnonymity
from workbench.models import ProbabilisticLDiversity as Probabilistic
from workbench.publication.publish import publish
from workbench.publication.publishable_reasons import NOTHING, UNDEFINED, publishable_reason
from workbench.releases.perturbed import NO_CLASSES
from workbench.studies.study import Study


@pytest.fixture(scope="module")
def table() -> Table:
    """Return a table of 700 people, 647 with the most common of four diseases."""
    disease = np.repeat(["flu", "gout", "records", "5"], [647, 30, 20, 3])
    frame = pd.DataFrame({"age": np.arange(700) % 50, "disease": disease})
    return Table.from_frame(frame, quasi=["age"], sensitive="disease", types={"disease": "text"})


def why(call) -> str:
    with pytest.raises((Undefined, Unsatisfiable)) as caught:
        call()
    return str(caught.value)


ADVICE = {
    KAnonymity(2000): "the table has fewer records than k = 2,000",
    AlphaK(alpha=0.5, k=2): "the commonest value of 'disease' has a larger share than alpha = 0.5",
    DistinctLDiversity(l=9): "'disease' has fewer values than l = 9",
    Probabilistic(l=3): "the commonest value of 'disease' has a larger share than 1/l = 33.3 %",
}


@pytest.mark.parametrize(("model", "advice"), ADVICE.items(), ids=str)
def test_the_reason_of_an_unsatisfiable_model_has_the_requested_numbers(table, model, advice):
    raw = why(lambda: Mondrian()(table, model))
    told = publishable_reason(raw, table)
    assert told == f"no release of this table can satisfy {model}: {advice}"
    assert publishable_reason(told, table) == told, "a published reason is publishable"
    assert publishable_reason(f"{NOTHING}: {raw}", table) == f"{NOTHING}: {told}"
    assert publishable_reason(f"{raw}; 3 have 5", table) == publishable_reason(f"3 have 5: {raw}", table) == UNDEFINED


def test_advice_on_populations_is_published(table):
    raw = why(lambda: UtilityLoss(min_support=0.9)(Mondrian()(table, KAnonymity(2))))
    assert publishable_reason(raw, table) == raw


def test_other_reasons_are_hidden(table):
    mixed = why(lambda: Mondrian()(table, EntropyLDiversity(l=3)))
    for raw in (
        mixed,
        "no release of this table can satisfy k-anonymity, k = 5: the table has 4 records",
        "no release of this table can satisfy l: 'flu' has 30 values, fewer than l = 40",
        "no population has 1 % of the records; lower min_support to 3 records",
        "k = 5",
    ):
        assert publishable_reason(raw, table) == UNDEFINED


def test_the_error_that_nothing_can_be_published_names_the_requested_number(table, tmp_path):
    frame = pd.DataFrame({"age": np.arange(40) % 9, "disease": ["flu", "gout"] * 20})
    asked = {"study": "Ward", "data": {"given": "ward"}, "roles": {"quasi": ["age"], "sensitive": ["disease"]},
             "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 500}}],
             "measures": [{"name": "privacy loss"}, {"name": "utility loss"}]}  # fmt: skip
    with pytest.raises(BadInput, match="fewer records than k = 500") as caught:
        publish(Study.from_dict(asked), tmp_path / "out", given=frame)
    assert "40" not in str(caught.value)


def test_pages_call_a_class_a_group_unless_a_column_has_that_name(table):
    told = "its values were changed at random, record by record, so it has no groups"
    assert publishable_reason(NO_CLASSES, table) == publishable_reason(told, table) == told
    frame = pd.DataFrame({"classes": [1, 1, 2, 2], "s": list("xyxy")})
    assert publishable_reason(NO_CLASSES, Table.from_frame(frame, ["classes"], "s")) == NO_CLASSES
