"""Text of a study or of its data is escaped in every page."""

import json
import re
from html.parser import HTMLParser

import pytest

from tests.planted import people
from workbench.charts import offline
from workbench.publication.publish import publish
from workbench.publication.reader import Published
from workbench.publication.report.batch import Job, index
from workbench.publication.report.page import SECTIONS, report
from workbench.publication.report.reporting import Report
from workbench.studies.study import Study

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
def read(tmp_path_factory) -> Published:
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


def test_hostile_text_is_escaped_in_the_report(read):
    cap = read.results["cap"]
    seen = checked(report(read, read.opens(cap), cap), scripts=2)  # the chart and the library that draws it
    assert [name for name in NAMES if hostile(name) not in seen.text] == []


def test_hostile_text_is_escaped_in_every_section_of_the_notebook(read):
    told = Report(read)
    seen = [checked(told[name]._repr_html_(), scripts=0).text for name in SECTIONS]
    assert [name for name in NAMES if not any(hostile(name) in text for text in seen)] == []
    assert hostile("`sex") in seen[[*SECTIONS].index("queries")]


def test_hostile_text_is_escaped_in_the_index_of_a_batch(read, tmp_path):
    made, failed = Job(tmp_path / hostile("a job"), {}), Job(tmp_path / "other", {})
    made.points.write_text(json.dumps(Report(read).points))
    seen = checked(index(tmp_path, [(made, None), (failed, hostile("a reason"))]).read_text("utf-8"), scripts=0)
    for text in ("a job", "a reason", "disease"):
        assert hostile(text) in seen.text
    (link,) = (value for name, value in seen.attributes if name == "href")
    assert link == "a%20job%3Cscript%3E%26%22%27.html"


def test_hostile_text_is_escaped_in_a_chart_and_its_page(read):
    spec = read.chart() | {"description": hostile("the chart")}
    seen = checked(offline.page(hostile("a title"), offline.fragment(spec), offline.library()), scripts=2)
    assert hostile("a title") in seen.text and ("alt", hostile("the chart")) in seen.attributes
    assert f'aria-label="{"the chart"}&lt;script&gt;&amp;&#34;&#39;"' in offline.svg(spec)
    checked(offline.fragment(spec, live=False), scripts=0)
