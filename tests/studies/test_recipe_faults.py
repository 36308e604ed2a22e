"""Faults of a recipe have a place and quote no data."""

import pytest

from workbench.studies.recipe_faults import parts_of, recipe_faults, variant_faults

MONDRIAN = {"name": "mondrian"}


def messages(faults):
    return [(fault.path, fault.text) for fault in faults]


def test_a_valid_recipe_has_no_fault():
    model = [{"name": "k-anonymity", "k": [2, 5]}, {"name": "t-closeness", "t": 0.2}]
    ranges = {"method": MONDRIAN, "model": model}
    assert messages(recipe_faults(ranges)) == []
    assert [path for path, _, _ in parts_of(ranges)] == [("method",), ("model", 0), ("model", 1)]


@pytest.mark.parametrize(
    ("ranges", "path", "text"),
    [
        ({}, (), "a recipe has a method"),
        ({"method": {"name": "mondrain"}}, ("method", "name"), "did you mean 'mondrian'"),
        ({"method": MONDRIAN, "modle": {}}, ("modle",), "modle"),
        ({"method": MONDRIAN, "model": {"name": "k-anonymity", "k": [2, 0]}}, ("model", "k", 1), "k"),
        ({"method": MONDRIAN, "model": {"name": "k-anonymity", "k": []}}, ("model", "k"), "no values"),
        ({"method": MONDRIAN, "model": {"name": "k-anonymity", "k": list(range(2, 20_000))}}, ("model",), "10,000"),
    ],
)
def test_a_fault_has_its_place(ranges, path, text):
    found = messages(recipe_faults(ranges))
    assert any(where == path and text in said for where, said in found), found


def test_all_faults_of_a_variant_are_reported_together():
    paths = {path for path, _ in messages(variant_faults("model", {"name": "t-closeness", "t": -1, "distance": "x"}))}
    assert {("t",), ("distance",)} <= paths
