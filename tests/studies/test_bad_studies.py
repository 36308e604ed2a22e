"""Fifty invalid studies and data files: each gives one clear line, exit code 2, and leaves no files."""

import gzip
import os
import re

import pytest

from workbench.base.errors import BadInput
from workbench.commands import main
from workbench.studies.checker import check_study
from workbench.studies.study import Study

GOOD = {
    "study": "study: People",
    "data": "data: {path: people.csv}",
    "roles": "roles: {quasi: [age, work], sensitive: [disease]}",
    "hierarchies": "hierarchies: {age: {builder: intervals, widths: [10, 20]}}",
    "recipes": "recipes:\n- method: {name: mondrian}\n  model: {name: k-anonymity, k: [3, 6]}",
    "measures": "measures: [{name: privacy loss}, {name: utility loss}]",
    "axes": "axes: [P_loss, U_loss]",
}
SECRET = "Marker-4711"  # a value of the data, which no message may contain
ROWS = [f"{20 + i % 37},{'Farm' if i % 3 else 'Shop'},{('Flu', 'Ulcer', SECRET)[i * i % 3]}" for i in range(120)]
PEOPLE = "age,work,disease\n" + "\n".join(ROWS) + "\n"


def text_with(**parts: str) -> str:
    return "\n".join({**GOOD, **parts}.values()) + "\n"


STUDIES = {  # name: the text of the study, and words of the error
    "empty": ("", "not a study"),
    "only a comment": ("# nothing", "not a study"),
    "a letter": ("Dear Mrs Miller,", "not a study"),
    "a list": ("- a\n- b\n", "not a study"),
    "binary": (bytes(range(256)) * 20, "not UTF-8"),
    "another encoding": ("study: Möbius\n".encode("latin-1"), "not UTF-8"),
    "a tab": ("study: x\nroles:\n\tquasi: [age]\n", "line 3"),
    "an open bracket": ("study: x\nroles: {quasi: [age\n", "line 2: this is not YAML"),
    "a cycle": ("study: x\nroles: &r\n  quasi: *r\n", "line 3: a reference"),
    "a billion laughs": ("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "line 2: a reference"),
    "a merge key": ("a: &a {path: x}\ndata:\n  <<: *a\n", "line 3: a reference"),
    "a tag that asks for code": ("data: !!python/object/apply:os.system ['touch owned']\n", "line 1: a tag"),
    "a tag of its own": ("study: x\ndata: !file people.csv\n", "line 2: a tag"),
    "a key twice": (text_with(axes="caps: {P_loss: 0.1,\n  P_loss: 0.2}"), "used twice"),
    "depth": ("a: " + "[" * 5_000, "more than 50"),
    "a long value": ("study: " + "x" * 200_000, "more than 100,000 characters"),
    "two documents": ("study: a\n---\nstudy: b\n", "line 2"),
    "a huge number": (text_with(axes="seed: 1" + "0" * 5_000), "invalid value"),
    "a day that is none": (text_with(axes="seed: 2024-13-77"), "invalid value"),
    "an unknown key": (text_with(axes="mesures: [a]"), "line 9: study has no 'mesures'; did you mean 'measures'?"),
    "an unknown role": (text_with(roles="roles: {quazi: [age]}"), "line 3: .*did you mean 'quasi'"),
    "a mapping of roles": (text_with(roles="roles: {quasi: {age: 1}}"), "line 3: roles: quasi must be a list"),
    "a number for a column": (text_with(roles="roles: {quasi: [age, 7]}"), "line 3: .*put it in quotes"),
    "a column in two roles": (text_with(roles="roles: {quasi: [age], sensitive: [age]}"), "line 3: .*two roles"),
    "two places of data": (text_with(data="data: {path: people.csv, bundled: adult}"), "line 2: .*exactly one"),
    "an unknown option": (text_with(data="data: {path: people.csv, delimeter: x}"), "line 2: .*mean 'delimiter'"),
    "a word for a switch": (text_with(data="data: {path: people.csv, header: maybe}"), "line 2: .*true or false"),
    "nothing bundled by that name": (text_with(data="data: {bundled: iris}"), "line 2: .*the only one is .adult"),
    "only a list": (text_with(data="data: {path: people.csv, only: {work: [Farm]}}"), "line 2: .*one value of 'work'"),
    "an unknown builder": (text_with(hierarchies="hierarchies:\n  age: {builder: intervalls}"), "line 5: .*age"),
    "groups that are none": (text_with(hierarchies="hierarchies: {work: {builder: groups, levels: 3}}"), "line 4"),
    "a negative width": (text_with(hierarchies="hierarchies: {age: {builder: intervals, widths: -1}}"), "line 4"),
    "an unknown model": (text_with(recipes="recipes:\n- method: {name: mondrian}\n  model: {name: k-anonimity}"),
                         "line 7: .*did you mean 'k-anonymity'"),
    "k below 1": (text_with(recipes="recipes:\n- method: {name: mondrian}\n  model:\n    name: k-anonymity\n    k:\n"
                            "    - 5\n    - -3"), "line 11: k-anonymity: k = -3"),
    "a method without a name": (text_with(recipes="recipes: [{method: {split: widest}}]"), "line 5: .*needs a name"),
    "too many releases": (text_with(recipes="recipes:\n- method: {name: mondrian}\n  model: {name: k-anonymity, "
                                    f"k: {list(range(1, 20_000))}}}"), "line 7: .*more than 10,000"),
    "a measure's setting": (text_with(measures="measures: [{name: utility loss, min_suport: 1}]"), "line 8: .*min_sup"),
    "measures that are text": (text_with(measures="measures: privacy loss"), "line 8: measures must be a list"),
    "an axis": (text_with(axes="axes: [P_los, U_loss]"), "line 9: .*did you mean 'P_loss'"),
    "one axis": (text_with(axes="axes: [P_loss]"), "line 9: axes name two"),
    "a cap that is not a number": (text_with(axes="caps: {P_loss: .nan}"), "line 9: .*finite"),
    "a cap without end": (text_with(axes="caps: {P_loss: .inf}"), "line 9: .*finite"),
    "a negative cap": (text_with(axes="caps: {P_loss: -0.1}"), "line 9: .*no measure is below 0"),
    "a measure twice": (text_with(measures="measures: [{name: privacy loss}, {name: utility loss},\n"
                                  "  {name: privacy loss, distance: js}]"), "line 9: .*P_loss twice; keep one"),
    "a negative threshold": (text_with(axes="smallest: -1"), "line 9: smallest"),
    "a level that is text": (text_with(axes="levels: {disease: one}"), "line 9: levels"),
    "levels that are no pair": (text_with(axes="released_levels: {age: [1]}"), "line 9: .*lowest level and the high"),
    "a lowest level above another": (text_with(axes="released_levels: {age: [2, 1]}"), "line 9: .*the lowest level"),
    "a column that counts for nothing": (text_with(axes="importance: {age: 0}"), "line 9: .*number above 0"),
    "from the future": (text_with(axes="versions: {format: 99}"), "line 9: .*newer"),
}  # fmt: skip

FILES = {  # name: people.csv, and words of the error
    "no file": (None, "not an existing file"),
    "an empty file": (b"", "is empty"),
    "a header alone": (b"age,work,disease\n", "no records"),
    "binary": (bytes(range(256)) * 50, "people.csv"),
    "ragged": ((PEOPLE + "1,2\n1,2,3,4\n").encode(), "line 122|fields|cells"),
    "an open quote": (b'age,work,disease\n20,"Farm,Flu\n' + b"21,Shop,Flu\n" * 9, "people.csv"),
    "a name twice": (PEOPLE.replace("work", "age", 1).encode(), "have the same name"),
    "a formula for a name": (PEOPLE.replace("age,work", "age,=cmd|'/c calc'!A1,work", 1)
                             .replace(",Farm", ",1,Farm").replace(",Shop", ",1,Shop").encode(), "formula"),
    "1,000 other columns": ((",".join(f"c{i}" for i in range(1_000)) + "\n"
                             + "\n".join(",".join(f"v{i}" for _ in range(1_000)) for i in range(3))).encode(),
                            "no column 'age'"),
    "a packed file cut off": (gzip.compress(PEOPLE.encode())[:40], "people.csv"),
    "missing values alone": (b"age,work,disease\n,,\n,,\n", "all values of|no column"),
    "one disease": (PEOPLE.replace("Ulcer", "Flu").replace(SECRET, "Flu").encode(), "only one value"),
}  # fmt: skip


def run(folder, monkeypatch, capsys, *arguments):
    """Return what a command writes on stderr; it must leave no files."""
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    assert main.main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert sorted(folder.rglob("*")) == before
    assert out == "" and "Traceback" not in err and SECRET not in err
    return [line for line in err.splitlines() if not line.startswith("note: ")]


COMMANDS = {"check": ["check", "study.yaml"], "publish": ["dashboard", "--publish", "study.yaml", "out"]}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("name", STUDIES)
def test_an_invalid_study_gives_one_line(tmp_path, monkeypatch, capsys, name, command):
    text, says = STUDIES[name]
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "study.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    lines = run(tmp_path, monkeypatch, capsys, *command)
    assert len(lines) == 1 and len(lines[0]) < 600
    with pytest.raises(BadInput, match=says):
        raise BadInput(lines[0])


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_an_invalid_table_gives_a_clear_error(tmp_path, monkeypatch, capsys, name):
    data, says = FILES[name]
    (tmp_path / "study.yaml").write_text(text_with())
    if data is not None:
        (tmp_path / "people.csv").write_bytes(data)
    lines = run(tmp_path, monkeypatch, capsys, "check", "study.yaml")
    assert (len(lines) == 1 or "1,000" in name) and max(map(len, lines)) < 600
    assert re.search(says, lines[0])
    if "formula" not in name:  # only `check` reports these
        assert len(run(tmp_path, monkeypatch, capsys, "dashboard", "--publish", "study.yaml", "out")) == 1


PLACES = {  # the study's data, its hierarchy or the study itself, and words of the error
    "a pattern of nothing as data": ("data: {path: '*.none'}", "matches this pattern"),
    "a pipe as data": ("data: {path: pipe.csv}", "not an existing file"),
    "an endless file as data": ("data: {path: /dev/zero, format: csv}", "not an existing file"),
    "a name with a zero": ('data: {path: "a\\0b.csv"}', "line 2"),
    "a name too long": (f"data: {{path: {'x' * 5_000}.csv}}", "not an existing file"),
    "a query that writes": ("data: {sql: \"COPY (SELECT 1) TO 'owned.csv'\"}", "a single SELECT"),
    "a query that reads elsewhere": ("data: {sql: \"SELECT * FROM read_text('/etc/passwd')\"}", "outside the folder"),
    "a value that nobody has": ("data: {path: people.csv, only: {work: Mine}}", "line 2: no record has the value"),
    "a column that is not there": ("data: {path: people.csv, only: {wrok: Farm}}", "did you mean 'work'"),
}


@pytest.mark.parametrize("name", PLACES)
def test_missing_data_give_one_line(tmp_path, monkeypatch, capsys, name):
    data, says = PLACES[name]
    (tmp_path / "people.csv").write_text(PEOPLE)
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "study.yaml").write_text(text_with(data=data))
    for command in COMMANDS.values():
        lines = run(tmp_path, monkeypatch, capsys, *command)
        assert len(lines) == 1 and (command[0] != "check" or re.search(says, lines[0])), lines


@pytest.mark.parametrize("kind", ["pipe", "folder", "missing", "other"])
def test_a_study_that_is_not_a_file_gives_one_line(tmp_path, monkeypatch, capsys, kind):
    study = tmp_path / ("study.yaml" if kind != "other" else "people.csv")
    if kind == "pipe":
        os.mkfifo(study)
    elif kind == "folder":
        study.mkdir()
    elif kind == "other":
        study.write_text(PEOPLE)
    assert len(run(tmp_path, monkeypatch, capsys, "check", study.name)) == 1


@pytest.mark.parametrize("csv", ["pipe.csv", "/dev/zero", ".", "missing.csv", "people.csv"])
def test_a_hierarchy_that_is_not_a_file_gives_one_line(tmp_path, monkeypatch, capsys, csv):
    (tmp_path / "people.csv").write_text(PEOPLE)
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "study.yaml").write_text(text_with(hierarchies=f"hierarchies:\n  work: {{csv: {csv}}}"))
    (line,) = run(tmp_path, monkeypatch, capsys, "check", "study.yaml")
    assert line.startswith("study.yaml, line 5: ") and "Farm" not in line


def test_there_are_fifty_cases():
    assert len(STUDIES) + len(FILES) + len(PLACES) >= 50


def test_an_untrusted_study_names_the_line_of_a_path_outside_its_folder(tmp_path):
    for text, line in (("study: x\ndata: {path: ../a.csv}", 2), ("hierarchies:\n  a: {csv: /etc/passwd}", 2)):
        with pytest.raises(BadInput, match=f"study, line {line}: .*outside the folder"):
            Study.from_yaml(text, tmp_path, confined=True)


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ("{age: [0, 9]}", "line 9: column 'age' cannot be released at levels"),
        ("{agee: [0, 1]}", "line 9: the data have no column 'agee'; did you mean 'age'"),
    ],
)
def test_unknown_release_levels_are_reported(tmp_path, levels, says):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "study.yaml").write_text(text_with(axes=f"released_levels: {levels}"))
    (problem,) = check_study(tmp_path / "study.yaml").problems
    assert says in str(problem)


def test_all_problems_are_listed_in_the_order_of_the_file(tmp_path):
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "study.yaml").write_text(
        text_with(
            roles="roles: {quasi: [agee, work], sensitive: [disease]}",
            measures="measures: [{name: privacy los}]",
            axes="smallest: -3\nseeed: 4",
        )
    )
    found = check_study(tmp_path / "study.yaml").problems
    assert [(one.line, one.path) for one in found] == [
        (3, ("roles", "quasi", 0)),
        (8, ("measures", 0, "name")),
        (9, ("smallest",)),
        (10, ("seeed",)),
    ]
