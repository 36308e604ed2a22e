"""Every part handles or rejects any message of a page, without an internal error."""

import inspect
import random
import re

import pandas as pd
import pytest

from tests.planted import planted
from widgets import (
    Dashboard,
    DataPicker,
    DisclosureTable,
    ExplanationView,
    FrontierChart,
    HierarchyEditor,
    LatticeView,
    OriginalComparison,
    QueryErrors,
    RecipePicker,
    ReleaseCard,
    ReleasePreview,
    RolePicker,
    ScenarioPicker,
    WorkloadPicker,
)
from widgets.base.part import Part
from widgets.topbar.topbar import TopBar
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity, TCloseness
from workbench.publication.publish import publish
from workbench.studies.study import Study

FRAME = pd.DataFrame(
    {
        "age": [20, 21, 22, 23, 60, 61, 62, 63] * 5,
        "town": ["north", "south", "east", "west", "nearby"] * 8,
        "ill": ["flu", "flu", "cold", "ulcer", "cold", "flu", "ulcer", "ulcer"] * 5,
        "born": pd.date_range("1950-01-01", periods=20, freq="400D").tolist() * 2,
    }
)
MEASURES = [PrivacyLoss(), UtilityLoss()]
RANGES = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [2, 5]}}]
JUNK = [None, True, False, -1, 0, 1, 2, 10**30, 10**400, 1.5, -1e308, "", "0", "1", "nan", "inf", "x" * 5000,
        "9" * 5000, "a\0b", "..", "/", "1..9 step 1e-9", "1..1 x1.0000000000000000000000000000000001", "2, 5", [], [1],
        [None], [[]], ["age"], ["age", "age"], ["north"], {}, {"a": [1]}, {"widths": "x"},
        {"by": "widths", "widths": ["5"]}]  # fmt: skip
MEANT = ["age", "town", "ill", "born", "nobody", "k", "quasi", "sensitive", "neutral", "privacy", "utility", "P_loss",
         "U_loss", "k-anonymity", "mondrian", "row.0.0", "row.0.-1", "row.9.9", "measure.0", "measure.99", "groups",
         "intervals", "import", "dates", "prefixes", "csv", "py", "png", "source", "path", "upload", "bundled", "given",
         "old", "drawn", "random", "age > 40\nsex =",
         "heat", "method", "drop_missing", "undo", "mine", "t.csv", "t.csv.gz"]  # fmt: skip
BUFFERS = [[], [memoryview(b"")], [memoryview(b"abc")], [memoryview(b"age;all\n20;*\n")], [memoryview(b"\xff" * 8)]]


def built(name, folder):
    """A part that has everything to lose."""
    table = Table.without_roles(FRAME).with_roles(["age", "town"], "ill")
    recipe = Recipe(Mondrian(), KAnonymity(5))
    frontier = sweep(table, [recipe, Recipe(Mondrian(), TCloseness(0.5))], MEASURES)
    study = Study(data={"given": "frame"}, quasi=("age", "town"), sensitive=("ill",), recipes=tuple(RANGES))
    makers = {
        "Dashboard": lambda: Dashboard(folder),
        "DataPicker": lambda: DataPicker(FRAME, folder=str(folder)),
        "DisclosureTable": lambda: DisclosureTable(recipe.release(table), recipe.model),
        "FrontierChart": lambda: FrontierChart(frontier),
        "HierarchyEditor": lambda: HierarchyEditor(
            Table.without_roles(FRAME).with_roles(["age", "town", "born"], "ill")
        ),
        "LatticeView": lambda: LatticeView(table, recipe),
        "OriginalComparison": lambda: OriginalComparison(recipe.release(table)),
        "QueryErrors": lambda: QueryErrors(recipe.release(table.with_settings(workloads={"old": ["age > 40"]}))),
        "RecipePicker": lambda: RecipePicker(
            table, recipes=RANGES, measures=[one.to_dict() for one in MEASURES], axes=["P_loss", "U_loss"]
        ),
        "ReleaseCard": lambda: ReleaseCard(table, MEASURES, recipe, frontier=frontier),
        "ReleasePreview": lambda: ReleasePreview(recipe.release(table), recipe=recipe, frontier=frontier, study=study),
        "RolePicker": lambda: RolePicker(table),
        "ScenarioPicker": lambda: ScenarioPicker(table, unfolded=False),
        "ExplanationView": lambda: ExplanationView(recipe.release(table)),
        "WorkloadPicker": lambda: WorkloadPicker(
            table, {"old": ["age > 40"], "drawn": {"random": {"count": 20, "dimension": 1}}}
        ),
        "TopBar": lambda: TopBar(lambda kind, value: None),
    }
    return makers[name]()


PARTS = ["Dashboard", "DataPicker", "DisclosureTable", "FrontierChart", "HierarchyEditor",
         "LatticeView", "OriginalComparison", "QueryErrors", "RecipePicker",
         "ReleaseCard", "ReleasePreview", "RolePicker", "ScenarioPicker", "TopBar", "ExplanationView",
         "WorkloadPicker"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    return publish(planted(place), place / "out")


def names_in(part):
    """Return the names of message contents that a part's code uses."""
    code = "".join(inspect.getsource(inspect.getmodule(kind)) for kind in type(part).__mro__ if issubclass(kind, Part))
    asked = re.findall(r'content(?:\.get\(|\[)"(\w+)"|read_integer\((?:content|\{.*\}), "(\w+)"', code)
    return sorted({name for pair in asked for name in pair if name})


def kinds_of(part):
    return sorted(name.removeprefix("receive_") for name in dir(part) if name.startswith("receive_"))


def junk(rng, part):
    """Return a random message with arbitrary contents."""
    content = {name: rng.choice(JUNK if rng.random() < 0.4 else MEANT) for name in names_in(part) if rng.random() < 0.8}
    number = {name: rng.randrange(-1, 3) for name in content if rng.random() < 0.2}
    turn = {"turn": part._turn} if isinstance(part, DisclosureTable) and rng.random() < 0.8 else {}
    return {**content, **number, **turn}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PARTS)
def test_each_part_answers_a_view_that_says_hello_folded_too(name, folder, monkeypatch, tmp_path):
    """A view without any message for eight seconds reports that the kernel does not respond."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("widgets.base.vega.bundle", lambda: "")
    part, said = built(name, folder), []
    if part.has_trait("unfolded"):
        part.unfolded = False
    part.send = lambda content, buffers=None: said.append(content["kind"])
    part._receive(None, {"kind": "hello"}, [])
    assert [kind for kind in said if kind != "library"], name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PARTS)
def test_no_message_breaks_a_part(name, folder, monkeypatch, tmp_path):
    monkeypatch.delenv("SERVER_SOFTWARE", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("widgets.base.vega.bundle", lambda: "")
    monkeypatch.setattr("widgets.preview.preview.chart_file", lambda *_: ("chart.png", b""))
    part, said = built(name, folder), []
    part.send = lambda content, buffers=None: said.append(content)
    rng = random.Random(name)
    for kind in kinds_of(part):
        for _ in range(60):
            content = junk(rng, part)
            part._receive(None, {**content, "kind": kind}, rng.choice(BUFFERS))
            ours = [one["text"] for one in said if "Internal error" in str(one.get("text"))]
            assert not ours, (kind, {k: str(v)[:80] for k, v in content.items()}, ours)
            said.clear()
    part._receive(None, {"kind": "hello"}, [])
    assert said
    part.close()


@pytest.mark.parametrize(
    "content", [None, [], "hello", 3, {}, {"kind": None}, {"kind": ["hello"]}, {"kind": "nothing"}]
)
def test_what_is_no_message_is_passed_over(content):
    part = TopBar(print)
    part.send = lambda content, buffers=None: pytest.fail("nothing is answered")
    part._receive(None, content, [])


def test_every_part_is_tried():
    def finished(kind):
        below = [
            under
            for under in kind.__subclasses__()
            if under.__module__.startswith("widgets.") and "copied" not in under.__module__
        ]
        return [one for under in below for one in finished(under)] or [kind.__name__]

    assert set(finished(Part)) == set(PARTS)
