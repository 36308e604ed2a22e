"""Make the report of a study: the page, the points as JSON and CSV, and the release if requested.

`notebooks/report.ipynb` shows the sections and writes the files; papermill and `workbench report` run that notebook.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from markupsafe import Markup

from workbench.base.errors import BadInput, Undefined, Unsatisfiable, safe_repr
from workbench.base.files import CODEBOOK, atomic_write, refuse_nameless, scratch
from workbench.data.table import Table
from workbench.frontier.store import Store, Unusable
from workbench.publication import cost, statements
from workbench.publication.publish import Progress, publish
from workbench.publication.publishable_reasons import publishable_reason
from workbench.publication.published_folder import Published
from workbench.publication.report.page import SECTIONS, report
from workbench.studies.schema import ROLES
from workbench.studies.study import Study

ENDINGS = {"html": ".html", "json": "-points.json", "csv": "-points.csv", "release": "-release"}
HOLD_VALUES = ("data", "levels", "hierarchies")  # parts of a study that may contain values of the data
POINT = (
    "number",
    "recipe",
    "settings",
    "values",
    "reasons",
    "intervals",
    "against",
    "baseline",
    "efficient",
)  # the fields of a point in the JSON file
RUN_CHECK = "anyone allowed to see the data can run `workbench check` for the reason"
NOT_READ = f"the data cannot be read as the study describes; {RUN_CHECK}"
NOT_MADE = (
    "no report can be made from these data with this study; "
    "anyone allowed to see the data can run `workbench sweep` for the reason"
)


class Section:
    """A section of the report as a notebook shows it; the chart is static there, and interactive on the page."""

    def __init__(self, title: str, body: Markup) -> None:
        self.title, self.body = title, body

    def _repr_html_(self) -> str:
        return str(Markup("<h2>{}</h2>{}").format(self.title, self.body)) if self.body else ""

    def __repr__(self) -> str:
        return self.title


class Report:
    """The report of a study: `report["decision"]` is a section, `write` writes the files."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self.cap: float | None = published.results["cap"]
        self.index = published.opens(self.cap)

    def __getitem__(self, name: str) -> Section:
        if name not in SECTIONS:
            raise BadInput(f"a report has no section {safe_repr(name)}; choose from {', '.join(SECTIONS)}")
        title, section = SECTIONS[name]
        still = partial(section, live=False) if name == "frontier" else section  # type: ignore[call-arg]
        return Section(title, still(self.published, self.index, self.cap))

    @property
    def points(self) -> dict[str, Any]:
        """Every point with its figures, as the page has them, and the decision; points.schema.json describes it."""
        read, decision = self.published, self.published.decision(self.cap)
        learnt, lost = statements.learnt(read, self.index, self.cap), cost.cost(read, self.index)
        return {
            "study": read.results["study"],
            "workbench": read.results["workbench"],
            "records": read.results["table"]["records"],
            "axes": {"privacy": read.privacy["key"], "utility": read.utility["key"]},
            "cap": self.cap,
            "caps": read.results["caps"],
            "recommended": decision["recommended"],
            "nearest": None if decision["satisfied"] else decision["shown"],
            "reason": statements.none_recommended(read, self.cap),
            "shown": {
                "number": self.index + 1,
                "title": read.points[self.index]["title"],
                "recipe": read.points[self.index]["recipe"],
                "against": read.points[self.index]["against"],
                "learnt": f"{learnt['figure']} {learnt['unit']}",
                "accuracy": f"{lost['figure']} {lost['unit']}",
            },
            "measures": [_part(one, ("key", "name", "unit", "side", "better")) for one in read.results["measures"]],
            "points": [_part(point, POINT) for point in read.points],
        }

    def write(self, output: str | PathLike[str] = "report") -> list[Path]:
        """Write the page, the points, and the release if there is one: all of these files or none, the page last."""
        stem = Path(output)
        refuse_nameless(stem)
        stem = stem.with_suffix("") if stem.suffix == ".html" else stem
        if not stem.parent.is_dir():
            raise BadInput(
                f"{output}: there is no folder {str(stem.parent)!r} to write into; create it, or choose another"
            )
        points = self.points
        texts = {
            "html": report(self.published, self.index, self.cap),
            "csv": _table(points),
            "json": json.dumps(points, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
        }
        written = {stem.with_name(stem.name + ENDINGS[kind]): text for kind, text in texts.items()}
        copied = {}
        for file in self.published.files(self.index):
            ending = file.name.removeprefix(f"{self.published.stem}-release")
            copied[stem.with_name(stem.name + ENDINGS["release"] + ending)] = file
        page, *_ = written
        outdated = self._of_another_decision(stem) if page.exists() else []
        with ExitStack() as stack:  # the files get their names in reverse order when all have been written
            places = {path: stack.enter_context(atomic_write(path)) for path in (*written, *copied)}
            for path, text in written.items():
                places[path].write_text(text, "utf-8")
            for path, file in copied.items():
                shutil.copyfile(file, places[path])
            for path in outdated:
                if path not in copied:
                    path.unlink(missing_ok=True)  # before the page, which they would contradict
        return [*reversed(places)]

    def _of_another_decision(self, stem: Path) -> list[Path]:
        """Return the release and the PDF that an earlier report of that name may have written."""
        parts = ["", "-records", *(f"-{one['name']}" for one in self.published.results["table"]["sensitive"])]
        released = [f"{ENDINGS['release']}{part}.csv" for part in (*parts, CODEBOOK)]
        released.append(f"{ENDINGS['release']}{CODEBOOK}.json")
        return [stem.with_name(stem.name + ending) for ending in (*released, ".pdf")]


def _part(data: Mapping[str, object], keys: Sequence[str]) -> dict[str, Any]:
    return {key: data[key] for key in keys}


def _table(points: Mapping[str, Any]) -> str:
    """Return the points as CSV, one row each."""
    keys, out = [one["key"] for one in points["measures"]], io.StringIO()
    wide = [key for key in keys if any(key in one["intervals"] for one in points["points"])]
    writer = csv.writer(out, lineterminator="\n")
    ends = [f"{key} {end}" for key in wide for end in ("low", "high")]
    writer.writerow(["number", "recipe", *keys, *ends, "baseline", "efficient", "recommended"])
    for one in points["points"]:
        values = [one["values"].get(key, "") for key in keys]
        values += [end for key in wide for end in one["intervals"].get(key, ("", ""))]
        marks = [int(mark) for mark in (one["baseline"], one["efficient"], one["number"] == points["recommended"])]
        writer.writerow([one["number"], one["recipe"], *values, *marks])
    return out.getvalue()


def build_report(
    study: Study, *, release: bool = False, store: Store | Path | None = None, progress: Progress | None = None
) -> Report:
    """Sweep a study and return its report; with `release` the recommended release is included as a file.

    Notes for the analyst are on the page and are not printed. Errors are reported without data.
    """
    base, failure, aside = quietly_read(study), "", scratch()
    try:
        place = publish(
            study,
            aside / "published",
            given=base,
            store=store,
            releases="best" if release else False,
            progress=progress,
            warn=lambda text: None,
        )
        made = Report(Published(place))
    except Unusable as error:
        failure = f"the folder of the study's results {error.why}"
    except (BadInput, Undefined, Unsatisfiable) as error:
        group = bool(study.data.get("only"))  # the reason itself would disclose something about the people of a group
        failure = NOT_MADE if group else publishable_reason(str(error), base, NOT_MADE)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    if failure:
        shutil.rmtree(aside, ignore_errors=True)
        raise BadInput(failure)
    weakref.finalize(made, shutil.rmtree, aside, True)
    return made


def quietly_read(study: Study) -> Table:
    """Read the data of a report's study; errors are reported without data."""
    if not isinstance(study, Study):
        raise BadInput(f"a report needs a study, not {safe_repr(study)}; open one with Study.open(path)")
    failure = ""
    try:
        base = study.read()
    except BadInput:
        failure = NOT_READ
    if failure:
        raise BadInput(failure)
    named = [name for role in ROLES for name in getattr(study, role)]
    missing = [name for name in (*named, *study.data.get("only", ())) if name not in base.columns]
    if missing:
        raise BadInput(
            f"the data have no column {', '.join(map(repr, missing))}, which the study names; correct the name"
        )
    return base


def wrong_with(study: str | PathLike[str], error: BadInput) -> str:
    """Describe an error of a study before its data are read; parts that contain values are only named."""
    part = error.path[0] if error.path else ""
    if part not in HOLD_VALUES:
        return str(error)
    return f"{study}: the entry {part} is not valid; {RUN_CHECK}"
