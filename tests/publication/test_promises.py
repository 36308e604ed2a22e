"""What models promise is said in words for people, with the study's own numbers."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness
from workbench.publication.promises import allows, promise


@pytest.fixture(scope="module")
def table() -> Table:
    frame = pd.DataFrame({"age": np.arange(600) % 50, "disease": np.repeat(["flu", "gout", "cold"], [300, 200, 100])})
    return Table.from_frame(frame, quasi=["age"], sensitive="disease")


def test_promises_that_begin_alike_are_one_sentence(table):
    assert promise(KAnonymity(k=10), table, 10) == "every group has at least 10 people"
    both = promise(KAnonymity(k=10) & DistinctLDiversity(l=2), table, 10)
    assert both.startswith("every group has at least 10 people and 2 ") and both.count("every group") == 1
    assert promise(None, table, 10) == allows(None, table, 10) == ""


def test_a_distance_is_said_by_what_it_allows(table):
    model = TCloseness(t=0.1, distance="js")
    example = allows(model, table, 10)
    assert "have the disease" in example and example in promise(model, table, 10)
    assert example not in promise(model, table, 10, examples=False)
