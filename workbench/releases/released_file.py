"""A released table as another tool has written it: text, in the roles that its columns have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from workbench.base.errors import BadInput, suggest_column
from workbench.data.column import Column
from workbench.data.reading.opening import open_source
from workbench.data.reading.value_types import MARKERS
from workbench.data.roles import assign
from workbench.data.table import Table
from workbench.releases.label_parser import STARS, Labels
from workbench.releases.missing_matches import ANYTHING
from workbench.releases.side_information import SideInformationRisk, count_side_information, number_combinations


@dataclass(frozen=True, eq=False)
class ReleasedFile:
    """A released table as text, with the columns that have a role."""

    where: str
    table: Table
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    notes: tuple[str, ...]
    texts: Sequence[str]  # the columns that contain text in the file
    missing: Mapping[str, list[str]]
    numbers: np.ndarray  # the numbers of the records in the file

    def codes(self, keep: np.ndarray, original: Table | None) -> np.ndarray:
        """Return the value of each record: records x quasi-identifiers, ANYTHING where it is missing or suppressed."""
        found = []
        for name in self.quasi:
            known = [ANYTHING if hidden else code for code, hidden in enumerate(self._hidden(name, original))]
            found.append(np.array([*known, ANYTHING], np.int32)[self.table.codes[name][keep]])
        return np.stack(found, axis=1)

    def starred(self, original: Table | None) -> np.ndarray:
        """Return the records with every quasi-identifier suppressed, or empty where the original has a value."""
        stars = []
        for name in self.quasi:
            empty = original is None or not original.columns[name].missing
            stars.append(np.array([*self._hidden(name, original), empty])[self.table.codes[name]])
        return np.logical_and.reduce(stars)

    def _hidden(self, name: str, original: Table | None) -> list[bool]:
        """Return which values of a column are suppressed: `*`; with an original also words such as "unknown" that are
        not values."""
        labels = self.table.columns[name].labels
        if original is None:
            return [bool(STARS.fullmatch(label.strip())) for label in labels]
        return [*map(Labels(original.columns[name], labels).hides, labels)]

    def without(self, removed: np.ndarray) -> ReleasedFile:
        """Return the file without some records."""
        table = Table.without_roles(
            self.table.frame[~removed], types=dict.fromkeys(self.table.names, "text"), missing=self.missing
        )
        quasi, sensitive = (tuple(n for n in role if n in table.names) for role in (self.quasi, self.sensitive))
        return replace(self, table=table, quasi=quasi, sensitive=sensitive, numbers=self.numbers[~removed])

    def side_information_risk(self, keep: np.ndarray) -> SideInformationRisk:
        """Return the risk from the columns without a role, counted over the records in `keep`."""
        others = [name for name in self.table.names if name not in (*self.quasi, *self.sensitive)]
        secret = {name: self.table.codes[name][keep] for name in self.sensitive}
        return count_side_information(
            others,
            number_combinations(self.table, self.quasi)[keep],
            number_combinations(self.table, others)[keep],
            secret,
        )

    def place(self, name: str, code: int) -> str:
        """Return where a value first occurs."""
        record = self.numbers[(self.table.codes[name] == code).argmax()]
        return f"{self.where}, column {name!r}, record {record:,}"


def read(
    data: Any, quasi: tuple[str, ...], sensitive: tuple[str, ...], original: Table | None, source: Mapping[str, Any]
) -> ReleasedFile:
    """Read the columns with a role, all as text; some of an original's columns may be unpublished."""
    if isinstance(data, pd.DataFrame):  # pandas.cut returns intervals
        kinds = {n: getattr(data[n].dtype, "categories", data[n]).dtype for n in data.columns}
        intervals = [n for n, kind in kinds.items() if isinstance(kind, pd.IntervalDtype)]
        data = data.astype(dict.fromkeys(intervals, str))
    opened = open_source(data, **source)
    names, where, texts = opened.names, opened.where, opened.texts
    opened.close()
    if original is None:
        assign(names, quasi, sensitive, ())
    columns = original.columns if original else {}
    missing = {name: _markers(columns[name]) if name in columns else [*MARKERS] for name in names}
    table = Table.without_roles(data, types=dict.fromkeys(names, "text"), missing=missing, **source)
    there, shown = (tuple(name for name in role if name in table.names) for role in (quasi, sensitive))
    missing_columns = [name for name in (*quasi, *sensitive) if name not in table.names]
    if not there:
        raise BadInput(
            f"{where}: the file has none of the quasi-identifiers {', '.join(quasi)}; "
            + suggest_column(quasi[0], names)
        )
    others = {name for name in names if name not in (*quasi, *sensitive)}
    plain = ("delimiter ", "encoding utf-8")  # these need no note
    notes = [note for note in table.notes if note.split(":")[0] not in others and not note.startswith(plain)]
    notes += [f"{', '.join(missing_columns)}: not published"] if missing_columns else []
    return ReleasedFile(where, table, there, shown, tuple(notes), texts, missing, np.arange(1, table.records + 1))


def _markers(column: Column) -> list[str]:
    """Return the markers of missing values; NA may be a value or a group in some columns, such as Namibia."""
    levels = column.hierarchy.levels if column.hierarchy else ()
    known = {label.strip() for labels in (column.labels, *(level.labels for level in levels)) for label in labels}
    return [marker for marker in MARKERS if marker not in known]
