"""A workload that is called otherwise, or is gone, in everything that names it."""

import pytest

from widgets.workloads.naming import update_references
from workbench.base.errors import BadInput
from workbench.studies.study import Study

OLD, COMPANY = ["age >= 40"], {"random": {"dimension": 1}}
STUDY = Study(
    data={"bundled": "adult"}, quasi=("age",), workloads={"state": OLD, "company": COMPANY},
    measures=({"name": "privacy loss"}, {"name": "query error", "workload": "state"}, {"name": "information loss"}),
    axes=("P_loss", "Q_err(workload=state)"), caps={"Q_err(workload=state)": 0.5, "P_loss": 0.2},
    recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5]}},),
)  # fmt: skip


def test_another_name_is_another_name_everywhere():
    fields = update_references(STUDY, {"region": OLD, "company": COMPANY})
    assert fields["measures"][1] == {"name": "query error", "workload": "region"}
    assert fields["axes"] == ("P_loss", "Q_err(workload=region)")
    assert fields["caps"] == {"Q_err(workload=region)": 0.5, "P_loss": 0.2}
    assert fields["recipes"] == STUDY.recipes


def test_what_names_a_workload_that_is_gone_goes_with_it():
    fields = update_references(STUDY, {"company": COMPANY})
    assert [one["name"] for one in fields["measures"]] == ["privacy loss", "information loss"]
    assert fields["axes"] == ("P_loss", "NCP") and fields["caps"] == {"P_loss": 0.2}
    with pytest.raises(BadInput, match="only measure of utility"):
        update_references(STUDY.with_(measures=STUDY.measures[:2]), {"company": COMPANY})


def test_nothing_else_changes_where_queries_change_or_nothing_named_them():
    assert update_references(STUDY, {"state": ["age < 3"], "company": COMPANY}) == {
        "workloads": {"state": ["age < 3"], "company": COMPANY}
    }
    fields = update_references(STUDY, {"state": OLD})
    assert (fields["measures"], fields["axes"], fields["caps"]) == (STUDY.measures, STUDY.axes, STUDY.caps)
    both = update_references(STUDY, {"state": OLD, "other": ["age < 3"]})  # not a rename: it asks something else
    assert both["measures"] == STUDY.measures
