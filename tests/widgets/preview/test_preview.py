"""Preview and export: records only when asked and never under Voila; every file can be read back."""

import asyncio
import io
import json
import threading
import zipfile

import numpy as np
import pandas as pd
import pytest
import yaml

from widgets.base.kernel_thread import current_kernel_thread
from widgets.preview import preview
from widgets.preview.preview import ReleasePreview, side_by_side
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe, recipes
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Laplace, Mondrian, RandomizedResponse, Remove
from workbench.models import KAnonymity
from workbench.studies.study import Study

PLAIN = pd.DataFrame(
    {
        "age": [20, 21, 22, 23, 60, 61, 62, 63] * 5,
        "town": ["Marker-north", "Marker-south"] * 20,
        "ill": ["flu", "flu", "cold", "ulcer", "cold", "flu", "ulcer", "ulcer"] * 5,
    }
)
STUDY = Study(name="A study of towns!", data={"given": "frame"}, quasi=("age", "town"), sensitive=("ill",))
RECIPE = Recipe(Mondrian(), KAnonymity(10))
BUCKETS = Recipe(Mondrian(publish="bucketized"), KAnonymity(10))


class Stand:
    """A preview, and what it sent."""

    def __init__(self, table, recipe=RECIPE, **traits):
        given = {"recipe": recipe, "study": STUDY, **traits}
        self.preview = ReleasePreview(recipe.release(table) if recipe else None, **given)
        self.sent, self.pieces = [], []
        self.preview.send = self._sent
        self.send("hello")

    def _sent(self, content, buffers=None):
        self.sent.append(content)
        self.pieces.append([bytes(piece) for piece in buffers or []])

    def send(self, kind, **content):
        self.sent.clear()
        self.pieces.clear()
        self.preview._receive(None, {"kind": kind, **content}, [])

    def export(self, what, **more):
        """The file that comes, name and bytes; None where it was refused."""
        self.send("export", field="release", what=what, **more)
        found = [
            (content, piece) for content, piece in zip(self.sent, self.pieces, strict=True) if content["kind"] == "file"
        ]
        if not found:
            return None
        assert [content["place"] for content, _ in found] == list(range(found[0][0]["pieces"]))
        return found[0][0]["name"], b"".join(piece[0] for _, piece in found)

    def last(self, kind):
        return next((one for one in reversed(self.sent) if one["kind"] == kind), None)


@pytest.fixture
def table():
    return Table.from_frame(PLAIN, quasi=["age", "town"], sensitive="ill")


@pytest.fixture
def lab(monkeypatch):
    monkeypatch.delenv("SERVER_SOFTWARE", raising=False)


def test_the_release_is_audited_in_a_sentence(table, lab):
    stand = Stand(table)
    assert stand.last("state")["audit"] == f"Audited: {RECIPE.release(table).audit(KAnonymity(10))}."
    assert "holds" in stand.last("state")["audit"]
    assert "nothing to audit" in Stand(table, Recipe(Keep())).last("state")["audit"]


def test_records_come_only_when_asked(table, lab):
    stand = Stand(table)
    assert "Marker" not in str(stand.sent)
    stand.send("preview", field="preview", number=7)
    shown = stand.last("preview")
    assert [len(column["original"]) for column in shown["columns"]] == [7, 7, 7]
    assert [column["name"] for column in shown["columns"]] == ["age", "town", "ill"]
    stand.send("hello")  # a reloaded page
    assert stand.last("preview") is None
    assert "Marker" not in str(stand.sent)
    assert "Marker" not in str(stand.preview.get_state())


def test_each_original_lies_beside_its_own_release(table, lab):
    release = RECIPE.release(table)
    shown = side_by_side(release, 40)
    columns = {column["name"]: column for column in shown["columns"]}
    assert columns["age"]["original"] == [str(age) for age in PLAIN["age"]]
    assert columns["ill"]["original"] == columns["ill"]["released"] == list(PLAIN["ill"])
    group = release.group_of_record
    for name in ("age", "town"):
        assert columns[name]["released"] == [release.class_labels(name)[g] for g in group]
    low, high = (release.classes.low[group, 0], release.classes.high[group, 0])
    codes = table.codes["age"]
    assert ((low <= codes) & (codes <= high)).all()
    assert shown["sizes"] == release.classes.sizes[group].tolist()


def test_what_is_removed_or_hidden_in_a_class_is_not_shown_as_released(table, lab):
    removed = side_by_side(Recipe(Remove(columns=("town",))).release(table), 5)["columns"][1]
    assert removed["released"] == [""] * 5
    buckets = {column["name"]: column for column in side_by_side(BUCKETS.release(table), 5)["columns"]}
    assert buckets["age"]["original"] == buckets["age"]["released"]
    assert all("in its class" in text for text in buckets["ill"]["released"])


@pytest.mark.parametrize("number", [0, -1, 501, "20", 2.5, None, True])
def test_a_sample_has_a_size(table, lab, number):
    stand = Stand(table)
    stand.send("preview", field="preview", number=number)
    assert stand.last("problem")["field"] == "preview"
    assert stand.last("preview") is None


def test_under_voila_there_is_no_preview_and_none_is_given(table, monkeypatch):
    monkeypatch.setenv("SERVER_SOFTWARE", "voila/0.5.13")
    stand = Stand(table)
    assert stand.last("state")["preview"] is False
    stand.send("preview", field="preview", number=5)
    assert "JupyterLab only" in stand.last("problem")["text"]
    assert "Marker" not in str(stand.sent)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_released_file(table, lab, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(preview, "CHUNK", 100)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    name, data = Stand(table).export(ending)
    assert name == "a-study-of-towns-release.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        stem = "a-study-of-towns-release"
        assert archive.namelist() == [f"{stem}.{ending}", f"{stem}-codebook.csv", f"{stem}-codebook.json"]
        read = pd.read_csv if ending == "csv" else pd.read_parquet
        frame = read(io.BytesIO(archive.read(f"{stem}.{ending}")))
    assert len(frame) == 40
    assert (frame.groupby(["age", "town"]).size() >= 10).all()
    assert list(tmp_path.iterdir()) == []  # nothing stays behind


def test_a_bucketized_release_is_two_files_in_one(table, lab):
    name, data = Stand(table, BUCKETS).export("csv")
    assert name == "a-study-of-towns-release.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["a-study-of-towns-release-records.csv", "a-study-of-towns-release-ill.csv"]
        records, ill = (pd.read_csv(archive.open(one)) for one in archive.namelist())
    assert len(records) == 40
    assert ill["count"].sum() == 40


def test_giveaways_are_refused_at_the_field_until_it_is_said(lab, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    frame = PLAIN.assign(birth=2000 - PLAIN["age"])
    stand = Stand(Table.from_frame(frame, quasi=["age", "town"], sensitive="ill"))

    async def export():
        stand.preview._maker._kernel_thread = stand.preview._kernel_thread = current_kernel_thread()
        stand.export("csv")
        for _ in range(200):
            await asyncio.sleep(0.01)
            if stand.last("ended"):
                return

    asyncio.run(export())
    problem = stand.last("problem")
    assert problem["field"] == "release"
    assert "'birth' reveals 'age' of 40 records" in problem["text"]
    assert str(tmp_path) not in problem["text"]
    assert stand.last("refused")["columns"] == ["birth"]
    assert stand.last("fine")["field"] == "release"  # said before the refusal, so that it stays
    assert stand.sent.index(stand.last("fine")) < stand.sent.index(problem)
    stand.preview._maker._kernel_thread = stand.preview._kernel_thread = None
    with zipfile.ZipFile(io.BytesIO(stand.export("csv", anyway=True)[1])) as archive:
        assert len(pd.read_csv(archive.open(archive.namelist()[0]))) == 40
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_breaks_its_model_is_not_offered(table, lab):
    stand = Stand(table)
    stand.preview.recipe = Recipe(Mondrian(), KAnonymity(39))
    assert "is violated by" in stand.last("state")["audit"]
    assert stand.export("csv") is None
    assert any("not offered" in one.get("text", "") for one in stand.sent)


def test_the_study(table, lab):
    name, data = Stand(table).export("yaml")
    assert name == "a-study-of-towns.yaml"
    assert Study.from_dict(yaml.safe_load(data)).to_dict() == STUDY.to_dict()


def test_the_python(table, lab):
    name, data = Stand(table).export("py")
    assert name == "a-study-of-towns-release.py"
    compile(data, name, "exec")


@pytest.mark.slow
def test_the_chart(table, lab, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    frontier = sweep(table, recipes(Mondrian(), KAnonymity, k=[5, 10, 20]), [PrivacyLoss(), UtilityLoss()])
    stand = Stand(table, frontier=frontier)
    name, data = stand.export("png")
    assert name.endswith("-frontier.png")
    assert data.startswith(b"\x89PNG")
    assert b"<svg" in stand.export("svg")[1]
    name, data = stand.export("json")
    assert name.endswith(".vl.json")
    assert "vega-lite" in json.loads(data)["$schema"]
    assert list(tmp_path.iterdir()) == []


def test_neutral_columns_are_named(table, lab):
    stand = Stand(table)
    assert stand.last("state")["as_they_are"] == ""
    stand.preview.release = RECIPE.release(table.with_roles(table.quasi[:1], table.sensitive))
    named = stand.last("state")["as_they_are"]
    assert named.startswith("Neutral (published unchanged): ") and all(name in named for name in table.quasi[1:])


def test_what_is_not_there_yet_says_so(lab):
    stand = Stand(None, None, study=None)
    assert not any(stand.last("state")[name] for name in ("release", "study", "chart", "code"))
    for what in ("csv", "parquet", "yaml", "py", "png", "nonsense"):
        assert stand.export(what) is None
        assert "mistake" not in stand.last("problem")["text"]
    stand.send("preview", field="preview", number=5)
    assert "no release yet" in stand.last("problem")["text"]


def test_a_slider_does_not_flood_the_view(table, lab):
    stand = Stand(table)
    stand.sent.clear()
    stand.preview.release = RECIPE.release(table)  # the same again
    assert stand.sent == []


def test_records_on_the_page_go_with_their_release(table, lab):
    stand = Stand(table)
    stand.send("preview", field="preview", number=5)
    stand.sent.clear()
    stand.preview.release = RECIPE.release(table)
    assert [one["kind"] for one in stand.sent] == ["gone"]


def test_samples_differ_and_are_in_the_order_of_the_table(table, lab):
    release = RECIPE.release(table)
    seen = {tuple(side_by_side(release, 3)["columns"][0]["original"]) for _ in range(30)}
    assert len(seen) > 1
    assert np.issubdtype(release.group_of_record.dtype, np.integer)


def test_a_file_and_records_go_to_the_view_that_asked(table, lab):
    stand = Stand(table)
    stand.send("preview", field="preview", number=5, **{"from": "a view"})
    assert stand.last("preview")["to"] == "a view"
    stand.send("export", field="study", what="yaml", **{"from": "another"})
    assert stand.last("file")["to"] == stand.last("working")["asker"] == "another"


def test_a_file_that_is_being_made_comes_although_records_are_shown_meanwhile(table, lab, monkeypatch):
    begun, made = threading.Event(), preview.release_file

    def slow(*given):
        assert begun.wait(10)
        return made(*given)

    monkeypatch.setattr(preview, "release_file", slow)

    async def play():
        stand = Stand(table)
        stand.preview._receive(None, {"kind": "export", "what": "csv", "field": "release"}, [])
        stand.preview._receive(None, {"kind": "preview", "number": 5, "field": "preview"}, [])
        for _ in range(500):
            await asyncio.sleep(0.01)
            if stand.last("preview"):
                begun.set()
            if stand.last("file"):
                return True
        return False

    assert asyncio.run(play())


def test_a_release_is_audited_once(table, lab, monkeypatch):
    stand, audited = Stand(table, None), []
    release = RECIPE.release(table)
    audit = type(release).audit
    monkeypatch.setattr(type(release), "audit", lambda self, model: (audited.append(self), audit(self, model))[1])
    stand.preview.recipe, stand.preview.release = RECIPE, release
    stand.preview.study = STUDY.with_(seed=3)
    stand.send("hello")
    assert audited == [release]


def test_the_sentence_about_neutral_columns_has_their_figure_and_leaving_out_asks_for_the_telling_ones(lab):
    frame = PLAIN.assign(birth=2000 - PLAIN["age"], same="x")
    stand = Stand(Table.from_frame(frame, quasi=["age", "town"], sensitive="ill"))
    said = stand.last("state")["as_they_are"]
    naive = frame.join(stand.preview.release.frame()[[]]).assign(c=stand.preview.release.group_of_record)
    alone = int((naive.groupby(["c", "birth", "same"]).size() == 1).sum())
    assert said.startswith("Neutral (published unchanged): birth and same. ")
    assert f". {alone} of 40 records" in said and "ill can be inferred with certainty for" in said
    asked = []
    stand.preview.observe(lambda event: asked.append(event.new), "dropped")
    for _ in range(2):
        stand.send("drop", field="release")
    assert asked == [["birth"], ["birth"]], "on every request; constant columns disclose nothing"


def test_a_release_with_noise_is_shown_record_by_record(table):
    release = RandomizedResponse(0.5)(table)
    shown = side_by_side(release, 40)
    columns = {one["name"]: one for one in shown["columns"]}
    assert shown["sizes"] == [] and columns["town"]["original"] == columns["town"]["released"]
    labels = np.array(table.sensitive["ill"].labels)
    assert columns["ill"]["released"] == labels[release.drawn["ill"].released].tolist()
    assert columns["ill"]["original"] == table.frame["ill"].tolist()
    noisy = Laplace(1.0, bounds="age: 0..99")(table)
    ages = {one["name"]: one for one in side_by_side(noisy, 40)["columns"]}["age"]["released"]
    assert ages == [str(number) for number in noisy.drawn["age"].released]
