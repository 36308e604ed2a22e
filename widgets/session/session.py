"""The session of one analyst: the current study, its table, and the history."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from widgets.base.history import History
from widgets.base.inputs import update_proposals
from widgets.base.part import with_controls
from workbench.base.errors import BadInput
from workbench.base.parameters import canonical
from workbench.data import settings
from workbench.data.settings import role_notes
from workbench.data.table import Table
from workbench.studies.schema import LEAVES_OUT
from workbench.studies.study import ROLES, Study, hierarchy_builder

# fields that change the table
TABLE = ("data", *ROLES, "levels", "hierarchies", "regions", "smallest", "released_levels", "importance", "workloads")
COMPARED = (*TABLE, "measures", "seed")  # fields in which comparable points agree
POINTS = (*COMPARED, "recipes")  # fields that change the points
BASES = 3  # tables kept for undo
DRAG_PAUSE = 1.5  # seconds without a change that end a drag


class Session:
    """`change(field=value, ...)` creates the next study; if that is invalid, the last valid study remains."""

    def __init__(
        self,
        study: Study,
        changed: Callable[[Study, Study], object],
        changed_history: Callable[[], object],
    ) -> None:
        self.study = study
        self.table: Table | None = None
        self.notes: list[str] = []
        self._changed, self._changed_history = changed, changed_history
        self._drag: tuple[tuple[str, ...], float] = (
            (),
            0.0,
        )  # the fields, and the time of the last change
        self._bases: OrderedDict[str, Table] = OrderedDict()
        self.history: History[Study] = History(study)

    @property
    def base(self) -> Table | None:
        """The table of the study's data without roles; None until the data are read."""
        return self._bases.get(_key(self.study))

    def has(self, study: Study) -> bool:
        """Return whether the data of a study have been read."""
        return _key(study) in self._bases

    def store_data(self, study: Study, base: Table) -> None:
        """Store the data of a study."""
        self._bases[_key(study)] = base
        self._bases.move_to_end(_key(study))
        while len(self._bases) > BASES:
            self._bases.popitem(last=False)

    def change(self, merge: bool = False, **fields: Any) -> None:
        """Create the next study; `merge` combines the changes of one drag into a single undo step."""
        after = self.study.with_(**fields)
        if after.to_dict() == self.study.to_dict():
            return
        drag = (tuple(fields), time.monotonic()) if merge else ((), 0.0)
        continues = merge and drag[0] == self._drag[0] and drag[1] - self._drag[1] < DRAG_PAUSE
        self._set_study(after, update=True)
        self._drag = drag
        (self.history.replace if continues else self.history.push)(self.study)
        self._changed_history()

    def begin(self, study: Study) -> None:
        """Switch to another study, whose data have been read; undo returns to the previous one."""
        self._set_study(study)
        self._drag = ((), 0.0)
        self.history.push(study)
        self._changed_history()

    def undo(self) -> None:
        """Return to the previous study, if there is one."""
        self._step(self.history.undo, self.history.redo)

    def redo(self) -> None:
        """Restore the study that was undone last."""
        self._step(self.history.redo, self.history.undo)

    def _step(self, step: Callable[[], Study], back: Callable[[], Study]) -> None:
        after, self._drag = step(), ((), 0.0)
        try:
            self._set_study(after)
        except BadInput:
            back()
            raise
        self._changed_history()

    def _set_study(self, after: Study, update: bool = False) -> None:
        after.candidates(), after.measured()  # raises for an invalid study, before anything changes
        before, table = self.study, self.table
        if not self._same_table(before, after):
            table, after = self._build_table(after)
        if update and table is not None:
            after = update_proposals(before, self.table, after, table)
        self.study, self.table = after, table
        self._changed(before, after)

    def _same_table(self, before: Study, after: Study) -> bool:
        return self.table is not None and not differ(before, after, TABLE)

    def _build_table(self, study: Study) -> tuple[Table | None, Study]:
        """Return the study's table, None without quasi-identifiers, and the study without settings that no longer fit
        the roles or hierarchies."""
        base = self._bases.get(_key(study))
        if base is None:
            raise BadInput("the data of this study have not been read; choose them again")
        requested = {name: levels for name, levels in study.released_levels.items() if name in study.quasi}
        waiting = {name: levels for name, levels in study.released_levels.items() if name not in study.quasi}
        idle = [name for name in study.importance if name not in study.quasi]
        if idle:
            study = study.with_(importance={name: one for name, one in study.importance.items() if name not in idle})
        if not study.quasi:
            return None, study
        lost = [name for name, one in study.regions.items() if one == "nodes" and name not in study.hierarchies]
        if lost:
            study = study.with_(regions={name: one for name, one in study.regions.items() if name not in lost})
        table = study.with_(released_levels={}).table(base)
        released = settings.valid_ranges(table.columns, table.roles, requested)
        table = table.with_settings(level_ranges=released) if released else table
        gone = [name for name in requested if name not in released]
        self.notes = [with_controls(note) for note in role_notes(table)]
        self.notes += [f"{name} is no longer a quasi-identifier, so its importance is 1 again" for name in idle]
        self.notes += [f"{name}: the chosen levels no longer exist, so all levels are allowed again" for name in gone]
        kept = {**waiting, **{name: requested[name] for name in released}}
        return table, study.with_(released_levels=kept) if gone else study


def differ(before: Study, after: Study, names: tuple[str, ...]) -> bool:
    """Return whether two studies differ in one of the fields."""
    return any(getattr(before, name) != getattr(after, name) for name in names)


def fit_to_data(study: Study, base: Table) -> tuple[Study, list[str]]:
    """Restrict a study to the columns of other data; return it and the columns whose hierarchies do not fit."""
    columns = set(base.names)

    def existing_columns(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name in columns)

    hierarchies = {name: spec for name, spec in study.hierarchies.items() if name in columns}
    unfit = [name for name, spec in hierarchies.items() if not _fits(study, name, spec, base)]
    fitted = study.with_(
        quasi=existing_columns(study.quasi),
        sensitive=existing_columns(study.sensitive),
        identifiers=existing_columns(study.identifiers),
        dropped=existing_columns(study.dropped),
        weight=existing_columns(study.weight),
        levels={name: level for name, level in study.levels.items() if name in columns and name not in unfit},
        hierarchies={name: spec for name, spec in hierarchies.items() if name not in unfit},
        regions={name: shown for name, shown in study.regions.items() if name in columns and name not in unfit},
    )
    return fitted, unfit


def _fits(study: Study, name: str, spec: Any, base: Table) -> bool:
    try:
        hierarchy_builder(study, name, spec)(base.columns[name])
    except BadInput:
        return False
    return True


def _key(study: Study) -> str:
    """Return a key of the data of a study; filters of records do not change it."""
    where = study.folder if "path" in study.data else ""
    return canonical({**{k: v for k, v in study.data.items() if k not in LEAVES_OUT}, "": where})
