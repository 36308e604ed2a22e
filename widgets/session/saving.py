"""Automatic saving of the study: to the browser's tab at once, to the file after a short pause; the status line reports
it."""

from __future__ import annotations

from widgets.base.host import under_voila
from widgets.base.turns import Turn
from widgets.session.keeping import Changed, Keeper, elsewhere
from widgets.topbar.topbar import TopBar
from workbench.base.errors import BadInput
from workbench.base.parameters import canonical
from workbench.studies.schema import FROM
from workbench.studies.study import Study

REST = 0.5  # seconds without a change until the file is written


class Saving:
    """`soon(study)` keeps the study in its file, in the browser's tab, or nowhere."""

    def __init__(self, keeper: Keeper | None, top: TopBar) -> None:
        self.keeper = keeper
        self._top = top
        self._timer: Turn | None = None
        self._study: Study | None = None
        self._keepers: dict[str, Keeper] = {}  # by the source of the data

    def soon(self, study: Study) -> None:
        """Save a change: to the tab immediately, to the file when changes pause."""
        self._turn_to(study)
        self._study = study
        if self._top.remembered:
            self._top.state(study=study.to_yaml())
        if self.keeper is None or not (study.quasi or self.keeper.exists()):
            return  # a study in which nothing is asked yet is not worth a file
        if not self.keeper.exists():
            self.now()
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._top.later(REST, self.now)

    def _turn_to(self, study: Study) -> None:
        """A file that is named after its data keeps no study of others: that has one of its own."""
        if self.keeper is None or self.keeper.named:
            return
        read = canonical({name: study.data[name] for name in FROM if name in study.data})
        if not self._keepers:
            self._keepers[read] = self.keeper
        keeper = self._keepers.get(read) or elsewhere(study)
        if keeper is not self.keeper:
            self.close()
            self.keeper = self._keepers[read] = keeper
            self._top.state(conflict="", kept=self.where())

    def now(self, over: bool = False) -> None:
        """Write it; where another tab has written meanwhile, ask, unless it is `over` all."""
        keeper = self.keeper
        self._timer = None
        if self._study is None or keeper is None:
            return
        try:
            keeper.save(self._study, over)
        except Changed as conflict:
            self._top.state(conflict=str(conflict))
        except (BadInput, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._top.state(kept=f"not kept: {keeper.path.name} cannot be written ({reason})")
        else:
            self._top.state(conflict="", kept=self.where())

    def close(self) -> None:
        """The last change is written."""
        if self._timer is not None:
            self._timer.cancel()
            self.now()

    def theirs(self) -> Study | None:
        """Return the study in the file."""
        self._top.state(conflict="")
        return self.keeper.open() if self.keeper is not None else None

    def where(self) -> str:
        """Describe where the study is saved."""
        if self.keeper is not None:
            name, first = self.keeper.path.name, next(iter(self._keepers.values()), self.keeper)
            return f"kept in {name}" + ("" if self.keeper is first else f'; Workbench("{name}") opens it again')
        return "saved in this browser tab" if under_voila() else "not saved to a file"
