"""Helpers: a small study in a folder, and the output of commands."""

import sys

from workbench.commands import main
from workbench.publication.report import reporting
from workbench.publication.report.parameters import ReportParameters

STUDY = """
study: People
data: {path: people.csv}
roles: {quasi: [age, work], sensitive: [disease]}
hierarchies: {age: {builder: intervals, widths: [10, 20]}}
regions: {age: exact}
recipes:
- method: {name: mondrian}
  model: {name: k-anonymity, k: [3, 6, 12]}
- method: {name: mondrian}
  model: {name: t-closeness, t: [0.1, 0.3], distance: js}
measures: [{name: privacy loss}, {name: utility loss, min_support: 0.1}, {name: re-identification risk}]
caps: {P_loss: 0.5}
"""


def study_in(folder, text=STUDY):
    """Write a study of 120 people, of whom the old are farmers with ulcers."""
    rows = [
        f"{20 + i * 7 % 45},{'Farm' if i * 7 % 45 > 20 or i % 9 == 0 else 'Shop'},"
        f"{('Flu', 'Ulcer', 'Asthma')[(i * 7 % 45 > 20) + (i % 11 == 0)]}"
        for i in range(120)
    ]
    (folder / "people.csv").write_text("age,work,disease\n" + "\n".join(rows) + "\n")
    (folder / "people.yaml").write_text(text)
    return folder / "people.yaml"


def run(capsys, *arguments, code=0):
    """Run a command and return its stdout and stderr."""
    assert main.main([str(one) for one in arguments]) == code, capsys.readouterr()
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return out, err


def error_line(capsys, *arguments):
    """Return the error of a failing command: the last line on stderr, after any notes."""
    out, err = run(capsys, *arguments, code=2)
    *notes, last = err.splitlines()
    assert (
        out == "" and last.startswith("workbench: ") and all(one.startswith(("note: ", *"123456789")) for one in notes)
    )
    return last


def in_this_process(job, progress=False):
    """Build a report without a kernel or notebook, as a replacement of `batch.run`."""
    given = {key: value for key, value in job.parameters.items() if key not in ("output", "release")}
    chosen, results = ReportParameters(**given).chosen()
    release = bool(job.parameters.get("release"))
    reporting.build_report(chosen, release=release, store=results).write(job.parameters["output"])


def pipe_input(monkeypatch, data):
    """Replace stdin by a pipe with these bytes."""
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
