"""One analyst's work on one study: the study and its table now, what was before, and what is kept in files."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from widgets.base.given import followed
from widgets.base.history import History
from widgets.base.part import control_words
from workbench.base.errors import BadInput, render_fixes
from workbench.base.parameters import canonical
from workbench.data import level_ranges
from workbench.data.table import Table
from workbench.studies.schema import LEAVES_OUT
from workbench.studies.study import ROLES, Study

# what changes the table
TABLE = ("data", *ROLES, "levels", "hierarchies", "regions", "smallest", "released_levels", "importance", "workloads")
COMPARED = (*TABLE, "measures", "seed")  # what a point must share with another to be compared with it
POINTS = (*COMPARED, "recipes")  # what changes the points
BASES = 3  # tables kept for undo
MOVEMENT = 1.5  # seconds after which a movement is another


class Session:
    """`change(field=value, ...)` makes the next study; a study that cannot be leaves the last good one as it is."""

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
        self._moving: tuple[tuple[str, ...], float] = ((), 0.0)  # what is being dragged, and when it last moved
        self._bases: OrderedDict[str, Table] = OrderedDict()
        self.history: History[Study] = History(study)

    @property
    def base(self) -> Table | None:
        """All columns of the study's data, all neutral; None until they are read."""
        return self._bases.get(_key(self.study))

    def has(self, study: Study) -> bool:
        """Return whether the data of a study have been read."""
        return _key(study) in self._bases

    def read(self, study: Study, base: Table) -> None:
        """The data of a study are there."""
        self._bases[_key(study)] = base
        self._bases.move_to_end(_key(study))
        while len(self._bases) > BASES:
            self._bases.popitem(last=False)

    def change(self, merge: bool = False, **fields: Any) -> None:
        """The next study; `merge` where a movement goes on, of which undo sees the end alone."""
        after = self.study.with_(**fields)
        if after.to_dict() == self.study.to_dict():
            return
        moving = (tuple(fields), time.monotonic()) if merge else ((), 0.0)
        goes_on = merge and moving[0] == self._moving[0] and moving[1] - self._moving[1] < MOVEMENT
        self._become(after, following=True)
        self._moving = moving
        (self.history.replace if goes_on else self.history.push)(self.study)
        self._changed_history()

    def begin(self, study: Study) -> None:
        """Another study, whose data have been read; undo goes back to the one before."""
        self._become(study)
        self._moving = ((), 0.0)
        self.history.push(study)
        self._changed_history()

    def undo(self) -> None:
        """The study before, if there is one."""
        self._step(self.history.undo, self.history.redo)

    def redo(self) -> None:
        """The study that was undone."""
        self._step(self.history.redo, self.history.undo)

    def _step(self, step: Callable[[], Study], back: Callable[[], Study]) -> None:
        after, self._moving = step(), ((), 0.0)
        try:
            self._become(after)
        except BadInput:
            back()
            raise
        self._changed_history()

    def _become(self, after: Study, following: bool = False) -> None:
        after.candidates(), after.measured()  # what cannot be made raises before anything has changed
        before, table = self.study, self.table
        if not self._same_table(before, after):
            table, after = self._made(after)
        if following and table is not None:
            after = followed(before, self.table, after, table)
        self.study, self.table = after, table
        self._changed(before, after)

    def _same_table(self, before: Study, after: Study) -> bool:
        return self.table is not None and not differ(before, after, TABLE)

    def _made(self, study: Study) -> tuple[Table | None, Study]:
        """The study's table, None as long as no quasi-identifier is chosen; and the study without the levels to be
        released at that no longer fit the roles or the hierarchies."""
        base = self._bases.get(_key(study))
        if base is None:
            raise BadInput("the data of this study have not been read; choose them again")
        asked = {name: levels for name, levels in study.released_levels.items() if name in study.quasi}
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
        released = level_ranges.kept(table.columns, table.roles, asked)
        table = table.with_level_ranges(released) if released else table
        gone = [name for name in asked if name not in released]
        self.notes = [render_fixes(note, control_words) for note in table.role_notes]
        self.notes += [f"{name} counts once again: it is no quasi-identifier" for name in idle]
        self.notes += [f"{name} may be released at all levels again: those that were chosen are gone" for name in gone]
        kept = {**waiting, **{name: asked[name] for name in released}}
        return table, study.with_(released_levels=kept) if gone else study


def differ(before: Study, after: Study, names: tuple[str, ...]) -> bool:
    """Return whether two studies differ in one of the fields."""
    return any(getattr(before, name) != getattr(after, name) for name in names)


def fitting(study: Study, base: Table) -> tuple[Study, list[str]]:
    """The study as far as it fits these data, a scheme used on new ones, and which hierarchies had to go."""
    there = set(base.names)

    def kept(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name in there)

    hierarchies = {name: spec for name, spec in study.hierarchies.items() if name in there}
    unfit = [name for name, spec in hierarchies.items() if not _fits(study, name, spec, base)]
    fitted = study.with_(
        quasi=kept(study.quasi),
        sensitive=kept(study.sensitive),
        identifiers=kept(study.identifiers),
        dropped=kept(study.dropped),
        weight=kept(study.weight),
        levels={name: level for name, level in study.levels.items() if name in there and name not in unfit},
        hierarchies={name: spec for name, spec in hierarchies.items() if name not in unfit},
        regions={name: shown for name, shown in study.regions.items() if name in there and name not in unfit},
    )
    return fitted, unfit


def _fits(study: Study, name: str, spec: Any, base: Table) -> bool:
    try:
        study.builder(name, spec)(base.columns[name])
    except BadInput:
        return False
    return True


def _key(study: Study) -> str:
    """Return a key of the data of a study; filters of records do not change it."""
    where = study.folder if "path" in study.data else ""
    return canonical({**{k: v for k, v in study.data.items() if k not in LEAVES_OUT}, "": where})
