"""What a miner learns from a release: the importance of each column, and a small tree."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import traitlets

from widgets.base.part import Part, script, styles
from widgets.base.worker import CallSoon, Worker
from workbench.base.errors import BadInput, safe_repr
from workbench.base.figures import format_number
from workbench.data.settings import released_columns
from workbench.miners.explanation import MinerExplanation, accuracy_sentence, explain_miner
from workbench.miners.sets import miners, resolve_miners
from workbench.releases.base import Release

SHOWN = 20  # number of columns with a bar


class ExplanationView(Part):
    """`ExplanationView(release)` explains how `miner` predicts `target`. Its figures are exact, for the analyst.

    Since they are derived from the data, they are sent as messages, never in a synced trait.
    """

    _esm = script("scenario/explanation")
    _css = styles("scenario/scenario")
    release = traitlets.Instance("workbench.releases.base.Release", allow_none=True)
    pending = traitlets.Bool(False, help="the next release is being made")
    target = traitlets.Unicode("", help="the name of a column; empty: the first sensitive one").tag(sync=True)
    miner = traitlets.Unicode("decision tree", help="the name of a miner").tag(sync=True)

    def __init__(self, release: Release | None = None, **traits: Any) -> None:
        self._found: tuple[Release, MinerExplanation] | None = None
        super().__init__(release=release, **traits)
        self._worker = Worker(self._failed)
        self.observe(lambda _: self._gone(), ["release", "pending"])
        self.observe(lambda _: self.show(), ["target", "miner"])

    def about(self) -> str:
        return f"{self._target} by {self.miner}" if self.release is not None else "no release yet"

    @property
    def _columns(self) -> list[str]:
        if self.release is None:
            return []
        unpublished = self.release.unpublished_columns
        return [name for name in released_columns(self.release.table) if name not in unpublished]

    @property
    def _target(self) -> str:
        first = next(iter(self.release.table.sensitive), "") if self.release else ""
        there = self._columns
        return next((name for name in (self.target, first, *there) if name in there), "")

    @property
    def busy(self) -> bool:
        """Return whether a miner is running."""
        return self._worker.busy

    def show(self) -> None:
        """Send the choices and the last explanation."""
        self.send_message(
            "choices",
            columns=self._columns,
            target=self._target,
            miners=[{"name": name, "about": kind.describe()} for name, kind in miners().items()],
            miner=self.miner,
            ready=self.release is not None and not self.pending,
            busy=self._worker.busy,
        )
        if self._found is not None:
            self._send_found()

    def _gone(self) -> None:
        """Remove the explanation of another release."""
        self._worker.forget()
        self.show()

    def receive_choose(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Choose a column and a miner."""
        target, miner = content.get("target"), content.get("miner")
        if target not in self._columns:
            raise BadInput(f"{safe_repr(target)} is not a column of the release; choose one of those shown")
        if not isinstance(miner, str) or miner not in miners():
            raise BadInput(f"no miner is called {safe_repr(miner)}; choose one of those shown")
        self._worker.forget()
        with self.hold_trait_notifications():
            self.target, self.miner = str(target), miner
        self.show()

    def receive_learn(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Run a miner in the background."""
        release, target, miner = self.release, self._target, self.miner
        if release is None or self.pending:
            raise BadInput("there is no release yet; choose a point, or a model")

        def job(cancel: threading.Event, call_soon: CallSoon) -> None:
            def progress(done: int, total: int) -> None:
                call_soon(lambda: self.send_message("doing", text=f"{done} of {total} folds finished"))

            call_soon(self._took, release, explain_miner(release, target, resolve_miners(miner)[0], progress=progress))

        self.send_message("doing", text="training")
        self._worker.start(job)

    def receive_stop(self, content: Mapping[str, Any], buffers: list[memoryview]) -> None:
        """Cancel the miner."""
        self._worker.forget()
        self.send_message("doing", text="")

    def _took(self, release: Release, found: MinerExplanation) -> None:
        self._found = release, found
        self.fine("learn")
        self._send_found()

    def _failed(self, error: BaseException) -> None:
        self.send_message("doing", text="")
        self.wrong("learn", error)

    def _send_found(self) -> None:
        assert self._found is not None
        release, found = self._found
        ordered = sorted(found.importance.items(), key=lambda one: -one[1])
        most = max((value for _, value in ordered), default=0.0)
        now = release is self.release and (found.target, found.miner.name) == (self._target, self.miner)
        self.send_message(
            "explanation",
            text=accuracy_sentence(found),
            unit="increase of the average error" if found.numbers else "percentage points fewer correct predictions",
            bars=[
                {
                    "column": name,
                    "size": max(value, 0.0) / most if most > 0 else 0.0,
                    "figure": format_number(round(value if found.numbers else 100 * value, 2)),
                }
                for name, value in ordered[:SHOWN]
            ],
            more=max(len(ordered) - SHOWN, 0),
            tree=found.text,
            stale=not now,
        )
