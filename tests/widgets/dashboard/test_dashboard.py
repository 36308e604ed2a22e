"""The dashboard asks a published folder and nothing else; what the browser sends is not trusted."""

import gzip
import io
import json
import math
import subprocess
import sys
import zipfile

import pytest
import traitlets

from tests.planted import BUCKETIZED, PLACE, RARE_DISEASE, planted
from widgets import Dashboard
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("study")
    return publish(planted(place), place / "out")


class RecordedDashboard:
    """A dashboard and its messages."""

    def __init__(self, folder=None):
        self.widget = Dashboard(folder)
        self.messages, self.buffers = [], []
        self.widget.send = self._send

    def _send(self, content, buffers=None):
        self.messages.append(content)
        self.buffers.append(buffers)

    def request(self, kind, **content):
        """Send a message and return the replies."""
        del self.messages[:], self.buffers[:]
        self.widget._receive(None, {"kind": kind, **content}, [])
        return self.messages

    def one(self, kind):
        return next(content for content in self.messages if content["kind"] == kind)

    def kinds(self):
        return [content["kind"] for content in self.messages]


@pytest.fixture
def recorded(folder):
    return RecordedDashboard(folder)


def test_a_view_that_comes_gets_the_study_and_the_choice(recorded):
    assert [content["kind"] for content in recorded.request("hello")] == ["study", "choice"]
    study, choice = recorded.one("study"), recorded.one("choice")
    assert (
        "600 people" in study["about"]
        and len(study["points"]) == 10
        and "rounded to multiples of 10, shares" in study["rounding"]
    )
    assert (
        choice["here"] == choice["first"]
        and choice["recommended"]
        and choice["name"].startswith("No limit is set. Our")
    )
    assert choice["proposed"] and choice["none"] == ""
    assert choice["why"].startswith("A compromise between safety and accuracy, among the releases that ")
    assert choice["nearly"].startswith("Nearly certain: 95 % or more of a group may have the value")
    assert study["question"] == "How much may be learned about any one person?"
    names = " · ".join(one["name"] for one in choice["alternatives"])
    assert sorted(names.split(" · ")) == ["A bit more accurate", "A bit safer", "Simplest to explain"]
    card = choice["card"]
    learned, worst = card["learned"], card["worst"]
    assert "disease guessed right" in learned["unit"] and "of the worst group have disease" in worst["unit"]
    assert learned["sentence"].startswith("Nobody’s disease is certain. The surest guess because of the release")
    assert (
        card["unsafe"] == ""
        and "for example" not in card["brief"]
        and card["rule"].startswith("This version’s own rule")
        and card["holds"].startswith("What this version promises holds against")
    )
    assert all(one.get("within", True) for one in choice["alternatives"]), "no limit is set, so none is over it"
    assert card["title"][0].isupper() and card["title"] != card["recipe"] and "most exposed first" in card["order"]
    assert all(who.startswith("Anyone with") for who, _ in card["attackers"]) and study["limit"] == ""
    assert json.dumps(recorded.messages, allow_nan=False)


def test_the_slider_moves_the_recommendation(recorded, folder):
    read = Published(folder)
    for cap in (str(read.privacy["high"]), read.privacy["low"]):  # it opens in between
        recorded.request("cap", cap=cap, field="cap")
        assert recorded.one("choice")["here"] == read.choices(float(cap))["recommended"]
        assert recorded.one("choice")["recommended"]
        assert recorded.widget.cap == float(cap) and recorded.kinds()[-1] == "fine"


@pytest.mark.parametrize("cap", ["lots", True, math.nan, [0.1], {}, "../../etc", "15%", "0,15"])
def test_a_bad_limit_is_said_and_the_last_one_stays(recorded, cap):
    recorded.request("cap", cap=0.2)
    before = recorded.widget.cap
    (problem,) = recorded.request("cap", cap=cap, field="cap")
    assert problem["kind"] == "problem" and problem["field"] == "cap" and f"{before:g} stays" in problem["text"]
    assert recorded.widget.cap == before


@pytest.mark.parametrize("cap", [0.0001, -1, "-inf"])
def test_a_limit_that_no_release_keeps_shows_the_safest_and_says_so(recorded, cap):
    said = recorded.request("cap", cap=cap, field="cap")
    assert recorded.widget.cap == recorded.widget.published.privacy["low"]
    assert said[-1]["field"] == "cap" and "the strictest possible limit" in said[-1]["text"]


def test_what_is_nearest_to_a_limit_is_not_recommended(recorded):
    low = recorded.widget.published.privacy["low"]
    recorded.request("cap", cap=low)
    for asked in ("0.0001", "0.0002"):
        recorded.request("cap", cap=asked)
        choice = recorded.one("choice")
        assert choice["none"] == f"No release satisfies the limit of {asked}." and not choice["recommended"]
        assert choice["name"] == "None is recommended" and choice["why"] == "Shown is the nearest."
    recorded.request("cap", cap=low)
    assert recorded.one("choice")["recommended"] and recorded.one("choice")["none"] == ""


@pytest.mark.parametrize("cap", [5, math.inf, "1e999"])
def test_a_limit_beyond_all_releases_is_the_last_one(recorded, cap):
    assert recorded.request("cap", cap=cap, field="cap")[-1]["kind"] == "fine"
    assert recorded.widget.cap == recorded.widget.published.privacy["high"]


def test_an_alternative_that_is_none_says_why(recorded, folder, tmp_path):
    for end in ("high", "low"):
        recorded.request("cap", cap=Published(folder).privacy[end])
    safer, _, simplest = recorded.one("choice")["alternatives"]
    assert safer["none"] == "No release here is safer." and "No release of the simplest kind" in simplest["none"]
    simple = {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [12, 40, 120]}}
    alike = RecordedDashboard(publish(planted(tmp_path, recipes=[simple]), tmp_path / "out", warn=lambda said: None))
    alike.request("hello")
    assert "already" in alike.one("choice")["alternatives"][2]["none"]


def test_an_alternative_opens_and_the_slider_goes_back_to_the_recommended(recorded):
    recorded.request("cap", cap=0.2)
    other = recorded.one("choice")["alternatives"][0]["index"]
    recorded.request("open", index=other, field="open")
    assert recorded.one("choice")["here"] == other and "A bit safer" in recorded.one("choice")["name"]
    recorded.request("cap", cap=0.25, field="cap")
    assert recorded.widget.chosen == -1 and recorded.one("choice")["here"] == recorded.one("choice")["first"]


def test_a_release_is_one_card_whatever_it_is_offered_as(recorded, monkeypatch):
    choices = recorded.widget.published.choices(0.2)
    monkeypatch.setattr(Published, "choices", lambda study, cap: {**choices, "simplest": choices["useful"]})
    recorded.request("cap", cap=0.2)
    safer, other = recorded.one("choice")["alternatives"]
    assert safer["name"] == "A bit safer" and other["name"] == "A bit more accurate · Simplest to explain"
    recorded.request("open", index=other["index"])
    assert recorded.one("choice")["name"] == "A bit more accurate · Simplest to explain"
    assert recorded.one("choice")["why"] == f"Compared with the first: {other['beside']}"


def test_an_address_from_before_is_said_and_the_recommended_is_shown(recorded):
    recorded.request("cap", cap=0.2)
    other, edition = recorded.one("choice")["alternatives"][0]["index"], recorded.widget.published.results["edition"]
    (problem,) = recorded.request("open", index=other, edition="0" * 16, field="open")
    assert "published again" in problem["text"] and recorded.widget.chosen == -1
    recorded.request("open", index=other, edition=edition, field="open")
    assert recorded.widget.chosen == other


def test_a_release_over_the_limit_says_so(recorded):
    recorded.request("cap", cap=0.12)
    assert recorded.one("choice")["within"]
    recorded.request("open", index=recorded.one("choice")["alternatives"][1]["index"])
    assert not recorded.one("choice")["within"]


def test_the_studys_limit_that_none_keeps_and_what_is_published_as_it_is_are_said(tmp_path):
    study = planted(tmp_path).with_(caps={"P_loss": 0.0001}, identifiers=("name",))
    recorded = RecordedDashboard(publish(study, tmp_path / "out", warn=lambda text: None))
    recorded.request("hello")
    told = recorded.one("study")
    assert "No candidate satisfies the limit of at most 0.0001" in told["limit"]
    assert "Neutral (published unchanged): wage." in told["as_they_are"]
    assert "an attacker who does" not in told["as_they_are"], "no file was written"
    choice = recorded.one("choice")
    assert choice["name"] == "None is recommended" and choice["why"] == "Shown is the nearest." and not choice["within"]
    assert choice["none"] == told["limit"] and choice["cap"] == 0.0001


@pytest.mark.parametrize("index", [99, -2, 8, True, "0", 1.0, None, "../points/0", [0]])
def test_only_releases_that_are_offered_open(recorded, index):
    (problem,) = recorded.request("open", index=index, field="open")
    assert problem["kind"] == "problem" and recorded.widget.chosen == -1


@pytest.mark.parametrize(
    "trait, value", [("cap", 99.0), ("cap", math.nan), ("chosen", 99), ("chosen", 8), ("chosen", -7)]
)
def test_a_page_cannot_set_a_trait_to_what_is_not_offered(recorded, trait, value):
    before = getattr(recorded.widget, trait)
    with pytest.raises(traitlets.TraitError):
        setattr(recorded.widget, trait, value)
    assert getattr(recorded.widget, trait) == before


def test_the_table_comes_in_pages_and_can_be_searched(recorded):
    recorded.request("open", index=0)
    recorded.request("classes", start=0, wanted="", field="classes")
    first = recorded.one("classes")
    assert len(first["rows"]) == 20 < first["count"] and first["rows"][-1]["people"] == "fewer than 20 people"
    recorded.request("classes", start=20, wanted="", field="classes")
    assert recorded.one("classes")["rows"][0] not in first["rows"]
    recorded.request("classes", start=0, wanted="elm sex f", field="classes")
    found = recorded.one("classes")
    assert 0 < found["count"] < first["count"] and all("Elm" in row["labels"][1] for row in found["rows"])
    recorded.request("classes", start=0, wanted="31 m", field="classes")
    ages = [row["labels"][0].strip("[]").split("-") for row in recorded.one("classes")["rows"]]
    assert ages and all(int(low) <= 31 <= int(high) for low, high in ages), "a number lies in an interval"
    assert {row["labels"][2] for row in recorded.one("classes")["rows"]} == {"M"}, "a word begins there"
    value = (
        next(row["sentence"] for row in first["rows"] if "disease" in row["sentence"])
        .split("disease “")[1]
        .split("”;")[0]
    )
    recorded.request("classes", start=0, wanted=value, field="classes")
    assert (
        0 < recorded.one("classes")["count"] < first["count"]
        and value in recorded.one("classes")["rows"][0]["sentence"]
    )
    recorded.request("classes", start=0, wanted=".*", field="classes")
    assert recorded.one("classes")["count"] == 0  # words, not a pattern


@pytest.mark.parametrize(
    "asked", [{"start": -1}, {"start": "0"}, {"start": True}, {"wanted": 5}, {"wanted": "x" * 101}]
)
def test_a_bad_question_about_the_table_is_refused(recorded, asked):
    (problem,) = recorded.request("classes", field="classes", **asked)
    assert problem["kind"] == "problem"


@pytest.mark.slow
def test_the_release_and_the_report_are_handed_over(recorded, folder):
    recorded.request("release", field="download", path="/etc/passwd", name="x")
    file, index = recorded.one("file"), recorded.widget._here
    there, stem = folder / "points" / str(index + 1), "who-is-ill-release"
    assert file["name"] == f"{stem}.zip" and not file["compressed"]
    with zipfile.ZipFile(io.BytesIO(recorded.buffers[1][0])) as archive:
        assert archive.namelist() == [f"{stem}.csv", f"{stem}-codebook.csv", f"{stem}-codebook.json"]
        assert all(archive.read(name) == (there / name).read_bytes() for name in archive.namelist())
    assert recorded.kinds() == ["preparing", "file", "fine", "fine"]
    recorded.request("report", field="download")
    assert recorded.one("file")["name"] == "who-is-ill-report.html"
    page = gzip.decompress(recorded.buffers[recorded.kinds().index("file")][0]).decode()
    assert page.startswith("<!doctype html>") and "No limit was set" in page and "The line is the limit" not in page
    recorded.request("cap", cap=0.2)
    recorded.request("report", field="download")
    page = gzip.decompress(recorded.buffers[recorded.kinds().index("file")][0]).decode()
    assert "The line is the limit, at most 0.2" in page


def test_several_files_come_as_one_archive(tmp_path):
    recorded = RecordedDashboard(publish(planted(tmp_path, recipes=[BUCKETIZED]), tmp_path / "out", releases="all"))
    recorded.request("release", field="download")
    assert recorded.one("file")["name"].endswith(".zip")
    names = zipfile.ZipFile(io.BytesIO(recorded.buffers[1][0])).namelist()
    assert names == ["who-is-ill-release-disease.csv", "who-is-ill-release-records.csv"]


def test_the_table_says_what_its_groups_are(recorded):
    recorded.request("cap", cap=0.2)
    listed = recorded.one("choice")["card"]["listed"]
    assert listed == {"are": "of people that cannot be distinguished", "who": "Who they are"}
    recorded.request("classes", start=0, wanted="", field="classes")
    assert all(row["who"] for row in recorded.one("classes")["rows"])


def test_a_release_without_a_file_says_why(tmp_path):
    asked = {"mine": ["sex = 'M'", f"disease = '{RARE_DISEASE}'"]}
    recorded = RecordedDashboard(publish(planted(tmp_path, workloads=asked), tmp_path / "out", releases=False))
    recorded.request("hello")
    ((query, answer),) = recorded.one("choice")["card"]["queries"]["rows"]
    assert query == "sex = 'M'" and answer.startswith("A user of the released data would count about ")
    assert recorded.one("choice")["card"]["queries"]["others"].startswith("1 more query is not published")
    assert RARE_DISEASE not in json.dumps(recorded.messages)
    (problem,) = recorded.request("release", field="download")
    assert "without its releases" in problem["text"]


@pytest.mark.parametrize("given", ["nowhere", ""])
def test_a_folder_that_is_none_is_said_on_the_page_without_its_path(given, tmp_path, monkeypatch):
    monkeypatch.delenv("WORKBENCH_PUBLISHED", raising=False)
    recorded = RecordedDashboard(given and tmp_path / given)
    (missing,) = recorded.request("hello")
    assert missing["kind"] == "missing" and "no study has been published" in missing["text"]
    assert str(tmp_path) not in missing["text"]
    for kind in ("cap", "open", "classes", "release", "report"):
        assert [content["kind"] for content in recorded.request(kind, cap=0.1, index=0, field="cap")] == ["problem"]


def test_the_server_says_which_folder(folder, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PUBLISHED", str(folder))
    assert RecordedDashboard().request("hello")[0]["kind"] == "study"


@pytest.mark.slow
def test_published_anew_under_an_open_page_is_said(tmp_path):
    study = planted(tmp_path)
    recorded = RecordedDashboard(publish(study, tmp_path / "out"))
    publish(study, tmp_path / "out")
    (problem,) = recorded.request("classes", start=0, field="classes")
    assert "reload this page" in problem["text"]


def test_no_marker_is_in_a_message_or_a_trait(recorded):
    everything = []
    for cap in (0.02, 0.1, 0.3):
        for kind, content in (("cap", {"cap": cap}), ("hello", {}), ("classes", {"start": 0}), ("open", {"index": 0})):
            everything += [json.dumps(one) for one in recorded.request(kind, **content)]
    state = {key: value for key, value in recorded.widget.get_state().items() if not key.startswith("_")}
    assert {key for key, value in state.items() if key in ("cap", "chosen")} == {"cap", "chosen"}
    everything.append(str(state))
    for marker in ("planted-", PLACE, RARE_DISEASE, "people.csv", str(recorded.widget.published.folder)):
        assert not any(marker in said for said in everything)


def test_its_kernel_loads_nothing_of_the_engine_before_it_is_asked():
    heavy = ("altair", "numba", "duckdb", "pandas", "pyarrow", "workbench.data.table", "workbench.studies.study")
    asked = f"import sys, widgets.dashboard.dashboard; print([name for name in {heavy!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
