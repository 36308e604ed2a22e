"""`workbench report`: write self-contained pages about one or many studies that are safe to share."""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.base.errors import BadInput, safe_repr, suggest
from workbench.commands.shared import (
    NOTHING_RECOMMENDED,
    Caps,
    StoreFolder,
    between,
    open_study,
    print_note,
    read_caps,
    refuse_place,
    refuse_unknown_measures,
)

if TYPE_CHECKING:
    from workbench.publication.report import batch
    from workbench.publication.report.batch import Choices

VARIED = {
    "cap": float,
    "k": float,
    "t": float,
    "min_support": float,
    "seed": int,
    "smallest": int,
    "measures": str,
}  # parameters for --vary
FAILED = 1  # exit status if some reports failed
PURPOSE = "Write a page about a study, or about many."
HELP = """Write one self-contained page that is safe to share: the decision, the frontier, the proposed release with its
cost, and the most exposed groups. Next to it are the executed notebook, and the points as JSON and CSV. The page
contains no record and no path of the data. The exit status is 2 if a limit is set or --release is used, and
nothing is recommended.

\b
workbench report study.yaml                            study-report.html and its files
workbench report study.yaml -o out/page.html --pdf --release
workbench report study.yaml --each native_country -o reports
workbench report study.yaml --cap P_loss=0.15          with this limit
workbench report studies/ other.yaml -o reports        a folder of studies; reports/index.html lists them
workbench report study.yaml --vary cap=0.1,0.2 --vary seed=0,1 -o reports
"""


def report(
    studies: Annotated[
        list[Path], typer.Argument(metavar="STUDY", help="Studies (.yaml), or folders of them.", show_default=False)
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE|FOLDER",
            help="Output page (.html), or the folder for several reports.",
            show_default=False,
        ),
    ] = None,
    each: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="One report for each value of a column.", show_default=False)
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUES", help=f"One report for each value of {', '.join(VARIED)}; may be repeated."),
    ] = None,
    cap: Caps = None,
    release: Annotated[bool, typer.Option("--release", help="Also write the recommended release.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print each page to PDF with Chromium.")] = False,
    jobs: Annotated[
        int,
        typer.Option(metavar="NUMBER", help="Reports made in parallel; 0: one per processor.", parser=between(0, 1000)),
    ] = 0,
    again: Annotated[bool, typer.Option("--again", help="Rebuild existing reports.")] = False,
    store: StoreFolder = None,
) -> int:
    """Run `workbench report`."""
    from workbench.publication.report import batch

    if pdf:
        batch.require_chromium()  # report that it is missing before hours of computation
    found = _studies(studies)
    many = len(found) > 1 or each is not None or bool(vary) or any(path.is_dir() for path in studies)
    places, varied = _places(output, found, many), [_varied(one) for one in vary or []]
    caps = read_caps(cap or ())
    for study in found if caps else ():
        refuse_unknown_measures(open_study(study), None, None, list(caps))
    todo, failed = _all_jobs(
        places, each, varied, {"caps": caps or None, "release": release, "store": store and str(store)}
    )
    folder = todo[0].stem.parent
    _refuse_places(todo, folder, found)
    if each is not None:
        _warn_of_draws(found, each)
    with _into(folder, many, [job.points for job in todo]):
        for job in todo if again else ():
            job.page.unlink(missing_ok=True)
        return _many(folder, failed, todo, jobs, pdf) if many else _one(todo[0], pdf)


def _warn_of_draws(studies: list[Path], each: str) -> None:
    """Warn that random releases of parts are independent of that of the whole table."""
    for study in studies:
        if any(recipe.method.draws for recipe in open_study(study).candidates()):
            print_note(
                f"{study.name}: noise is drawn separately for each value of {each}. Anyone with the release of a part "
                "and that of the whole table has two noisy releases of the same people, and their budgets add up: "
                "publish only one of the two"
            )


def _one(job: batch.Job, pdf: bool) -> int:
    """Make a single report."""
    from workbench.publication.report.batch import printed, run

    if not job.done():
        run(job, progress=sys.stderr.isatty())
    typer.echo(printed(job.page) if pdf else job.page)
    return _undecided([job])


def _undecided(jobs: Sequence[batch.Job]) -> int:
    """Return the exit status: 2 if nothing is recommended in some report with a limit or a requested release."""
    whys = {job.label: why for job in jobs if (why := job.undecided())}
    for label, why in whys.items():
        wanted = "; no release was written" if jobs[0].parameters.get("release") else ""
        print_note(f"{label}: nothing is recommended{wanted}: {why}")
    return NOTHING_RECOMMENDED if whys else 0


def _many(folder: Path, failed: list[tuple[batch.Job, str]], todo: list[batch.Job], workers: int, pdf: bool) -> int:
    """Make all reports and their index; `failed` are those that cannot be started."""
    from workbench.publication.report.batch import index, run_all

    results: list[tuple[batch.Job, str | None]] = []
    for job, wrong in itertools.chain(failed, run_all(todo, workers or None, pdf)):
        results.append((job, wrong))
        print(f"{len(results)}/{len(failed) + len(todo)} {job.label}: {wrong or 'done'}", file=sys.stderr, flush=True)
    order = [job.stem for job in (*(job for job, _ in failed), *todo)]
    typer.echo(index(folder, sorted(results, key=lambda one: order.index(one[0].stem))))
    if any(wrong for _, wrong in results):
        return FAILED
    return _undecided([job for job, _ in results])


def _studies(given: list[Path]) -> list[Path]:
    """Return the studies without duplicates; for a folder the studies in it."""
    found: dict[str, Path] = {}
    for path in given:
        if not os.path.lexists(path):
            raise BadInput(f"{path}: there is no such study; name its file, or a folder of studies")
        inside = sorted(path.glob("*.y*ml")) if path.is_dir() else [path]
        if not inside:
            raise BadInput(f"{path}: there is no study (.yaml) in this folder")
        for one in inside:
            found.setdefault(os.path.realpath(one), one)
    return list(found.values())


def _places(output: Path | None, studies: list[Path], many: bool) -> dict[Path, Path]:
    """Return the stem of each study's files."""
    from workbench.base.files import refuse_nameless

    names = [study.name.removesuffix(study.suffix).removesuffix(".study") for study in studies]
    if many:
        folder = output or Path("reports")
        if folder.suffix:
            raise BadInput(f"{folder}: several reports need a folder; use a name without an extension")
        return {study: folder / name for study, name in zip(studies, _distinct_names(studies, names), strict=True)}
    if output is None:
        return {studies[0]: Path(f"{names[0]}-report")}
    refuse_nameless(output)
    if output.suffix not in ("", ".html"):
        raise BadInput(f"{output}: the output must end in .html")
    return {studies[0]: output.with_suffix("") if output.suffix else output}


def _distinct_names(studies: list[Path], names: list[str]) -> list[str]:
    """Distinguish equal names by the folders of their studies."""
    folders = [study.absolute().parent.parts[1:] for study in studies]
    for depth in range(1, 1 + max(map(len, folders))):
        taken = Counter(name.casefold() for name in ("index", *names))
        shared = [taken[name.casefold()] > 1 for name in names]
        if not any(shared):
            return names
        pairs = zip(names, shared, folders, strict=True)
        names = [f"{there[-depth]}-{name}" if also and depth <= len(there) else name for name, also, there in pairs]
    if len({name.casefold() for name in names}) < len(names):
        raise BadInput("two of these studies would write files of the same name; rename one of them")
    return names


@contextmanager
def _into(folder: Path, many: bool, pages: list[Path]) -> Iterator[None]:
    """Create the folder of the files if needed, and remove it if nothing was written."""
    made = not os.path.lexists(folder)
    try:
        if made:
            folder.mkdir(parents=many)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be created ({error.strerror}); name another folder with -o") from None
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder; name another with -o")
    try:
        for path in pages:
            refuse_place(path)
        yield
    finally:
        if made and not any(folder.iterdir()):
            folder.rmdir()


def _refuse_places(todo: list[batch.Job], folder: Path, studies: list[Path]) -> None:
    """Raise BadInput if two reports have the same name, or an input would be overwritten."""
    from workbench.base.files import refuse_overwriting

    if len({str(job.stem).casefold() for job in todo}) < len(todo):
        raise BadInput("two of these reports would have the same name; vary one parameter at a time, or rename a study")
    written = [folder / "index.html", *(path for job in todo for path in job.files())]
    refuse_overwriting(written, {*studies, *(path for job in todo for path in job.reads)})


def _all_jobs(
    places: Mapping[Path, Path], each: str | None, varied: Sequence[Choices], given: dict[str, Any]
) -> tuple[list[batch.Job], list[tuple[batch.Job, str]]]:
    """Return the jobs of all studies, and the errors of studies that have none."""
    from workbench.publication.report.batch import Job, jobs_of
    from workbench.publication.report.reporting import wrong_with

    todo, failed = [], []
    for study, stem in places.items():
        try:
            todo += jobs_of(study, stem, each, varied, given, print_note)
        except BadInput as error:
            failed.append((Job(stem, {}), wrong_with(study, error)))
    if failed and not todo:
        raise BadInput("; ".join(wrong for _, wrong in failed))
    if not todo:
        raise BadInput(f"--each {each}: no value has enough records for a report; choose a column of larger groups")
    return todo, failed


def _varied(given: str) -> Choices:
    """Parse --vary into the parameter's name, its values, and words for file names."""
    name, _, values = given.partition("=")
    if name not in VARIED or not values:
        raise BadInput(f"--vary {safe_repr(given)}: write one of {', '.join(VARIED)} and its values, as cap=0.1,0.2")
    found = []
    for one in values.split(","):
        _refuse_value(f"--vary {safe_repr(given)}", name, one)
        found.append((name, VARIED[name](one), f"{name} {one}"))
    return found


def _refuse_value(where: str, name: str, text: str) -> None:
    """Raise BadInput for a value that a study does not allow."""
    if name == "measures":
        from workbench.frontier.recipe import variants

        available = variants("measure")
        if text not in available:
            raise BadInput(f"{where}: no measure is called {safe_repr(text)}; {suggest(text, available)}")
        return
    try:
        number: float = VARIED[name](text)
    except ValueError:
        raise BadInput(f"{where}: {name} takes numbers, separated by commas; correct {safe_repr(text)}") from None
    from workbench.redaction.controlled_rounding import FINEST  # imported here because it loads numpy

    least = FINEST if name == "smallest" else 0
    if not least <= number < math.inf:
        raise BadInput(f"{where}: {name} = {number:g} must be a number, {least} or above")
