"""From a study to its report: the page, the points as JSON and CSV, and if asked for the release.

`notebooks/report.ipynb` shows the sections and writes the files; papermill and `workbench report` run that notebook.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from markupsafe import Markup

from workbench.base.errors import BadInput, Undefined, Unsatisfiable, said
from workbench.base.files import CODEBOOK, refuse_nameless, whole
from workbench.base.names import typed_names
from workbench.base.scratch import scratch
from workbench.data.table import Table
from workbench.frontier.store import Store, Unusable
from workbench.publication import cost, statements
from workbench.publication.publish import Progress, publish
from workbench.publication.reader import Published
from workbench.publication.reasons import reason
from workbench.publication.report.page import SECTIONS, report
from workbench.studies.schema import ROLES
from workbench.studies.study import Study, results_beside

ENDINGS = {"html": ".html", "json": "-points.json", "csv": "-points.csv", "release": "-release"}
HOLD_VALUES = ("data", "levels", "hierarchies")  # parts of a study in which values of the data may stand
POINT = (
    "recipe",
    "settings",
    "values",
    "reasons",
    "intervals",
    "baseline",
    "efficient",
)  # what is reported of every point
RUN_CHECK = "anyone allowed to see the data can run `workbench check` for the reason"
NOT_READ = f"the data cannot be read as the study says; {RUN_CHECK}"
NOT_MADE = (
    "no report can be made of these data with this study; "
    "anyone allowed to see the data can run `workbench sweep` for the reason"
)


class Section:
    """A part of the report, as a notebook shows it; the chart is still there, and live on the page."""

    def __init__(self, title: str, body: Markup) -> None:
        self.title, self.body = title, body

    def _repr_html_(self) -> str:
        return str(Markup("<h2>{}</h2>{}").format(self.title, self.body)) if self.body else ""

    def __repr__(self) -> str:
        return self.title


class Report:
    """What is reported of a study: `report["decision"]` is a section, `write` leaves the files."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self.cap: float | None = published.results["cap"]
        self.index = published.opens(self.cap)

    def __getitem__(self, name: str) -> Section:
        if name not in SECTIONS:
            raise BadInput(f"a report has no section {said(name)}; there are {', '.join(SECTIONS)}")
        title, section = SECTIONS[name]
        still = partial(section, live=False) if name == "frontier" else section  # type: ignore[call-arg]
        return Section(title, still(self.published, self.index, self.cap))

    @property
    def points(self) -> dict[str, Any]:
        """Every point with its figures, as the page has them: the same study gives the same."""
        read = self.published
        learnt, lost = statements.learnt(read, self.index), cost.cost(read, self.index)
        return {
            "study": read.results["study"],
            "workbench": read.results["workbench"],
            "records": read.results["table"]["records"],
            "axes": {"privacy": read.privacy["key"], "utility": read.utility["key"]},
            "cap": self.cap if read.results["limit"] else None,
            "recommended": read.choices(self.cap)["recommended"],
            "shown": {
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
        """The page, the points, and the release if there is one; each file appears whole, the page last."""
        stem = Path(output)
        refuse_nameless(stem)
        stem = stem.with_suffix("") if stem.suffix == ".html" else stem
        if not stem.parent.is_dir():
            raise BadInput(
                f"{output}: there is no folder {str(stem.parent)!r} to write into; make it, or choose another"
            )
        points, made = self.points, []
        page = stem.with_name(stem.name + ENDINGS["html"])
        before = self._of_another_decision(stem) if page.exists() else []
        texts = {
            "json": json.dumps(points, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
            "csv": _table(points),
            "html": report(self.published, self.index, self.cap),
        }
        for file in self.published.files(self.index):
            rest = file.name.removeprefix(f"{self.published.stem}-release")
            made.append(stem.with_name(stem.name + ENDINGS["release"] + rest))
            with whole(made[-1]) as aside:
                shutil.copyfile(file, aside)
        for path in before:
            if path not in made:
                path.unlink(missing_ok=True)  # before the page: under a new one it would mislead
        for kind, text in texts.items():
            made.append(stem.with_name(stem.name + ENDINGS[kind]))
            with whole(made[-1]) as aside:
                aside.write_text(text, "utf-8")
        return made

    def _of_another_decision(self, stem: Path) -> list[Path]:
        """The release and the print that an earlier report of that name may have left."""
        parts = ["", "-records", *(f"-{one['name']}" for one in self.published.results["table"]["sensitive"])]
        released = [f"{ENDINGS['release']}{part}.csv" for part in (*parts, CODEBOOK)]
        released.append(f"{ENDINGS['release']}{CODEBOOK}.json")
        return [stem.with_name(stem.name + ending) for ending in (*released, ".pdf")]


def _part(of: Mapping[str, object], keys: Sequence[str]) -> dict[str, Any]:
    return {key: of[key] for key in keys}


def _table(points: Mapping[str, Any]) -> str:
    """The points as CSV, a row each."""
    keys, out = [one["key"] for one in points["measures"]], io.StringIO()
    wide = [key for key in keys if any(key in one["intervals"] for one in points["points"])]
    writer = csv.writer(out, lineterminator="\n")
    ends = [f"{key} {end}" for key in wide for end in ("low", "high")]
    writer.writerow(["recipe", *keys, *ends, "baseline", "efficient", "recommended"])
    for i, one in enumerate(points["points"]):
        values = [one["values"].get(key, "") for key in keys]
        values += [end for key in wide for end in one["intervals"].get(key, ("", ""))]
        marks = [int(mark) for mark in (one["baseline"], one["efficient"], i == points["recommended"])]
        writer.writerow([one["recipe"], *values, *marks])
    return out.getvalue()


def reported(
    study: Study, *, release: bool = False, store: Store | Path | None = None, progress: Progress | None = None
) -> Report:
    """Sweep, and see what may be shown; with `release` the recommended one is there as a file.

    What the analyst should know stands on the page, and is no warning here. What goes wrong is told without its data.
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
        group = bool(study.data.get("only"))  # which of several reasons it is would tell of its people
        failure = NOT_MADE if group else reason(str(error), base, NOT_MADE)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    if failure:
        shutil.rmtree(aside, ignore_errors=True)
        raise BadInput(failure)
    weakref.finalize(made, shutil.rmtree, aside, True)
    return made


def quietly_read(study: Study) -> Table:
    """The data of a study that is reported; what goes wrong is told without them."""
    if not isinstance(study, Study):
        raise BadInput(f"a report is of a study, not of {said(study)}; open one with Study.open(path)")
    failure = ""
    try:
        base = study.read()
    except BadInput:
        failure = NOT_READ
    if failure:
        raise BadInput(failure)
    named = [name for role in ROLES for name in getattr(study, role)]
    gone = [name for name in (*named, *study.data.get("only", ())) if name not in base.columns]
    if gone:
        raise BadInput(f"the data have no column {', '.join(map(repr, gone))}, which the study names; correct its name")
    return base


def wrong_with(study: str | PathLike[str], error: BadInput) -> str:
    """What is wrong with a study before its data are read; of parts that hold values which part it is."""
    part = error.path[0] if error.path else ""
    if part not in HOLD_VALUES:
        return str(error)
    return f"{study}: what it says under {part} is wrong; {RUN_CHECK}"


def asked(
    study: str = "",
    data: str = "",
    quasi: str = "",
    sensitive: str = "",
    identifiers: str = "",
    only: str = "",
    cap: float | None = None,
    measures: str = "",
    smallest: int | None = None,
    seed: int | None = None,
) -> tuple[Study, Path | None]:
    """The study of a notebook's parameters, and where its results are kept; lists are separated by commas.

    A study's file, or data with roles. `only` is `column=label`; `measures` are names, in place of the study's.
    """
    if bool(study) == bool(data):
        raise BadInput(
            "a report is of a study (study: a .yaml file), or of data (data: a file, with quasi: its columns); "
            "give one of them"
        )
    chosen = Study.open(study) if study else _of_data(data, *map(typed_names, (quasi, sensitive, identifiers)))
    changes: dict[str, Any] = {
        name: value for name, value in (("smallest", smallest), ("seed", seed)) if value is not None
    }
    if measures:
        changes["measures"] = tuple({"name": name} for name in typed_names(measures))
        changes["axes"] = ()
    if only:
        column, equals, label = only.partition("=")
        if not equals:
            raise BadInput(f"only {said(only)}: write column=label")
        changes["data"] = {**chosen.data, "only": {**chosen.data.get("only", {}), column: label}}
        changes["name"] = f"{chosen.name}: {column} {label}"
    chosen = chosen.with_(**changes)
    chosen.measured()  # what is misspelt is said before anything is made
    if cap is not None:
        chosen = chosen.with_(caps={**chosen.caps, _privacy_axis(chosen): cap})
    return chosen, results_beside(study) if study else None


def _of_data(path: str, quasi: Sequence[str], sensitive: Sequence[str], identifiers: Sequence[str]) -> Study:
    """The study that is proposed for a table in these roles."""
    from workbench.studies.proposal import proposed  # only where there is no study

    return proposed(path, quasi, sensitive, identifiers)


def _privacy_axis(study: Study) -> str:
    """The key of the measure that the limit is on."""
    if study.axes:
        return study.axes[0]
    found = next((one.key for one in study.measured() if one.side == "privacy"), None)
    if found is None:
        raise BadInput(
            "cap: the study measures no privacy, so there is nothing to limit; add a measure such as privacy loss"
        )
    return found
