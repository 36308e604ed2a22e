"""Preview of original and released records, for the analyst only, and export of files."""

from __future__ import annotations

import io
import re
import shutil
import threading
import warnings
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import traitlets

from widgets.base.host import under_voila
from widgets.base.part import Part, read_integer, script, styles
from widgets.base.worker import CallSoon, Throttle, Worker
from widgets.release import facts
from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.base.figures import join_names
from workbench.base.files import scratch
from workbench.base.progress import cancellable
from workbench.data.table import Table
from workbench.frontier.frontier import Frontier
from workbench.frontier.recipe import Recipe
from workbench.miners.cross_fitting import labels_of
from workbench.models import Model
from workbench.releases.base import Release, recipient_notice
from workbench.releases.side_information import refuse_giveaways
from workbench.releases.writing import file_names
from workbench.studies.script import python_code
from workbench.studies.study import Study

SAMPLE = 20
LARGEST_SAMPLE = 500
CHUNK = 4_000_000  # bytes per message
TYPES = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "yaml": "application/yaml",
    "py": "text/x-python",
    "png": "image/png",
    "svg": "image/svg+xml",
    "json": "application/json",
    "zip": "application/zip",
}
OF_RELEASE = ("csv", "parquet", "py")
CHARTS = ("png", "svg", "json")
ExportedFile = tuple[str, bytes]  # name and content


class PendingFile(NamedTuple):
    """The file of the newest job, the only one that can report: its kind, and the field and view that requested it."""

    what: str = ""
    field: str = ""
    asker: str = ""


class ReleasePreview(Part):
    """Preview and export, both on request only. Records are sent as messages and never under Voila; files as bytes."""

    _esm = script("preview/preview")
    _css = styles("preview/preview")
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    recipe = traitlets.Instance(Recipe, allow_none=True)
    frontier = traitlets.Instance(Frontier, allow_none=True)
    study = traitlets.Instance(Study, allow_none=True)
    dropped: traitlets.List = traitlets.List(help="columns that the user drops; set again on every request")
    draw = traitlets.Callable(None, allow_none=True, help="draws the exported chart; None: the frontier's own")

    def __init__(self, release: Release | None = None, **traits: Any) -> None:
        super().__init__(release=release, **traits)
        self.kept: Callable[[], Path | None] = lambda: None  # the folder of the study's results, if it is permanent
        self._sampler, self._maker = Worker(self._sample_failed), Worker(self._export_failed)
        self._sent_state: dict[str, Any] = {}
        self._shown = False  # the view shows records
        self._pending = PendingFile()
        self.observe(lambda _: self.call_soon(self._send_state), ["release", "recipe", "frontier", "study"])
        self.observe(lambda _: self._clear(), "release")

    def about(self) -> str:
        return str(self.recipe or self.release or "no release yet")

    def _sample_failed(self, error: BaseException) -> None:
        self.wrong("preview", error)

    def _export_failed(self, error: BaseException) -> None:
        if isinstance(error, DisclosingColumns):
            self.send_message("refused", to=self._pending.asker, columns=error.columns)
        self.wrong(self._pending.field, error)
        self.send_message("ended", to=self._pending.asker)

    # --- content of the view

    def show(self) -> None:
        """Show the available files; records are sent only on request."""
        self._sent_state = {}
        self._send_state()

    def _send_state(self) -> None:
        state: dict[str, Any] = {
            "preview": not under_voila(),
            "release": self.release is not None,
            "study": self.study is not None,
            "chart": self.frontier is not None,
            "code": self.study is not None and self.recipe is not None,
            "audit": self._audited(),
            "as_they_are": _describe_neutral(self.release) if self.release else "",
            "several": self.release is not None and len(file_names(self.release)) > 1,
            "left_out": self.release is not None
            and bool(self.release.suppressed)
            and len(file_names(self.release)) == 1,
            "recipe": str(self.recipe) if self.recipe else "",
        }
        if state != self._sent_state:  # sliders change it often
            self._sent_state = state
            self.send_message("state", **state)

    def _audited(self) -> str:
        """Summarize the audit of the release, with the notices that recipients need."""
        if self.release is None:
            return ""
        known = f" Tell recipients: {recipient_notice(self.release)}." if recipient_notice(self.release) else ""
        return f"{_verdict(self.release, self.recipe.model if self.recipe else None)}{known}"

    # --- preview

    def _clear(self) -> None:
        """Remove records of another release."""
        self._sampler.forget()
        if self._maker.busy and self._pending.what in OF_RELEASE:
            self._maker.forget()
            self._export_failed(BadInput("the release has changed; request its file again"))
        if self._shown:
            self._shown = False
            self.send_message("gone")

    def receive_preview(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Send a sample of original and released records."""
        if under_voila():
            raise BadInput("original records are shown in JupyterLab only")
        release = self._release()
        wrong = f"enter a whole number of records from 1 to {LARGEST_SAMPLE}"
        number = read_integer({"number": SAMPLE, **content}, "number", 1, LARGEST_SAMPLE, wrong)
        asker = str(content.get("from") or "")

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            shown = side_by_side(release, number)
            call_soon(self._show_records, shown, asker)

        self._sampler.start(job)

    def _show_records(self, shown: dict[str, Any], asker: str) -> None:
        self._shown = True
        self.send_message("preview", to=asker, **shown)

    # --- files

    def receive_export(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Create a file in the background and send it in pieces."""
        what, anyway = str(content.get("what", "")), content.get("anyway") is True
        make = self._file_maker(what, anyway, content.get("stars") is True)

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            with cancellable(cancel, Throttle(lambda words: call_soon(self._working, words))):
                name, data = make()
            call_soon(self._send_file, name, data)

        self._pending = PendingFile(what, str(content.get("field") or ""), str(content.get("from") or ""))
        self._working()
        self._maker.start(job)

    def _working(self, words: str = "") -> None:
        """Notify all views of the pending file, which replaces older ones."""
        self.send_message("working", what=self._pending.what, asker=self._pending.asker, words=words)

    def receive_drop(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Drop the neutral columns that disclose too much."""
        disclosing_columns = self._release().disclosing_columns
        with self.hold_trait_notifications():  # one notification, also for the same columns
            self.dropped = []
            self.dropped = disclosing_columns

    def _send_file(self, name: str, data: bytes) -> None:
        """Send a file in pieces, which the page joins and downloads."""
        pieces = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)] or [b""]
        mime = TYPES[name.rsplit(".", 1)[-1]]
        for place, piece in enumerate(pieces):
            self.send_message(
                "file", [piece], to=self._pending.asker, name=name, type=mime, place=place, pieces=len(pieces)
            )

    def _file_maker(self, what: str, anyway: bool, stars: bool) -> Callable[[], ExportedFile]:
        """Return a function that creates the requested file from the current release."""
        stem = _stem(self.study)
        if what in ("csv", "parquet"):
            release, recipe = self._release(), self.recipe
            return lambda: release_file(release, recipe, f"{stem}-release", what, anyway, stars)
        if what == "yaml":
            study = self._study()
            return lambda: (f"{stem}.yaml", study.to_yaml().encode())
        if what == "py":
            study, recipe = self._study(), self.recipe
            if recipe is None:
                raise BadInput("there is no release yet; choose one first")
            return lambda: (f"{stem}-release.py", python_code(study, recipe, anyway, self.kept()).encode())
        if what in CHARTS:
            if self.frontier is None:
                raise BadInput("there is no chart yet; measure some releases first")
            draw = self.frontier.chart if self.draw is None else self.draw
            return lambda: chart_file(draw, f"{stem}-frontier", what)
        raise BadInput("unknown kind of file")

    def _release(self) -> Release:
        if self.release is None:
            raise BadInput("there is no release yet; choose one first")
        return self.release

    def _study(self) -> Study:
        if self.study is None:
            raise BadInput("this release has no study to export")
        return self.study


def _verdict(release: Release, model: Model | None) -> str:
    """Describe the guarantee of a release, or the audit of its model."""
    if release.about.guarantee:
        return f"Guarantee of the method: {release.about.guarantee}."
    if model is None:
        return "No model was requested, so there is nothing to audit; the measures show what may be learned."

    def audited() -> str:
        try:
            return f"Audited: {release.audit(model)}."
        except Undefined as reason:
            return f"Not audited: {reason}."

    return release.remember(("verdict", model), audited)


def _describe_neutral(release: Release) -> str:
    """List the neutral columns and what they disclose; empty if there are none."""
    if not release.neutral:
        return ""
    return f"Neutral (published unchanged): {join_names(release.neutral)}. {facts.neutral(release)}"


class DisclosingColumns(BadInput):
    """Neutral columns identify people or undo the protection; they should be dropped."""

    def __init__(self, text: str, columns: list[str]) -> None:
        super().__init__(text)
        self.columns = columns


def side_by_side(release: Release, number: int) -> dict[str, Any]:
    """Return some original and released records, by column, in the table's order; for the analyst only.

    In a bucketized release, the sensitive value is one of those in its class.
    """
    table = release.table
    number = min(number, table.records)
    records = np.sort(np.random.default_rng().choice(table.records, number, replace=False))
    try:
        return _of_classes(release, records)
    except Undefined:  # a release without classes, such as one with noise
        columns = [
            _column(table, name, records, _as_shown(release, name, records))
            for name in table.names
            if name != table.weight
        ]
        return {"columns": columns, "sizes": [], "of": table.records}


def _column(table: Table, name: str, records: np.ndarray, released: list[str]) -> dict[str, Any]:
    original = [table.columns[name].value_labels()[code] for code in table.codes[name][records]]
    return {"name": name, "role": table.roles[name], "original": original, "released": released}


def _as_shown(release: Release, name: str, records: np.ndarray) -> list[str]:
    """Return the published values of some records, for releases without classes."""
    if name in release.unpublished_columns:
        return [""] * len(records)
    shown = release.shown(name)
    if shown.numbers is not None:
        return [f"{number:.10g}" for number in shown.numbers[records]]
    labels = labels_of(release.table, name)
    return [labels[code] for code in shown.labels[records]]


def _of_classes(release: Release, records: np.ndarray) -> dict[str, Any]:
    table, number = release.table, len(records)
    group = release.group_of_record[records]
    exact, gone = release.classes.exact, group == len(release.classes)
    group = np.where(gone, 0, group)
    columns = []
    for name in table.names:
        original = [table.columns[name].value_labels()[code] for code in table.codes[name][records]]
        if name in release.unpublished_columns or name == table.weight:
            released = [""] * number
        elif name in table.quasi and not exact:
            released = [str(label) for label in release.class_labels(name)[group]]
        elif name in table.sensitive and exact:
            released = [
                f"one of {int(n)} in its class" for n in (release.classes.histograms[name][group] > 0).sum(axis=1)
            ]
        elif name in table.sensitive:
            labels = table.sensitive[name].labels
            released = [labels[code] for code in table.model_view.codes[name][records]]
        else:
            released = original
        released = ["suppressed" if out else value for out, value in zip(gone, released, strict=True)]
        columns.append({"name": name, "role": table.roles[name], "original": original, "released": released})
    return {"columns": columns, "sizes": np.where(gone, 0, release.classes.sizes[group]).tolist(), "of": table.records}


def check_neutral_columns(release: Release) -> None:
    """Raise DisclosingColumns if neutral columns disclose too much."""
    try:
        refuse_giveaways(release, "", "")
    except BadInput as error:
        text = str(error).removeprefix(": ").strip()
        raise DisclosingColumns(f"{text[0].upper()}{text[1:]}", release.disclosing_columns) from None


def release_file(
    release: Release, recipe: Recipe | None, stem: str, ending: str, anyway: bool, stars: bool = False
) -> ExportedFile:
    """Return the audited release as one file; the two files of a bucketized release are zipped."""
    if recipe is not None and recipe.model is not None:
        audit = release.audit(recipe.model)
        if not audit.holds:
            raise Unsatisfiable(f"this release is not offered: {audit}")
    folder = scratch()
    try:
        path = folder / f"{stem}.{ending}"
        if not anyway:
            check_neutral_columns(release)
        files = release.export(path, giveaways=True, stars=stars)
        if len(files) == 1:
            return files[0].name, files[0].read_bytes()
        return f"{stem}.zip", _zipped(files)
    finally:
        shutil.rmtree(folder)


def _zipped(files: list[Path]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.name)
    return out.getvalue()


def chart_file(draw: Callable[[], Any], stem: str, ending: str) -> ExportedFile:
    """Return the chart as a picture or as Vega-Lite."""
    from workbench.charts.offline import save  # slow to import

    folder = scratch()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            path = save(draw(), folder / f"{stem}.{ending}")
        name = f"{stem}.vl.json" if ending == "json" else path.name
        return name, path.read_bytes()
    finally:
        shutil.rmtree(folder)


def _stem(study: Study | None) -> str:
    """Return the prefix of file names: the name of the study."""
    return re.sub(r"[^\w-]+", "-", study.name if study else "").strip("-").lower() or "untitled"
