"""The wording of a study appears on every page; released files have the original column names."""

import csv

import pytest

from tests.planted import people, planted
from widgets.dashboard.dashboard import Dashboard
from workbench.data.wording import PLAIN, Wording, brief, unbracketed
from workbench.publication import cost, statements
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.report.page import report

TITLES = {"age": "age at the visit", "disease": "first diagnosis", "shift": "time of day", "town": "home"}


@pytest.fixture(scope="module")
def read(tmp_path_factory) -> Published:
    frame = people().assign(shift=["early", "late"] * 300)
    study = planted(tmp_path_factory.mktemp("study"), titles=TITLES, record=["visit", "visits"])
    study = study.with_(data={"given": "visits"}, identifiers=("name", "wage"))
    return Published(publish(study, tmp_path_factory.mktemp("out") / "out", given=frame, warn=lambda text: None))


@pytest.mark.slow
def test_every_page_uses_titles_and_the_noun_for_records(read):
    best = read.opens(read.results["cap"])
    page = report(read, best, read.results["cap"]).split("<script>")[0]
    about = (
        "About 600 visits. An attacker may know: age at the visit, home and sex. Not to be learned: first diagnosis."
    )
    assert statements.about(read) == about and about in page
    assert statements.question(read) == "How much may be learned about any one visit?"
    assert statements.learnt(read, best)["sentence"].startswith("No visit’s first diagnosis is certain. The surest")
    assert "visits have their first diagnosis guessed right" in statements.learnt(read, best)["unit"]
    cards = (statements.learnt, statements.most_exposed, cost.cost)
    said = [text for say in cards for i in read.efficient for text in say(read, i).values()]
    said += [row[key] for row in read.exposures(best)[1] for key in ("who", "sentence")]
    said += [point["promise"] for point in read.points] + [row["who"] for row in read.populations(best)]
    text = " ".join([*said, page.split('id="computed"')[0]])
    for word in ("people", "person", "everybody", "anybody", "disease"):
        assert word not in text.lower().replace("disease-", ""), word
    assert "first diagnosis “Flu”" in text and "age at the visit" in text


def test_released_files_have_the_original_column_names(read):
    file, *_ = read.files(read.opens(read.results["cap"]))
    with file.open() as lines:
        assert set(next(csv.reader(lines))) == {"age", "town", "sex", "disease", "shift"}


def test_the_dashboard_uses_titles_and_nouns(read):
    told = []
    widget = Dashboard(read.folder)
    widget.send = lambda content, buffers=None: told.append(content)
    widget._receive(None, {"kind": "hello"}, [])
    study, choice = told
    assert study["columns"] == ["age at the visit", "home", "sex"]
    assert "cannot be distinguished" in choice["card"]["groups"] and "visits" in choice["card"]["groups"]
    assert "Neutral (published unchanged): time of day." in study["as_they_are"]


def test_one_record_has_the_singular_noun():
    visits = Wording({"dx": "diagnosis"}, "visit", "visits")
    assert [visits.people(n, 1) for n in (0, 1, 12)] == ["no visits", "1 visit", "12 visits"]
    assert visits.some_of(590, 600, 10) == "about 590 of about 600 visits"
    assert Wording({}, "stay", "hospital stays").some_of(590, 600, 10) == "about 590 of about 600 hospital stays"
    assert visits.columns(["dx", "home_town"]) == "diagnosis and home town"
    assert visits.who(["dx", "age"], [None, "[20-29]"]) == "age 20–29" and visits.who(["dx"], [None]) == "all visits"
    assert PLAIN.who(["dx"], [None]) == "everybody" and Wording(**visits.plain()) == visits


def test_each_group_is_described_with_its_nouns():
    labels = {"age": ["[20-29]", None, "30", None], "home_town": ["{a, b}", "a", None, None]}
    each = [PLAIN.who([*labels], row) for row in zip(*labels.values(), strict=True)]
    assert PLAIN.groups(labels) == each == ["age 20–29 · home town a or b", "home town a", "age 30", "everybody"]


def test_each_attacker_is_named_and_a_stronger_one_is_certain_of_at_least_as_many(read):
    found = statements.attackers(read, read.opens(read.results["cap"]), read.results["cap"])
    assert found[0] == ("Anyone with this release who knows age at the visit, home and sex",
                        "no visit’s first diagnosis")  # fmt: skip
    assert "every visit’s time of day" in found[1][0] and "all the tables" in found[-1][0]
    assert found[1][1].startswith("the first diagnosis of") and len(found) == 4


def test_objections_have_the_same_words_on_the_card(read):
    """The card must not state that nobody's value is certain next to a warning that some are nearly certain."""
    for index in read.efficient:
        said = " ".join(statements.learnt(read, index).values())
        against = [one for one in read.points[index]["against"] if "nearly certain" in one]
        assert ("nearly certain" in said) == bool(against) and all(one in said for one in against)


def test_an_interval_from_below_zero_is_explained():
    assert unbracketed("[-7-40]") == "-7 to 40" and unbracketed("[7-40]") == "7–40"


def test_a_long_set_is_described_by_its_number_of_values():
    assert brief("{a, b, c, d}") == "any of 4 values" and brief("{a, b, c}") == "{a, b, c}" and brief(None) is None
    assert brief("{ACME .. ZYNX, INC.: 5440 values}") == "any of 5,440 values"
    assert brief("{ACME .. ZYNX: 5440 values} or missing") == "any of 5,440 values or missing"
    assert brief("{A *, B *, C *, ZYNX}") == "any of 4 groups" and unbracketed("NOT *") == "NOT …"
