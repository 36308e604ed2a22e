"""Values without records, added to a table's columns."""

import numpy as np
import pandas as pd
import pytest

from tests.data.register import ROWS
from workbench.base.errors import BadInput
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.data.table import Table
from workbench.data.unseen_values import with_values
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity

FRAME = pd.DataFrame(
    {
        "age": [20, 21, 35, 35, 50, 52, 20, 35] * 3,
        "job": ["a1", "b1", "c1", "a1", "b1", "c1", "a1", "b1"] * 3,
        "born": pd.to_datetime(["2000-01-05", "2001-03-04"] * 12),
        "ill": ["flu", "cold", "flu", "flu", "cold", "hiv", "flu", "cold"] * 3,
    }
)
QUASI = ["age", "job", "born"]


def made():
    hierarchies = {"age": Intervals(widths=(10,)), "job": Columns(ROWS)}
    return Table.from_frame(FRAME, QUASI, "ill", hierarchies=hierarchies)


def test_records_keep_their_values():
    table = made()
    more = {"age": ["5", "30", "99.5"], "job": ["a2", "zz"], "born": ["2000-06-01"], "ill": ["ague"]}
    wider = with_values(table, more)
    pd.testing.assert_frame_equal(wider.frame, table.frame, check_dtype=False)
    assert wider.columns["age"].values.tolist() == [5, 20, 21, 30, 35, 50, 52, 99.5]
    assert wider.columns["age"].counts.tolist() == [0, 6, 3, 0, 9, 3, 3, 0]
    assert wider.columns["born"].labels == ("2000-01-05", "2000-06-01", "2001-03-04")
    assert wider.sensitive["ill"].prior[wider.sensitive["ill"].labels.index("ague")] == 0
    levels = wider.columns["job"].hierarchy.levels
    job = wider.columns["job"]
    node = dict(zip(job.labels, np.array(levels[0].labels)[job.hierarchy.node(0)].tolist(), strict=True))
    assert node == {"a1": "A", "a2": "A", "b1": "B", "c1": "C", "zz": "zz"}


def test_figures_of_a_release_are_unchanged():
    table = made()
    wider = with_values(table, {"ill": ["ague"]})
    for measure in (PrivacyLoss(), UtilityLoss(0.1)):
        one, other = (measure(Mondrian()(each, KAnonymity(4))).value for each in (table, wider))
        assert other == pytest.approx(one)


def test_a_number_that_its_hierarchy_does_not_list_is_refused():
    rows = Columns([(str(age), "young" if age < 30 else "old") for age in (20, 21, 35, 50, 52)])
    table = Table.from_frame(FRAME, ["age"], "ill", hierarchies={"age": rows})
    with pytest.raises(BadInput, match="are missing from the hierarchy"):
        with_values(table, {"age": ["30"]})
