"""Reports by papermill, one or many: each in a kernel of its own, what is there already is not made again.

A report is there when its page is newer than its study and its data, and its notebook was run with the same parameters.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from workbench.errors import BadInput
from workbench.report import PAGE, STYLE
from workbench.report.words import Html, paragraph, safe, table
from workbench.reporting import ENDINGS
from workbench.scratch import scratch
from workbench.serving import NOTEBOOKS
from workbench.study import Study
from workbench.writing import whole

OURS = ("BadInput", "Undefined", "Unsatisfiable")  # errors whose text is meant for people
QUIET = ["--IPKernelApp.log_level=50"]  # nothing that a kernel of one's own machine says is news


@dataclass(frozen=True)
class Job:
    """One report: where its files go (`stem`.html, ...), and the parameters of the notebook."""

    stem: Path
    parameters: dict[str, Any]
    newer: tuple[Path, ...] = ()  # files that it depends on

    @property
    def label(self) -> str:
        return self.stem.name

    @property
    def page(self) -> Path:
        return self.stem.with_name(self.stem.name + ENDINGS["html"])

    @property
    def notebook(self) -> Path:
        return self.stem.with_name(f"{self.stem.name}.ipynb")

    @property
    def points(self) -> Path:
        return self.stem.with_name(self.stem.name + ENDINGS["json"])

    def done(self) -> bool:
        """Whether it is there, made of what there is now."""
        try:
            made = min(path.stat().st_mtime_ns for path in (self.page, self.points))
            asked = json.loads(self.notebook.read_bytes())["metadata"]["papermill"]["parameters"]
            return asked == self.parameters and all(path.stat().st_mtime_ns < made for path in self.newer)
        except (OSError, ValueError, KeyError):
            return False


def job_of(stem: Path, study: Path, **parameters: Any) -> Job:
    """The job of a study's file, with what it depends on."""
    given = {name: value for name, value in parameters.items() if value not in (None, "", False)}
    asked = Study.open(study)
    data = [Path(asked.folder) / str(asked.data["path"])] if "path" in asked.data else []
    return Job(stem, {**given, "study": str(study), "output": str(stem)}, (study, *data))


def run(job: Job, progress: bool = False) -> Path:
    """Make one report; the notebook is kept beside it when it has run to its end."""
    import workbench.light  # noqa: F401 (before papermill)

    # isort: split
    import papermill  # takes a moment to load

    aside = scratch()
    failure = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the notebook's format
            papermill.execute_notebook(
                str(NOTEBOOKS / "report.ipynb"),
                str(aside / "report.ipynb"),
                parameters=job.parameters,
                kernel_name="python3",
                progress_bar=progress,
                extra_arguments=QUIET,
            )
        notebook = json.loads((aside / "report.ipynb").read_bytes())
        for place in ("input_path", "output_path"):  # of this machine
            notebook["metadata"]["papermill"].pop(place, None)
        with whole(job.notebook) as there:
            there.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
    except papermill.PapermillExecutionError as error:
        failure = BadInput(_why(job, error.ename, error.evalue))
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    if failure:  # outside: papermill's error quotes the cell's output
        raise failure
    return job.page


def _why(job: Job, kind: str, said: str) -> str:
    """What a kernel's error comes to, in words."""
    if kind in OURS:
        return said
    if kind in ("FileNotFoundError", "PermissionError", "OSError"):
        return f"{job.page}: it cannot be written there; choose another folder with -o"
    return f"a mistake of the workbench itself ({kind}), or its kernel ended"


def run_all(jobs: Sequence[Job], workers: int | None = None) -> Iterator[tuple[Job, str | None]]:
    """Each job as it ends, with what went wrong; those that are there already come first, as done."""
    todo = [job for job in jobs if not job.done()]
    yield from ((job, None) for job in jobs if job not in todo)
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:  # the work is in the kernels' processes
        running = {pool.submit(run, job): job for job in todo}
        try:
            for one in as_completed(running):
                error = one.exception()
                if error is not None and not isinstance(error, (BadInput, OSError)):
                    raise error
                yield running[one], None if error is None else str(error)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def index(folder: Path, results: Sequence[tuple[Job, str | None]]) -> Path:
    """A page with a line for each report: what it proposes, or why there is none."""
    rows: list[tuple[str, ...]] = []
    for job, wrong in results:
        if wrong is not None:
            rows.append((job.label, f"no report: {wrong}", "", "", ""))
            continue
        points = json.loads(job.points.read_bytes())
        proposed = points["proposed"]
        link = Html(f'<a href="{quote(job.page.name)}">{safe(job.label)}</a>')
        recipe = f"{proposed['title']} ({proposed['recipe']})"
        rows.append((link, recipe, proposed["learnt"], proposed["accuracy"], f"{points['records']:,}"))
    head = ("report", "proposed", "may be learnt at most", "accuracy", "records")
    failed = sum(wrong is not None for _, wrong in results)
    said = f"{len(results):,} reports{f', {failed:,} of which could not be made' if failed else ''}."
    body = f"<h1>Reports</h1>{paragraph(said)}{table(head, rows)}"
    place = folder / "index.html"
    with whole(place) as aside:
        aside.write_text(PAGE.format(title="Reports", style=STYLE, body=body), "utf-8")
    return place


def printed(page: Path) -> Path:
    """The page as PDF, by Chromium where it is installed."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise BadInput("a PDF needs Chromium, which is not installed; print the page from a browser")
    into, home = page.with_suffix(".pdf"), scratch()
    flags = [
        "--headless",
        "--disable-gpu",
        "--no-pdf-header-footer",
        f"--user-data-dir={home}",
        "--virtual-time-budget=5000",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")  # as root, in a container, Chromium refuses unless told
    try:
        with whole(into) as aside:
            subprocess.run(
                [found, *flags, f"--print-to-pdf={aside}", page.absolute().as_uri()],
                check=True, capture_output=True, timeout=120,
            )  # fmt: skip
    except (subprocess.SubprocessError, OSError):
        raise BadInput(f"Chromium could not print {page.name}; print the page from a browser") from None
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return into
