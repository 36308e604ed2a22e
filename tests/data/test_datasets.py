"""The bundled tables and their hierarchies exist."""

from dataclasses import replace

import pytest

from workbench.base.errors import BadInput
from workbench.data import datasets


def test_every_bundled_hierarchy_fits_its_column(adult):
    for name in set(datasets.ADULT_HIERARCHIES) & set(adult.quasi):
        column = adult.columns[name]
        made = datasets.hierarchy("adult", name)(replace(column, hierarchy=None))
        assert column.hierarchy.spec() == made.spec()


def test_an_unknown_dataset_is_reported():
    assert datasets.path("adult").is_file()
    with pytest.raises(BadInput):
        datasets.path("nonsense")
    with pytest.raises(BadInput):
        datasets.hierarchy("adult", "nonsense")


@pytest.mark.parametrize("generated", [datasets.donations, datasets.ambulatory])
def test_generated_tables_are_marked_as_such(generated):
    table = generated(n=400, seed=3)
    assert table.records == 400 and "generated" in table.notes[-1] and "enerated" in generated.__doc__
    assert table.fingerprint == generated(n=400, seed=3).fingerprint != generated(n=400, seed=4).fingerprint


def test_generated_tables_have_the_roles_of_the_paper():
    gifts, visits = datasets.donations(n=400), datasets.ambulatory(n=400)
    assert gifts.quasi == ("state", "zip", "employer") and gifts.neutral == ("amount",)
    assert tuple(gifts.sensitive) == ("party",)
    assert visits.quasi == ("birth_month", "birth_year", "sex", "race", "region")
    assert tuple(visits.sensitive) == ("symptom", "diagnosis", "x_rayed", "therapy", "family_planning")
    assert gifts.columns["zip"].kind == "text" and gifts.columns["amount"].kind == "number"


def test_the_number_of_records_must_be_an_integer():
    for wrong in ({"n": 0}, {"seed": -1}):
        with pytest.raises(BadInput, match="n must be at least 1 and seed at least 0"):
            datasets.donations(**wrong)
