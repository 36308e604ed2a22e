"""Run reports by papermill, each in its own kernel; reports that are up to date are not made again.

A report is up to date if its files are unchanged, and so are its parameters, study, data, hierarchies and workbench,
compared by content. Its notebook contains keyed digests, which reveal nothing without the secret of the study's
results.
"""

from __future__ import annotations

import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.base.errors import OUT_OF_MEMORY, BadInput, missing_package, render_fixes, safe_repr, suggest_column
from workbench.base.files import atomic_write, scratch
from workbench.base.package import NOTEBOOKS, Sources
from workbench.base.parameters import canonical
from workbench.frontier.store import Store
from workbench.publication.report.page import render
from workbench.publication.report.reporting import ENDINGS, quietly_read
from workbench.redaction.controlled_rounding import small_limit
from workbench.studies.faults import study_words
from workbench.studies.study import Study, files_read, results_folder

OURS = ("BadInput", "Undefined", "Unsatisfiable")  # errors whose text is written for users
ENGINE = Sources()  # a page depends on all sources
ENDED = "its kernel died, perhaps because the system ran out of memory; try again with fewer --jobs"
QUIET = ["--IPKernelApp.log_level=50"]  # log messages of local kernels are not useful


@dataclass(frozen=True)
class Job:
    """A report: the prefix of its files (`stem`.html, ...), and the parameters of the notebook."""

    stem: Path
    parameters: dict[str, Any]
    reads: tuple[Path, ...] = ()  # the study, and the files that it reads

    @property
    def label(self) -> str:
        return self.stem.name

    @property
    def page(self) -> Path:
        return self._place(ENDINGS["html"])

    @property
    def notebook(self) -> Path:
        return self._place(".ipynb")

    @property
    def points(self) -> Path:
        return self._place(ENDINGS["json"])

    def _place(self, ending: str) -> Path:
        return self.stem.with_name(self.stem.name + ending)

    def files(self) -> list[Path]:
        """Return the files that the job writes, and any released files that exist."""
        released = self.stem.parent.glob(glob.escape(self.stem.name + ENDINGS["release"]) + "*.csv")
        return [self.page, self.notebook, self.points, *map(self._place, (ENDINGS["csv"], ".pdf")), *sorted(released)]

    def done(self) -> bool:
        """Return whether the report exists and is up to date."""
        try:
            kept = json.loads(self.notebook.read_bytes())["metadata"]
            if not self.page.exists() or not self._results.is_dir():
                return False
            made = {self.stem.with_name(name) for name in kept["workbench"]["files"]}
            return kept["workbench"] == self._digests(self.made_of(), made)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def undecided(self) -> str:
        """Return why nothing is recommended, if a limit is set or a release was requested; empty otherwise."""
        points = json.loads(self.points.read_bytes())
        wanted = points["caps"] or self.parameters.get("release")
        return str(points["reason"]) if wanted and points["recommended"] is None else ""

    def made_of(self) -> bytes:
        """Return everything that the report depends on; it contains data and never leaves this process."""
        about = {
            "parameters": self.parameters,
            "engine": ENGINE.digest,
            "reads": [_content(path) for path in self.reads],
        }
        return canonical(about).encode()

    def digests(self, made_of: bytes) -> dict[str, Any]:
        """Return the digests of inputs and outputs that the notebook stores."""
        own = (self.notebook, self._place(".pdf"))
        return self._digests(made_of, {path for path in self.files() if path not in own and path.exists()})

    def _digests(self, made_of: bytes, made: Iterable[Path]) -> dict[str, Any]:
        keyed = Store(self._results).keyed
        files = {path.name: keyed(_content(path).encode()) for path in sorted(made)}
        return {"made_of": keyed(made_of), "files": files}

    @property
    def _results(self) -> Path:
        return results_folder(self.parameters["study"], self.parameters.get("store"))


def job_of(stem: Path, study: Path, **parameters: Any) -> Job:
    """Return the job of a study's file with its dependencies."""
    given = {
        name: value for name, value in parameters.items() if value is not None and value is not False and value != ""
    }
    read = (study, *sorted(set(files_read(Study.open(study)))))
    return Job(stem, {**given, "study": str(study), "output": str(stem)}, read)


def _content(path: Path) -> str:
    """Return a digest of a file's content; empty if the file does not exist."""
    try:
        found = path.stat()
    except OSError:
        return ""
    return _digest(path, found.st_ino, found.st_size, found.st_mtime_ns) if path.is_file() else ""


@lru_cache(1000)
def _digest(path: Path, *_: int) -> str:
    """Return a digest of a file, cached because the reports of a batch often share their data."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()


def run(job: Job, progress: bool = False) -> Path:
    """Make one report; the notebook is stored next to it after it has run to its end."""
    import workbench.base.startup  # noqa: F401 (before papermill)

    # isort: split
    import papermill  # takes a moment to load
    from traitlets.config import Config

    if job.notebook.is_dir():
        raise BadInput(f"{job.notebook} is a folder; choose another place with -o")
    aside, made_of = scratch(), job.made_of()
    failure = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the notebook's format
            papermill.execute_notebook(
                str(NOTEBOOKS / "report.ipynb"),
                str(aside / "report.ipynb"),
                parameters=job.parameters,
                kernel_name="python3",
                progress_bar=progress,
                extra_arguments=QUIET,
                config=Config({"KernelManager": {"connection_file": str(aside / "kernel.json")}}),
            )
        notebook = json.loads((aside / "report.ipynb").read_bytes())
        for place in ("input_path", "output_path"):  # paths of this machine
            notebook["metadata"]["papermill"].pop(place, None)
        notebook["metadata"]["workbench"] = job.digests(made_of)
        with atomic_write(job.notebook) as target:
            target.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except papermill.PapermillExecutionError as error:
        failure = BadInput(_why(job, error.ename, error.evalue))
    except RuntimeError:  # raised by jupyter for a dead kernel
        failure = BadInput(ENDED)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    if failure:  # raised here, because papermill's error quotes the cell's output
        raise failure
    return job.page


def _why(job: Job, kind: str, text: str) -> str:
    """Return the message for an error of a kernel."""
    if kind in OURS:
        return text
    if kind in ("FileNotFoundError", "PermissionError", "OSError"):
        return f"{job.page}: cannot write the page; choose another folder with --out"
    if kind == "ModuleNotFoundError":
        return missing_package(text.rpartition("named ")[2].strip("'"))
    return OUT_OF_MEMORY if kind == "MemoryError" else f"an internal error ({kind})"


def run_all(jobs: Sequence[Job], workers: int | None = None, pdf: bool = False) -> Iterator[tuple[Job, str | None]]:
    """Yield each finished job with its error message or None; one failure does not stop the others."""
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:  # threads are enough, because the kernels are processes
        running = {pool.submit(_made, job, pdf): job for job in jobs}
        try:
            for one in as_completed(running):
                yield running[one], _wrong(one.exception())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _made(job: Job, pdf: bool) -> None:
    if not job.done():
        run(job)
    if pdf:
        printed(job.page)


def _wrong(error: BaseException | None) -> str | None:
    """Return the message for a failed report; for an internal error only the place, since its text may contain data."""
    if error is None or isinstance(error, (BadInput, OSError)):
        return None if error is None else render_fixes(str(error), study_words)
    if not isinstance(error, Exception):
        raise error
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"an internal error ({type(error).__name__} in {Path(last.filename).name}:{last.lineno})"


def index(folder: Path, results: Sequence[tuple[Job, str | None]]) -> Path:
    """Write a page with one row per report: the proposed release, or the reason why there is none."""
    rows = [
        (job.page.name, job.label, _row(job)) if wrong is None else ("", job.label, (f"no report: {wrong}", "", "", ""))
        for job, wrong in results
    ]
    failed = sum(wrong is not None for _, wrong in results)
    count = f"{len(results):,} reports{f', {failed:,} of which could not be made' if failed else ''}."
    place = folder / "index.html"
    with atomic_write(place) as aside:
        aside.write_text(render("index.html", title="Reports", count=count, rows=rows), "utf-8")
    return place


def _row(job: Job) -> tuple[str, ...]:
    """Return the proposed release, its disclosure, its accuracy, and the number of records."""
    points = json.loads(job.points.read_bytes())
    shown = points["shown"]
    recipe = f"{shown['title']} ({shown['recipe']})"
    recipe = f"number {shown['number']}, {recipe}"
    if points["recommended"] is None:
        which = "Shown" if points["nearest"] is None else "The nearest"
        recipe = f"None is recommended. {which} is {recipe}"
    return recipe, shown["learnt"], shown["accuracy"], f"about {points['records']:,}"


def chromium() -> str | None:
    """Return the path of Chromium; the headless shell is preferred, because it needs the least memory."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def require_chromium() -> str:
    """Return the path of Chromium; raise BadInput if it is not installed."""
    found = chromium()
    if found is None:
        raise BadInput("--pdf needs Chromium, which is not installed; print the page from a browser")
    return found


def printed(page: Path) -> Path:
    """Print the page as PDF with Chromium."""
    into, home = page.with_suffix(".pdf"), scratch()
    flags = [
        "--headless",
        "--disable-gpu",
        "--no-pdf-header-footer",
        f"--user-data-dir={home}",
        "--virtual-time-budget=5000",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")  # as root, in a container, Chromium refuses by default
    try:
        with atomic_write(into) as aside:
            subprocess.run(
                [require_chromium(), *flags, f"--print-to-pdf={aside}", page.absolute().as_uri()],
                check=True, capture_output=True, timeout=120,
            )  # fmt: skip
    except (subprocess.SubprocessError, OSError):
        raise BadInput(f"Chromium could not print {page.name}; print the page from a browser") from None
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return into


# --- the reports of a study: one, or one for each value of a column and each combination of parameters

LONGEST = 60  # maximum characters of a value in a file name
Choices = Sequence[tuple[str, Any, str]]  # the values of one parameter: its name, the value, words for the file's name


def jobs_of(
    study: Path,
    stem: Path,
    each: str | None,
    varied: Sequence[Choices],
    given: Mapping[str, Any],
    note: Callable[[str], None],
) -> list[Job]:
    """Return the jobs of one study; `note` is called if some values get no report."""
    axes = list(varied)
    if each is not None:
        axes.insert(0, [("only", {each: label}, f"{each} {label}") for label in values_of(study, each, note)])
    found = []
    for chosen in itertools.product(*axes):
        words = (re.sub(r"[^\w.]+", "-", words).strip("-")[:LONGEST] for *_, words in chosen)
        parameters = {**given, **{parameter: value for parameter, value, _ in chosen}}
        found.append(job_of(stem.with_name("-".join([stem.name, *words])), study, **parameters))
    return found


def values_of(study: Path, column: str, note: Callable[[str], None]) -> list[str]:
    """Return the values of a column that have enough records for a report."""
    opened = Study.open(study)
    if column in opened.sensitive:
        raise BadInput(
            f"--each {column}: it is sensitive, and within one of its values nothing is left to learn; choose another"
        )
    table = quietly_read(opened)
    if column not in table.names:
        raise BadInput(
            f"--each {safe_repr(column)}: the data have no such column; {suggest_column(column, table.names)}"
        )
    seen = table.columns[column]
    least = max(small_limit(opened.smallest), 2)  # smaller groups are published as "some people"
    enough = [label for label, count in zip(seen.labels, seen.counts, strict=True) if count >= least]
    if len(enough) < len(seen.labels):
        note(f"some values of {column} have too few records for a report, and get none")
    return enough
