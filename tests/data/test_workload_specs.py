"""Workloads in a study."""

import pytest

from workbench.base.errors import BadInput
from workbench.data.workload_specs import checked, plain


def test_three_forms_are_plain_data():
    given = {"a": ("age > 3", "sex = 'F'"), "b": {"random": {"count": 5}}, "c": {"file": "asked.sql"}}
    assert checked(given) == {"a": ["age > 3", "sex = 'F'"], "b": {"random": {"count": 5}}, "c": {"file": "asked.sql"}}


@pytest.mark.parametrize("spec", [[], "age > 3", 3, None, [3], {}, {"random": 3}, {"file": 3}, {"all": {}}])
def test_anything_else_is_refused(spec):
    with pytest.raises(BadInput, match="give a list of queries"):
        plain(spec)


def test_names_are_words_and_random_is_reserved():
    with pytest.raises(BadInput, match="the name 'random' is reserved"):
        checked({"random": ["age > 3"]})
    for name in ("", " ", 3):
        with pytest.raises(BadInput, match="must be a text"):
            checked({name: ["age > 3"]})


@pytest.mark.parametrize("given", [None, ["age > 3"], "age > 3"])
def test_workloads_have_names(given):
    with pytest.raises(BadInput, match="must be a mapping from names to queries"):
        checked(given)
