"""What neutral columns, published unchanged, give away: who somebody is, and what a release blurs or hides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from workbench.base.figures import join_names, per_cent
from workbench.data.column import Column
from workbench.data.meaning import NAMING, says
from workbench.data.table import Table
from workbench.data.uniqueness import keys
from workbench.data.wording import PLAIN, Wording

CERTAIN = 0.95  # a share, or a correlation of ranks, that gives a value away
DOUBT = 5  # so many times smaller is the doubt that is left than the doubt without
CHANCE = 1e-4  # how likely so many records agree by chance, at most
FEW = 5  # records that are alike by chance, however rare their value is
NOTICEABLE = 0.01  # of the records
WORK = 50_000_000  # records looked at, over all columns and pairs of them
SHARING = 2  # a value of a column names people where fewer share it, on average
SHARING_A_NAME = 10  # the same where the column is called like a name
NAMES = (*NAMING, "fullname", "guid", "id", "identifier", "ids", "mail", "name", "names", "username", "uuid")


class Giveaway(NamedTuple):
    """Neutral columns, one or two together, that narrow what a release blurs or hides, and for how many records."""

    columns: tuple[str, ...]
    about: str
    records: int
    exact: bool = True  # counted on all records, not on some of them

    def tale(self, wording: Wording = PLAIN) -> str:
        """What tells what, without a count."""
        tells = "tells" if len(self.columns) == 1 else "together tell"
        return f"{wording.columns(self.columns)} {tells} {wording.column(self.about)}"

    def __str__(self) -> str:
        named = join_names([repr(name) for name in self.columns])
        tells = "tells" if len(self.columns) == 1 else "together tell"
        return f"{named} {tells} {self.about!r} of {'' if self.exact else 'about '}{self.records:,} records"


class Beside(NamedTuple):
    """Who knows the neutral columns of everybody beside the quasi-identifiers: how many records are unique, and
    for how many a sensitive value can be inferred with certainty."""

    neutral: tuple[str, ...]
    sensitive: tuple[str, ...]
    records: int
    unique: int
    certain: int

    def noticeably_more(self, than: Beside) -> bool:
        """Whether a noticeable share of the records is singled out here, and not there."""
        least = NOTICEABLE * self.records
        return self.unique - than.unique >= least or self.certain - than.certain >= least

    @property
    def sentence(self) -> str:
        """It in words, for the analyst: counts are exact."""
        said = str(self)
        return f"{said[0].upper()}{said[1:]}."

    def __str__(self) -> str:
        too = f" and the neutral {'columns' if len(self.neutral) > 1 else 'column'}" if self.neutral else ""
        found = f"{self.unique:,} of {self.records:,} records ({per_cent(self.unique / self.records, 'lower')})"
        verb = "is" if self.unique == 1 else "are"
        said = f"{found} {verb} unique on the quasi-identifiers{too}"
        if self.sensitive:
            said += f", and {join_names(self.sensitive, 'or')} can be inferred with certainty for {self.certain:,}"
        return said


# --- figures


def beside(
    neutral: Sequence[str],
    alike: np.ndarray,
    known: np.ndarray,
    sensitive: Mapping[str, np.ndarray],
    told_by: np.ndarray | None = None,
) -> Beside:
    """Counted over records: `alike` numbers their released quasi-identifiers, `known` their neutral values; sensitive
    values stand beside both, or beside the classes in `told_by` alone."""
    key = alike.astype(np.int64) * (int(known.max(initial=0)) + 1) + known
    ordered = np.sort(key)
    edges = np.append(np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)), len(key))
    unique = int((np.diff(edges) == 1).sum())
    return Beside(
        tuple(neutral), tuple(sensitive), len(key), unique, _certain(key if told_by is None else told_by, sensitive)
    )


def _certain(key: np.ndarray, sensitive: Mapping[str, np.ndarray]) -> int:
    """Of how many records some sensitive value is the only one among those with the same key."""
    found: np.ndarray | None = None
    sizes = np.zeros(0, np.int64)
    for codes in sensitive.values():
        size = int(codes.max(initial=0)) + 1
        both = np.sort(key.astype(np.int64) * size + codes)
        of = both // size
        starts = np.flatnonzero(np.diff(of, prepend=of[:1] - 1))
        kinds = np.add.reduceat(np.diff(both, prepend=both[:1] - 1) != 0, starts)
        sizes = np.diff(np.append(starts, len(of)))
        found = kinds == 1 if found is None else found | (kinds == 1)
    return 0 if found is None else int(sizes[found].sum())


def known_by(table: Table, names: Sequence[str]) -> np.ndarray:
    """One number a record, equal where all values of these columns are, and not above the number of records."""
    names = tuple(names)
    return table.remember(("known by", names), lambda: np.unique(keys(table, names)[0], return_inverse=True)[1])


# --- what tells what


def giveaways(table: Table, neutral: Sequence[str], blurred: Mapping[str, np.ndarray]) -> list[Giveaway]:
    """Which neutral columns, or two of them together, narrow what is blurred, noticeably; `blurred` says by name for
    which records. Counted on some of the records where all would take too long."""
    pairs = list(combinations(neutral, 2))
    step = max(1, -(-table.records * len(blurred) * (2 * len(neutral) + len(pairs)) // WORK))
    least, found = NOTICEABLE * len(range(0, table.records, step)), []

    def codes(name: str) -> np.ndarray:
        sensitive = name in table.sensitive
        return (table.sensitive_codes(name) if sensitive else table.codes[name])[::step].astype(np.int64)

    def noticed(columns: tuple[str, ...], about: str, narrowed: np.ndarray) -> None:
        count = int(narrowed.sum())
        if count >= least:
            found.append(Giveaway(columns, about, min(count * step, table.records), step == 1))

    of = {name: codes(name) for name in (*neutral, *blurred)}
    for about, mask in blurred.items():
        hidden, alone = mask[::step], {}
        for name in neutral:
            both = table.columns[name], table.columns[about]
            told = _told(of[name], of[about]) | _told(of[about], of[name])
            alone[name] = hidden & (told | _same_order(both, of[name], of[about]))
            noticed((name,), about, alone[name])
        for first, second in pairs:
            already = alone[first] | alone[second]
            if (hidden & ~already).sum() >= least:
                together = of[first] * (int(of[second].max(initial=0)) + 1) + of[second]
                more = hidden & ~already & _told(np.unique(together, return_inverse=True)[1], of[about])
                noticed((first, second), about, more)
    return found


def _told(here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The records whose one value tells the other nearly for certain, which it is not without, and not by chance."""
    span = int(there.max(initial=0)) + 1
    pair, count = np.unique(here * span + there, return_counts=True)
    group, value = pair // span, pair % span
    size, base = np.bincount(here)[group], np.bincount(there)[value] / len(there)
    share = count / size
    news = (share >= CERTAIN) & (count >= FEW) & (DOUBT * (1 - share) <= 1 - base) & (base**size <= CHANCE)
    telling = np.zeros(int(here.max(initial=0)) + 1, bool)
    telling[group[news]] = True
    return telling[here]


def _same_order(columns: Iterable[Column], here: np.ndarray, there: np.ndarray) -> bool:
    """Whether two numbers or dates rank the records alike."""
    if any(column.kind == "text" or column.size <= FEW for column in columns):
        return False
    return bool(abs(np.corrcoef(here, there)[0, 1]) >= CERTAIN)


def names(column: Column) -> bool:
    """Whether a column nearly names people: on average fewer than two share a value, or fewer than ten where it is
    called like a name. A measured number is a reading, unless it is called so."""
    known, distinct = int(column.counts.sum()), len(column.values)
    if distinct <= FEW or distinct < NOTICEABLE * (known + column.missing):
        return False
    if says(column.name, NAMES):
        return known < SHARING_A_NAME * distinct
    return column.values.dtype.kind != "f" and known < SHARING * distinct
