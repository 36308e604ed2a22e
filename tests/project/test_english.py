"""The text of the project is plain technical English, and the glossary explains its terms."""

import re

import pytest

from tests.project.plain_english import LIMITS, PARTS, TARGET, count_places, prose_places, python_places, read_limits
from tests.project.tracked import ROOT, tracked_files

# phrases that readers stumbled over
REJECTED = (
    "those who decide",
    "worth a thought",
    "asks for nothing",
    "unless told",
    "published as they are",
    "published as it is",
    "in no role",
    r"(is|are) beaten|beaten by",
    "Certain is nobody",
    "Alone with the",
    "worst-off",
    "mistake of the workbench",
    "this value cannot be",
    "notes? of the reader",
    'take it"',
    "the lower is not the better",
    "stands where its first",
    "for your eyes alone",
    "values of type {",
)
PLACES = ("workbench", "widgets", "notebooks", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")
ENDS = {".py", ".js", ".html", ".j2", ".md", ".ipynb", ""}


def files():
    for path in tracked_files():
        if path.relative_to(ROOT).parts[0] in PLACES and path.suffix in ENDS:
            yield path


@pytest.mark.parametrize("phrase", REJECTED)
def test_a_rejected_phrase_does_not_return(phrase):
    found = {str(path.relative_to(ROOT)) for path in files() if re.search(phrase, path.read_text("utf-8"))}
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_few_places_that_read_badly(part):
    """The limits only shrink: `python -m tests.project.plain_english --lower` writes today's numbers."""
    places, lines = count_places(part)
    assert lines and places <= max(read_limits()[part], TARGET * lines / 1000), (
        f"list them with: python -m tests.project.plain_english {part}"
    )


def test_every_part_has_a_limit():
    assert list(read_limits()) == list(PARTS), LIMITS.name


@pytest.mark.parametrize(
    "text",
    [
        "Who has several files knows more than others.",
        "Of a server without an answer nothing is reported at all.",
        "The reason is said in the message.",
        "A class keeps the model where it is large.",
        "This is the least that is possible here.",
        "The release is made anew in each process.",
        "The classes are printed beside the original.",
    ],
)
def test_the_detector_finds_each_habit(text):
    assert len(list(prose_places(text, 1))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Return the records of each class.",
        "Ask the people who collected the data.",
        "Use `told apart` to report {who is told}.",
        "Keep the file next to the study.",
    ],
)
def test_the_detector_accepts_plain_sentences(text):
    assert not list(prose_places(text, 1))


def test_the_detector_reads_names_docstrings_comments_and_strings():
    text = '''
def told(points):
    """What all of these points are."""
    # the places that go beside the others
    return f"the values that {points} show beside the original"
'''
    assert sorted(place.line for place in python_places(text)) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/commands.md", "docs/study.md", "docs/adding.md"]
)
def test_a_page_links_the_glossary(page):
    path = ROOT / page
    links = re.findall(r"\(([^()]*glossary\.md)\)", path.read_text("utf-8"))
    assert links and all((path.parent / link).is_file() for link in links)


def test_the_glossary_explains_each_word_once():
    words = re.findall(r"^\| (.+?) \|", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    words = [word for word in words if word not in ("word", "---")]
    assert len(words) > 30 and len(words) == len(set(words))
