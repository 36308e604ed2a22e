"""What would be published: classes of records, by generalization, by bucketization, or with columns removed."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from workbench.base import counting
from workbench.base.errors import BadInput, said
from workbench.base.files import codebooks, refuse_nameless
from workbench.base.randomness import operating_system_random
from workbench.base.thresholds import SMALLEST
from workbench.data.cells import Cells, distinct_rows
from workbench.data.column import spare
from workbench.data.engines import Partition
from workbench.data.table import Table
from workbench.models import Audit, Model
from workbench.models.classes import Classes
from workbench.releases.codebook import Entry, as_json, as_rows, entries
from workbench.releases.export import Coded, Named, Rows, write_tables
from workbench.releases.giveaways import Beside, Giveaway, beside, giveaways, known_by, names
from workbench.releases.labels import run_labels
from workbench.workloads.populations import Populations, shared_prefix

IN_PYTHON = (
    "Leave out what says too much with table.drop(release.telling), make it identifiers or quasi-identifiers, or say "
    "giveaways=True"
)


class Posterior(NamedTuple):
    """What an adversary who knows a person's quasi-identifiers believes: a distribution per group of records."""

    sizes: np.ndarray  # records in each group
    beliefs: np.ndarray  # groups x values


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A partition of the records, published by generalization.

    `group` is the class of each cell. A method that cuts through cells says so in `parts`: entry i of `group` then
    stands for parts[1][i] records of cell parts[0][i]. `others` are the columns that the cells were asked to hold.
    """

    table: Table
    cells: Cells
    group: np.ndarray
    removed: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()
    parts: tuple[np.ndarray, np.ndarray] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.table.records:,} records in {len(self.classes):,} classes>"

    @property
    def left_out(self) -> int:
        """The records of the table that are not published; our own methods leave none out."""
        return 0

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Cell and records of each entry of `group`."""
        return self.parts or (np.arange(len(self.cells), dtype=np.int32), self.cells.weight)

    @cached_property
    def _merged(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The class of each entry, with each class's runs."""
        low, high = counting.ranges(self.group, self._entries[0], self.cells.quasi, int(self.group.max()) + 1)
        for a, name in enumerate(self.table.quasi):
            if name in self.removed:
                low[:, a], high[:, a] = 0, self.table.columns[name].size - 1
        return self._distinct(low, high)

    def _distinct(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Classes with equal released values are one class."""
        first, number = distinct_rows(np.concatenate([low, high], axis=1))
        if len(first) == len(low):
            return self.group, low, high
        return number[self.group].astype(self.group.dtype), low[first], high[first]

    @property
    def partition(self) -> Classes:
        """The classes with each record in one of them: in a foreign release more may look alike than share a class."""
        return self.classes

    @cached_property
    def classes(self) -> Classes:
        """Sizes, runs and histograms of the classes."""
        (group, low, high), (cell, weight) = self._merged, self._entries
        histograms = {
            name: counting.histogram(group, self.cells.others[name][cell], weight, len(low), len(seen))
            for name, seen in self._published().items()
        }
        sizes = np.bincount(group, weights=weight, minlength=len(low)).astype(np.int64)
        return Classes(sizes, histograms, self._published(), low, high, exact=isinstance(self, Bucketized))

    def _published(self) -> dict:
        return {name: seen for name, seen in self.table.sensitive.items() if name not in self.removed}

    def _known(self, sensitive: str) -> None:
        if sensitive not in self.table.sensitive:
            raise BadInput(
                f"{sensitive!r} is not a sensitive column; there are {', '.join(self.table.sensitive) or 'none'}"
            )

    def posterior(self, sensitive: str) -> Posterior:
        """What an adversary believes about the sensitive value of each record's group; Q where it is not published."""
        self._known(sensitive)
        if sensitive in self.removed:
            return Posterior(np.array([self.table.records]), self.table.sensitive[sensitive].prior[None, :])
        return Posterior(self.partition.sizes, self.classes.distributions(sensitive))

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """What a researcher expects: records per population and value (per population alone without `sensitive`).

        Every value in a released run is taken as equally likely. Where the sensitive column is not published,
        its distribution is taken as Q.
        """
        runs, same = _runs(populations)
        if sensitive is not None:
            self._known(sensitive)
            if sensitive in self.removed:
                return self._expected(runs, same, self.partition.sizes[:, None]) * self.table.sensitive[sensitive].prior
            return self._expected(runs, same, self.partition.histograms[sensitive])
        return self._expected(runs, same, self.partition.sizes[:, None])

    def _expected(self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray) -> np.ndarray:
        left, right = self.table.edges
        assert self.classes.low is not None and self.classes.high is not None
        counts = np.ascontiguousarray(histogram, dtype=np.int64)
        return counting.coverage(runs, self.classes.low, self.classes.high, left, right, counts, same)

    def audit(self, model: Model) -> Audit:
        """Whether the model holds, and the classes that break it."""
        if not isinstance(model, Model):
            raise BadInput(f"audit: {said(model)} is no model; write for example KAnonymity(5)")
        return model.audit(self.classes)

    def frame(self) -> pd.DataFrame:
        """One row a record as published, in random order."""
        return self.rows()["release"].frame()

    def tables(self) -> dict[str, pd.DataFrame]:
        """What is in each published file, by name."""
        return {name: rows.frame() for name, rows in self.rows().items()}

    def rows(self) -> dict[str, Rows]:
        """The same as codes: record by record in random order."""
        columns: list[tuple[Named, str | None]] = []
        for name in self.table.names:
            if name in self.table.quasi and name not in self.removed:
                columns.append((Named(name, pd.Series(self.class_labels(name))), None))
            elif name not in self.removed:
                columns.append((Named(name, self.table.published(name)), name))
        return {"release": self._shuffled(columns)}

    def _shuffled(self, columns: Sequence[tuple[Named, str | None]]) -> Rows:
        """The records in random order, in columns that each follow a column of the table or the class (None)."""
        classes = Partition(self.table.quasi, self.cells, self.group_of_cell, lambda: self._group_of_record)
        names = [name for _, name in columns]
        return Rows([column for column, _ in columns], lambda: self.table.seen.shuffled(names, classes))

    def giveaways(self) -> list[Giveaway]:
        """Neutral columns, published as they are, that narrow what the release blurs.

        Who knows a blurred quasi-identifier may know the neutral column that follows from it (a degree, the years of
        schooling), and look for that; or the neutral one tells it (a husband, the sex). What is hidden of a sensitive
        column may follow from neutral ones.
        """
        classes, table = self.classes, self.table
        if not self.neutral:
            return []
        self._keep_to_records()
        blurred: dict[str, np.ndarray] = {}
        for a, name in enumerate(table.quasi):
            wide = classes.low[:, a] < classes.high[:, a]  # type: ignore[index]
            if not classes.exact and wide.any():
                blurred[name] = wide[self._group_of_record]
        hidden = [name for name in table.sensitive if classes.exact or name in self.removed]
        return giveaways(table, self.neutral, blurred | dict.fromkeys(hidden, np.ones(table.records, bool)))

    @property
    def neutral(self) -> list[str]:
        """The columns that are published as they are."""
        return [name for name in self.table.neutral if name not in self.removed]

    @cached_property
    def beside(self) -> Beside:
        """What is found by who knows the neutral columns of everybody, too."""
        return self._beside(self.neutral)

    def _beside(self, neutral: Sequence[str]) -> Beside:
        self._keep_to_records()
        table, group, known = self.table, self._group_of_record, known_by(self.table, neutral)
        sensitive = {name: table.sensitive_codes(name) for name in self._published()}
        if self.classes.exact:  # neutral columns lie beside the exact quasi-identifiers, sensitive values elsewhere
            return beside(neutral, known_by(table, table.quasi), known, sensitive, told_by=group)
        return beside(neutral, group, known, sensitive)

    def _keep_to_records(self) -> None:
        self.table.engine.keep_to(
            "what neutral columns tell beside a release is found record by record",
            "leave the neutral columns out, or allow giveaways if what they tell is known",
        )

    def named(self) -> list[str]:
        """Neutral columns, published as they are, that nearly name people: with one of them known, nothing is hidden.

        Two releases that both have such a column can be joined by it, record by record.
        """
        return [name for name in self.neutral if names(self.table.columns[name])]

    @cached_property
    def telling(self) -> list[str]:
        """The neutral columns that tell too much: they name people, narrow what is blurred, or single out a noticeable
        share of the records beside those with fewer values."""
        if not self.neutral:
            return []
        told, without, kept = {*self.named()}, self._beside(()), list[str]()
        told |= {name for one in self.giveaways() for name in one.columns}
        for name in sorted(self.neutral, key=lambda name: self.table.columns[name].size):
            if name not in told and not self._beside([*kept, name]).noticeably_more(without):
                kept.append(name)
        return [name for name in self.neutral if name not in kept]

    def refuse_giveaways(self, where: str | Path, mended: str = IN_PYTHON) -> None:
        """Raise BadInput where neutral columns name people, give away what the release blurs, or single people out."""
        if self.telling:
            found = [f"{name!r} nearly names people: hardly any share a value" for name in self.named()]
            found += [*map(str, self.giveaways()), str(self.beside)]
            raise BadInput(f"{where}: neutral columns are published as they are: {'; '.join(found)}. {mended}")

    def export(
        self,
        path: str | Path,
        giveaways: bool = False,
        *,
        defuse: bool = False,
        overwrite: bool = True,
        smallest: int = SMALLEST,
    ) -> list[Path]:
        """Write the release as CSV or Parquet, by the ending of the name; all files appear whole or none does.

        Beside it, where values are generalized, stands a codebook, as CSV and as JSON: what each label stands for; it
        lists no value that fewer than about `smallest` people have.
        Refused where a neutral column names people, or gives away what the release blurs, unless `giveaways` says
        that it is known. `defuse` puts an apostrophe before what a spreadsheet would take for a formula in CSV.
        """
        if not giveaways:
            self.refuse_giveaways(path)
        path, tables = Path(path), self.rows()
        refuse_nameless(path)
        if defuse and path.suffix == ".parquet":
            raise BadInput(f"{path}: nothing in Parquet is taken for a formula; defuse is for CSV")
        targets: list[Path] = []
        for name in tables:
            safe = re.sub(r"[^\w.-]+", "_", name)
            target = path if len(tables) == 1 else path.with_stem(f"{path.stem}-{safe}")
            while target in targets:
                target = target.with_stem(f"{target.stem}_")
            targets.append(target)
        found = self.codebook(smallest)
        books = codebooks(path) if found else []
        targets += books
        there = [] if overwrite else [str(target) for target in targets if os.path.lexists(target)]
        if there:
            raise BadInput(f"{there[0]} is there already; choose another name, or allow to write over it")
        every = [*tables.values(), *([as_rows(found)] if found else [])]
        written = dict(zip(targets, [rows.defused() if defuse else rows for rows in every], strict=False))
        write_tables(written, {books[1]: as_json(found)} if found else {})
        return targets

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """What each label stands for; nothing where all values are published as they are."""
        low, high = self.classes.low, self.classes.high
        assert low is not None and high is not None
        if self.classes.exact:
            return []
        found, wide = [], False
        for a, name in enumerate(self.table.quasi):
            if name not in self.removed:
                wide = wide or bool((low[:, a] < high[:, a]).any())
                found += entries(self.table.columns[name], low[:, a], high[:, a], self.class_labels(name), smallest)
        return found if wide else []

    @property
    def group_of_cell(self) -> np.ndarray:
        """The class of each cell, where no cell is cut through."""
        return self._merged[0]

    @cached_property
    def _group_of_record(self) -> np.ndarray:
        """The class of each record, in the table's order: for miners and previews, never published.

        Where a cell is cut through its records are dealt: always in the same way, since two files of one release that
        differ give people away together; and by the data themselves, since a seed could be guessed.
        """
        group, _, _ = self._merged
        of_record = self.table.cell_of_record(self.others)
        if not self.parts:
            return group[of_record]
        cell, weight = self.parts
        dealt = np.empty(len(of_record), group.dtype)
        neutral = [self.table.codes[name] for name in self.table.neutral]
        known = np.lexsort([*neutral, of_record])  # in whatever order the records stand
        by_chance = np.random.default_rng(self.cells.digest).permutation(len(known))
        records = known[np.lexsort([by_chance, of_record[known]])]
        in_cell_order = np.argsort(cell, kind="stable")
        dealt[records] = np.repeat(group[in_cell_order], weight[in_cell_order])
        return dealt

    def class_labels(self, name: str) -> np.ndarray:
        """The released value of a quasi-identifier in each class."""
        assert self.classes.low is not None and self.classes.high is not None
        if name not in self.table.quasi:
            raise BadInput(f"{name!r} is no quasi-identifier; there are {', '.join(self.table.quasi)}")
        a = self.table.quasi.index(name)
        return run_labels(self.table.columns[name], self.classes.low[:, a], self.classes.high[:, a])


@dataclass(frozen=True, eq=False, repr=False)
class Bucketized(Release):
    """Exact quasi-identifiers with a class id, and the sensitive values of each class in a table of their own."""

    def _distinct(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.group, low, high  # the class id is published, so equal runs stay apart

    def _expected(self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray) -> np.ndarray:
        belief = histogram / self.classes.sizes[:, None]
        cell, weight = self._entries
        quasi = np.ascontiguousarray(self.cells.quasi[:, cell])
        return counting.reach(runs, quasi, weight, self.group, belief, same)

    def frame(self) -> pd.DataFrame:
        """One row a record, its sensitive values dealt anew inside its class: what a reader can put together."""
        tables, (of_class, count) = self.tables(), self._added
        records = tables.pop(self._records).sort_values(of_class, ignore_index=True)
        for name, counted in tables.items():
            values = counted.loc[counted.index.repeat(counted[count])]
            records[name] = values.sample(frac=1, random_state=operating_system_random()).sort_values(
                of_class, kind="stable", ignore_index=True
            )[name]
        return records.sample(frac=1, random_state=operating_system_random(), ignore_index=True)

    @property
    def _added(self) -> tuple[str, str]:
        """The names of the columns that bucketization adds, `class` and `count` where the data leave them free."""
        return spare("class", self.table.names), spare("count", self.table.names)

    @property
    def _records(self) -> str:
        return spare("records", self.table.sensitive)

    def rows(self) -> dict[str, Rows]:
        """The records without their sensitive values, and per sensitive column how often each class has each value."""
        number = pd.Series(operating_system_random().permutation(len(self.classes)) + 1)
        plain = [n for n in self.table.names if n not in self.table.sensitive and n not in self.removed]
        columns: list[tuple[Named, str | None]] = [(Named(name, self.table.published(name)), name) for name in plain]
        columns.append((Named(self._added[0], number), None))
        counted = {name: Rows.shuffled(self._counted(name, number)) for name in self._published()}
        return {self._records: self._shuffled(columns), **counted}

    def _counted(self, name: str, number: pd.Series) -> list[Coded]:
        """class, value, count."""
        histogram = self.classes.histograms[name]
        group, value = np.nonzero(histogram)
        of_class, count = self._added
        counts = Coded(count, pd.Series(histogram[group, value]), np.arange(len(group)))
        return [Coded(of_class, number, group), Coded(name, self.table.sensitive_values(name), value), counts]


def _runs(populations: Populations | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(populations, Populations):
        return populations.runs, populations.same
    runs = np.ascontiguousarray(populations, dtype=np.int32)
    return runs, shared_prefix(runs)
