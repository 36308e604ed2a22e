"""What readers found odd stays out of everything that a person reads; the glossary is where the words first stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ODD = (
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
    for place in PLACES:
        path = ROOT / place
        found = [path] if path.is_file() else path.rglob("*")
        yield from (one for one in found if one.is_file() and one.suffix in ENDS)


@pytest.mark.parametrize("odd", ODD)
def test_no_reader_meets_it_again(odd):
    met = {str(path.relative_to(ROOT)) for path in files() if re.search(odd, path.read_text("utf-8"))}
    assert not met


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/commands.md", "docs/study.md", "docs/adding.md"]
)
def test_the_glossary_is_linked_where_its_words_first_stand(page):
    path = ROOT / page
    links = re.findall(r"\(([^()]*glossary\.md)\)", path.read_text("utf-8"))
    assert links and all((path.parent / link).is_file() for link in links)


def test_a_word_is_explained_once():
    words = re.findall(r"^\| (.+?) \|", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    words = [word for word in words if word not in ("word", "---")]
    assert len(words) > 30 and len(words) == len(set(words))
