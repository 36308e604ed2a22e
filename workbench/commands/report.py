"""`workbench report`: a page about a study that may be passed on, one or many."""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.errors import BadInput, said

VARIED = {"cap": float, "seed": int, "smallest": int, "measures": str}  # parameters that may be varied
FAILED = 1  # some reports could not be made


def report(
    studies: Annotated[list[Path], typer.Argument(help="Studies (.yaml), or folders of them.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page (.html); of many, their folder.", show_default=False)
    ] = None,
    each: Annotated[str, typer.Option(metavar="column", help="One report for each value of a column.")] = "",
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="name=1,2,3", help=f"One for each value of {', '.join(VARIED)}; may be given again."),
    ] = None,
    cap: Annotated[float | None, typer.Option(help="How much may be learnt, in the study's own measure.")] = None,
    release: Annotated[bool, typer.Option("--release", help="Write the recommended release too.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print each page to PDF, by Chromium.")] = False,
    jobs: Annotated[int, typer.Option(metavar="number", help="How many at once; 0: one a processor.", min=0)] = 0,
    again: Annotated[bool, typer.Option("--again", help="Make what is there already once more.")] = False,
) -> int:
    """One page that may be passed on: the decision, the frontier, the proposed release and its costs, who is exposed.
    Beside it the executed notebook, and the points as JSON and CSV. No record and no path of the data is in the page.

    \b
    workbench report study.yaml                            study-report.html and what belongs to it
    workbench report study.yaml -o out/page.html --pdf --release
    workbench report study.yaml --each native_country -o reports
    workbench report studies/ other.yaml -o reports        a folder of studies; reports/index.html lists them
    workbench report study.yaml --vary cap=0.1,0.2 --vary seed=0,1 -o reports
    """
    from workbench import batches

    found = _studies(studies)
    many = len(found) > 1 or bool(each) or bool(vary) or any(path.is_dir() for path in studies)
    todo = [
        job
        for study in found
        for job in _jobs(study, _place(output, study, many), each, vary or [], {"cap": cap, "release": release})
    ]
    if not todo:
        raise BadInput(f"--each {each}: no value has enough records for a report; choose a column of larger groups")
    todo[0].stem.parent.mkdir(parents=many, exist_ok=True)
    for job in todo:
        if again:
            job.page.unlink(missing_ok=True)
    if not many:
        (job,) = todo
        if not job.done():
            batches.run(job, progress=sys.stderr.isatty())
        page = batches.printed(job.page) if pdf else job.page
        typer.echo(page)
        return 0
    results = []
    for job, wrong in batches.run_all(todo, jobs or None):
        results.append((job, wrong))
        print(f"{len(results)}/{len(todo)} {job.label}: {wrong or 'done'}", file=sys.stderr, flush=True)
        if pdf and not wrong:
            batches.printed(job.page)
    order = [job.stem for job in todo]
    place = batches.index(order[0].parent, sorted(results, key=lambda one: order.index(one[0].stem)))
    typer.echo(place)
    return FAILED if any(wrong for _, wrong in results) else 0


def _studies(given: list[Path]) -> list[Path]:
    """The studies themselves; of a folder those in it."""
    found: list[Path] = []
    for path in given:
        inside = sorted(one for one in path.glob("*.y*ml")) if path.is_dir() else [path]
        if not inside:
            raise BadInput(f"{path}: there is no study (.yaml) in this folder")
        found += inside
    return found


def _place(output: Path | None, study: Path, many: bool) -> Path:
    """The stem of a study's files."""
    name = study.name.removesuffix(study.suffix).removesuffix(".study")
    if many:
        folder = output or Path("reports")
        if folder.suffix:
            raise BadInput(f"{folder}: several reports go into a folder; name one without an ending")
        return folder / name
    if output is None:
        return Path(f"{name}-report")
    if output.suffix not in ("", ".html"):
        raise BadInput(f"{output}: a report is a page; end its name in .html")
    return output.with_suffix("") if output.suffix else output


def _jobs(study: Path, stem: Path, each: str, vary: list[str], given: dict[str, Any]) -> list[Any]:
    """The jobs of one study: one, or one for each value and combination."""
    from workbench.batches import job_of

    axes = [_varied(one) for one in vary]
    if each:
        axes.insert(0, [("only", f"{each}={label}", f"{each} {label}") for label in _labels(study, each)])
    found = []
    for chosen in itertools.product(*axes):
        name = "-".join([stem.name, *(re.sub(r"[^\w.]+", "-", words).strip("-") for *_, words in chosen)])
        parameters = {**given, **{parameter: value for parameter, value, _ in chosen}}
        found.append(job_of(stem.with_name(name), study, **parameters))
    if len({job.stem for job in found}) < len(found):
        raise BadInput(f"--each {each}: two of its values would give files of one name; vary them one by one")
    return found


def _varied(given: str) -> list[tuple[str, Any, str]]:
    """The values of one parameter: its name, the value, and the words in the file's name."""
    name, _, values = given.partition("=")
    if name not in VARIED or not values:
        raise BadInput(f"--vary {said(given)}: write one of {', '.join(VARIED)} and its values, as cap=0.1,0.2")
    try:
        return [(name, VARIED[name](one), f"{name} {one}") for one in values.split(",")]
    except ValueError:
        raise BadInput(f"--vary {said(given)}: {name} takes numbers, separated by commas") from None


def _labels(study: Path, column: str) -> list[str]:
    """The values of a column that enough records have for a report."""
    from workbench.study import Study

    asked = Study.open(study)
    if column in asked.sensitive:
        raise BadInput(f"--each {column}: it is sensitive, and within one of its values nothing is left to learn")
    table = asked.read()
    if column not in table.names:
        raise BadInput(f"--each {said(column)}: the data have no such column; there are {', '.join(table.names)}")
    seen = table.columns[column]
    enough = [label for label, count in zip(seen.labels, seen.counts, strict=True) if count >= max(asked.smallest, 2)]
    left = len(seen.labels) - len(enough)
    if left:
        print(
            f"note: {left} values of {column} have fewer than {asked.smallest} records, and get no report",
            file=sys.stderr,
        )
    return enough
