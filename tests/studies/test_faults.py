"""Faults have paths, the first one is raised, and wrong types are reported."""

from collections.abc import Mapping

import pytest

from workbench.base.errors import BadInput
from workbench.studies.faults import Fault, catch_faults, prefix_faults, raise_first, type_fault, unknown_keys


def refused():
    raise BadInput("study: k = 0 must be at least 1")


def test_paths_are_prefixed_by_outer_keys_and_the_first_fault_is_raised():
    found = list(prefix_faults(catch_faults(refused, "k"), "recipes", 0))
    assert found == [Fault(("recipes", 0, "k"), "k = 0 must be at least 1")]
    with pytest.raises(BadInput, match="study: k = 0") as raised:
        raise_first(iter(found))
    assert raised.value.path == ("recipes", 0, "k")
    raise_first(iter([]))


def test_unknown_keys_and_wrong_types_are_reported():
    (fault,) = unknown_keys("a recipe", {"method": 1, "modle": 2}, ("method", "model"))
    assert fault.path == ("modle",) and "did you mean 'model'" in fault.text
    assert type_fault(Mapping, "data", {}) == "" and type_fault(list, "axes", ["a"]) == ""
    assert type_fault(list, "axes", "a").startswith("axes must be a list")
    assert "put it in quotes" in type_fault(str, "study", 2008)
