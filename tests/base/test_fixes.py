"""Fixes in messages are rendered as options, lines of a study, or controls, and all of these exist."""

import ast
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from widgets.base.part import control_words
from workbench.base.errors import ARGUMENT, BadInput, Fix, render_fixes
from workbench.commands import main
from workbench.commands.reading import AS_FOUND, option_words
from workbench.data.reading.source import Query
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.methods.full_domain.full_domain import FullDomain
from workbench.studies.checker import check_study
from workbench.studies.faults import study_words
from workbench.studies.schema import study_faults

ROOT = Path(__file__).parents[2]
WORDS = [option_words, study_words, control_words]
VALUES = {
    Fix.DELIMITER: " ",
    Fix.ENCODING: "cp1252",
    Fix.ENGINE: "duckdb",
    Fix.FORMAT: "csv",
    Fix.HEADER: False,
    Fix.LEVELS: {"a b": 1},
    Fix.MEMORY_LIMIT: "1GB",
    Fix.MISSING: ["NA", "?"],
    Fix.QUOTE: "'",
    Fix.REMOTE: "sc://host:15002",
    Fix.SAMPLE: 100_000,
    Fix.TABLE: "people",
    Fix.TEMP_DIRECTORY: "/tmp/other",
    Fix.TYPES: {"zip, 'new' [x]": "text"},
}


def messages(path):
    """Return the texts of a module without docstrings; values in them are left out."""
    nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return [text for text in texts if isinstance(text, str)]


@pytest.mark.slow
def test_no_message_contains_a_literal_fix():
    named = re.compile(rf"(?<![\w-])({'|'.join(fix.value for fix in Fix)})=")
    files = [path for room in ("workbench", "widgets") for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 300
    assert [(path.name, text) for path in files for text in messages(path) if named.search(text)] == []


@pytest.mark.parametrize("fix", Fix)
def test_a_fix_survives_a_message(fix):
    found = []
    text = f"data.csv: column 'x=1': use {fix(VALUES[fix])}, or {fix}; recipe k = 5"
    rendered = render_fixes(text, lambda *one: found.append(one) or "it")
    assert found == [(fix, VALUES[fix]), (fix, None)]
    assert rendered == "data.csv: column 'x=1': use it, or it; recipe k = 5"


@pytest.mark.parametrize("fix", Fix)
def test_recommended_settings_exist(fix):
    value = VALUES[fix]
    with pytest.raises(BadInput) as caught:  # in Python
        Table.read("missing.csv", **{fix.value: value})
    assert "has no option" not in str(caught.value)
    data = {} if fix is Fix.LEVELS else {fix.value: [] if fix is Fix.MISSING else value}
    study = {"data": {"path": "people.csv", **data}, **({"levels": value} if fix is Fix.LEVELS else {})}
    assert not [fault for fault in study_faults(study) if fix.value in fault.text and "unknown" in fault.text]
    for given in (value, None):
        assert study_words(fix, given).startswith(fix.value)
        option = option_words(fix, given)
        options = re.findall(r"(?<!\S)--[a-z-]+", option)
        assert {*options} <= {*AS_FOUND.options} and (options or "in a study" in option or "TMPDIR" in option)
        for words in WORDS:
            assert not ARGUMENT.search(words(fix, given))


def test_controls_exist():
    data = (ROOT / "widgets/data/data.js").read_text("utf-8")
    for fix in (Fix.MISSING, Fix.SAMPLE):
        label = re.findall("'([^']+)'", control_words(fix, VALUES[fix]))[0]
        assert re.search(rf'field\("\w+", "{label}', data)
    assert 'aria-label": `Level at which ${' in (ROOT / "widgets/roles/role_grid.js").read_text("utf-8")


def test_recipes_contain_no_fix():
    text = str(Recipe(FullDomain(levels="race=1, sex=1")))
    assert "levels" in text and render_fixes(text, study_words) == text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (option_words, "use --types 'zip, new=text', or add it to --missing; use --encoding cp1252 or --no-header"),
        (
            study_words,
            "use types: {'zip, new': 'text'} under data, or add it to missing: [] under data; "
            "use encoding: cp1252 under data or header: false under data",
        ),
        (
            control_words,
            "use text as the type of 'zip, new' below, or add it to 'Missing values' below; "
            "use encoding: cp1252 in the study's data or header: false in the study's data",
        ),
    ],
)
def test_each_front_end_has_its_terms(words, expected):
    text = f"use {Fix.TYPES({'zip, new': 'text'})}, or add it to {Fix.MISSING([])}; "
    assert render_fixes(text + f"use {Fix.ENCODING('cp1252')} or {Fix.HEADER(False)}", words) == expected


def test_a_delimiter_that_is_a_space_is_written_in_quotes():
    text = f"use {Fix.DELIMITER(' ')}, or use {Fix.DELIMITER(',')}"
    assert render_fixes(text, option_words) == "use --delimiter ' ', or use --delimiter ','"
    assert render_fixes(text, study_words) == "use delimiter: ' ' under data, or use delimiter: ',' under data"


def test_notations_and_markers_are_written_as_a_shell_and_yaml_read_them():
    text = f"use {Fix.TYPES({'pay': 'number 1,234.5'})}, or add it to {Fix.MISSING(['NA', '?'])}"
    assert render_fixes(text, option_words) == "use --types 'pay=number 1,234.5', or add it to --missing 'NA,?'"
    line = "use types: {'pay': 'number 1,234.5'} under data, or add it to missing: ['NA', '?'] under data"
    assert render_fixes(text, study_words) == line
    controls = "use number 1,234.5 as the type of 'pay' below, or add it to 'Missing values' below"
    assert render_fixes(text, control_words) == controls


def test_a_setting_without_an_option_is_named_by_its_key_in_a_study():
    text = f"raise {Fix.MEMORY_LIMIT}, name {Fix.TEMP_DIRECTORY}, {Fix.LEVELS({'a b': 1})}"
    expected = "raise memory_limit under data in a study, name the environment variable TMPDIR, "
    assert render_fixes(text, option_words) == f"{expected}levels: {{'a b': 1}} in a study"
    expected = "raise memory_limit under data, name temp_directory under data, levels: {'a b': 1}"
    assert render_fixes(text, study_words) == expected


@pytest.mark.parametrize(
    "text", ["column 'table=x'", "types={}", "missing=[1]", "levels=007", "types=5", "quote='", "types="]
)
@pytest.mark.parametrize("words", WORDS)
def test_text_that_resembles_a_fix_is_accepted(text, words):
    assert isinstance(render_fixes(text, words), str)


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


def run_command(capsys, *arguments):
    main.main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return out + err


def test_an_error_in_the_data_is_reported_in_the_terms_of_each_front_end(folder, capsys):
    with pytest.raises(BadInput, match=r"use types=\{'age': 'text'\}, add markers of missing values to missing="):
        Table.read("people.csv", ["age"], "ill")
    option = "use --types age=text, add markers of missing values to --missing"
    line = "use types: {'age': 'text'} under data, add markers of missing values to missing: [] under data"
    roles = ("--quasi", "age", "--sensitive", "ill")
    assert option in run_command(
        capsys, "anonymize", "people.csv", *roles, "--model", "k-anonymity, k=2", "-o", "out.csv"
    )
    assert option in run_command(capsys, "init", "people.csv")
    assert option in run_command(capsys, "audit", "people.csv", *roles, "--original", "people.csv")
    for command in (["check"], ["check", "--json"], ["sweep"], ["anonymize", "--recipe", "1", "-o", "out.csv"]):
        told = run_command(capsys, command[0], "study.yaml", *command[1:])
        assert line in told and not ARGUMENT.search(told)
    assert line in run_command(capsys, "audit", "people.csv", "--study", "study.yaml")
    assert line in check_study("study.yaml").problems[0].text


def test_an_audit_reports_the_original_in_terms_of_the_study_and_the_release_in_options(folder, capsys):
    (folder / "people.csv").write_text(ROWS)
    (folder / "released.csv").write_text(f"{ROWS}1,2\n")
    told = run_command(capsys, "audit", "released.csv", "--study", "study.yaml")
    assert "released.csv, line 42: 2 fields where there should be 3" in told
    assert "set --delimiter and --quote if" in told and "under data" not in told


def test_notes_use_the_terms_of_their_input(folder, capsys):
    """Notes on a released table name options, on stderr and in JSON."""
    frame = pd.read_csv("people.csv").head(40)
    frame["ill"] = ["Übel", "flu"] * 20
    frame.to_csv("released.csv", index=False, encoding="cp1252")
    for more in ((), ("--json",)):
        told = run_command(capsys, "audit", "released.csv", "--quasi", "age", "--sensitive", "ill", *more)
        if more:
            told = " ".join(json.loads(told[: told.rindex("}") + 1])["notes"])
        assert "set --encoding (often 'cp1252')" in told and not ARGUMENT.search(told)


def test_a_lack_of_memory_is_reported_in_the_terms_of_each_front_end():
    query = Query("SELECT list(i ORDER BY random()) IS NULL AS a FROM range(20000000) t(i)")
    with pytest.raises(BadInput, match=r"increase memory_limit=$") as caught:
        Table.without_roles(query, memory_limit="10MB")
    assert render_fixes(str(caught.value), study_words).endswith("increase memory_limit under data")
