"""Miners as they are typed in a field."""

import pytest

from widgets.parameters import miners
from widgets.parameters.draft import Draft
from workbench.base.errors import BadInput
from workbench.frontier.recipe import variant
from workbench.measures import GoodUtility, WorkloadUtility


@pytest.mark.parametrize(
    ("text", "found"),
    [("three", "three"), ("naive bayes, majority", ("naive bayes", "majority")), ("", "naive bayes"),
     ('["majority", {"name": "random forest", "trees": 50}]', ("majority", {"name": "random forest", "trees": 50}))],
)  # fmt: skip
def test_what_is_typed_is_read_and_written_back(text, found):
    (value,) = miners.values(text, GoodUtility, "miners")
    assert value == found
    assert miners.values(miners.written([value]), GoodUtility, "miners") == [value]


@pytest.mark.parametrize("text", ["forests", "majority, forests", "{nonsense"])
def test_what_is_no_miner_is_said(text):
    with pytest.raises(BadInput):
        miners.values(text, GoodUtility, "miners")


def test_a_draft_of_a_measure_comes_back(small):
    draft = Draft.from_settings(GoodUtility, {"miners": ["majority", "naive bayes"], "weights": {"age >= 50": 2}})
    assert draft.count == 1 and variant("measure", draft.to_dict()) == GoodUtility(
        miners=["majority", "naive bayes"], weights={"age >= 50": 2}
    )
    field = next(one for one in draft.view(small(0))["fields"] if one["name"] == "miners")
    assert field["text"] == "majority, naive bayes" and {"three", "majority"} <= set(field["options"])
    draft.type("miners", "three", small(0))
    assert draft.to_dict()["miners"] == "three" and Draft.from_settings(GoodUtility, draft.to_dict()) == draft
    with pytest.raises(BadInput, match="predict values"):
        Draft.from_settings(WorkloadUtility).type("miner", "mean", small(0))
