"""`workbench report` and papermill: one or many reports, only missing ones, no partial files."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.commands.people import STUDY, in_this_process, study_in
from tests.planted import PLACE, planted
from workbench import BadInput
from workbench.base.package import DATA, NOTEBOOKS
from workbench.commands import main, report
from workbench.publication.report import batch
from workbench.studies.study import Study, files_read

COMMAND = [sys.executable, "-m", "workbench.commands.main"]


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planted(tmp_path, caps={"P_loss": 0.1}).save("ill.yaml")
    return Path("ill.yaml")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def run_report(capfd, *arguments, code=0) -> tuple[str, str]:
    assert main.main(["report", *map(str, arguments)]) == code
    return capfd.readouterr()


@pytest.mark.slow
def test_papermill_runs_a_ready_study_as_its_users_expect(tmp_path):
    """The pages of all of them: tests/project/test_same_figures.py."""
    path = DATA / "studies" / "brickell_shmatikov_2008_occupation.yaml"
    (tmp_path / path.name).write_bytes(path.read_bytes())  # its results will be written next to it
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


def test_one_report_is_written(study, capfd):
    out, err = run_report(capfd, study, "--release")
    assert out == "ill-report.html\n" and "Traceback" not in err and "planted-" not in err and PLACE not in err
    assert {"ill-report.html", "ill-report.ipynb", "ill-report-points.json", "ill-report-points.csv",
            "ill-report-release.csv", "ill.results"} <= names(Path())  # fmt: skip
    before = Path("ill-report.html").stat().st_mtime_ns
    run_report(capfd, study, "--release")
    assert Path("ill-report.html").stat().st_mtime_ns == before, "it already exists"
    os.utime(study)
    run_report(capfd, study, "--release")
    assert Path("ill-report.html").stat().st_mtime_ns == before, "a newer file with equal content is unchanged"
    for path in Path().glob("ill-report*"):
        text = path.read_text()
        assert "planted-" not in text and PLACE not in text, path.name


def test_a_report_is_rebuilt_if_any_of_its_inputs_has_changed(tmp_path, monkeypatch):
    """Inputs are compared by content: data replaced by an older file, a hierarchy, the report itself."""
    monkeypatch.chdir(tmp_path)
    study = study_in(tmp_path, STUDY.replace("{builder: intervals, widths: [10, 20]}", "{csv: groups.csv}"))
    ages = sorted({line.split(",")[0] for line in Path("people.csv").read_text().splitlines()[1:]})
    Path("groups.csv").write_text("".join(f"{age},{int(age) // 10 * 10}s\n" for age in ages))
    job = batch.job_of(Path("page"), study, release=True)
    for path, text in {"page.html": "a page", "page-points.json": "{}", "page-release.csv": "a\n1\n"}.items():
        Path(path).write_text(text)

    def made() -> None:
        metadata = {"papermill": {"parameters": job.parameters}, "workbench": job.digests(job.made_of())}
        Path("page.ipynb").write_text(json.dumps({"metadata": metadata}))

    def changed(path: str, text: str | None, old: bool = False) -> None:
        before, dated = Path(path).read_text(), os.stat(path)
        Path(path).unlink() if text is None else Path(path).write_text(text)
        if old:
            os.utime(path, (1, 1))
        assert not job.done(), path
        Path(path).write_text(before)
        os.utime(path, ns=(dated.st_atime_ns, dated.st_mtime_ns))
        assert job.done(), path

    assert not job.done(), "its inputs are unknown"
    made()
    assert job.done()
    changed("groups.csv", Path("groups.csv").read_text().replace("20s", "twenties"))
    changed("people.csv", Path("people.csv").read_text().replace("Flu", "Cold"), old=True)
    changed("people.yaml", Path("people.yaml").read_text() + "# looked through\n")
    changed("page-release.csv", None)
    changed("page.html", None)
    changed("page-points.json", '{"cap": 0.4}')
    monkeypatch.setattr(batch, "ENGINE", SimpleNamespace(digest="another engine"))
    assert not job.done()


def test_the_digests_in_a_notebook_cannot_confirm_guessed_data(tmp_path):
    """Digests cannot be recomputed from guessed data without the secret of the results."""
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        job = batch.job_of(Path("page"), study_in(tmp_path / name))
        found.append(job.digests(job.made_of()))
        plain = [batch._content(path) for path in job.reads]
        assert not any(digest in json.dumps(found[-1]) for digest in plain)
    assert found[0]["made_of"] != found[1]["made_of"]


@pytest.mark.slow
def test_a_new_decision_replaces_all_files_of_the_old_one(study, capfd):
    run_report(capfd, study, "--release", "-o", "page.html")
    Path("page.pdf").touch()
    Path("page-notes.csv").touch()
    Path("page-release-notes.csv").touch()  # not a file of the report
    run_report(capfd, study, "--cap", "P_loss=0.15", "-o", "page.html")
    assert {
        "page.html",
        "page.ipynb",
        "page-points.json",
        "page-points.csv",
        "page-notes.csv",
        "page-release-notes.csv",
    } == {name for name in names(Path()) if name.startswith("page")}
    assert json.loads(Path("page-points.json").read_text())["cap"] == 0.15
    assert "_path" not in json.loads(Path("page.ipynb").read_text())["metadata"]["papermill"]


@pytest.mark.slow
def test_each_value_gets_a_report_and_there_is_an_index(study, capfd, monkeypatch):
    monkeypatch.setattr(batch, "run", in_this_process)
    out, err = run_report(capfd, study, "--each", "sex", "--vary", "seed=0,1", "-o", "reports", "--jobs", "1")
    assert out == "reports/index.html\n" and "4/4 ill-sex-" in err
    index = Path("reports/index.html").read_text()
    for name in ("ill-sex-F-seed-0", "ill-sex-M-seed-1"):
        assert f'<a href="{name}.html">{name}</a>' in index
        points = json.loads(Path(f"reports/{name}-points.json").read_text())
        assert points["shown"]["recipe"] in index.replace("\u00a0", " ") and 200 < points["records"] < 400
    assert len(names(Path("reports"))) == 4 * 3 + 1


def test_parts_with_noise_are_described_as_separate_draws(study, capfd, monkeypatch):
    monkeypatch.setattr("workbench.commands.report._many", lambda *_: 0)
    _, err = run_report(capfd, study, "--each", "sex", "-o", "reports")
    assert "two noisy releases" not in err
    noisy = "- method: {name: randomized response, keep: 0.5}\n"
    study.write_text(study.read_text().replace("recipes:\n", f"recipes:\n{noisy}"))
    _, err = run_report(capfd, study, "--each", "sex", "-o", "reports")
    assert "note: ill.yaml: noise is drawn separately for each value of sex." in err
    _, err = run_report(capfd, study, "--vary", "seed=0,1", "-o", "reports")
    assert "two noisy releases" not in err


@pytest.mark.slow
def test_a_failing_report_is_reported_and_the_others_continue(study, capfd):
    text = study.read_text()
    Path("bad.yaml").write_text(text.replace("sensitive:\n  - disease", "sensitive:\n  - nowhere"))
    assert Path("bad.yaml").read_text() != text
    Path("broken.yaml").write_text("data: [")
    _, err = run_report(capfd, study, "bad.yaml", "broken.yaml", "-o", "reports", code=1)
    assert "1/3 broken: broken.yaml, line 1" in err
    assert "bad: " in err and "nowhere" in err and "Traceback" not in err
    index = Path("reports/index.html").read_text()
    assert index.count("no report: ") == 2 and "no report: broken.yaml, line 1" in index
    assert "ill.html" in names(Path("reports")) and not [
        name for name in names(Path("reports")) if name.startswith("b")
    ]


def test_studies_with_one_name_each_get_a_report(study):
    """Reports are named after their folders, and `index` is reserved for the list."""
    paths = [Path(name) for name in ("a/ill.yaml", "b/ill.yaml", "index.yaml", "other.yaml", "./other.yaml")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    found = report._studies(paths)
    assert found == paths[:4]
    stems = [place.name for place in report._places(None, found, True).values()]
    assert stems == ["a-ill", "b-ill", f"{Path.cwd().name}-index", "other"]
    with pytest.raises(BadInput, match="files of the same name"):
        report._places(None, [Path("x.yaml"), Path("x.yml")], True)


@pytest.mark.slow
def test_a_killed_kernel_does_not_end_the_batch(study, capfd):
    """The system kills a kernel if memory runs out: its report is missing, and the index gives the reason."""
    done, others = threading.Event(), psutil.Process().children(recursive=True)  # kernels of open pages

    def kill() -> None:
        while not done.is_set():
            for child in set(psutil.Process().children(recursive=True)).difference(others):
                with suppress(psutil.Error):  # already ended
                    if "ipykernel_launcher" in " ".join(child.cmdline()):
                        time.sleep(0.5)
                        child.kill()
                        return
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        _, err = run_report(capfd, study, "--vary", "seed=0,1", "--jobs", "1", "-o", "reports", code=1)
    finally:
        done.set()
        killer.join()
    assert "1/2 ill-seed-0: its kernel died" in err and "2/2 ill-seed-1: done" in err and "Traceback" not in err
    assert "no report: its kernel died" in Path("reports/index.html").read_text()
    assert "ill-seed-1.html" in names(Path("reports"))


def test_the_error_of_one_report_quotes_no_data(monkeypatch):
    jobs = [batch.Job(Path(name), {}) for name in "abc"]

    def run(job, pdf):
        if job.label == "a":
            raise KeyError("planted-secret")
        if job.label == "b":
            raise BadInput("the study has no recipes; give one")

    monkeypatch.setattr(batch, "_made", run)
    found = {job.label: error_line for job, error_line in batch.run_all(jobs, 1)}
    assert re.fullmatch(r"an internal error \(KeyError in test_report\.py:\d+\)", found["a"])
    assert found["b"] == "the study has no recipes; give one" and found["c"] is None


def test_pdf_is_refused_before_any_work_without_chromium(study, capfd, monkeypatch):
    monkeypatch.setattr(batch.shutil, "which", lambda name: None)
    before = names(Path())
    for more in ([], ["--vary", "seed=0,1"]):
        _, err = run_report(capfd, study, "--pdf", *more, code=2)
        assert err == "workbench: --pdf needs Chromium, which is not installed; print the page from a browser\n"
    assert names(Path()) == before


@pytest.mark.parametrize(
    "output, data", [("ill", "ill-points.csv"), ("ill.html", "ill-release.csv"), ("ill", "ill.pdf")]
)
def test_a_report_does_not_overwrite_its_inputs(study, capfd, output, data):
    (read,) = files_read(Study.open(study))
    read.rename(data)
    study.write_text(study.read_text().replace(f"{PLACE}/people.csv", f"{data}\n  format: csv"))
    before = names(Path()), Path(data).read_bytes()
    _, err = run_report(capfd, study, "-o", output, code=2)
    assert f"{data} would overwrite" in err and (names(Path()), Path(data).read_bytes()) == before


@pytest.mark.slow
def test_a_killed_batch_can_be_resumed(study, capfd, monkeypatch):
    """No file is partial, no report is built twice, and the results equal those of an undisturbed batch."""
    asked = [str(study), "--vary", "seed=0,1", "--jobs", "1", "-o"]
    command = [*COMMAND, "report", *asked, "reports"]
    temporary, runtime = Path("temporary").absolute(), Path("runtime").absolute()
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(runtime))
    killed = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert "1/2 ill-seed-0: done" in killed.stderr.readline()
    time.sleep(1)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert list(temporary.glob("workbench-*/kernel.json")), "the connection file of the kernel stays for now"
    kept = Path("reports/ill-seed-0.html").stat().st_mtime_ns
    for path in Path("reports").iterdir():
        assert path.suffix != ".json" or json.loads(path.read_text())
        assert path.suffix != ".html" or path.read_text().rstrip().endswith("</html>")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "2/2" in done.stderr and Path("reports/ill-seed-0.html").stat().st_mtime_ns == kept
    assert not list(temporary.glob("workbench-*")) and not list(runtime.glob("kernel-*"))
    monkeypatch.setattr(batch, "run", in_this_process)
    run_report(capfd, *asked, "alone")
    assert names(Path("reports")) == names(Path("alone")) | {f"ill-seed-{seed}.ipynb" for seed in range(2)}
    for path in Path("alone").glob("*-points.json"):
        assert path.read_bytes() == (Path("reports") / path.name).read_bytes()


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["nowhere.yaml"], "nowhere.yaml"),
        (["ill.yaml", "-o", "page.pdf"], "must end in .html"),
        (["ill.yaml", "--vary", "q=1,2"], "write one of cap"),
        (["ill.yaml", "--vary", "cap=a,b"], "takes numbers"),
        (["ill.yaml", "--each", "nowhere"], "no such column"),
        (["ill.yaml", "--each", "disease"], "it is sensitive"),
        (["ill.yaml", "-o", "/proc/x.html"], "cannot write"),
        (["ill.yaml", "--each", "name"], "no value has enough records"),
        (["ill.yaml", "--each", "sex", "-o", "page.html"], "need a folder"),
        (["ill.yaml", "--cap", "nan"], "cap"),
        (["empty"], "no study"),
    ],
)
def test_errors_are_one_line(study, capfd, arguments, says):
    Path("empty").mkdir()
    before = names(Path())
    out, err = run_report(capfd, *arguments, code=2)
    assert says in err and err.count("\n") == 1 + err.count("note: ") and "Traceback" not in err and not out
    assert names(Path()) - before <= {"ill.results"}


@pytest.mark.slow
def test_no_release_is_written_and_the_status_is_2_without_a_recommendation(study, capfd, monkeypatch):
    monkeypatch.setattr(batch, "run", in_this_process)
    folder = study.parent / "out"
    typed = ["report", str(study), "--cap", "P_loss=0.0001", "--release", "-o", str(folder / "page.html")]
    assert main.main(typed) == 2
    err = capfd.readouterr().err
    assert "nothing is recommended; no release was written: No candidate satisfies the limit of at most" in err
    points = json.loads((folder / "page-points.json").read_text())
    assert points["cap"] == 0.0001 and points["recommended"] is None and points["nearest"] is not None
    assert not list(folder.glob("page-release*"))
    page = (folder / "page.html").read_text()
    assert "No candidate satisfies" in page and "Proposed" not in page and "is recommended for the limit" not in page
    typed[3] = "P_loss=0.9"
    assert main.main([*typed, "--again"]) == 0 and list(folder.glob("page-release*.csv"))
