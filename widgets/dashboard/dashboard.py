"""The dashboard for decision makers: how much may be learned about one person, and the cost in accuracy.

It reads only a published folder, so the kernel behind the page has no microdata. Browsers send numbers and search
texts, never file names.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import threading
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import traitlets

from widgets.base.part import Part, read_integer, script, styles
from widgets.base.worker import CallSoon, Worker
from widgets.dashboard.folder import folder_to_show
from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import format_number
from workbench.publication import cost, groups, statements
from workbench.publication.offer import OFFERED
from workbench.publication.published_folder import Published

PAGE = 20  # classes at a time
LAST = 2**31  # larger than any number of classes
LONGEST = 100  # characters of a search
LARGEST = 200_000_000  # bytes of a release that can be downloaded
NONE = {  # the text for each alternative that does not exist
    "safer": "No release here is safer.",
    "useful": "No release here is more accurate.",
    "simplest": "No release of the simplest kind stays within this limit.",
    "simplest, no limit": "No release of the simplest kind is as safe as the one shown first.",
}
WHY = {
    "simplest": "The most accurate release within the limit, among those with the simplest guarantee.",
    "": "It is not one of the suggested releases.",
}
OPEN = "No limit is set. Our suggestion for now"
BEST = "The most accurate release within the limit, among those that {safe}."
PROPOSED = "A compromise between safety and accuracy, among the releases that {safe}."
AND = " · "  # separates the names of one release
TITLES = {name: title.capitalize() for name, title in OFFERED.items()}


class Dashboard(Part):
    """A published study, from which a release is chosen; for the default folder see `folder_to_show`."""

    _esm = script("dashboard/dashboard")
    _css = styles("dashboard/dashboard")
    cap = traitlets.Float(None, allow_none=True, help="how much may be learned; None: no limit").tag(sync=True)
    chosen = traitlets.Int(-1, help="the point shown instead of the recommended one; -1: none").tag(sync=True)

    def __init__(self, folder: str | os.PathLike[str] | None = None, **traits: Any) -> None:
        self.published: Published | None = None
        self._missing = self._beyond = ""
        super().__init__(**traits)
        self._packer, self._printer = Worker(self._failed), Worker(self._failed)
        try:
            self.published = Published(folder_to_show() if folder is None else folder)
            self.cap = self.published.results["cap"]
        except BadInput as error:
            self._missing = str(error)
        self.observe(lambda _: self._show_choice(), ["cap", "chosen"])

    @property
    def _study(self) -> Published:
        if self.published is None:
            raise BadInput(self._missing)
        return self.published

    @traitlets.validate("cap")
    def _valid_cap(self, proposal: Mapping[str, Any]) -> float | None:
        """Validate the limit, also if a page sets the trait directly."""
        if self.published is None:
            return None
        try:
            return self.published.checked_cap(proposal["value"])
        except BadInput as error:
            raise traitlets.TraitError(str(error)) from None

    @traitlets.validate("chosen")
    def _valid_choice(self, proposal: Mapping[str, Any]) -> int:
        if proposal["value"] == -1:
            return -1
        try:
            self._study.opened(proposal["value"])
        except BadInput as error:
            raise traitlets.TraitError(str(error)) from None
        return int(proposal["value"])

    # --- content of the page

    def show(self) -> None:
        if self.published is None:
            self.send_message("missing", text=self._missing)
            return
        results, privacy = self.published.results, self.published.privacy
        table, wording = results["table"], self.published.wording
        self.send_message(
            "study",
            name=results["study"],
            about=statements.about(self.published),
            question=statements.question(self.published),
            limit=statements.limit(self.published),
            stops=self.published.stops,
            others=results["others"],
            as_they_are=statements.as_they_are(self.published),
            edition=results["edition"],
            exposure=results["exposure"],
            rounding=groups.rounding(self.published),
            privacy={key: privacy[key] for key in ("name", "better", "low", "high", "endless", "average")},
            alone=bool(results["together"]["certain"]),
            ends=statements.ends(self.published),
            utility={key: self.published.utility[key] for key in ("name", "better")},
            columns=[wording.column(name) for name in table["quasi"]],
            points=[self._mark(index) for index in range(len(self.published.points))],
        )
        self._show_choice()

    def _mark(self, index: int) -> dict[str, Any]:
        """Return a point of the small chart, with its losses."""
        study, point = self._study, self._study.points[index]
        found = {name: point[name] for name in ("number", "title", "baseline", "efficient")}
        x, y = study.loss(index, study.privacy), study.loss(index, study.utility)
        return {**found, "x": x, "y": y, "opened": point["opened"] is not None, "unsafe": bool(point["against"])}

    def _show_choice(self) -> None:
        if self.published is None:
            return
        choices = self.published.choices(self.cap)
        first = self.published.opens(self.cap)
        here = first if self.chosen == -1 else self.chosen
        roles = self.published.offered(self.cap).get(here, [])
        proposed, unsatisfied = self.cap is None, statements.unsatisfied(self.published, self.cap)
        titles = {"recommended": OPEN if proposed else "Recommended"}
        why = (
            WHY.get(roles[0] if roles else "")
            or f"Compared with the first: {statements.comparison_sentence(self.published, here, first)}"
        )
        if here == choices["recommended"]:
            results, text = self.published.results, PROPOSED if proposed else BEST
            more = "" if proposed else statements.more_accurate(self.published, here, self.cap)
            why, nearly = " ".join(filter(None, [text.format(safe=results["safe"]), more])), results["nearly"]
        else:
            nearly = ""
        beyond = self._beyond if self.cap == self.published.stops[0] else ""
        none = beyond or statements.none_recommended(self.published, self.cap)
        name = "Another release"
        if here == first and none:
            shown = "nearest" if unsatisfied or beyond else "safest" if proposed else "most accurate within the limit"
            name, why, roles = "None is recommended", f"Shown is the {shown}.", []
        self.send_message(
            "choice",
            cap=self.cap,
            scale=statements.scale(self.published, self.cap),
            proposed=proposed,
            first=first,
            here=here,
            recommended=here == choices["recommended"] and not beyond,
            none=none,
            name=AND.join({**TITLES, **titles}[role] for role in roles) or name,
            why=why,
            nearly=nearly,
            within=self.cap is None or self.published.within(here, self.cap),
            hidden=[i for i in range(len(self.published.points)) if self._hidden(i)],
            at=self._place(first),
            card=self._card(here),
            alternatives=self._alternatives(choices, first),
        )

    def _place(self, first: int) -> float | None:
        """Return the position of the slider: the limit, or without one the figure of the first release."""
        privacy = self._study.privacy
        if self.cap is not None:
            return self.cap
        value = abs(self._study.loss(first, privacy))
        return min(max(value, privacy["low"]), privacy["high"]) if math.isfinite(value) else None

    def _hidden(self, index: int) -> bool:
        """Return whether a point satisfies the limit although its rounded figure does not."""
        return statements.hidden_by_rounding(self._study, index, self.cap)

    def _card(self, index: int) -> dict[str, Any]:
        """Return the content of the card of a release."""
        study, point = self._study, self._study.points[index]
        return {
            "index": index,
            "title": point["title"],
            "brief": f"{point['brief'][:1].upper()}{point['brief'][1:]}" or point["title"],
            "rule": statements.rule(study, index, self.cap),
            "also": point["also"],
            "holds": statements.holds(study, index),
            "alone": statements.alone(study, index, self.cap),
            "beside": statements.comparison_sentence(study, index, study.opens(self.cap)),
            "recipe": point["recipe"] if point["recipe"] != point["title"] else "",
            "groups": groups.counted(study, index),
            "order": groups.order(study, index),
            "listed": {"are": groups.are(study, index), "who": groups.who(study, index)},
            "unlisted": groups.unlisted(study, index),
            "unsafe": statements.unsafe(study, index),
            "learned": statements.learnt(study, index, self.cap),
            "worst": statements.most_exposed(study, index, self.cap),
            "cost": cost.cost(study, index),
            "attackers": statements.attackers(study, index, self.cap),
            "losses": [
                f"{study.privacy['key']} {statements.shown_figure(study, index, self.cap)}",
                f"{study.utility['key']} "
                f"{format_number(abs(study.loss(index, study.utility)), study.utility['better'])}",
            ],
            "number": index + 1,
            "refused": statements.no_file(study, index),
            "queries": dict(zip(("rows", "others"), statements.query_answers(study, index), strict=True)),
        }

    def _alternatives(self, choices: Mapping[str, int | None], first: int) -> list[dict[str, Any]]:
        """Return a card for each alternative, or the reason for its absence."""
        found: dict[object, list[str]] = {}
        for name, index in choices.items():
            if name != "recommended":
                found.setdefault(name if index in (None, first) else index, []).append(name)
        return [self._alternative(names, choices[names[0]], first) for names in found.values()]

    def _alternative(self, names: Sequence[str], index: int | None, first: int) -> dict[str, Any]:
        title = AND.join(TITLES[name] for name in names)
        if index is None:
            unset = names == ["simplest"] and self.cap is None
            return {"name": title, "none": NONE["simplest, no limit" if unset else names[0]]}
        if index == first:
            return {"name": title, "none": "The release shown first is of the simplest kind already."}
        return {"name": title, "within": self.cap is None or self._study.within(index, self.cap), **self._card(index)}

    # --- requests of the page

    def receive_cap(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Set the limit by the slider, or by the page's address."""
        wanted = content.get("cap")
        try:
            cap = self._study.nearest(wanted)
        except BadInput as error:
            raise BadInput(f"{error}; {'no limit' if self.cap is None else f'{self.cap:g}'} stays") from None
        sign = -1 if self._study.privacy["better"] == "higher" else 1
        limit = math.nan if wanted is None else float(wanted)
        beyond = cap is not None and sign * limit < sign * cap
        was, self._beyond = self._beyond, f"No release satisfies the limit of {limit:g}." if beyond else ""
        with self.hold_trait_notifications():
            self.cap, self.chosen = cap, -1
        if self._beyond != was:
            self._show_choice()
        if beyond:
            raise BadInput(f"{self._beyond[:-1]}; the strictest possible limit, {cap:g}, is used")

    def receive_open(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Show one of the releases of the page, or the recommended one for -1."""
        wrong = f"{safe_repr(content.get('index'))} is not a release of this page; choose one of those shown"
        index = read_integer(content, "index", -1, len(self._study.points) - 1, wrong)
        if content.get("edition", self._study.results["edition"]) != self._study.results["edition"]:
            raise BadInput("the study was published again after this link was made; its recommended release is shown")
        if index != -1:
            self._study.opened(index)
        self.chosen = index

    @property
    def _here(self) -> int:
        """Return the index of the release that is shown."""
        if self.chosen != -1:
            self._study.opened(self.chosen)
            return self.chosen
        return self._study.opens(self.cap)

    def receive_classes(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Send some rows of the table of classes."""
        wrong = f"the table cannot begin at row {safe_repr(content.get('start'))}"
        start, wanted = read_integer({"start": 0, **content}, "start", 0, LAST, wrong), content.get("wanted", "")
        if not isinstance(wanted, str) or len(wanted) > LONGEST:
            raise BadInput(f"search for at most {LONGEST} characters")
        study, here = self._study, self._here
        count, rows = study.exposures(here, start, PAGE, wanted)
        shown = [
            {**{name: row[name] for name in ("labels", "who", "sentence", "prior", "posterior", "fewest", "share")},
             "people": groups.how_many(study, row), "exposed": groups.how_exposed(row)}
            for row in rows
        ]  # fmt: skip
        self.send_message("classes", index=here, start=start, wanted=wanted, count=count, rows=shown)

    def receive_release(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Send the released file, compressed; several files are sent as one archive."""
        study, here = self._study, self._here
        files = study.files(here)
        if not files:
            raise BadInput(f"this release has no file: {study.opened(here)['refused']}")
        if sum(file.stat().st_size for file in files) > LARGEST:
            raise BadInput("this release is too large to download; take it from the published folder")
        asker = self._preparing(content)
        self._packer.start(lambda cancel, call_soon: self._pack(files, f"{study.stem}-release", asker, call_soon))

    def _pack(self, files: list[Path], stem: str, asker: str, call_soon: CallSoon) -> None:
        if len(files) == 1:
            packed = gzip.compress(files[0].read_bytes(), 5)
            call_soon(self._deliver, asker, f"{stem}.csv", "text/csv", packed, True)
            return
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as into:
            for file in files:
                into.write(file, file.name)
        call_soon(self._deliver, asker, f"{stem}.zip", "application/zip", archive.getvalue(), False)

    def receive_report(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Send the report of the release, a page that needs no server."""
        study, here, cap, asker = self._study, self._here, self.cap, self._preparing(content)

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            from workbench.publication.report.page import report  # draws charts, which takes a second to load

            page = report(study, here, cap)
            name = f"{study.stem}-report.html"
            call_soon(self._deliver, asker, name, "text/html", gzip.compress(page.encode(), 5), True)

        self._printer.start(job)

    def _preparing(self, content: Mapping[str, Any]) -> str:
        """Notify the view that a file is being prepared, and return the name of the view."""
        asker = str(content.get("from") or "")
        self.send_message("preparing", to=asker)
        return asker

    def _deliver(self, asker: str, name: str, kind: str, content: bytes, compressed: bool) -> None:
        self.send_message("file", [content], to=asker, name=name, type=kind, compressed=compressed)
        self.fine("download")

    def _failed(self, error: BaseException) -> None:
        self.wrong("download", error)
