"""The recipe picker: generated from declarations; what is typed is taken, or explained where it stands."""

import sys

import pytest

import workbench.models
from widgets.recipes.recipes import RecipePicker
from workbench.base.errors import BadInput
from workbench.base.variants import catalog
from workbench.frontier.sweep import sweep
from workbench.measures import Measure
from workbench.methods import Method
from workbench.models import Model
from workbench.studies.study import MOST, Study

RECIPES = [
    {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [5, 10]}},
    {"method": {"name": "mondrian"}, "model": [{"name": "t-closeness", "t": 0.2}, {"name": "k-anonymity", "k": 5}]},
]
MEASURES = [{"name": "privacy loss"}, {"name": "utility loss"}, {"name": "utility loss", "min_support": 0.1}]
AXES = ["P_loss", "U_loss"]


class Stand:
    """A picker, and what it sent."""

    def __init__(self, table, **traits):
        self.picker = RecipePicker(table, **{"recipes": RECIPES, "measures": MEASURES, "axes": AXES, **traits})
        self.sent = []
        self.picker.send = lambda content, buffers=None: self.sent.append(content)
        self.send("hello")

    def send(self, kind, **content):
        self.sent.clear()
        self.picker._receive(None, {"kind": kind, **content}, [])

    def last(self, kind):
        return next((one for one in reversed(self.sent) if one["kind"] == kind), None)

    def row(self, name, group=0):
        """The address of a model's first row."""
        self.send("hello")
        rows = self.last("draft")["groups"][group]["rows"]
        return f"row.{group}." + str(
            next(i for i, row in enumerate(rows) if [p["name"] for p in row["parts"]][:1] == [name])
        )

    def measure(self, name):
        self.send("hello")
        rows = self.last("draft")["measures"]
        return f"measure.{next(i for i, row in enumerate(rows) if row['parts'][0]['name'] == name)}"

    def type(self, row, name, text, part=0):
        self.send("values", field=f"{row}.{part}.{name}", row=row, part=part, name=name, text=text)


@pytest.fixture
def stand(small):
    return Stand(small(0))


def test_the_whole_catalog_is_shown_and_what_is_asked_for_is_on(stand):
    draft = stand.last("draft")
    (group,) = draft["groups"]
    names = [row["parts"][0]["name"] for row in group["rows"] if row["parts"]]
    assert sorted(set(names)) == sorted(catalog("workbench.models", Model))
    on = [[part["name"] for part in row["parts"]] for row in group["rows"] if row["on"]]
    assert on == [["k-anonymity"], ["t-closeness", "k-anonymity"]]
    assert {row["parts"][0]["name"] for row in draft["measures"]} == set(catalog("workbench.measures", Measure))
    methods = catalog("workbench.methods", Method)
    assert draft["methods"] == [name for name, kind in methods.items() if not kind.baseline]
    assert draft["summary"] == "3 releases of 2 models"


def test_showing_changes_nothing(stand):
    assert (stand.picker.recipes, stand.picker.measures, stand.picker.axes) == (RECIPES, MEASURES, AXES)


def test_typed_values_are_taken(stand):
    row = stand.row("k-anonymity")
    stand.type(row, "k", "2..16 x2")
    assert stand.picker.recipes[0]["model"] == {"name": "k-anonymity", "k": [2, 4, 8, 16]}
    assert stand.last("draft")["summary"] == "5 releases of 2 models"
    stand.type(row, "k", "7")
    assert stand.picker.recipes[0]["model"]["k"] == 7


def test_wrong_values_stay_in_their_field_and_the_last_good_ones_hold(stand):
    row = stand.row("k-anonymity")
    stand.type(row, "k", "5, many")
    assert stand.last("problem")["field"] == f"{row}.0.k"
    assert "'many' is not a number" in stand.last("problem")["text"]
    assert stand.picker.recipes == RECIPES
    stand.send("hello")  # a reloaded page
    field = stand.last("draft")["groups"][0]["rows"][int(row.split(".")[-1])]["parts"][0]["fields"][0]
    assert (field["text"], field["values"]) == ("5, many", [5, 10])
    assert "not a number" in field["problem"]
    stand.type(row, "k", "5")
    assert stand.last("problem") is None
    assert stand.picker.recipes[0]["model"]["k"] == 5


def test_what_is_typed_is_tried_before_it_is_taken(stand):
    row = stand.row("k-anonymity")
    stand.send("try", field=f"{row}.0.k", row=row, part=0, name="k", text="2, 3")
    assert stand.last("tried")["values"] == [2, 3]
    assert stand.picker.recipes == RECIPES


def test_models_go_on_and_off_and_remember_their_values(stand):
    row = stand.row("k-anonymity")
    stand.send("switch", field=row, row=row, on=False)
    assert [one["model"] for one in stand.picker.recipes] == [RECIPES[1]["model"]]
    stand.send("switch", field=row, row=row, on=True)
    assert stand.picker.recipes[0]["model"] == {"name": "k-anonymity", "k": [5, 10]}
    other = stand.row("beta-likeness")
    stand.send("switch", field=other, row=other, on=True)
    assert {"name": "beta-likeness", "beta": [0.5, 1, 2, 4, 8]} in [one["model"] for one in stand.picker.recipes]


def test_models_are_joined_and_parted(stand):
    row = stand.row("k-anonymity")
    stand.send("join", field=row, row=row, model="t-closeness")
    assert stand.picker.recipes[0]["model"] == [
        {"name": "k-anonymity", "k": [5, 10]},
        {"name": "t-closeness", "t": 0.15},
    ]
    stand.type(row, "t", "0.1, 0.2", part=1)
    assert stand.last("draft")["summary"] == "5 releases of 2 models"
    stand.send("part", field=row, row=row, part=1)
    assert stand.picker.recipes == RECIPES
    stand.send("again", field=row, row=row)
    again = f"row.0.{int(row.split('.')[-1]) + 1}"
    stand.send("join", field=again, row=again, model="t-closeness")
    assert len(stand.picker.recipes) == 3
    stand.send("remove", field=again, row=again)
    assert stand.picker.recipes == RECIPES


def test_choices_are_axes_too(stand):
    row = stand.row("t-closeness")
    stand.send("choices", field=f"{row}.0.distance", row=row, part=0, name="distance", places=[0, 3])
    assert stand.picker.recipes[1]["model"][0] == {"name": "t-closeness", "t": 0.2, "distance": ["equal", "js"]}
    stand.send("choices", field=f"{row}.0.distance", row=row, part=0, name="distance", places=[])
    assert "at least one" in stand.last("problem")["text"]
    assert stand.picker.recipes[1]["model"][0]["distance"] == ["equal", "js"]


def test_an_order_of_columns_is_one_release_and_several_are_several(stand, small):
    options = next(one for one in stand.last("draft")["groups"][0]["method"]["fields"] if one["name"] == "split")
    place = options["options"].index("order")
    stand.send("choices", field="method.0.split", group=0, name="split", places=[place])
    before = stand.last("draft")["count"]
    stand.send("values", field="method.0.order", group=0, name="order", text="work, age")
    assert stand.picker.recipes[0]["method"] == {"name": "mondrian", "split": "order", "order": ["work", "age"]}
    assert stand.last("draft")["problems"] == {} and stand.last("draft")["count"] == before
    stand.send("values", field="method.0.order", group=0, name="order", text="work, age; sex")
    assert stand.picker.recipes[0]["method"]["order"] == [["work", "age"], ["sex"]]
    assert stand.last("draft")["count"] == 2 * before


def test_options_that_go_together_only_are_explained_until_they_do(stand, small):
    target = small(0).quasi[0]
    stand.send("choices", field="method.0.split", group=0, name="split", places=[1])
    problems = stand.last("draft")["problems"]
    assert problems == {"method.0.target": "split = information_gain needs a target column; choose one"}, "once"
    assert stand.picker.recipes == RECIPES
    place = 1 + small(0).names.index(target)
    stand.send("choices", field="method.0.target", group=0, name="target", places=[place])
    assert stand.last("draft")["problems"] == {}
    method = {"name": "mondrian", "split": "information_gain", "target": target}
    assert [one["method"] for one in stand.picker.recipes] == [method, method]


def test_a_choice_that_goes_with_nothing_is_left_out_of_the_grid(stand, small):
    names, gain = small(0).names, {"name": "mondrian", "split": "information_gain"}
    place = 1 + names.index("work")
    stand.send("choices", field="method.0.split", group=0, name="split", places=[0, 1])
    assert "needs a target" in stand.last("draft")["problems"]["method.0.target"]
    stand.send("choices", field="method.0.target", group=0, name="target", places=[0, place])
    assert stand.last("draft")["problems"] == {}
    methods = [one["method"] for one in stand.picker.recipes]
    assert methods == [{"name": "mondrian"}, {**gain, "target": "work"}] * 2
    assert stand.last("draft")["count"] == 6 == len(Study(recipes=stand.picker.recipes).candidates())
    stand.send("choices", field="method.0.split", group=0, name="split", places=[1])
    assert [one["method"] for one in stand.picker.recipes] == [{**gain, "target": "work"}] * 2
    assert stand.last("draft")["problems"] == {}


def test_two_methods_side_by_side(stand):
    stand.send("method", name="mondrian")
    row = stand.row("k-anonymity", group=1)
    stand.send("choices", field="method.1.publish", group=1, name="publish", places=[1])
    stand.send("switch", field=row, row=row, on=True)
    assert stand.picker.recipes[2]["method"] == {"name": "mondrian", "publish": "bucketized"}
    written = Study(recipes=stand.picker.recipes).candidates()
    assert len(written) == stand.last("draft")["count"]
    stand.send("without", field="group.1", group=1)
    assert stand.picker.recipes == RECIPES


def test_too_many_releases_are_refused(stand):
    row = stand.row("k-anonymity")
    stand.send("join", field=row, row=row, model="t-closeness")
    stand.type(row, "t", "0.001..0.9 step 0.001", part=1)
    assert stand.last("draft")["summary"] == "1,801 releases of 2 models"
    before = stand.picker.recipes
    stand.type(row, "k", "1..40 step 1")
    assert "more than 10,000" in str(stand.last("draft")["problems"])
    assert stand.picker.recipes == before
    other = stand.row("(alpha,k)-anonymity")
    stand.send("switch", field=other, row=other, on=True)
    stand.type(other, "alpha", "0.0001..0.9 step 0.0001")
    assert "more than 10,000" in stand.last("problem")["text"]
    assert stand.last("draft")["count"] > MOST
    assert sum(len(Study(recipes=[one]).candidates()) for one in stand.picker.recipes) <= MOST


def test_measures_with_their_parameters_and_axes(stand):
    row = stand.measure("utility loss")
    view = stand.last("draft")["measures"][int(row.split(".")[-1])]
    assert next(f["text"] for f in view["parts"][0]["fields"] if f["name"] == "min_support") == "0.05, 0.1"
    achieved = stand.measure("achieved figure")
    stand.send("switch", field=achieved, row=achieved, on=True)
    field = stand.last("draft")["measures"][int(achieved.split(".")[-1])]["parts"][0]["fields"][0]
    places = [field["options"].index(name) for name in ("k-anonymity", "t-closeness")]
    stand.send("choices", field=f"{achieved}.0.model", row=achieved, part=0, name="model", places=places)
    assert {"k (k-anonymity)", "t (t-closeness)"} <= {
        one.key for one in Study(measures=stand.picker.measures).measured()
    }
    stand.send("axis", field="axis.privacy", side="privacy", key="t (t-closeness)")
    assert stand.picker.axes == ["t (t-closeness)", "U_loss"]
    stand.send("axis", field="axis.privacy", side="privacy", key="U_loss")
    assert stand.last("problem")["field"] == "axis.privacy"
    stand.send("switch", field=achieved, row=achieved, on=False)
    assert stand.picker.axes == ["P_loss", "U_loss"]


def test_one_measure_of_each_side_is_needed(stand):
    row = stand.measure("utility loss")
    stand.send("switch", field=row, row=row, on=False)
    assert "measure of utility" in stand.last("draft")["problems"]["measures"]
    assert stand.picker.measures == MEASURES


def test_seed(stand):
    stand.send("seed", field="seed", text="42")
    assert stand.picker.seed == 42
    for text in ("x", "-1", "1.5", "", "9" * 40):
        stand.send("seed", field="seed", text=text)
        assert stand.last("problem")["field"] == "seed"
    assert stand.picker.seed == 42


def test_traits_set_from_outside_are_shown(stand):
    stand.picker.recipes = [{"method": {"name": "mondrian"}, "model": {"name": "l-diversity", "l": [2, 3]}}]
    assert stand.last("draft")["summary"] == "2 releases of 1 model"
    noise = [
        {"method": {"name": "randomized response", "keep": [0.2, 0.5, 0.8]}},
        {"method": {"name": "optimal response"}},
    ]
    stand.picker.recipes = noise
    assert stand.last("draft")["summary"] == "4 releases by randomized response and optimal response"
    stand.picker.recipes = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 5}}, *noise[1:]]
    assert stand.last("draft")["summary"] == "2 releases of 1 model and by optimal response"
    with pytest.raises(BadInput):
        stand.picker.recipes = [{"method": {"name": "nonsense"}}]
    with pytest.raises(BadInput):
        stand.picker.measures = [{"name": "nonsense"}]


def test_a_listener_may_put_the_choice_back(stand):
    stand.picker.observe(lambda event: setattr(stand.picker, "recipes", RECIPES), "recipes")
    row = stand.row("k-anonymity")
    stand.type(row, "k", "7")
    assert stand.picker.recipes == RECIPES
    fields = stand.last("draft")["groups"][0]["rows"][int(row.split(".")[-1])]["parts"][0]["fields"]
    assert fields[0]["text"] == "5, 10"


def test_another_table_says_what_no_longer_fits(stand, small):
    row = stand.row("k-anonymity")
    stand.type(row, "k", "100")
    few = small(0)
    stand.picker.table = few.with_roles(few.quasi, ())
    rows = stand.last("draft")["groups"][0]["rows"]
    noted = [row["parts"][0]["name"] for row in rows if row["note"]]
    assert "t-closeness" in noted
    assert "k-anonymity" not in noted
    row = stand.row("t-closeness")
    assert "choose one in the step Roles" in stand.last("draft")["problems"][row]  # it is on


def test_without_a_sensitive_column_a_model_says_that_it_needs_one_first(small):
    stand = Stand(small(0).with_roles(small(0).quasi, ()))
    row = stand.row("l-diversity")
    stand.send("switch", field=row, row=row, on=True)
    said = stand.last("draft")["problems"][row]
    assert said == "l-diversity needs a sensitive column, and the table has none: choose one in the step Roles."
    stand.type(row, "l", "2, 3")
    assert stand.last("problem") is None
    assert stand.picker.recipes[-1]["model"] == {"name": "l-diversity", "l": [2, 3]}
    stand.picker.table = small(0)
    assert stand.last("draft")["problems"] == {}
    stand.type(row, "l", "200")
    assert stand.last("problem")["text"].startswith("l = 200 must be at most")


def test_what_nobody_touched_is_proposed_anew_for_another_table(small):
    table = small(0)
    stand = Stand(table.with_roles(table.quasi, ()))
    stand.picker.table = table
    most = min(len(seen) for seen in table.sensitive.values())
    rows = stand.last("draft")["groups"][0]["rows"]
    fields = [f for row in rows for part in row["parts"] for f in part["fields"] if f["name"] == "l"]
    assert all(max(f["values"]) <= most and not f["problem"] for f in fields)


def test_an_edit_leaves_everything_where_it_was(small):
    mondrian = {"name": "mondrian"}
    recipes = [
        {"method": mondrian, "model": {"name": "t-closeness", "t": [0.2]}},
        {"method": {"name": "keep"}},
        {"method": mondrian, "model": {"name": "k-anonymity", "k": [5, 10]}},
        {"method": mondrian, "model": {"name": "beta-likeness", "beta": 1}},
    ]
    measures = [{"name": "utility loss"}, {"name": "privacy loss"}, {"name": "information loss"},
                {"name": "utility loss", "min_support": 0.1}, {"name": "average class size"}]  # fmt: skip
    stand = Stand(small(0), recipes=recipes, measures=measures)
    stand.type(stand.row("k-anonymity"), "k", "7")
    names = [one.get("model", one["method"])["name"] for one in stand.picker.recipes]
    assert names == ["t-closeness", "keep", "k-anonymity", "beta-likeness"]
    assert stand.picker.measures == measures
    row = stand.row("l-diversity")
    stand.send("switch", field=row, row=row, on=True)
    assert [one.get("model", one["method"])["name"] for one in stand.picker.recipes] == [*names, "l-diversity"]
    stand.type(stand.measure("utility loss"), "min_support", "0.05, 0.2")
    keys = [one.key for one in Study(measures=stand.picker.measures).measured()]
    assert keys == ["U_loss", "P_loss", "NCP", "U_loss(min_support=0.2)", "C_avg"]


def test_alone_it_begins_calmly_with_what_is_usual(small):
    table = small(0)
    for one in (table, table.with_roles(table.quasi, ())):
        picker = RecipePicker(one)
        sent = []
        picker.send = lambda content, buffers=None, sent=sent: sent.append(content)
        picker._receive(None, {"kind": "hello"}, [])
        (draft,) = [one for one in sent if one["kind"] == "draft"]
        fields = [f for g in draft["groups"] for row in g["rows"] for part in row["parts"] for f in part["fields"]]
        assert draft["problems"] == {} and not any(f["problem"] for f in fields)
        assert draft["count"] > 1 and len(picker.axes) == 2
        assert all(one.model for one in Study(recipes=picker.recipes).candidates())
    models = {values["model"]["name"] for values in picker.recipes}
    assert models == {"k-anonymity"}
    few = RecipePicker(table.with_roles(table.quasi, ()))
    study = Study(recipes=few.recipes, measures=few.measures)
    frontier = sweep(few.table, study.candidates()[:1], study.measured())
    assert all(not point.reasons for point in frontier.measured if not point.recipe.baseline)


def test_it_stands_alone_without_a_table():
    stand = Stand(None)
    row = stand.row("k-anonymity")
    stand.type(row, "k", "100000000")
    assert stand.picker.recipes[0]["model"]["k"] == 100_000_000


def test_messages_of_an_older_page_do_no_harm(stand):
    for message in (
        {"kind": "switch", "row": "row.9.9"},
        {"kind": "switch", "row": "nonsense"},
        {"kind": "values", "row": "row.0.0", "name": "nonsense"},
        {"kind": "choices", "row": "row.0.0", "part": 7, "name": "k", "places": "x"},
        {"kind": "join", "row": "row.0.0", "model": "nonsense"},
        {"kind": "part", "row": "row.0.0", "part": 0},
        {"kind": "method", "name": "keep"},
        {"kind": "without", "group": 5},
        {"kind": "axis", "side": "x", "key": []},
    ):
        stand.sent.clear()
        stand.picker._receive(None, {"field": "f", **message}, [])
        assert "Internal error" not in (stand.last("problem") or {"text": ""})["text"]
        assert stand.last("problem") is not None
    assert stand.picker.recipes == RECIPES


def test_a_new_model_in_a_file_appears_by_itself(tmp_path, monkeypatch, small):
    (tmp_path / "minimum_size.py").write_text(
        '"""Minimum size: a model of a test, dropped in as a file; every class has that many records."""\n'
        "from dataclasses import dataclass\n"
        "from workbench.models import Model\n"
        "from workbench.base.parameters import parameter\n"
        "@dataclass(frozen=True)\n"
        "class MinimumSize(Model):\n"
        "    least: float = parameter(4.0, 'records', low=1, high=64)\n"
        "    name, figure, at_least = 'minimum size', 'least', True\n"
        "    @property\n"
        "    def limit(self): return self.least\n"
        "    def score_column(self, histogram, sensitive): return histogram.sum(axis=1)\n"
    )
    monkeypatch.setattr(workbench.models, "__path__", [*workbench.models.__path__, str(tmp_path)])
    try:
        stand = Stand(small(0))
        row = stand.row("minimum size")
        stand.send("switch", field=row, row=row, on=True)
        assert {"name": "minimum size", "least": [2, 3, 4, 5, 6, 7]} in [one["model"] for one in stand.picker.recipes]
        assert len(Study(recipes=stand.picker.recipes).candidates()) == 9
    finally:
        sys.modules.pop("workbench.models.minimum_size", None)


def test_no_count_or_label_of_the_data_is_in_a_trait(stand, small):
    state = str(stand.picker.get_state())
    for seen in small(0).sensitive.values():
        assert not any(label in state for label in seen.labels if len(label) > 3)


def test_a_method_that_draws_goes_without_a_model(stand):
    stand.send("method", group=0, name="randomized response")
    (group,) = stand.last("draft")["groups"]
    assert [(row["parts"], row["on"]) for row in group["rows"]] == [([], True)]
    assert stand.picker.recipes == [{"method": {"name": "randomized response", "keep": 0.5}}]
    stand.send("method", group=0, name="mondrian")
    (group,) = stand.last("draft")["groups"]
    assert len(group["rows"]) > 5 and not any(row["on"] for row in group["rows"])


def test_bounds_are_typed_beside_their_method(stand):
    stand.send("method", group=0, name="laplace")
    stand.send("values", field="method.0.bounds", group=0, name="bounds", text="age: 17 .. 99")
    assert stand.picker.recipes == [{"method": {"name": "laplace", "epsilon": 1.0, "bounds": "age: 17..99"}}]
    stand.send("values", field="method.0.bounds", group=0, name="bounds", text="age: 99..17")
    assert "must be below" in stand.last("problem")["text"]
    assert stand.picker.recipes[0]["method"]["bounds"] == "age: 17..99"
