"""What neutral columns, published unchanged, disclose: identities, and values that a release generalizes or hides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.base.errors import BadInput
from workbench.base.figures import format_percent, join_names
from workbench.data.column import Column
from workbench.data.lexicon import CONTACTS, has_word
from workbench.data.table import Table
from workbench.data.uniqueness import keys
from workbench.data.wording import PLAIN, Wording

if TYPE_CHECKING:
    from workbench.releases.base import Release

CERTAIN = 0.95  # share, or rank correlation, from which on a value counts as disclosed
DOUBT = 5  # factor by which the uncertainty has to fall
CHANCE = 1e-4  # largest probability that so many records agree by chance
FEW = 5  # fewer records may agree by chance, however rare their value
NOTICEABLE = 0.01  # share of the records
WORK = 50_000_000  # records examined, over all columns and pairs
SHARING = 2  # average records per value, below which a column identifies people
SHARING_A_NAME = 10  # the same for columns that are called like a name
NAMES = (*CONTACTS, "fullname", "guid", "id", "identifier", "ids", "mail", "name", "names", "username", "uuid")


IN_PYTHON = (
    "Drop the columns that disclose too much with table.drop(release.disclosing_columns), make them identifiers or "
    "quasi-identifiers, or pass giveaways=True"
)


class Giveaway(NamedTuple):
    """One or two neutral columns that narrow generalized or hidden values of another column, and for how many
    records."""

    columns: tuple[str, ...]
    about: str
    records: int
    exact: bool = True  # counted on all records, not on a sample

    def sentence(self, wording: Wording = PLAIN) -> str:
        """Describe which column discloses which, without a count."""
        verb = "reveals" if len(self.columns) == 1 else "jointly reveal"
        return f"{wording.columns(self.columns)} {verb} {wording.column(self.about)}"

    def __str__(self) -> str:
        named = join_names([repr(name) for name in self.columns])
        verb = "reveals" if len(self.columns) == 1 else "jointly reveal"
        return f"{named} {verb} {self.about!r} of {'' if self.exact else 'about '}{self.records:,} records"


class SideInformationRisk(NamedTuple):
    """The risk from an attacker who knows the neutral columns of everybody besides the quasi-identifiers.

    Counts the records that are unique, and those for which a sensitive value can be inferred with certainty.
    """

    neutral: tuple[str, ...]
    sensitive: tuple[str, ...]
    records: int
    unique: int
    certain: int

    def is_noticeably_above(self, than: SideInformationRisk) -> bool:
        """Return whether a noticeable share of the records is at risk here but not there."""
        least = NOTICEABLE * self.records
        return self.unique - than.unique >= least or self.certain - than.certain >= least

    @property
    def sentence(self) -> str:
        """A sentence for the analyst, with exact counts."""
        text = str(self)
        return f"{text[0].upper()}{text[1:]}."

    def __str__(self) -> str:
        too = f" and the neutral {'columns' if len(self.neutral) > 1 else 'column'}" if self.neutral else ""
        found = f"{self.unique:,} of {self.records:,} records ({format_percent(self.unique / self.records)})"
        verb = "is" if self.unique == 1 else "are"
        text = f"{found} {verb} unique on the quasi-identifiers{too}"
        if self.sensitive:
            text += f", and {join_names(self.sensitive, 'or')} can be inferred with certainty for {self.certain:,}"
        return text


# --- figures


def count_side_information(
    neutral: Sequence[str],
    alike: np.ndarray,
    known: np.ndarray,
    sensitive: Mapping[str, np.ndarray],
    classes: np.ndarray | None = None,
) -> SideInformationRisk:
    """Count unique records and certain values.

    `alike` numbers the records' released quasi-identifiers, `known` their neutral values. Sensitive values are linked
    to both, or only to the classes in `classes`.
    """
    key = alike.astype(np.int64) * (int(known.max(initial=0)) + 1) + known
    ordered = np.sort(key)
    edges = np.append(np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1)), len(key))
    unique = int((np.diff(edges) == 1).sum())
    return SideInformationRisk(
        tuple(neutral), tuple(sensitive), len(key), unique, _certain(key if classes is None else classes, sensitive)
    )


def _certain(key: np.ndarray, sensitive: Mapping[str, np.ndarray]) -> int:
    """Count the records whose key determines some sensitive value."""
    found: np.ndarray | None = None
    sizes = np.zeros(0, np.int64)
    for codes in sensitive.values():
        size = int(codes.max(initial=0)) + 1
        both = np.sort(key.astype(np.int64) * size + codes)
        determining = both // size
        starts = np.flatnonzero(np.diff(determining, prepend=determining[:1] - 1))
        kinds = np.add.reduceat(np.diff(both, prepend=both[:1] - 1) != 0, starts)
        sizes = np.diff(np.append(starts, len(determining)))
        found = kinds == 1 if found is None else found | (kinds == 1)
    return 0 if found is None else int(sizes[found].sum())


def number_combinations(table: Table, names: Sequence[str]) -> np.ndarray:
    """Number the combinations of values in some columns: one number per record, below the number of records."""
    names = tuple(names)
    return table.remember(("known by", names), lambda: np.unique(keys(table, names)[0], return_inverse=True)[1])


# --- which column reveals which


def unchanged_columns(release: Release, names: Iterable[str]) -> list[str]:
    """Return those of the columns that are published with every record's own value."""
    changed = {*release.unpublished_columns, *release.changed_columns}
    return [name for name in names if name not in changed]


def find_giveaways(release: Release) -> list[Giveaway]:
    """Return the neutral columns that narrow generalized or hidden values although they are published unchanged.

    An attacker may know the neutral column that follows from a generalized quasi-identifier (the years of schooling
    follow from a degree), or infer the quasi-identifier from it (the sex of a husband). Hidden sensitive values may
    follow, too.
    """
    if not release.neutral:
        return []
    require_records(release.table)
    everybody, changed = np.ones(release.table.records, bool), release.changed_columns
    masks = {
        name: everybody if classes is None else np.append(classes, True)[release.group_of_record]
        for name, classes in changed.items()
    }
    return _giveaways(release.table, release.neutral, masks)


def nearly_identifying_columns(release: Release) -> list[str]:
    """Return the neutral columns that nearly identify people; two releases can be joined by one of them."""
    return [name for name in release.neutral if nearly_identifies_people(release.table.columns[name])]


def find_disclosing_columns(release: Release) -> list[str]:
    """Return the neutral columns that disclose too much; see `Release.disclosing_columns`."""
    neutral, columns = release.neutral, release.table.columns
    if not neutral or not release.table.engine.in_memory:
        return neutral  # records are needed to find out which: all
    disclosing, kept = {*nearly_identifying_columns(release)}, list[str]()
    without = release.side_information_risk(())
    disclosing |= {name for one in find_giveaways(release) for name in one.columns}
    for name in sorted(neutral, key=lambda name: columns[name].size):
        if name not in disclosing and not release.side_information_risk([*kept, name]).is_noticeably_above(without):
            kept.append(name)
    return [name for name in neutral if name not in kept]


def refuse_giveaways(release: Release, where: str | Path, advice: str = IN_PYTHON) -> None:
    """Raise BadInput if neutral columns identify people, narrow generalized values, or make records unique."""
    if release.disclosing_columns:
        found = [
            f"{name!r} nearly identifies people: hardly any share a value"
            for name in nearly_identifying_columns(release)
        ]
        found += [*map(str, find_giveaways(release)), str(release.side_information_risk())]
        raise BadInput(f"{where}: neutral columns are published unchanged: {'; '.join(found)}. {advice}")


def require_records(table: Table) -> None:
    """Raise BadInput unless the risk from neutral columns can be computed."""
    table.engine.require_memory(
        "what neutral columns disclose is computed record by record",
        "leave the neutral columns out, or allow giveaways if you know what they disclose",
    )


def _giveaways(table: Table, neutral: Sequence[str], blurred: Mapping[str, np.ndarray]) -> list[Giveaway]:
    """Find the neutral columns, alone or in pairs, that noticeably narrow changed values.

    `blurred` has a mask of records for each changed column. Large tables are sampled.
    """
    pairs = list(combinations(neutral, 2))
    step = max(1, -(-table.records * len(blurred) * (2 * len(neutral) + len(pairs)) // WORK))
    least, found = NOTICEABLE * len(range(0, table.records, step)), []

    def codes(name: str) -> np.ndarray:
        sensitive = name in table.sensitive
        return (table.model_view.codes[name] if sensitive else table.codes[name])[::step].astype(np.int64)

    def noticed(columns: tuple[str, ...], about: str, narrowed: np.ndarray) -> None:
        count = int(narrowed.sum())
        if count >= least:
            found.append(Giveaway(columns, about, min(count * step, table.records), step == 1))

    codes_of = {name: codes(name) for name in (*neutral, *blurred)}
    for about, mask in blurred.items():
        hidden, alone = mask[::step], {}
        for name in neutral:
            both = table.columns[name], table.columns[about]
            inferred = _inferred_records(codes_of[name], codes_of[about]) | _inferred_records(
                codes_of[about], codes_of[name]
            )
            alone[name] = hidden & (inferred | _same_order(both, codes_of[name], codes_of[about]))
            noticed((name,), about, alone[name])
        for first, second in pairs:
            already = alone[first] | alone[second]
            if (hidden & ~already).sum() >= least:
                together = codes_of[first] * (int(codes_of[second].max(initial=0)) + 1) + codes_of[second]
                more = (
                    hidden & ~already & _inferred_records(np.unique(together, return_inverse=True)[1], codes_of[about])
                )
                noticed((first, second), about, more)
    return found


def _inferred_records(known: np.ndarray, inferred: np.ndarray) -> np.ndarray:
    """Return the records in which one value determines the other almost certainly, but only jointly and not by
    chance."""
    span = int(inferred.max(initial=0)) + 1
    pair, count = np.unique(known * span + inferred, return_counts=True)
    group, value = pair // span, pair % span
    size, base = np.bincount(known)[group], np.bincount(inferred)[value] / len(inferred)
    share = count / size
    news = (share >= CERTAIN) & (count >= FEW) & (DOUBT * (1 - share) <= 1 - base) & (base**size <= CHANCE)
    telling = np.zeros(int(known.max(initial=0)) + 1, bool)
    telling[group[news]] = True
    return telling[known]


def _same_order(columns: Iterable[Column], first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether two columns of numbers or dates rank the records in nearly the same order."""
    if any(column.kind == "text" or column.size <= FEW for column in columns):
        return False
    return bool(abs(np.corrcoef(first, second)[0, 1]) >= CERTAIN)


def nearly_identifies_people(column: Column) -> bool:
    """Return whether a column nearly identifies people: on average fewer than two share a value, or fewer than ten if
    the column's name suggests a name. Measured numbers identify people only if the column's name suggests it."""
    known, distinct = int(column.counts.sum()), len(column.values)
    if distinct <= FEW or distinct < NOTICEABLE * (known + column.missing):
        return False
    if has_word(column.name, NAMES):
        return known < SHARING_A_NAME * distinct
    return column.values.dtype.kind != "f" and known < SHARING * distinct
