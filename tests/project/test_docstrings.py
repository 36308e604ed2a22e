"""Editing every docstring and comment changes no output, no page and no key of a stored result."""

import ast
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from tests.planted import people
from tests.project.tracked import ROOT

PACKAGES = ("workbench", "widgets")
CHART = re.compile(rb'(?<=")[0-9a-f]{16}(?=")')  # random names of charts on a page
STUDY = """
study: Patients
data: people.csv
roles: {quasi: [age, sex, town], sensitive: [disease], dropped: [name, wage]}
recipes:
  - {method: {name: mondrian}, model: {name: k-anonymity, k: [10, 30]}}
measures: [{name: privacy loss}, {name: utility loss}]
caps: {P_loss: 0.3}
"""
RUN = """
import contextlib, io, sys
from pathlib import Path
import workbench, widgets.dashboard
from workbench.base.package import Sources
from workbench.commands.main import main
from workbench.frontier.store import Store
from workbench.publication.report.reporting import build_report
from workbench.studies.study import Study

assert Path(workbench.__file__).parent.parent == Path(sys.argv[1])
Path(sys.argv[2]).mkdir()
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    for command in (["--help"], ["frontier", "--help"], ["frontier", "study.yaml", "--json"], ["check", "study.yaml"]):
        try:
            main(command)
        except SystemExit:
            pass
print(printed.getvalue())
print(Sources("base", "models", "frontier/store.py").digest)
build_report(Study.open("study.yaml"), store=Store("study.results")).write(Path(sys.argv[2]) / "report")
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    people().to_csv(folder / "people.csv", index=False)
    (folder / "study.yaml").write_text(STUDY)
    return folder


@pytest.fixture(scope="module")
def edited(tmp_path_factory):
    """A copy of the packages in which every docstring and every comment is another."""
    place = tmp_path_factory.mktemp("edited")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in place.rglob("*.py"):
        path.write_text(edit(path.read_text("utf-8")), "utf-8")
    return place


def edit(source: str) -> str:
    """Return a source with other docstrings and comments, and with more lines."""
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column] + "# another comment\n"
    for start, end in sorted(docstrings(source), reverse=True):
        indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        lines[start:end] = [f'{indent}"""Another docstring.\n', "\n", f'{indent}On several lines."""\n', "\n"]
    return "".join(lines)


def docstrings(source: str) -> list[tuple[int, int]]:
    """Return the first and the last line of each docstring that has its lines to itself."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds) and ast.get_docstring(node)]
    return [(node.body[0].lineno - 1, node.body[0].end_lineno) for node in nodes]


def run(package: Path, study: Path, output: str) -> tuple[str, dict[str, bytes]]:
    """Return what commands print and what a report writes."""
    env = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUN, str(package), output], cwd=study, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    files = sorted(path for path in (study / output).rglob("*") if path.is_file())
    return done.stdout, {path.name: CHART.sub(b"chart", path.read_bytes()) for path in files}


def stored(study: Path) -> list[str]:
    """Return the names of stored results, which are their keys."""
    return sorted(path.name for path in (study / "study.results").iterdir())


@pytest.mark.slow
def test_docstrings_and_comments_change_nothing(study, edited):
    assert (edited / "workbench/base/package.py").read_text("utf-8").startswith('"""Another docstring.')
    printed, written = run(ROOT, study, "before")
    keys = stored(study)
    assert len(keys) > 3 and json.loads(written["report-points.json"])["points"]
    printed_after, written_after = run(edited, study, "after")
    assert printed_after.splitlines() == printed.splitlines()
    assert written_after == written
    assert stored(study) == keys
