"""The workbench put together: a part changes the study, the study changes the parts, the file remembers."""

import gc
import json
import random
import weakref

import pytest
from ipywidgets.widgets.widget import _instances as widget_registry

from tests.conftest import people
from widgets import Workbench
from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.data.hierarchies.builders import Prefixes
from workbench.data.records import fingerprint
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.studies import proposal
from workbench.studies.script import python_code
from workbench.studies.study import Study, chosen_recipe

RECIPES = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [2, 4, 8]}}]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def problems(monkeypatch):
    """Record all problems of the parts."""
    from widgets.base.part import Part

    recorded = []
    monkeypatch.setattr(Part, "problem", lambda self, field, text: recorded.append((type(self).__name__, field, text)))
    return recorded


@pytest.fixture
def frame():
    return people(random.Random(3), missing=False)


STUDY = Study(
    name="from the notebook", data={"given": "frame"}, quasi=("age", "work", "sex"), sensitive=("disease",),
    recipes=RECIPES, measures=({"name": "privacy loss"}, {"name": "adversary's knowledge gain"},
    {"name": "utility loss"}, {"name": "information loss"}), axes=("P_loss", "U_loss"),
)  # fmt: skip


@pytest.fixture
def bench(here, problems, frame):
    STUDY.save("from-the-notebook.study.yaml")  # which it takes up
    one = Workbench(frame)
    assert not problems and one.session.table.quasi == STUDY.quasi
    return one


def choose(bench, role, *columns):
    bench.roles._receive(None, {"kind": "choose", "columns": list(columns), "role": role, "field": "roles"}, [])


def drawn(bench):
    return [str(point.recipe.model) for point in bench.frontier.measured if point.recipe.model]


@pytest.mark.slow
def test_it_begins_with_adult_and_draws_it(here, problems):
    bench = Workbench("adult", keep=False)
    assert not problems
    assert len(bench.frontier.measured) == 26 and bench.frontier.complete
    assert bench.card.recipe == bench.frontier.knee.recipe
    assert bench.disclosure.release is bench.card.release
    assert bench.chart.frontier.measured[bench.chart.selected].recipe == bench.card.recipe
    assert list(here.iterdir()) == []


def test_a_role_changes_everything_behind_it(bench):
    before = bench.frontier
    choose(bench, "neutral", "work")
    assert bench.session.table.quasi == ("age", "sex")
    assert bench.card.table is bench.session.table
    assert bench.disclosure.release.table is bench.session.table
    assert bench.frontier is not before and bench.frontier.complete
    assert "work" not in bench.session.study.quasi


@pytest.mark.slow
def test_neutral_columns_that_tell_too_much_are_left_out_by_one_button(bench, problems):
    release = bench.card.release
    assert release.neutral and release.disclosing_columns and release.side_information_risk().unique > 0
    told = []
    bench.card.send = lambda content, buffers=None: told.append(content)
    bench.card.show()
    assert told[-1]["neutral"] == release.side_information_risk().sentence
    bench.preview._receive(None, {"kind": "drop", "field": "release"}, [])
    assert set(release.disclosing_columns) == set(bench.session.study.dropped) == set(bench.roles.roles["dropped"])
    assert (
        not set(release.disclosing_columns) & set(bench.card.release.table.names)
        and not bench.card.release.disclosing_columns
    )
    assert bench.preview.release is bench.card.release and not problems
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert not bench.session.study.dropped and bench.card.release.disclosing_columns == release.disclosing_columns


def test_recipes_become_points(bench):
    assert drawn(bench) == ["k-anonymity, k = 2", "k-anonymity, k = 4", "k-anonymity, k = 8"]


@pytest.mark.slow
def test_a_recipe_that_names_a_column_which_goes_is_left_out_and_the_others_are_made(bench, problems):
    told = []
    gain = {"name": "mondrian", "split": "information_gain", "target": "work"}
    bench.recipes.recipes = [*RECIPES, {**RECIPES[0], "method": gain}]
    assert not bench.frontier.undefined.recipe.tolist()
    bench.recipes.send = lambda content, buffers=None: told.append(content)
    choose(bench, "dropped", "work")
    assert bench.frontier.complete and len(bench.frontier.undefined) == 3 and not bench.chart.growing
    assert set(bench.frontier.undefined.reason) == {
        "P_loss, U_loss: mondrian: target = 'work' is not a column of the table; it has person, age, sex, disease, wage"
    }
    fields = told[-1]["groups"][1]["method"]["fields"]
    assert next(one for one in fields if one["name"] == "target")["problem"].startswith("target = 'work' is not a")
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.frontier.complete and bench.frontier.undefined.empty
    assert {kind for kind, *_ in problems} <= {"ReleaseCard"}


def test_a_clicked_point_is_the_release_everywhere(bench):
    bench.chart.selected = 2
    recipe = bench.frontier.measured[2].recipe
    assert bench.card.recipe == recipe == bench.preview.recipe
    assert bench.disclosure.model == recipe.model
    assert bench.preview.release is bench.disclosure.release is bench.card.release


def test_a_slider_moves_a_point_while_the_rest_stays(bench):
    bench.chart.selected = 2
    before = bench.frontier
    bench.card._receive(None, {"kind": "move", "part": 0, "name": "k", "value": 6, "field": "0.k"}, [])
    assert bench.chart.moving is not None and str(bench.chart.moving.recipe.model) == "k-anonymity, k = 6"
    assert bench.chart.selected == -1 and bench.frontier is before
    assert bench.disclosure.release.classes.sizes.min() >= 6
    bench.card._receive(None, {"kind": "move", "part": 0, "name": "k", "value": 4, "field": "0.k"}, [])
    assert bench.chart.moving is None and drawn(bench)[bench.chart.selected] == "k-anonymity, k = 4"


@pytest.mark.slow
def test_a_kept_point_joins_the_study_and_the_frontier(bench):
    bench.chart.selected = 2
    bench.card._receive(None, {"kind": "move", "part": 0, "name": "k", "value": 6, "field": "0.k"}, [])
    bench.card._receive(None, {"kind": "hold"}, [])
    assert "k-anonymity, k = 6" in drawn(bench)
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert "k-anonymity, k = 6" not in drawn(bench)
    bench.card._receive(None, {"kind": "move", "part": 0, "name": "k", "value": 7, "field": "0.k"}, [])
    bench.card._receive(None, {"kind": "hold"}, [])
    assert "k-anonymity, k = 7" in drawn(bench) and "k-anonymity, k = 6" not in drawn(bench)


@pytest.mark.slow
def test_undo_and_redo_go_through_roles_recipes_and_hierarchies(bench, problems):
    choose(bench, "neutral", "work")
    bench.recipes.recipes = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [3]}}]
    bench.hierarchies.hierarchies = {"age": {"builder": "intervals", "widths": [10]}}
    for _ in range(3):
        bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.session.table.quasi == ("age", "work", "sex") == tuple(bench.roles.roles["quasi"])
    assert bench.recipes.recipes == RECIPES and drawn(bench)[0] == "k-anonymity, k = 2"
    for _ in range(3):
        bench.top._receive(None, {"kind": "ask", "what": "redo"}, [])
    assert bench.session.table.quasi == ("age", "sex")
    assert bench.hierarchies.hierarchies == {"age": {"builder": "intervals", "widths": [10]}}
    assert bench.session.table.columns["age"].hierarchy is not None
    assert not problems


@pytest.mark.slow
def test_levels_to_be_released_at_are_the_studys_and_are_undone(bench, problems):
    bench.hierarchies.hierarchies = {"age": {"builder": "intervals", "widths": [10]}}
    bench.hierarchies._receive(None, {"kind": "released", "column": "age", "low": 1, "high": 2}, [])
    assert bench.session.study.released_levels == {"age": [1, 2]}
    assert bench.session.table.settings.level_ranges == {"age": (1, 2)}
    bench.hierarchies.hierarchies = {}
    assert bench.session.study.released_levels == {} == bench.hierarchies.released_levels
    for _ in range(2):
        bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.session.study.released_levels == {} and bench.session.study.hierarchies
    bench.top._receive(None, {"kind": "ask", "what": "redo"}, [])
    assert bench.hierarchies.released_levels == {"age": [1, 2]} and not problems


def test_what_cannot_be_is_said_and_the_last_good_state_stays(bench, problems):
    study, table = bench.session.study, bench.session.table
    choose(bench, "neutral", "age", "work", "sex")
    assert problems and problems[-1][0] == "RolePicker"
    assert bench.session.study.quasi == study.quasi and bench.session.table is table
    assert bench.roles.roles["quasi"] == ["age", "work", "sex"]


def test_caps_and_axes_are_the_studys(bench):
    bench.chart.caps = {"P_loss": 0.2}
    bench.chart.axes = ["A_know", "NCP"]
    assert bench.session.study.caps == {"P_loss": 0.2}
    assert bench.session.study.axes == ("A_know", "NCP") == tuple(bench.recipes.axes)
    assert bench.frontier.axes == ("A_know", "NCP")
    assert bench.card.frontier.axes == bench.preview.frontier.axes == bench.chart.frontier.axes == ("A_know", "NCP")


def test_two_frontiers_on_one_chart(bench):
    bench.chart._receive(None, {"kind": "pin", "on": True}, [])
    choose(bench, "neutral", "work")
    assert bench.chart.pinned is not None and bench.chart.pinned is not bench.chart.frontier
    bench.chart._receive(None, {"kind": "pin", "on": False}, [])
    assert bench.chart.pinned is None


@pytest.mark.slow
def test_the_exported_chart_is_the_one_on_the_screen(bench):
    sent = []
    bench.preview.send = lambda content, buffers=None: sent.append(buffers)
    for view in ("frontier", "heat"):
        bench.chart.view = view
        bench.preview._receive(None, {"kind": "export", "what": "json", "field": "chart"}, [])
        written = json.loads(b"".join(next(buffers for buffers in reversed(sent) if buffers)))
        assert written["config"] and written["datasets"] == bench.chart.altair().to_dict()["datasets"]


def test_it_comes_back_with_its_study(bench, frame, here):
    bench.chart.caps = {"P_loss": 0.2}
    again = Workbench(frame)
    assert again.session.study.to_dict() == bench.session.study.to_dict()
    assert again.session.table.quasi == ("age", "work", "sex")
    assert drawn(again) == drawn(bench)
    assert oct(next(here.glob("*.results")).stat().st_mode)[-3:] == "700"


def test_scripts_know_where_what_was_drawn_is_kept(bench, frame, here):
    assert bench.preview.kept() == here / "from-the-notebook.results"
    assert Workbench(frame, keep=False).preview.kept() is None, "it goes when the workbench closes"


def test_a_long_hierarchy_is_kept_beside_the_study_and_named_by_its_python(here, frame, problems):
    labels = [f"PLANTED {i:02}" for i in range(len(frame))]
    frame = frame.assign(person=labels)
    pairs = {f"PLANTED pair {i}": labels[i : i + 2] for i in range(0, len(labels), 2)}
    tens = {f"PLANTED ten {i}": labels[i : i + 10] for i in range(0, len(labels), 10)}
    spec = {"builder": "groups", "levels": [pairs, tens, {"PLANTED all": labels}]}
    hierarchies = {**STUDY.hierarchies, "person": spec}
    STUDY.with_(quasi=(*STUDY.quasi, "person"), hierarchies=hierarchies).save("from-the-notebook.study.yaml")
    assert "PLANTED" not in (here / "from-the-notebook.study.yaml").read_text()
    bench = Workbench(frame)
    bench.chart.caps = {"P_loss": 0.2}
    bench._autosave.save()
    file = "from-the-notebook.person.hierarchy.json"
    assert bench.preview.study.files == {"person": file} and (here / file).stat().st_mode & 0o777 == 0o600
    assert "PLANTED" not in (here / "from-the-notebook.study.yaml").read_text()
    code = python_code(bench.preview.study, Recipe(Mondrian(), KAnonymity(4)))
    assert f"read_hierarchy('{file}')" in code and "PLANTED" not in code
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.session.study.hierarchies["person"] == spec and not problems


@pytest.mark.slow
def test_a_long_hierarchy_is_built_once_for_the_roles_and_once_for_the_table(bench, problems, monkeypatch):
    built, build = [], Prefixes.__call__
    monkeypatch.setattr(Prefixes, "__call__", lambda self, column: built.append(column.name) or build(self, column))
    bench.hierarchies.hierarchies = {**bench.hierarchies.hierarchies, "work": {"builder": "prefixes", "keep": 2}}
    assert not problems and bench.session.table.columns["work"].hierarchy is not None
    assert 0 < built.count("work") <= 3  # the editor tries it, too
    built.clear()
    choose(bench, "neutral", "age")
    assert bench.hierarchies.table is bench.session.table and built.count("work") == 1


def test_two_tabs_on_one_study(bench, frame, problems):
    told = []
    other = Workbench(frame)
    other.top.state = lambda **changes: told.append(changes)
    bench.chart.caps = {"P_loss": 0.2}
    other.chart.caps = {"P_loss": 0.4}
    assert any("another tab" in one.get("conflict", "") for one in told)
    file = bench._file.path
    assert Study.open(file).caps == {"P_loss": 0.2}
    other.top._receive(None, {"kind": "ask", "what": "theirs"}, [])
    assert other.session.study.caps == {"P_loss": 0.2} and other.chart.caps == {"P_loss": 0.2}
    other.chart.caps = {"P_loss": 0.6}
    assert Study.open(file).caps == {"P_loss": 0.6}
    assert not problems


def test_a_study_is_opened_from_its_file(bench, problems):
    text = bench.session.study.with_(caps={"P_loss": 0.3}, quasi=("sex",)).to_yaml()
    bench.top._receive(None, {"kind": "open", "text": text, "field": "open"}, [])
    assert bench.session.study.caps == {"P_loss": 0.3} and bench.session.table.quasi == ("sex",)
    bench.top._receive(None, {"kind": "open", "text": "studdy: x", "field": "open"}, [])
    assert problems[-1][0] == "TopBar" and "did you mean" in problems[-1][2]
    assert bench.session.study.caps == {"P_loss": 0.3}
    unknown = bench.session.study.with_(measures=({"name": "nothing"},)).to_yaml()
    bench.top._receive(None, {"kind": "open", "text": unknown, "field": "open"}, [])
    assert "nothing" in problems[-1][2]
    bench.chart.caps = {"P_loss": 0.1}
    assert bench.session.study.caps == {"P_loss": 0.1} and bench.session.study.measures[0]["name"] == "privacy loss"


def test_a_study_whose_data_are_not_there_changes_nothing(bench, problems, here):
    told, state = [], bench.top.state
    bench.top.state = lambda **changes: (told.append(changes), state(**changes))
    before, file = bench.session.study, bench._file.path.read_text()
    text = Study(name="x", data={"path": "nowhere.csv"}, quasi=("age",)).to_yaml()
    bench.top._receive(None, {"kind": "open", "text": text, "field": "open"}, [])
    assert bench.session.study == before and bench._file.path.read_text() == file
    assert "nowhere.csv" in problems[-1][2] and bench.data.unfolded
    assert any("choose them in Data" in one.get("note", "") for one in told)
    choose(bench, "neutral", "work")
    assert bench.session.study.quasi == ("age", "sex"), "the user continues with the current points"


def test_a_strangers_study_reads_nothing_outside_the_folder(bench, problems, here):
    before = bench.session.study
    for data in ({"path": "../secret.csv"}, {"path": "/etc/passwd"}):
        text = Study(name="x", data=data, quasi=("age",)).to_yaml()
        bench.top._receive(None, {"kind": "open", "text": text, "field": "open"}, [])
        assert problems[-1][:2] == ("TopBar", "open") and "folder" in problems[-1][2]
    assert bench.session.study == before


def test_a_study_of_other_data_is_opened_with_its_own_data(bench, frame, here, problems):
    frame.head(25).to_csv("other.csv", index=False)
    text = Study(name="x", data={"path": "other.csv"}, quasi=("age",), measures=STUDY.measures).to_yaml()
    bench.top._receive(None, {"kind": "open", "text": text, "field": "open"}, [])
    assert bench.session.study.name == "x" and bench.session.table.records == 25
    assert bench.data.data == {"path": "other.csv"} and bench.session.base.records == 25
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.session.table.records == len(frame) and bench.data.data == {"given": "frame"}
    assert not problems


@pytest.mark.slow
def test_an_identifiers_hierarchy_is_not_kept(bench, here):
    bench.hierarchies.hierarchies = {"work": {"builder": "groups", "levels": [{"Mrs Miller's": ["Farm", "Shop"]}]}}
    assert "Miller" in bench._file.path.read_text()
    choose(bench, "identifier", "work")
    assert "Miller" not in bench._file.path.read_text()
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert "work" in bench.session.study.hierarchies


@pytest.mark.slow
def test_a_study_named_after_its_data_follows_them(bench, frame, here):
    frame.to_csv("hospital.csv", index=False)
    bench.data._receive(None, {"kind": "choose", "field": "path", "value": "hospital.csv"}, [])
    assert bench.session.study.name == "hospital"
    bench.top._receive(None, {"kind": "rename", "name": "mine"}, [])
    bench.data._receive(None, {"kind": "choose", "field": "source", "value": "bundled"}, [])
    assert bench.session.study.name == "mine"


def test_a_kept_study_whose_upload_is_gone_asks_for_it(here, problems, frame):
    STUDY.with_(data={"given": "upload: people.csv"}).save("people.study.yaml")
    bench = Workbench("people.study.yaml")
    assert bench.session.table is None and bench.data.unfolded
    assert "pass them again" in problems[-1][2]
    frame.to_csv("people.csv", index=False)
    bench.data._receive(None, {"kind": "choose", "field": "path", "value": "people.csv"}, [])
    assert bench.session.table.quasi == STUDY.quasi and drawn(bench)[0] == "k-anonymity, k = 2"


def test_a_path_and_a_study_are_taken(here, frame, problems, monkeypatch):
    frame.to_csv(here / "people.csv", index=False)
    bench = Workbench("people.csv")
    choose(bench, "quasi", "age", "sex")
    assert bench.session.study.data == {"path": "people.csv"}
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    again = Workbench(here / "people.study.yaml")
    assert again.session.table.quasi == ("age", "sex")
    assert again.session.table.records == len(frame)
    assert not problems


@pytest.mark.slow
def test_other_data_are_looked_at_in_the_same_way(bench, frame, problems):
    frame.drop(columns="work").to_csv("less.csv", index=False)
    bench.data._receive(None, {"kind": "choose", "field": "path", "value": "less.csv"}, [])
    assert bench.session.table.quasi == ("age", "sex")
    assert list(bench.session.table.sensitive) == ["disease"]
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.session.table.quasi == ("age", "work", "sex")
    assert not problems


@pytest.mark.slow
def test_a_study_of_other_data_has_a_file_and_results_of_its_own(bench, frame, here):
    own, told = bench._file.path, {}
    bench.top.send = lambda content, buffers=None: told.update(content)
    assert bench.store.folder.parent == here and own.name in bench.store.folder.name.replace("results", "study.yaml")
    frame.drop(columns="work").to_csv("less.csv", index=False)
    bench.data._receive(None, {"kind": "choose", "field": "path", "value": "less.csv"}, [])
    assert Study.open(own).quasi == STUDY.quasi and Study.open(own).data == {"given": "frame"}
    assert Study.open("less.study.yaml").quasi == ("age", "sex")
    assert told["kept"] == 'saved in less.study.yaml; Workbench("less.study.yaml") opens it again'
    assert bench.store.folder.name.startswith("less") and len(list(bench.store.keys())) == 5
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench._file.path == own and told["kept"] == "saved in from-the-notebook.study.yaml"
    bench.close()
    again = Workbench(frame)
    assert again.session.study.data == {"given": "frame"} and again.session.table.quasi == STUDY.quasi
    assert Workbench("less.study.yaml").session.study.data == {"path": "less.csv"}


@pytest.mark.slow
def test_a_cell_goes_on_with_the_data_that_it_names(here, frame):
    frame.to_csv("people.csv", index=False)
    bench = Workbench("adult")
    choose(bench, "neutral", "race")
    bench.data._receive(None, {"kind": "choose", "field": "path", "value": "people.csv"}, [])
    choose(bench, "quasi", "age", "sex")
    assert Study.open("people.study.yaml").quasi == ("age", "sex")
    bench.close()
    again = Workbench("adult")
    assert again.session.study.data["bundled"] == "adult" and "race" not in again.session.study.quasi


@pytest.mark.slow
def test_a_table_comes_with_its_roles_and_hierarchies(here, problems):
    table = datasets.adult(quasi=("age", "sex"))
    bench = Workbench(table, keep=False)
    assert bench.session.table.quasi == ("age", "sex") and list(bench.session.table.sensitive) == ["occupation"]
    assert fingerprint(bench.session.table) == fingerprint(table.with_settings(regions={}))
    bench.hierarchies.hierarchies = {}
    assert all(column.hierarchy is None for column in bench.session.table.columns.values())
    assert not problems


def test_closed_it_leaves_nothing(here, frame):
    bench = Workbench(frame, keep=False)
    folder = bench.store.folder
    assert folder.exists()
    bench.close()
    assert not folder.exists()


def test_under_voila_no_file_is_shared_by_strangers(here, frame, monkeypatch):
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5")
    bench = Workbench(frame)
    assert bench._file is None and bench.top.remembered
    assert list(here.iterdir()) == []
    told = []
    bench.top.state = lambda **changes: told.append(changes)
    bench.chart.caps = {"P_loss": 0.25}
    (text,) = (changes["study"] for changes in told if "study" in changes)
    assert Study.from_yaml(text).caps == {"P_loss": 0.25}, "the tab hears of it at once"


def test_releases_of_other_data_have_a_smallest_class_from_the_start(here, frame, problems):
    bench = Workbench(frame, keep=False)
    models = [recipe.model for recipe in bench.session.study.candidates()]
    assert models and all(min(part.k for part in model.parts if part.name == "k-anonymity") >= 5 for model in models)


@pytest.mark.slow
def test_the_chosen_point_is_the_studys(bench, frame, problems):
    recommended = bench.card.recipe
    bench.chart.selected = 2 if bench.chart.selected != 2 else 1
    first = bench.card.recipe
    bench.card._receive(None, {"kind": "move", "part": 0, "name": "k", "value": 6, "field": "0.k"}, [])
    assert chosen_recipe(bench.session.study) == bench.card.recipe != first != recommended
    again = Workbench(frame)
    assert again.card.recipe == again.card.point.recipe == bench.card.recipe, "it survives a restart"
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.card.recipe == bench.card.point.recipe == first
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.card.recipe == recommended and not bench.session.study.chosen
    for _ in range(2):
        bench.top._receive(None, {"kind": "ask", "what": "redo"}, [])
    assert bench.card.recipe.model.k == 6
    choose(bench, "neutral", "work")
    assert bench.card.recipe.model.k == 6 and bench.release.table.quasi == ("age", "sex")
    bench.recipes.seed = 5
    assert bench.card.recipe.seed == 5, "no point is compared with itself under another seed"
    assert not problems


def test_two_frames_without_roles_do_not_share_a_file(here, problems, frame):
    one, other = Workbench(frame), Workbench(frame.rename(columns={"disease": "illness"}))
    assert list(here.iterdir()) == [], "nothing is asked yet"
    for bench, quasi in ((one, "age"), (other, "sex")):
        choose(bench, "quasi", quasi)
    assert sorted(path.name for path in here.glob("*.yaml")) == [
        "from-the-notebook-2.study.yaml", "from-the-notebook.study.yaml"
    ]  # fmt: skip
    assert Study.open("from-the-notebook.study.yaml").quasi == ("age",)
    assert Study.open("from-the-notebook-2.study.yaml").quasi == ("sex",)
    again = Workbench(frame.copy())
    assert again.session.study.quasi == ("age",), "the same data, read once more"
    assert not problems


def test_a_name_that_was_typed_wrong_leaves_nothing_behind(here, problems):
    bench = Workbench("adlut")
    assert "adlut" in problems[-1][2]
    bench.close()
    assert list(here.iterdir()) == []


def test_a_closed_workbench_holds_nothing_and_says_so(here, frame):
    bench = Workbench(frame, keep=False)
    choose(bench, "quasi", "age")
    table, there = weakref.ref(bench.session.table), len(widget_registry)
    assert there >= 30
    bench.close()
    gc.collect()
    assert table() is None
    with pytest.raises(BadInput, match="was closed"):
        _ = bench.release
    assert "closed" in repr(bench)
    bench.close()


@pytest.mark.slow
def test_recipes_that_nobody_has_chosen_are_those_that_init_proposes_for_the_roles(here, problems):
    """A limit of t is a share of the cost of a full disclosure, for data of every source."""
    frame = people(random.Random(5), missing=False)
    frame["rare"] = ["yes" if i % 40 == 0 else "no" for i in range(len(frame))]
    bench = Workbench(frame.drop(columns="disease"))
    choose(bench, "quasi", "age", "sex", "work")
    choose(bench, "sensitive", "rare")
    frame.drop(columns="disease").to_csv("people.csv", index=False)
    init = proposal.propose_with_reasons("people.csv", quasi=("age", "sex", "work"), sensitive=("rare",)).study
    assert bench.session.study.recipes == init.recipes and not problems
    bench.session.undo()
    bench.session.redo()
    assert bench.session.study.recipes == init.recipes
    own = ({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 4}},)
    bench.session.change(recipes=own)
    choose(bench, "neutral", "work")
    assert bench.session.study.quasi == ("age", "sex")
    assert bench.session.study.recipes == own, "what a person has chosen stays"
    bench.close()


def keep(bench, name, text):
    bench.workloads._receive(None, {"kind": "keep", "field": "queries", "name": name, "text": text}, [])


@pytest.mark.slow
def test_a_workload_of_the_study_is_an_axis_like_any_other(bench, problems):
    bench.workloads._receive(None, {"kind": "add", "field": "load", "what": "written"}, [])
    assert list(bench.session.study.workloads) == ["queries"] and bench.session.table.settings.workloads
    queries = next(row for row in bench.recipes._measures if row.kind.name == "query error")
    assert queries.parts[0].options("workload", bench.session.table) == ["random", "queries"]
    place = bench.recipes._measures.index(queries)
    for content in ({"kind": "switch", "on": True}, {"kind": "choices", "name": "workload", "places": [0, 1]}):
        bench.recipes._receive(None, {**content, "row": f"measure.{place}", "part": 0, "field": "x"}, [])
    bench.chart._receive(None, {"kind": "axis", "side": "utility", "key": "Q_err(workload=queries)"}, [])
    assert not problems and bench.session.study.axes == ("P_loss", "Q_err(workload=queries)")
    assert all("Q_err(workload=queries)" in point.values for point in bench.frontier.measured)
    before = bench.card.point.values["Q_err(workload=queries)"]
    keep(bench, "queries", "age >= 40\nsex = 'F' and age < 30")
    assert bench.card.point.values["Q_err(workload=queries)"] != before  # no figure outlives its queries
    bench.workloads._receive(None, {"kind": "rename", "field": "name", "name": "queries", "to": "state"}, [])
    assert bench.frontier.axes == ("P_loss", "Q_err(workload=state)") and not problems
    bench.workloads._receive(None, {"kind": "remove", "field": "name", "name": "state"}, [])
    study = bench.session.study
    assert not study.workloads and study.axes == ("P_loss", "U_loss") and not problems
    assert {"name": "query error", "guard": 1.0} in study.measures  # of random queries
    for _ in range(2):
        bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert list(bench.session.study.workloads) == ["queries"] == list(bench.workloads.workloads)


def test_a_workload_that_is_needed_stays(bench, problems):
    bench._change(bench.workloads, workloads={"state": ["age >= 40"]})
    measures = [{"name": "privacy loss"}, {"name": "query error", "workload": "state"}]
    bench._change(bench.recipes, measures=tuple(measures), axes=("P_loss", "Q_err(workload=state)"))
    bench.workloads._receive(None, {"kind": "remove", "field": "name", "name": "state"}, [])
    assert "choose another measure first" in problems[-1][2]
    assert list(bench.workloads.workloads) == ["state"] == list(bench.session.study.workloads)


@pytest.mark.slow
def test_a_query_selects_the_classes_that_it_cuts(bench, problems):
    bench._change(bench.workloads, workloads={"state": ["age >= 40 and sex = 'F'", "age >= 41"]})
    assert bench.query_errors.release is bench.card.release is not None
    bench.query_errors.unfolded = True
    bench.query_errors._receive(None, {"kind": "query", "query": 0, "field": "workload"}, [])
    selected = bench.disclosure.selected
    assert selected and not problems and set(selected) == set(bench.selected_classes.index)
    bench.query_errors._receive(None, {"kind": "query", "query": -1, "field": "workload"}, [])
    assert not bench.disclosure.selected
    keep(bench, "state", "age >= 41")  # another table: nobody can choose a query of the release before
    assert bench.query_errors._shown[0] is bench.card.release


@pytest.mark.slow
def test_what_releases_show_is_the_studys_and_is_undone(bench, problems):
    bench.hierarchies.hierarchies = {"age": {"builder": "intervals", "widths": [10]}}
    assert bench.session.table.columns["age"].regions == "ranges"
    bench.hierarchies._receive(None, {"kind": "regions", "column": "age", "shown": "nodes"}, [])
    assert bench.session.study.regions == {"age": "nodes"} and bench.session.table.columns["age"].shows_nodes
    bench.hierarchies.hierarchies = {}
    assert bench.session.study.regions == {} == bench.hierarchies.regions
    bench.top._receive(None, {"kind": "ask", "what": "undo"}, [])
    assert bench.hierarchies.regions == {"age": "nodes"} and bench.session.table.columns["age"].shows_nodes
    assert not problems
