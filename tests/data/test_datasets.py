"""The bundled tables and their hierarchies are there."""

from dataclasses import replace

import pytest

from workbench.base.errors import BadInput
from workbench.data import datasets


def test_every_bundled_hierarchy_fits_its_column(adult):
    for name in set(datasets.ADULT_HIERARCHIES) & set(adult.quasi):
        column = adult.columns[name]
        made = datasets.hierarchy("adult", name)(replace(column, hierarchy=None))
        assert column.hierarchy.spec() == made.spec()


def test_what_is_not_bundled_is_said():
    assert datasets.path("adult").is_file()
    with pytest.raises(BadInput):
        datasets.path("nonsense")
    with pytest.raises(BadInput):
        datasets.hierarchy("adult", "nonsense")
