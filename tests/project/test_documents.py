"""Every document names files that exist, and is short enough to be read."""

import re
from pathlib import Path

import pytest

from tests.project.tracked import ROOT, tracked_files

DOCUMENTS = [path for path in tracked_files() if path.suffix == ".md"]
FOLDERS = ("workbench", "widgets", "tests", "docs", "notebooks", "scripts", "benchmarks", "data")
FILE_NAMES = {path.name for path in tracked_files()}
# files that a worked example asks the reader to write
NEW_FILES = {
    "docs/adding.md": {
        "workbench/models/minimum_entropy.py",
        "workbench/methods/top.py",
        "widgets/sizes/sizes.py",
        "widgets/sizes/sizes.js",
    },
    "CONTRIBUTING.md": {
        "workbench/measures/privacy/small_classes.py",
    },
}
CODE = {".py", ".js", ".yaml", ".yml", ".toml", ".ipynb"}
SOURCES = [path for path in tracked_files() if path.suffix in CODE and path != Path(__file__)]
IDENTIFIERS = {word for path in SOURCES for word in re.findall(r"\w+", path.read_text("utf-8"))}
IDENTIFIERS |= {path.stem for path in SOURCES}
# names of examples and of other tools
NEW_IDENTIFIERS = {
    "MinimumEntropy",
    "ClassSizes",
    "SmallClasses",
    "minimum_entropy",
    "small_classes",
    "people_k10",
    "norm_span",
    "partition_dataframe",
    "generalize_quasiid",
    "receive_fewer",
    "test_small_classes_are_a_share_of_records",
    "test_an_empty_store_is_created",
}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def without_code_blocks(text: str) -> str:
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)


def named_files(text: str) -> set[str]:
    """Return the files and folders of the project, and the modules and scripts, that a document names in backticks."""
    spans = re.findall(r"`([^`\n]+)`", without_code_blocks(text))
    path = rf"(?:{'|'.join(FOLDERS)})/[\w./-]*|[\w/-]+\.(?:py|m?js)"
    return {word for span in spans for word in span.split() if re.fullmatch(path, word)}


def named_identifiers(text: str) -> set[str]:
    """Return the names in backticks and in Python blocks: words with an underscore or with capitals."""
    code = re.findall(r"`([^`\n]+)`", without_code_blocks(text))
    words = set(re.findall(r"\w+", "\n".join(code + re.findall(r"```python\n(.*?)```", text, re.DOTALL))))
    return {word for word in words if re.fullmatch(r"[a-z]+_\w+|([A-Z][a-z]+){2,}", word)}


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", without_code_blocks(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_every_file_that_a_document_names_exists(page):
    examples = NEW_FILES.get(name(page), set())
    named = named_files(page.read_text("utf-8")) - examples
    assert not {path for path in named if not (ROOT / path).exists() and path not in FILE_NAMES}
    assert not {path for path in examples if (ROOT / path).exists()}, "the example exists"


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_every_identifier_that_a_document_names_exists(page):
    missing = named_identifiers(page.read_text("utf-8")) - IDENTIFIERS - NEW_IDENTIFIERS
    assert not missing


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_every_link_of_a_document_leads_somewhere(page):
    links = re.findall(r"\]\(([^()\s]+)\)", without_code_blocks(page.read_text("utf-8")))
    for path, _, anchor in (link.partition("#") for link in links if not re.match(r"\w+:", link)):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target.read_text("utf-8")), f"{path}#{anchor}"


@pytest.mark.parametrize("package", ["workbench", "widgets"])
def test_the_architecture_describes_every_room(package):
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rooms = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
    assert rooms and not {room for room in rooms if f"`{package}/{room}/`" not in text}


@pytest.mark.parametrize("page, limit", [("docs/architecture.md", 2000), ("CHANGELOG.md", 450)])
def test_a_page_is_short(page, limit):
    assert len((ROOT / page).read_text("utf-8").split()) <= limit


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "decisions").glob("*.md")), ids=name)
def test_a_decision_is_short(page):
    lines = page.read_text("utf-8").splitlines()
    assert len(lines) <= 60
    if page.name != "README.md":
        assert all(
            any(line.startswith(f"**{part}.**") for line in lines) for part in ("Context", "Decision", "Consequences")
        )
