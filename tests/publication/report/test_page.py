"""The report is one self-contained file about one release, made without the data."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from tests.planted import PLACE, RARE_DISEASE, people, planted
from workbench import BadInput
from workbench.base.figures import format_number
from workbench.charts import offline
from workbench.publication import cost, groups, statements
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report import page
from workbench.publication.report.batch import Job, index
from workbench.publication.report.page import SECTIONS, dominated, report
from workbench.publication.report.reporting import Report
from workbench.studies.study import Study


def own_words(page: str) -> str:
    """Return the page without the library that draws its chart."""
    return page[: page.rindex("<script>")]


def test_the_page_is_one_file_without_external_resources(page):
    assert page.count("<!doctype html>") == 1 and "default-src 'none'" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", own_words(page))
    assert page.count("data:image/svg+xml;base64,") == 1


def test_the_page_states_the_proposal_and_its_cost(read, page):
    best = read.choices(0.2)["recommended"]
    for said in (
        read.points[best]["recipe"],
        cost.cost(read, best)["sentence"],
        cost.example(read, best),
        statements.alone(read, best, 0.2),
        "loses the least accuracy",
        "a bit safer",
        "a bit more accurate",
        "fewer than 20 people",
        "about 600 people",
        "every group's mix of disease is within 0.1 of that of everybody (Jensen-Shannon distance): for example, at ",
        "Neutral (published unchanged): wage.",
        statements.learnt(read, best)["sentence"],
        statements.most_exposed(read, best)["sentence"],
        cost.cost(read, best)["worst"],
    ):
        assert said.replace(" %", "\u00a0%") in unescape(page)
    for measure in read.results["measures"]:
        assert measure["key"] in page


def test_the_page_is_in_plain_words_and_has_a_date(page):
    words = re.sub(r"<script>.*?</script>|<style>.*?</style>|<[^>]+>", " ", own_words(page), flags=re.DOTALL)
    assert not re.search(r"\{\"|\bjs'|True|False|None|nan\b|\d%", words)
    assert words.count("Efficient:") == 0 and "Made by mondrian (" in words and "seed 0" in words
    assert re.search(r"As of \d{1,2} [A-Z][a-z]+ 20\d\d\.", words)


def test_names_are_escaped_in_the_page(page):
    assert "Ill &lt;b&gt;people&lt;/b&gt; &amp; their age" in page and "<b>people</b>" not in own_words(page)


def test_the_page_contains_no_marker(page):
    assert not any(marker in page for marker in ("planted-", PLACE, RARE_DISEASE))


# --- text of a study or of its data is escaped in every page

HOSTILE = "<script>&\"'"
EVENTS = re.compile(r"^on|srcdoc")


def hostile(what: str) -> str:
    return f"{what}{HOSTILE}"


class Page(HTMLParser):
    """The text, elements and attributes of a page, as a browser parses it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.scripts, self.attributes = "", 0, []
        self.feed(str(page))

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def checked(page: str, scripts: int) -> Page:
    """Check that a page has only its own scripts and hostile input only as text; return the page."""
    seen = Page(page)
    assert seen.scripts == page.count("</script") == scripts
    assert HOSTILE not in page and "<script>&" not in page
    assert not [name for name, _ in seen.attributes if EVENTS.search(name)]
    return seen


@pytest.fixture(scope="module")
def hostile_study(tmp_path_factory) -> Published:
    frame = people()
    frame["town"], frame["disease"] = frame["town"].map(hostile), frame["disease"].map(hostile)
    frame = frame.rename(columns={name: hostile(name) for name in ("town", "sex", "disease", "wage")})
    asked = {
        "study": hostile("the study"),
        "data": {"given": "ill"},
        "roles": {
            "quasi": ["age", hostile("town"), hostile("sex")],
            "sensitive": [hostile("disease")],
            "identifiers": ["name"],
        },
        "hierarchies": {"age": {"builder": "intervals", "widths": [10, 20]}},
        "workloads": {hostile("mine"): [f"`{hostile('sex')}` = 'M'", "age >= 45"]},
        "titles": {"age": hostile("the title")},
        "record": [hostile("patient"), hostile("patients")],
        "recipes": [
            {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [12, 40]}},
            {"method": {"name": "mondrian"}, "model": {"name": "t-closeness", "t": [0.1, 0.2], "distance": "js"}},
        ],
        "measures": [{"name": "privacy loss"}, {"name": "utility loss"}],
        "smallest": 10,
    }
    place = tmp_path_factory.mktemp("out") / "published"
    return Published(publish(Study.from_dict(asked), place, given=frame, warn=lambda text: None))


NAMES = ("the study", "the title", "patients", "town", "sex", "disease", "wage", "Flu")


def test_hostile_text_is_escaped_in_the_report(hostile_study):
    cap = hostile_study.results["cap"]
    page = report(hostile_study, hostile_study.opens(cap), cap)
    seen = checked(page, scripts=2)  # the chart and the library that draws it
    assert [name for name in NAMES if hostile(name) not in seen.text] == []


def test_hostile_text_is_escaped_in_every_section_of_the_notebook(hostile_study):
    told = Report(hostile_study)
    seen = [checked(told[name]._repr_html_(), scripts=0).text for name in SECTIONS]
    assert [name for name in NAMES if not any(hostile(name) in text for text in seen)] == []
    assert hostile("`sex") in seen[[*SECTIONS].index("queries")]


def test_hostile_text_is_escaped_in_the_index_of_a_batch(hostile_study, tmp_path):
    made, failed = Job(tmp_path / hostile("a job"), {}), Job(tmp_path / "other", {})
    made.points.write_text(json.dumps(Report(hostile_study).points))
    seen = checked(index(tmp_path, [(made, None), (failed, hostile("a reason"))]).read_text("utf-8"), scripts=0)
    for text in ("a job", "a reason", "disease"):
        assert hostile(text) in seen.text
    (link,) = (value for name, value in seen.attributes if name == "href")
    assert link == "a%20job%3Cscript%3E%26%22%27.html"


def test_hostile_text_is_escaped_in_a_chart_and_its_page(hostile_study):
    spec = hostile_study.chart() | {"description": hostile("the chart")}
    seen = checked(offline.page(hostile("a title"), offline.fragment(spec), offline.library()), scripts=2)
    assert hostile("a title") in seen.text and ("alt", hostile("the chart")) in seen.attributes
    assert f'aria-label="{"the chart"}&lt;script&gt;&amp;&#34;&#39;"' in offline.svg(spec)
    checked(offline.fragment(spec, live=False), scripts=0)


# --- the question, the data and the method of the computation


def test_every_candidate_is_counted_and_the_limit_is_stated(read):
    said = page.question_section(read, 0, 0.2)
    candidates = sum(not one["baseline"] for one in read.points)
    assert f"{candidates:,} candidates were generated" in said and "The limit: " in said
    assert "No limit was set" in page.question_section(read, 0, read.results["cap"])


def test_columns_are_listed_by_role_and_rare_values_are_not_named(read):
    said = page.data(read, 0, None)
    assert "age" in said and "wage" in said and "about 600" in said and "planted" not in said


def test_every_measure_has_its_figure(read):
    best = read.choices(0.2)["recommended"]
    said = page.computed(read, best, 0.2)
    assert all(measure["key"] in said for measure in read.results["measures"])


# --- the proposed release and the objections to it


def test_nothing_exceeds_the_limit_if_none_is_set(read):
    opens = read.results["cap"]
    page = report(read, read.choices(opens)["useful"], opens)
    assert not read.set_by_hand(opens) and "exceeds the limit" not in page and "(over the limit)" not in page


def test_a_limit_that_no_release_satisfies_is_reported(tmp_path):
    read = Published(publish(planted(tmp_path, caps={"P_loss": 0.001}), tmp_path / "out"))
    said = report(read, read.opens(0.001), read.results["cap"])
    assert "No candidate satisfies the limit of at most 0.001 on privacy loss. The nearest is number 5" in unescape(
        said
    )
    assert "It is the nearest candidate, and is not recommended." in said and "Proposed" not in said


def test_a_release_that_is_not_recommended_is_marked_and_an_unpublished_one_refused(read):
    other = read.choices(0.2)["simplest"]
    assert f"instead of number {read.opens(0.2) + 1}, which is recommended." in report(read, other, 0.2)
    with pytest.raises(BadInput, match="was not published"):
        report(read, len(read.points) - 1)


def test_measures_of_utility_have_figures_and_not_only_definitions(page, read):
    """Regression: a row of the report had the definition of a measure and no figure."""
    point, text = read.points[read.choices(0.2)["recommended"]], unescape(page)
    shown = [one for one in read.results["measures"] if one["side"] == "utility" and one["key"] in point["values"]]
    assert shown
    for one in shown:
        assert f"{one['name'].capitalize()}: {format_number(point['values'][one['key']], one['better'])}" in text


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> Published:
    """Return the page of a study of the same people without a sensitive column."""
    folder = tmp_path_factory.mktemp("bare")
    study = planted(
        folder,
        roles={"quasi": ["age", "town", "sex"], "identifiers": ["name", "disease"]},
        recipes=[{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [12, 200]}}],
        measures=[{"name": "re-identification risk"}, {"name": "information loss"}, {"name": "average class size"}],
        axes=["R_id", "NCP"],
    )
    return Published(publish(study, folder / "out"))


def test_the_page_mentions_no_beliefs_or_attacks_without_a_sensitive_column(bare):
    """Regression: the page ordered groups by belief and had an empty table of attackers."""
    index = next(i for i, one in enumerate(bare.points) if "k = 200" in one["recipe"])
    page = unescape(report(bare, index))
    assert "what may be learned about people is not examined" in page and "nothing sensitive" not in page
    for word in ("belief", "believed", "attacked", "certain of", "may be certain"):
        assert word not in page, word
    assert "Average class size: " in page and "(records)" in page and "times k" not in page


def test_the_probability_of_re_identification_is_rounded_up(bare):
    """Regression: 1 of 200 was "0 %"."""
    index = next(i for i, one in enumerate(bare.points) if "k = 200" in one["recipe"])
    _, rows = bare.exposures(index)
    assert all(0 < 1 / row["people"] <= row["share"] and groups.how_exposed(row) == "0 to 1 %" for row in rows)


def test_the_promises_of_a_recommended_release_depend_on_the_study(bare, page):
    """Regression: the page mentioned nearly certain values of tables without any and did not define them."""
    without = unescape(report(bare, bare.opens(None)))
    assert "put nobody in a group of fewer than 5" in without and "Nearly certain" not in without
    text = unescape(page).replace("\u00a0", " ")
    assert "make no value certain or nearly so" in text
    assert "Nearly certain: 95 % or more of a group may have the value, and at least 20 percentage points more" in text


def test_weighted_shares_are_marked(tmp_path, page):
    """Regression: the page showed weighted and unweighted shares of one group without a label."""
    roles = {"quasi": ["age", "sex"], "sensitive": ["disease"], "identifiers": ["name", "town"], "weight": "wage"}
    recipes = [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [100, 400]}}]
    study = planted(tmp_path, roles=roles, recipes=recipes, smallest=5)
    read = Published(publish(study, tmp_path / "out", releases=False))
    index = next(i for i, one in enumerate(read.points) if one["opened"] and read.populations(i))
    text = unescape(report(read, index)).replace("\u00a0", " ")
    for said in ("represents several by a survey weight", "on weighted average", "everybody, weighted.",
                 "all shares weighted", "in truth, weighted", " (weighted)."):  # fmt: skip
        assert said in text, said
    assert "weighted" not in unescape(page) and "survey weight" not in unescape(page)


# --- the other candidates, and the chart


def test_the_chart_marks_the_release_and_draws_the_limit(read, page):
    spec = json.loads(re.search(r"const spec = (\{.*\});", page)[1])
    best = read.points[read.choices(0.2)["recommended"]]["values"]
    assert spec["datasets"]["chosen"] == [{"x": best["P_loss"], "y": best["U_loss"]}]
    assert spec["datasets"]["cap_x"][0]["label"] == "" and "The line is the limit, at most 0.2." in page
    assert spec["datasets"]["cap_x"][0]["x"] == 0.2 < spec["datasets"]["cap_x"][0]["x2"]


def test_dominated_candidates_are_described_in_singular_and_plural(read):
    beaten = sum(not one["efficient"] and not one["baseline"] for one in read.points)
    assert beaten > 1 and f"{beaten:,} candidates are dominated: " in dominated(read, 0, None)
    one = next(one for one in read.points if not one["efficient"] and not one["baseline"])
    alone = SimpleNamespace(points=[one], privacy=read.privacy, utility=read.utility)
    assert "1 candidate is dominated: " in dominated(alone, 0, None)


def test_candidates_outside_the_chart_are_not_dominated_and_have_a_reason(read):
    beaten = [one for one in read.points if not one["efficient"] and not one["baseline"]]
    why = "dealt buckets contain true values"
    gone = {
        **beaten[0],
        "number": 11,
        "recipe": "gone",
        "values": {},
        "reasons": dict.fromkeys(("P_loss", "U_loss"), why),
    }
    half = {**gone, "recipe": "half", "values": {"P_loss": 0.1}, "reasons": {"U_loss": "no population is large"}}
    study = SimpleNamespace(points=[*read.points, gone, half], privacy=read.privacy, utility=read.utility)
    page = dominated(study, 0, None)
    assert f"{len(beaten)} candidates are dominated: " in page
    assert "2 candidates are not on the chart: undefined on one of its measures." in page
    assert f">P_loss, U_loss: {why}<" in page and ">U_loss: no population is large<" in page
    alone = SimpleNamespace(points=[gone], privacy=read.privacy, utility=read.utility)
    page = dominated(alone, 0, None)
    assert "1 candidate is not on the chart" in page and "dominated" not in page


def test_a_release_beyond_the_limit_is_marked(read):
    beyond = read.choices(0.11)["useful"]
    assert "This release exceeds the limit" in report(read, beyond, 0.11)
    assert "exceeds the limit" not in report(read, read.choices(0.11)["recommended"], 0.11)
    assert "(over the limit)" in report(read, read.choices(0.11)["recommended"], 0.11)
