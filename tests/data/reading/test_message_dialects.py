"""Advice in messages is translated for options, studies and controls, without an argument of Python."""

import ast
import inspect
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.base.variants import catalog
from workbench.commands import main
from workbench.data.reading.message_dialects import CONTROLS, OPTIONS, STUDY, translate_message
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query
from workbench.data.table import Table
from workbench.measures.privacy.achieved import MODELS
from workbench.methods import Method
from workbench.releases.foreign import foreign
from workbench.studies.checker import check_study

ENGINE = Path(__file__).parents[3] / "workbench"
CALLS = ("caps", "coding", "publish", "recipe", "release", "sweep")  # what they name is given in Python alone
PAGES = ("charts", "commands", "message_dialects", "offline", "script", "report", "notation")
VARIANTS = [*MODELS.values(), *catalog("workbench.methods", Method).values()]
NAMES = {name for call in (Table.read, open_source, foreign) for name in inspect.signature(call).parameters}
NAMES |= {name for kind in VARIANTS for name in kind.parameters()}
ARGUMENT = re.compile(rf"\b({'|'.join(sorted(NAMES))})=")
PUT = {"self.name": "'zip'", "column.name": "'zip'", "kind": "'text'", "what": "delimiter", "value": "'xx'"}


def messages(path):
    """Return the texts of a module, with placeholders for values."""
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    joined = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for node in joined for part in node.values}
    parts |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    found = {
        "".join(part.value if isinstance(part, ast.Constant) else _put(part) for part in one.values) for one in joined
    }
    found |= {
        one.value
        for one in nodes
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in parts
    }
    return sorted(found)


def _put(part):
    return PUT.get(ast.unparse(part.value), "this")


@pytest.mark.parametrize("words", [OPTIONS, STUDY, CONTROLS], ids=["options", "study", "controls"])
def test_no_argument_of_python_is_left_in_what_others_are_told(words):
    files = [path for path in ENGINE.rglob("*.py") if not {path.stem, path.parent.name} & {*CALLS, *PAGES}]
    named = [(path.name, text) for path in files for text in messages(path) if ARGUMENT.search(text)]
    assert {name for name, _ in named} >= {
        "dialect.py",
        "value_types.py",
        "scan.py",
        "source.py",
        "encoder.py",
        "formats.py",
    }
    assert len(named) > 15
    left = [(name, text) for name, text in named if ARGUMENT.search(translate_message(text, words)) and " " in text]
    assert not left


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (OPTIONS, "use --types 'zip, new=text', or list it in --missing; say --encoding cp1252 or --no-header"),
        (STUDY, "use types: {'zip, new': text} under data, or list it in missing: [...] under data"),
        (CONTROLS, "choose text as the type of 'zip, new' below, or list it in 'Missing values' below"),
    ],
)
def test_each_is_told_in_their_words(words, told):
    text = "declare types={'zip, new': 'text'}, or list it in missing=[...]; say encoding='cp1252' or header=False"
    assert translate_message(text, words).startswith(told)


def test_a_delimiter_that_is_a_space_is_written_in_quotes():
    assert (
        translate_message("use delimiter=' ', or use delimiter=','", OPTIONS)
        == "use --delimiter ' ', or use --delimiter ','"
    )
    assert translate_message("use delimiter=' '", STUDY) == "use delimiter: ' ' under data"


def test_notations_and_markers_are_written_as_a_shell_and_yaml_read_them():
    text = "declare types={'pay': 'number 1,234.5'}, or list it in missing=['NA', '?', ...]"
    assert translate_message(text, OPTIONS) == "use --types 'pay=number 1,234.5', or list it in --missing 'NA,?,...'"
    line = "use types: {'pay': 'number 1,234.5'} under data, or list it in missing: ['NA', '?', ...] under data"
    assert translate_message(text, STUDY) == line
    controls = "choose number 1,234.5 as the type of 'pay' below, or list it in 'Missing values' below"
    assert translate_message(text, CONTROLS) == controls


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            OPTIONS,
            "raise memory_limit under data in a study, name the environment variable TMPDIR, "
            "levels: {'a b': 1} in a study",
        ),
        (STUDY, "raise memory_limit under data, name temp_directory under data, levels: {'a b': 1}"),
    ],
)
def test_what_no_option_says_names_the_key_of_a_study(words, told):
    assert translate_message("raise memory_limit=, name temp_directory=, levels={'a b': 1}", words) == told


# --- the same mistake, in Python, in a study and on the command line

ROWS = "age,zip,ill\n" + "".join(f"{20 + i},{1000 + i},{'flu' if i % 3 else 'cold'}\n" for i in range(40))
BAD = ROWS + "unknown,9,flu\n"
STUDY_TEXT = (
    "data: {path: people.csv}\nroles: {quasi: [age], sensitive: [ill]}\n"
    "recipes: [{method: {name: mondrian}, model: {name: k-anonymity}}]\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text(BAD)
    (tmp_path / "study.yaml").write_text(STUDY_TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys, *arguments):
    main.main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return out + err


def test_a_mistake_in_the_data_is_told_in_each_ones_words(folder, capsys):
    with pytest.raises(BadInput, match=r"declare types=\{'age': 'text'\}, list markers of missing values in missing="):
        Table.read("people.csv", ["age"], "ill")
    option = "use --types age=text, list markers of missing values in --missing"
    line = "use types: {'age': text} under data, list markers of missing values in missing: [...] under data"
    roles = ("--quasi", "age", "--sensitive", "ill")
    assert option in said(capsys, "anonymize", "people.csv", *roles, "--model", "k-anonymity, k=2", "-o", "out.csv")
    assert option in said(capsys, "init", "people.csv")
    assert option in said(capsys, "audit", "people.csv", *roles, "--original", "people.csv")
    for command in (["check"], ["check", "--json"], ["sweep"], ["anonymize", "--recipe", "1", "-o", "out.csv"]):
        told = said(capsys, command[0], "study.yaml", *command[1:])
        assert line in told and not ARGUMENT.search(told)
    assert line in said(capsys, "audit", "people.csv", "--study", "study.yaml")
    assert line in check_study("study.yaml").problems[0].text


def test_of_an_audit_the_original_is_told_as_the_study_has_it_and_the_release_as_options(folder, capsys):
    (folder / "people.csv").write_text(ROWS)
    (folder / "released.csv").write_text(f"{ROWS}1,2\n")
    told = said(capsys, "audit", "released.csv", "--study", "study.yaml")
    assert "released.csv, line 42: 2 fields where there should be 3" in told
    assert "give --delimiter and --quote if" in told and "under data" not in told


def test_notes_are_told_in_the_words_of_what_is_read(folder, capsys):
    """Notes on a released table name options, on stderr and in JSON."""
    frame = pd.read_csv("people.csv").head(40)
    frame["ill"] = ["Übel", "flu"] * 20
    frame.to_csv("released.csv", index=False, encoding="cp1252")
    for more in ((), ("--json",)):
        told = said(capsys, "audit", "released.csv", "--quasi", "age", "--sensitive", "ill", *more)
        if more:
            told = " ".join(json.loads(told[: told.rindex("}") + 1])["notes"])
        assert "give --encoding (often 'cp1252')" in told and not ARGUMENT.search(told)


def test_too_little_memory_is_told_in_each_ones_words():
    query = Query("SELECT list(i ORDER BY random()) IS NULL AS a FROM range(20000000) t(i)")
    with pytest.raises(BadInput, match=r"increase memory_limit=$") as caught:
        Table.bare(query, memory_limit="10MB")
    assert translate_message(str(caught.value), STUDY).endswith("increase memory_limit under data")
