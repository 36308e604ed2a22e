"""Each of hundreds of bad inputs gets a clear error without data or traceback, and leaves no files."""

import contextlib
import gc
import io
import os
import re
import signal
import sys
import tempfile
import traceback
import warnings

import pytest

from tests.commands.bad_inputs import SECRETS, Bad, all_cases, good
from widgets.commands import dashboard, explore, lab
from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.commands import main

CASES = all_cases()
SECONDS = 30  # then the command counts as hanging
LONGEST, MANY = 600, 12  # characters per line, lines
# phrases of unhandled errors
UNCLEAR = re.compile(
    r"Traceback|\[Errno|\b\w+Error\b|NoneType|<class|object at 0x|invalid literal|could not convert|expected str|"
    r"not iterable|subscriptable|takes \d+ positional|unexpected keyword|[Ii]nternal error|Exception"
)
# phrases of advice
ADVICE = re.compile(
    r";|\{|\b(give|name|choose|say|use|write|put|make|must|needs?|there (is|are)|did you mean|leave|no such|missing|"
    r"required|requires|unexpected|is (not )?one of|between|should|fewer than|goes with|copy|mend|is read from|"
    r"at least|at most|delete|only|keep|add|try)\b",
    re.IGNORECASE,
)


class Accepted(Exception):
    """Raised if a bad input is accepted."""


def accepted(*_, **__):
    raise Accepted


@pytest.fixture(autouse=True)
def no_server(monkeypatch):
    """Replace servers and kernels; reports are built in this process."""
    from workbench.publication.report import batch, reporting
    from workbench.publication.report.parameters import ReportParameters

    def run(job, progress=False):
        given = {key: value for key, value in job.parameters.items() if key not in ("output", "release")}
        chosen, results = ReportParameters(**given).chosen()
        reporting.build_report(chosen, store=results).write(job.parameters["output"])

    monkeypatch.setattr(batch, "run", run)
    for module in (dashboard, explore):
        monkeypatch.setattr(module, "serve", accepted)
    monkeypatch.setattr(lab.os, "execv", accepted)


def folder_content(folder):
    """Return all paths in a folder with their content."""
    found = {}
    for path in sorted(folder.rglob("*")):
        plain = path.is_file() and not path.is_symlink()
        found[str(path.relative_to(folder))] = path.read_bytes() if plain else None
    return found


@contextlib.contextmanager
def time_limit(most):
    """Raise TimeoutError after a number of seconds."""

    def late(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(most)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run_case(bad: Bad) -> tuple[str, str]:
    """Run a bad input and return the kind of its outcome and its message."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), time_limit(SECONDS):
            if bad.call is None:
                code = main.main(list(bad.typed))
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    bad.call()
                code = 0
    except (BadInput, Undefined, Unsatisfiable) as error:
        chain = "".join(traceback.format_exception(error))
        return "leak" if leaks(chain) else "said", str(error)
    except TimeoutError:
        return "hang", ""
    except Accepted:
        return "accepted", ""
    except BaseException as error:
        return "traceback", "".join(traceback.format_exception(error))
    if leaks(out.getvalue() + err.getvalue()):
        return "leak", err.getvalue()
    if code != main.WRONG:
        return "accepted", f"exit code {code}: {out.getvalue()}{err.getvalue()}"
    return "said" if not out.getvalue() else "unclear", err.getvalue()


def leaks(text: str) -> bool:
    return any(secret in text for secret in SECRETS)


def rate_message(bad: Bad, text: str) -> str:
    """Return "clear", or what is unclear in a message."""
    lines = [line for line in text.splitlines() if not re.match(r"note: |\d+/\d+ ", line)]
    if not 1 <= len(lines) <= MANY or max(map(len, lines)) > LONGEST:
        return "unclear: too long, or empty"
    if UNCLEAR.search(text):
        return "unclear: an unhandled error"
    if not all(ADVICE.search(line.removeprefix("workbench: ")) for line in lines):
        return "unclear: no advice"
    return "clear" if bad.says in text else f"unclear: {bad.says} is missing"


QUICK = 6  # one in six runs by default, all of them with the exhaustive tests
MORE = pytest.mark.exhaustive


def marks_of(i):
    """Return the marks of a case: a third of those of a full run are fast tests."""
    return [MORE] if i % QUICK else [pytest.mark.slow] if i % (3 * QUICK) else []


SOME = [pytest.param(bad, id=bad.name, marks=marks_of(i)) for i, bad in enumerate(CASES)]


@pytest.mark.parametrize("bad", SOME)
def test_a_bad_input_gets_a_clear_error_and_leaves_no_files(bad, tmp_path, monkeypatch):
    folder, temporary = tmp_path / "work", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    good(folder)
    if bad.setup:
        bad.setup(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    if bad.piped is not None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bad.piped)))
    before = folder_content(folder)
    became, text = run_case(bad)
    verdict = rate_message(bad, text) if became == "said" else became
    if os.listdir(temporary):
        gc.collect()  # as at the end of a command
    after = {
        name: content for name, content in folder_content(folder).items() if not bad.keeps or bad.keeps not in name
    }
    if verdict == "clear" and (after != before or os.listdir(temporary)):
        verdict = f"left behind: {sorted(after.keys() - before.keys())} {os.listdir(temporary)}"
    assert verdict == "clear", f"{' '.join(bad.typed)}\n{text[-1500:]}"


def test_there_are_four_hundred_distinct_bad_inputs():
    assert len(CASES) >= 400 and len({bad.name for bad in CASES}) == len(CASES)
