"""All faults of a study's file are reported together with their places."""

import pytest

from workbench.studies.schema import study_faults

GOOD = {
    "study": "ill",
    "data": {"path": "people.csv"},
    "roles": {"quasi": ["age"], "sensitive": ["ill"], "weight": ["stands"]},
    "released_levels": {"age": [1, 2]},
    "importance": {"age": 2},
    "recipes": [{"method": {"name": "full-domain", "suppress": [0, 0.05]}, "model": {"name": "k-anonymity", "k": 5}}],
    "measures": [{"name": "privacy loss"}, {"name": "geometric loss"}],
    "axes": ["P_loss", "GL"],
    "intervals": {"over": "records", "times": 50},
}


def test_a_valid_study_has_no_fault():
    assert list(study_faults(GOOD)) == []


@pytest.mark.parametrize(
    ("key", "value", "path"),
    [
        ("rolse", {}, ("rolse",)),
        ("data", {"path": "a.csv", "sql": "SELECT 1"}, ("data",)),
        ("roles", {"quasi": ["age", "age"]}, ("roles", "quasi", 1)),
        ("released_levels", {"age": [2]}, ("released_levels", "age")),
        ("importance", {"age": 0}, ("importance", "age")),
        ("caps", {"P_loss": "low"}, ("caps", "P_loss")),
        ("intervals", "records", ("intervals",)),
        ("intervals", {"over": "people"}, ("intervals",)),
        ("intervals", {"over": "seeds", "time": 9}, ("intervals", "time")),
        ("intervals", {"over": "seeds", "times": 1}, ("intervals",)),
        ("intervals", {"over": "learning", "times": 5}, ("intervals", "times")),
        ("seed", -1, ("seed",)),
    ],
)
def test_each_fault_has_its_place_among_all_others(key, value, path):
    found = list(study_faults({**GOOD, "axes": "P_loss", key: value}))
    assert ("axes",) in [fault.path for fault in found]
    assert any(fault.path[: len(path)] == path for fault in found), found
