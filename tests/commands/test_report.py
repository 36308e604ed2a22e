"""`workbench report` and papermill itself: one or many, again only what is missing, nothing half written."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.planted import PLACE, planted
from workbench import cli
from workbench.serving import NOTEBOOKS

COMMAND = [sys.executable, "-m", "workbench.cli"]
STUDIES = sorted((NOTEBOOKS.parent / "data" / "studies").glob("*.yaml"))


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planted(tmp_path, caps={"P_loss": 0.1}).save("ill.yaml")
    return Path("ill.yaml")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def said(capfd, *arguments, code=0) -> tuple[str, str]:
    assert cli.main(["report", *map(str, arguments)]) == code
    return capfd.readouterr()


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_papermill_runs_each_ready_study_as_its_users_expect(path, tmp_path):
    (tmp_path / path.name).write_bytes(path.read_bytes())  # its results will lie beside it
    command = [sys.executable, "-m", "papermill", NOTEBOOKS / "report.ipynb", "out.ipynb", "-p", "study", path.name]
    done = subprocess.run(list(map(str, command)), cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert {"out.ipynb", "report.html", "report-points.json", "report-points.csv"} <= names(tmp_path)
    assert "Unable to parse" not in done.stderr
    outputs = [
        cell["outputs"]
        for cell in json.loads((tmp_path / "out.ipynb").read_text())["cells"]
        if cell["cell_type"] == "code"
    ]
    html = "".join("".join(one["data"].get("text/html", "")) for some in outputs for one in some if "data" in one)
    assert "Proposed is the release" in html and "data:image/svg+xml" in html


def test_one_report(study, capfd):
    out, err = said(capfd, study, "--release")
    assert out == "ill-report.html\n" and "Traceback" not in err and "planted-" not in err and PLACE not in err
    assert {"ill-report.html", "ill-report.ipynb", "ill-report-points.json", "ill-report-points.csv",
            "ill-report-release.csv", "ill.results"} <= names(Path())  # fmt: skip
    before = Path("ill-report.html").stat().st_mtime_ns
    said(capfd, study, "--release")
    assert Path("ill-report.html").stat().st_mtime_ns == before, "it was there already"
    os.utime(study)
    said(capfd, study, "--release")
    assert Path("ill-report.html").stat().st_mtime_ns > before, "the study is newer"
    for path in Path().glob("ill-report*"):
        text = path.read_text()
        assert "planted-" not in text and PLACE not in text, path.name


def test_a_new_decision_leaves_nothing_of_the_old_one(study, capfd):
    said(capfd, study, "--release", "-o", "page.html")
    Path("page.pdf").touch()
    Path("page-notes.csv").touch()
    Path("page-release-notes.csv").touch()  # not ours
    said(capfd, study, "--cap", "0.3", "-o", "page.html")
    assert {
        "page.html",
        "page.ipynb",
        "page-points.json",
        "page-points.csv",
        "page-notes.csv",
        "page-release-notes.csv",
    } == {name for name in names(Path()) if name.startswith("page")}
    assert json.loads(Path("page-points.json").read_text())["cap"] == 0.3
    assert "_path" not in json.loads(Path("page.ipynb").read_text())["metadata"]["papermill"]


def test_one_for_each_value_and_an_index(study, capfd):
    out, err = said(capfd, study, "--each", "sex", "--vary", "seed=0,1", "-o", "reports")
    assert out == "reports/index.html\n" and "4/4 ill-sex-" in err
    index = Path("reports/index.html").read_text()
    for name in ("ill-sex-F-seed-0", "ill-sex-M-seed-1"):
        assert f'<a href="{name}.html">{name}</a>' in index
        points = json.loads(Path(f"reports/{name}-points.json").read_text())
        assert points["proposed"]["recipe"] in index.replace("\u00a0", " ") and 200 < points["records"] < 400
    assert len(names(Path("reports"))) == 4 * 4 + 1


def test_one_that_fails_is_said_and_the_others_go_on(study, capfd):
    text = study.read_text()
    Path("bad.yaml").write_text(text.replace("sensitive:\n  - disease", "sensitive:\n  - nowhere"))
    assert Path("bad.yaml").read_text() != text
    _, err = said(capfd, study, "bad.yaml", "-o", "reports", code=1)
    assert "bad: " in err and "nowhere" in err and "Traceback" not in err
    assert "no report: " in Path("reports/index.html").read_text()
    assert "ill.html" in names(Path("reports")) and not [
        name for name in names(Path("reports")) if name.startswith("bad")
    ]


def test_killed_in_the_middle_and_started_again(study):
    """No file is half written, nothing is made twice, and the results are those of a batch that was left alone."""
    vary = ["--vary", "seed=0,1,2", "--jobs", "1", "-o", "reports"]
    command = [*COMMAND, "report", str(study), *vary]
    killed = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert "1/3 ill-seed-0: done" in killed.stderr.readline()
    time.sleep(1)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    kept = Path("reports/ill-seed-0.html").stat().st_mtime_ns
    for path in Path("reports").iterdir():
        assert path.suffix != ".json" or json.loads(path.read_text())
        assert path.suffix != ".html" or path.read_text().rstrip().endswith("</html>")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "3/3" in done.stderr and Path("reports/ill-seed-0.html").stat().st_mtime_ns == kept
    subprocess.run([*command[:-1], "alone"], capture_output=True, check=True)
    assert names(Path("reports")) == names(Path("alone"))
    for path in Path("alone").glob("*-points.json"):
        assert path.read_bytes() == (Path("reports") / path.name).read_bytes()


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["nowhere.yaml"], "nowhere.yaml"),
        (["ill.yaml", "-o", "page.pdf"], "end its name in .html"),
        (["ill.yaml", "--vary", "k=1,2"], "write one of cap"),
        (["ill.yaml", "--vary", "cap=a,b"], "takes numbers"),
        (["ill.yaml", "--each", "nowhere"], "no such column"),
        (["ill.yaml", "--each", "disease"], "it is sensitive"),
        (["ill.yaml", "-o", "/proc/x.html"], "cannot be written there"),
        (["ill.yaml", "--each", "name"], "no value has enough records"),
        (["ill.yaml", "--each", "sex", "-o", "page.html"], "go into a folder"),
        (["ill.yaml", "--cap", "nan"], "cap"),
        (["empty"], "no study"),
    ],
)
def test_what_is_wrong_is_one_line(study, capfd, arguments, says):
    Path("empty").mkdir()
    before = names(Path())
    out, err = said(capfd, *arguments, code=2)
    assert says in err and err.count("\n") == 1 + err.count("note: ") and "Traceback" not in err and not out
    assert names(Path()) - before <= {"ill.results"}
