"""The rows of the recipe picker: chosen ones, and all others switched off."""

from widgets.parameters.draft import Draft
from widgets.recipes.rows import grouped, in_place, is_baseline, lacking, measure_rows, usual
from workbench.base.variants import catalog, from_dict
from workbench.measures import Measure
from workbench.methods import Mondrian
from workbench.models import KAnonymity, Model

RECIPES = [
    {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [3, 6]}},
    {"method": {"name": "keep"}},
]


def test_every_model_has_a_row_and_what_is_asked_for_is_on(small):
    (group,) = grouped(RECIPES, [], small(0))
    assert group.method.kind is Mondrian and [row.kind for row in group.rows if row.on] == [KAnonymity]
    assert {row.kind for row in group.rows} == {*catalog("workbench.models", Model).values(), None}
    assert [is_baseline(one) for one in RECIPES] == [False, True]


def test_a_row_that_cannot_be_had_keeps_its_last_good_recipe():
    methods = [Draft.from_settings(Mondrian).to_dict()]
    (group,) = grouped(RECIPES, [], None)
    row = next(row for row in group.rows if row.on)
    row.settle(methods)
    good = row.good
    row.parts[0].values["k"] = []
    row.settle(methods)
    assert row.good == good and "no values" in row.problem
    row.settle([])
    assert row.good == good and not row.problem, "said at the method"


def test_measures_stay_in_their_places():
    before = [{"name": "privacy loss"}, {"name": "discernibility"}]
    rows = measure_rows(before, [])
    assert {row.kind.name for row in rows if row.on} == {"privacy loss", "discernibility"}
    assert {row.kind for row in rows} == set(catalog("workbench.measures", Measure).values())
    found = {"C_avg": {"name": "average class size"}, "P_loss": {"name": "privacy loss"}}
    assert [one["name"] for one in in_place(found, before)] == ["privacy loss", "average class size"]


def test_without_a_sensitive_column_nothing_that_needs_one_is_usual(small):
    table = small(0)
    bare = table.with_roles(table.quasi, ())
    assert usual(bare)["axes"] and all(one["name"] != "privacy loss" for one in usual(bare)["measures"])
    rows = grouped([], [], bare)[0].rows
    closeness = next(row for row in rows if row.kind is not None and row.kind.name == "t-closeness")
    assert "needs a sensitive column" in lacking(closeness, bare) and lacking(closeness, table) == ""


def test_measures_with_plain_data_have_rows_and_are_shown(small):
    """Weights and miners with settings are plain data, which a draft keeps."""
    weights = {"wage >= 3": 10, "others": 0}
    given = [
        {"name": "good utility", "target": "disease", "miners": ["one rule", {"name": "random forest", "trees": 7}]},
        {"name": "anti-utility", "weights": weights},
    ]
    rows = {row.kind.name: row for row in measure_rows(given, []) if row.on}
    assert set(rows) == {"good utility", "anti-utility"}
    views = [row.parts[0].view(small(0)) for row in rows.values()]
    assert all(field["text"] for view in views for field in view["fields"] if field["name"] == "miners")
    written = rows["anti-utility"].parts[0].to_dict() | {"weights": weights}
    found = from_dict("measure", catalog("workbench.measures", Measure), written)
    assert list(found.weights.data) == [*weights]
