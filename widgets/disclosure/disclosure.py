"""The disclosure table: a row for each class with its exposure and risk, next to the distribution of losses.

All numbers of a release are sent to the view once, as columns in binary buffers; the view sorts, filters and draws.
Explanations of single classes are requested one at a time.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
import traitlets

from widgets.base.kernel_thread import ScheduledCall
from widgets.base.part import Part, read_integer, script, styles
from widgets.base.worker import CallSoon, Worker
from workbench.base.errors import BadInput, Undefined, safe_repr, suggest
from workbench.data.sensitive import Sensitive
from workbench.disclosure.exposure import Exposure, assess_exposure
from workbench.models import Model
from workbench.releases.base import Release, refuse_other

BARS = 24  # maximum number of bars in a row; neighboring values share a bar
PAUSE = 0.3  # seconds without another release: the frontier chart is updated first
PATIENCE = 2.0  # seconds until a view counts as ready although its message may be lost


@dataclass(frozen=True)
class ReleaseView:
    """The content of the view for a release."""

    release: Release
    exposure: Exposure | None  # None without classes
    kind: str
    content: dict[str, Any]
    buffers: list[memoryview] = field(default_factory=list)


class DisclosureTable(Part):
    """`DisclosureTable(release, model=recipe.model)`; `selected` follows the rows, by the indices of their classes.

    Records with a loss of at least `at_risk` are at risk; None: the loss of the cheapest full disclosure.
    """

    _esm = script("disclosure/disclosure")
    _css = styles("disclosure/disclosure")

    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    model = traitlets.Instance(
        "workbench.models.Model", allow_none=True, help="the model whose limits the classes are compared with"
    )
    sensitive = traitlets.Unicode("", help="the sensitive column; empty: the first").tag(sync=True)
    at_risk = traitlets.Float(None, allow_none=True, help="the threshold of records at risk, as a loss").tag(sync=True)
    pending = traitlets.Bool(False, help="the next release is being computed and will be shown")
    selected = traitlets.List(traitlets.Int(), help="the indices of the chosen classes").tag(sync=True)

    def __init__(self, release: Release | None = None, model: Model | None = None, **traits: Any) -> None:
        if release is not None:
            refuse_other(release, "DisclosureTable")
        if model is not None and not isinstance(model, Model):
            raise BadInput(f"DisclosureTable: {safe_repr(model)} is not a model; write, for example, KAnonymity(5)")
        self._shown: ReleaseView | None = None
        self._turn = self._sent = 0  # versions of the content: the current one, and the last one sent
        self._drawing = 0.0  # time until which a view may be drawing
        self._pending_offer: ScheduledCall | None = None
        self._pending_refresh: ScheduledCall | None = None
        self._computing = False
        self._of: tuple[Any, ...] = ()  # release, sensitive column and model of the content
        self._chosen_of: Release | None = release  # the release of `selected`
        self._active = -1  # the class whose explanation is shown
        super().__init__(release=release, model=model, **traits)
        self._worker = Worker(self._failed)
        self.observe(self._changed, ["release", "model", "sensitive", "pending"])
        self.observe(self._chosen, "selected")
        self._refresh()

    @traitlets.validate("sensitive")
    def _valid_sensitive(self, proposal: Any) -> str:
        name = proposal.value
        if name and self.release is not None and name not in self.release.table.sensitive:
            raise BadInput(f"{name!r} is not a sensitive column; {suggest(name, self.release.table.sensitive)}")
        return name

    @traitlets.validate("at_risk")
    def _valid_threshold(self, proposal: Any) -> float | None:
        if proposal.value is not None and not 0 <= proposal.value < math.inf:
            raise BadInput("the threshold of records at risk must be a loss of 0 or more")
        return proposal.value

    def about(self) -> str:
        exposure = self._shown.exposure if self._shown else None
        return f"{len(exposure.classes):,} classes" if exposure else "no classes"

    @property
    def computing(self) -> bool:
        """Return whether the table still shows an earlier release."""
        return self._computing

    # computed in the background: one at a time, then the latest when changes pause

    def _changed(self, change: Any) -> None:
        if change.name == "release" and change.new and self.sensitive not in ("", *change.new.table.sensitive):
            self.sensitive = ""  # the first column of another table
            return  # that change has called this method already
        self._refresh()

    def _refresh(self) -> None:
        if self._pending_refresh is not None:
            self._pending_refresh.cancel()
        self._stale(True)
        if self.pending and self.release is not None:
            return  # wait for the next release
        wait = PAUSE if self._shown and self.release else 0
        self._pending_refresh = self.call_later(wait, self._begin)  # after all simultaneous changes

    def _begin(self) -> None:
        given = self.release, self.sensitive, self.model
        if self._shown is not None and given == self._of:  # the next release was impossible
            self._worker.forget()
            self._stale(False)
            return

        def job(_: Any, call_soon: CallSoon) -> None:
            call_soon(self._computed, build_view(*given), given)

        self._worker.start(job)

    def _failed(self, error: BaseException) -> None:
        self._computing = False
        self.wrong("", error)

    def _stale(self, on: bool) -> None:
        """Dim the view while it shows an earlier release."""
        if self._computing != on:
            self._computing = on
            self.send_message("stale", on=on)

    def _computed(self, found: ReleaseView | None, of: tuple[Any, ...]) -> None:
        self._computing = False
        if found is not None and not self._is_current(found):
            self._refresh()
            return
        self._of = of
        self._keep_choice(self._shown, found)
        self._shown, self._turn = found, self._turn + 1
        self.send_message("fine", field="")
        self._offer()

    def _is_current(self, found: ReleaseView) -> bool:
        """Return whether the result belongs to the current table."""
        return self.release is not None and self.release.table is found.release.table

    def _offer(self) -> None:
        """Send the content, or wait until the view has drawn the previous one."""
        wait = self._drawing - monotonic()
        if self._sent == self._turn:
            return
        if wait <= 0:
            self.show()
        elif self._kernel_thread is not None:
            if self._pending_offer is not None:
                self._pending_offer.cancel()
            self._pending_offer = self.call_later(wait, self._offer)

    def show(self) -> None:
        if self._shown is None and self._computing:
            return  # sent when it is computed
        self._drawing, self._sent = monotonic() + PATIENCE, self._turn
        if self._shown is None:
            text = "No release is chosen yet. Choose a point of the frontier to see its exposure by class."
            self.send_message("nothing", turn=self._turn, text=text, pending=self.pending)
            return
        why = {"why": self._why(self._active)} if self._active >= 0 else {}
        self.send_message(
            self._shown.kind, self._shown.buffers, **self._shown.content | why,
            turn=self._turn, active=self._active, selected=self.selected, stale=self._computing,
        )  # fmt: skip

    def receive_drawn(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Send the latest content to a view that is ready; older versions are skipped."""
        self._drawing = 0.0
        self._offer()

    def _keep_choice(self, old: ReleaseView | None, new: ReleaseView | None) -> None:
        """Keep the selection of classes that have the same released values in another release."""
        if new is None or new.exposure is None:
            self._active, self.selected = -1, []
            return
        count, place = len(new.exposure.classes), None
        if old is not None and old.exposure is not None and old.release is not new.release:
            place = same_classes(old.exposure, new.exposure, [*self.selected, self._active])
            self._active = place.get(self._active, -1)
        if self._chosen_of is new.release or place is None:
            self.selected = [one for one in self.selected if 0 <= one < count]
        else:
            self.selected = [place[one] for one in self.selected if one in place]
        self._chosen_of = new.release

    def _chosen(self, _: Any) -> None:
        self._chosen_of = self.release

    # requests of the view

    def receive_sensitive(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        self.sensitive = str(content.get("value") or "")

    def receive_threshold(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        value = content.get("value")
        if value is not None and (type(value) not in (int, float) or not abs(value) < sys.float_info.max):
            raise BadInput("the threshold of records at risk must be a loss of 0 or more")
        self.at_risk = None if value is None else float(value)

    def receive_select(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        if content.get("turn") != self._turn or self._shown is None or self._shown.exposure is None:
            return  # about an earlier release
        sent = bytes(buffers[0]) if buffers else b""
        chosen = np.frombuffer(sent[: len(sent) // 4 * 4], "<u4").tolist()
        if len(sent) % 4 or any(one >= len(self._shown.exposure.classes) for one in chosen):
            raise BadInput("there is no such class; reload the page")
        self.selected = chosen

    def receive_why(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        if content.get("turn") != self._turn or self._shown is None or self._shown.exposure is None:
            return
        last = len(self._shown.exposure.classes) - 1
        row = read_integer(content, "row", 0, last, "there is no such class; reload the page")
        if content.get("active"):
            self._active = row
        self.send_message("why", turn=self._turn, row=row, text=self._why(row))

    def _why(self, row: int) -> str:
        assert self._shown is not None and self._shown.exposure is not None
        return self._shown.exposure.why(row)


def build_view(release: Release | None, sensitive: str, model: Model | None) -> ReleaseView | None:
    """Compute the content of the view."""
    if release is None:
        return None
    try:
        exposure = assess_exposure(release, sensitive or None, model)
    except Undefined as reason:
        text = f"{reason}: exposure cannot be shown by class."
        return ReleaseView(release, None, "nothing", {"text": text[:1].upper() + text[1:]})
    columns: dict[str, np.ndarray] = {"size": exposure.classes.sizes}
    content = {
        "classes": len(exposure.classes),
        "records": int(exposure.classes.sizes.sum()),
        "choices": list(release.table.sensitive),
        "sensitive": exposure.sensitive.name if exposure.sensitive else sensitive,
        "note": exposure.note,
        "exact": exposure.classes.exact,
        "quasi": _quasi(exposure, columns),
        "achieved": [_limit(one, value) for one, value in exposure.achieved],
        "asked": model is not None,
        "limits": _limits(exposure, columns),
        "loss": _loss(exposure, columns),
        "shares": _shares(exposure),
    }
    packed = {name: compact(array) for name, array in columns.items()}
    content["columns"] = [[name, array.dtype.name] for name, array in packed.items()]
    return ReleaseView(
        release, exposure, "classes", content, [array.ravel().data.cast("B") for array in packed.values()]
    )


def compact(array: np.ndarray) -> np.ndarray:
    """Store integers in as few bytes as possible; losses stay exact, since they are compared with a threshold."""
    if array.dtype.kind in "iub":
        array = array.astype(np.min_scalar_type(int(array.max(initial=0))))
    return np.ascontiguousarray(array)


def _quasi(exposure: Exposure, columns: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Return the ordered released values of each quasi-identifier, and add those of each class to the columns."""
    for a, (_, number) in enumerate(exposure.released.values()):
        columns[f"quasi {a}"] = number
    return [{"name": name, "labels": labels.tolist()} for name, (labels, _) in exposure.released.items()]


def _limits(exposure: Exposure, columns: dict[str, np.ndarray]) -> list[dict[str, Any]]:
    """Return the parts of the model, and add the nearest one of each class; empty without a model."""
    if exposure.nearest is None:
        return []
    columns["part"], columns["broken"] = exposure.nearest.part, exposure.nearest.broken
    columns["score"], columns["used"] = exposure.nearest.score, exposure.nearest.used
    return [_limit(one, one.limit) for one in exposure.nearest.parts]


def _limit(model: Model, value: float) -> dict[str, Any]:
    bound = "≥" if model.at_least else "<" if model.strict else "≤"
    return {"name": model.name, "figure": model.figure, "value": float(value), "bound": bound, "limit": model.limit}


def _loss(exposure: Exposure, columns: dict[str, np.ndarray]) -> dict[str, Any] | None:
    """Return losses, the most exposed values and distributions; None without a sensitive column."""
    if exposure.losses is None or exposure.sensitive is None:
        return None
    found, histogram = exposure.losses, exposure.classes.histograms[exposure.sensitive.name]
    exposed_values, worst = np.unique(found.worst, return_inverse=True)
    columns["loss"], columns["worst"], columns["posterior"] = found.loss, worst, found.posterior
    columns["commonest"] = histogram.max(axis=1) / exposure.classes.sizes
    first, labels = bars(exposure.sensitive)
    columns["counts"] = np.add.reduceat(histogram, first, axis=1)
    bar = np.searchsorted(first, exposed_values, side="right") - 1
    return {
        "possible": found.possible,
        "dearest": found.dearest,
        "mean": float(found.loss @ exposure.classes.sizes / exposure.classes.sizes.sum()),
        "bars": labels,
        "table": np.add.reduceat(exposure.sensitive.prior, first).tolist(),
        "worst": [
            {"label": exposure.sensitive.labels[v], "prior": float(exposure.sensitive.prior[v]), "bar": int(b)}
            for v, b in zip(exposed_values, bar, strict=True)
        ],
    }


def bars(sensitive: Sensitive) -> tuple[np.ndarray, list[str]]:
    """Return the first value and the label of each bar: a single value, or neighbors of about the same weight."""
    if len(sensitive) <= BARS:
        return np.arange(len(sensitive)), list(sensitive.labels)
    before = np.cumsum(sensitive.prior) - sensitive.prior
    number = np.minimum((before * BARS).astype(int), BARS - 1)
    first = np.flatnonzero(np.diff(number, prepend=-1))
    ends = np.append(first[1:], len(sensitive)) - 1
    names = [
        sensitive.labels[a] if a == b else f"{sensitive.labels[a]} to {sensitive.labels[b]}"
        for a, b in zip(first, ends, strict=True)
    ]
    return first, names


def _shares(exposure: Exposure) -> dict[str, Any]:
    """Return each quasi-identifier's share of the risk, or the reason why it is undefined."""
    try:
        found = exposure.risk_shares
    except Undefined as reason:
        return {"text": str(reason)}
    each = [
        {"name": name, "share": share, "without": without}
        for name, share, without in zip(found.names, found.share.tolist(), found.without.tolist(), strict=True)
    ]
    return {"mean": found.mean, "each": sorted(each, key=lambda one: -one["share"])}


def same_classes(old: Exposure, new: Exposure, wanted: list[int]) -> dict[int, int]:
    """Match classes of two releases of one table by their released values; buckets have none."""
    here, there = old.classes, new.classes
    if here.exact or there.exact or old.release.table is not new.release.table:
        return {}
    known = {one for one in wanted if 0 <= one < len(here)}
    if not known:
        return {}
    if here.sets.keys() != there.sets.keys():
        return {}
    place = {tuple(regions): i for i, regions in enumerate(there.regions().tolist())}
    regions = here.regions()
    return {one: place[key] for one in known if (key := tuple(regions[one].tolist())) in place}
