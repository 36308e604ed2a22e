"""The promises of models in plain words with the numbers of the study."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.models import DeltaDisclosure, DistinctLDiversity, KAnonymity, TCloseness
from workbench.publication.promises import allows, promise


@pytest.fixture(scope="module")
def table() -> Table:
    frame = pd.DataFrame({"age": np.arange(600) % 50, "disease": np.repeat(["flu", "gout", "cold"], [300, 200, 100])})
    return Table.from_frame(frame, quasi=["age"], sensitive="disease")


def test_promises_with_a_common_beginning_are_merged(table):
    assert promise(KAnonymity(k=10), table, 10) == "every group has at least 10 people"
    both = promise(KAnonymity(k=10) & DistinctLDiversity(l=2), table, 10)
    assert both.startswith("every group has at least 10 people and 2 ") and both.count("every group") == 1
    assert promise(None, table, 10) == allows(None, table, 10) == ""


def test_a_distance_is_described_by_what_it_allows(table):
    model = TCloseness(t=0.1, distance="js")
    example = allows(model, table, 10)
    assert "have disease" in example and example in promise(model, table, 10)
    assert example not in promise(model, table, 10, examples=False)


def test_no_minimum_share_is_promised_for_a_value_that_may_be_missing_from_a_group(table):
    strict, lax = (promise(DeltaDisclosure(2.0, absent=absent), table, 10) for absent in ("breaks", "allowed"))
    example = " (a value that 10 % of everybody have, 1 % to 74 % of a group may have)"
    assert strict == f"in no group is a disease 7.39 times as common or as rare as usual{example}"
    assert lax == (
        "no disease that a group has is 7.39 times as common or as rare there as usual, but a disease may be missing "
        f"from a group{example.replace('1 % to', '1 %, if any, to')}"
    )


def test_articles_fit_the_following_name():
    frame = pd.DataFrame({"age": np.arange(600) % 50, "occupation": np.repeat(["clerk", "cook", "smith"], 200)})
    table = Table.from_frame(frame, quasi=["age"], sensitive="occupation")
    assert promise(DeltaDisclosure(2.0), table, 10).startswith("in no group is an occupation 7.39 times")
