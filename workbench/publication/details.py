"""Describe one release for publication: disclosure, cost, classes and files."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from workbench.base.errors import Undefined
from workbench.base.randomness import operating_system_random
from workbench.data.published import published_total
from workbench.data.table import Table
from workbench.data.wording import PLAIN, Wording, brief
from workbench.disclosure.exposure import assess_exposure
from workbench.disclosure.recommendable import FAR
from workbench.measures import Measure, require_sensitive
from workbench.measures.privacy.accuracy_gain import rounded_guess_accuracy
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.publication import published_folder
from workbench.publication.accuracy import accuracy_of
from workbench.publication.certainty import describe_certainty
from workbench.publication.publishable_queries import how_many, query_answers
from workbench.publication.publishable_reasons import publishable_reason
from workbench.publication.published_types import (
    Attack,
    CrossMoved,
    Details,
    Distribution,
    DistributionRow,
    Distributions,
    Figure,
    Reason,
    Risk,
    ScaleExample,
)
from workbench.redaction.controlled_rounding import may_list_groups, round_average, share_resolution
from workbench.releases.base import Release
from workbench.releases.before_after import SIDE, before_and_after, bins_of, cross
from workbench.releases.published_classes import (
    FINEST,
    RedactedClasses,
    Scale,
    allowed_shares,
    costliest_column,
    guaranteed_shares,
    published_sizes,
    redact_classes,
    scale_of,
)
from workbench.releases.side_information import find_giveaways, nearly_identifying_columns

# --- the sensitive column that each class shows: the one with the value nearest to certainty


def choose_exposed_values(
    classes: Classes,
    smallest: int,
    most: float = math.inf,
    wording: Wording = PLAIN,
    limits: Mapping[str, np.ndarray] | None = None,
) -> RedactedClasses:
    """Return the published classes, each with the value nearest to certainty in any sensitive column.

    A mix of many values may differ much from the overall mix although no value stands out, so the loss does not decide.
    A value that nearly everybody has anyway comes last. Only published figures decide, so the choice discloses nothing
    more.
    """
    found = redact_classes(classes, "js", smallest, most, wording, limits)
    if len(found.names) == 1:
        return found
    each = [redact_classes(_alone(classes, name), "js", smallest, most, wording, limits) for name in found.names]
    column, value, loss = found.column.copy(), found.value.copy(), found.loss.copy()
    ways = [_ways(one) for one in each]
    for row in range(len(classes)):
        if not found.is_tiny(row):  # tiny classes do not publish their value
            best = max(range(len(each)), key=lambda i: ways[i][row])
            column[row], value[row], loss[row] = best, each[best].value[row], each[best].loss[row]
    return replace(found, column=column, value=value, loss=loss)


def _alone(classes: Classes, name: str) -> Classes:
    return replace(classes, histograms={name: classes.histograms[name]}, sensitive={name: classes.sensitive[name]})


def _ways(found: RedactedClasses) -> list[tuple[bool, float, float]]:
    """Return the rank of each class's value by exposure."""
    first, number = found.distinct
    ways = [_way(found, row) for row in first.tolist()]
    return [ways[i] for i in number.tolist()]


def _way(found: RedactedClasses, row: int) -> tuple[bool, float, float]:
    """Return whether the value is news, and the maximum and minimum shift of belief toward certainty."""
    least, most = found.certainty_gain(row)
    return found.prior_share(row) <= 1 - FAR, most, least


# --- coarse distributions of the original and the release, and errors of cross tables

# The count before is rounded to the threshold; values that few people have share one row. The count after is the
# estimate from the release, rounded in the same way. No cell of a cross table is published, before or after: a small
# cell would follow by subtraction from a row, a column, or a sum over the values of another table. The only published
# figure is the share of records that are expected in another cell, in steps that as many people as the threshold can
# move. A column that could only be divided into equal parts of its range is not published: the ends of its range are
# values of single persons.

REST = "all others"
PAIRS = 20  # maximum number of published cross tables, those with the largest errors


def distributions(release: Release, smallest: int) -> Distributions:
    """Return the distributions of one release; raise Undefined for a table of few people."""
    table = release.table
    if not may_list_groups(table.records, smallest):
        raise Undefined(f"the table has so few {table.settings.wording.many} that its groups are not listed")
    if release.suppressed:  # subtracting the file from the counts before would reveal the suppressed records
        raise Undefined("records are suppressed, and counts of the original would reveal their values")
    names = [name for name in (*table.quasi, *table.sensitive) if name not in release.unpublished_columns]
    if table.settings.rounding.part_of is not None:  # only sensitive values are rounded jointly with the other parts
        names = [name for name in names if name in table.sensitive]
    declared = [name for name in names if bins_of(table, name, SIDE).declared]
    columns = [_published(release, name, smallest) for name in declared]
    pairs = [found for a, b in combinations(names, 2) if (found := _moved(release, a, b, smallest))]
    return {"columns": columns, "pairs": sorted(pairs, key=lambda one: (-one["moved"], one["columns"]))[:PAIRS]}


def _published(release: Release, name: str, smallest: int) -> Distribution:
    """Return the count of each value that more than few people have, and of all others.

    The number of other values is not published: if about as many people have them, each is one person's value.
    """
    found, single = before_and_after(release, name, SIDE), len(bins_of(release.table, name, SIDE).runs)
    assert found.after is not None
    before, after = (_rounded(release.table, name, found.labels, one, smallest) for one in (found.before, found.after))
    known = (before >= 2 * smallest if smallest > 1 else before > 0) & (np.arange(len(found.labels)) < single)
    rows: list[DistributionRow] = [
        {"label": label, "before": int(then), "after": int(now)}
        for label, then, now, shown in zip(found.labels, before, after, known, strict=True)
        if shown
    ]
    rest: DistributionRow = {"label": REST, "before": int(before[~known].sum()), "after": int(after[~known].sum())}
    return {"column": found.column, "rows": [*rows, *([rest] if rest["before"] or rest["after"] else [])]}


def _rounded(table: Table, name: str, labels: Sequence[str], exact: np.ndarray, smallest: int) -> np.ndarray:
    """Return the published counts of a column's groups; of a sensitive column the sums of its published values."""
    if (seen := table.sensitive.get(name)) is not None:
        bins = bins_of(table, name, SIDE)
        if np.allclose(bins.counted(seen.totals), exact):
            return bins.counted(seen.published(smallest)).astype(np.int64)
    return table.settings.rounding.counts(name, labels, exact, smallest)


def _moved(release: Release, a: str, b: str, smallest: int) -> CrossMoved | None:
    """Return the share of a cross table that is expected elsewhere; None if both columns are published unchanged."""
    if a not in release.table.quasi:
        return None
    records = release.table.records
    step, crowd = (2 * smallest / records, records / smallest) if smallest > 1 else (0.0, np.inf)
    return {
        "columns": [a, b],
        "moved": min(round_average(round(cross(release, a, b).moved, 9), step, crowd=crowd), 1.0),
    }


FIGURES = 4
ANY = "any values"
T = TypeVar("T")


def groups_of(release: Release, smallest: int, values: Mapping[str, float], model: Model | None) -> Groups:
    """Return the groups of a release.

    `values` are its published figures: no class is published with a larger loss than these allow, and none violates the
    model.
    """
    return Groups(release, smallest, values.get(PrivacyLoss().key, math.inf), model)


def details_of(groups: Groups, measures: Sequence[Measure], folder: Path, values: Mapping[str, float]) -> Details:
    """Describe one release without its file, and write its tables into its folder."""
    release, smallest, model = groups.release, groups.smallest, groups.model
    table = release.table
    kind = next((one.distance for one in measures if isinstance(one, PrivacyLoss)), "")
    classes = _or_reason(table, lambda: exposures(groups.listed()))
    if isinstance(classes, pa.Table):
        published_folder.write_classes(folder, classes)
    of_utility = next((one for one in measures if isinstance(one, UtilityLoss)), UtilityLoss())
    misled = _or_reason(table, lambda: accuracy_of(release, of_utility, smallest, values.get(of_utility.key)))
    accuracy, rows = misled if isinstance(misled, tuple) else (misled, [])
    if release.about.guarantee and "reason" not in accuracy:  # only the average of the comparison is published
        accuracy, rows = {**accuracy, "most": None, "example": None, "worst": None}, []
    published_folder.write_populations(folder, rows)
    return {
        "attack": _or_reason(table, lambda: _attack(groups.listed().release, smallest)),
        "accuracy": accuracy,
        "worst": _or_reason(table, lambda: _most_exposed(groups.listed(), kind)),
        "surest": _or_reason(table, lambda: describe_certainty(groups.listed().release, smallest, model)),
        "risk": _or_reason(table, lambda: _risk(groups.listed())),
        "beside": _or_reason(table, lambda: distributions(_covered(release), smallest)),
        "queries": _or_reason(
            table, lambda: query_answers(_covered(release) if how_many(table) else release, smallest)
        ),
        "classes": len(classes) if isinstance(classes, pa.Table) else classes,
        "exact": isinstance(classes, pa.Table) and release.classes.exact,
        "tied": _tied(classes) if isinstance(classes, pa.Table) else 0,
        "small": int((groups.sizes < 2 * smallest).sum()) if isinstance(classes, pa.Table) else 0,
        "fewer": 2 * smallest,
        "refused": refused(release),
        "left_out": _left_out(release, smallest),
        "about": [one for one in (release.about.warning, *release.about.notices) if one],
    }


@dataclass(frozen=True, eq=False)
class Groups:
    """The classes of a release, within the published loss (`most`) and the promise of the model."""

    release: Release
    smallest: int
    most: float = math.inf
    model: Model | None = None
    hidden: np.ndarray | None = None  # classes whose values the audit suppresses

    def listed(self) -> Groups:
        """Return the same groups; raise Undefined if groups of so few people may not be listed."""
        table = self.release.table
        if not may_list_groups(table.records, self.smallest):
            raise Undefined(f"the table has so few {table.settings.wording.many} that its groups are not listed")
        return self

    @cached_property
    def sizes(self) -> np.ndarray:
        """The published size of each class."""
        rounding = self.release.table.settings.rounding
        return published_sizes(self.release.classes, self.smallest, rounding, self.release.suppressed)

    @cached_property
    def labels(self) -> dict[str, np.ndarray]:
        """The label of each class in each quasi-identifier; None means any value."""
        classes, table, found = self.release.classes, self.release.table, {}
        for a, name in enumerate(table.quasi):
            found[name] = self.release.class_labels(name).copy()
            found[name][classes.spread(a) == table.columns[name].size - 1] = None
        return found

    def who(self, labels: Mapping[str, Collection[str | None]]) -> list[str]:
        """Describe classes in words: their labels; for buckets, the values that all members are within."""
        wording = self.release.table.settings.wording
        found = wording.groups(labels)
        return [ANY if one == wording.everybody else one for one in found] if self.release.classes.exact else found

    @cached_property
    def redacted(self) -> RedactedClasses:
        """The classes as they may be published."""
        classes, limits = self.release.classes, {}
        for name in classes.histograms:
            seen = self.release.table.sensitive[name]
            within = allowed_shares(seen, "js", self.most, self.smallest) if math.isfinite(self.most) else 1.0
            limits[name] = np.minimum(guaranteed_shares(self.model, seen, self.smallest), within)
        found = choose_exposed_values(classes, self.smallest, self.most, self.release.table.settings.wording, limits)
        return replace(found, is_truthful=self.release.about.is_truthful, hidden=self.hidden)


def _most_exposed(groups: Groups, kind: str) -> Figure:
    """Describe the first group of the table of classes: who they are, and what is believed about them."""
    release, smallest = groups.release, groups.smallest
    classes = release.classes
    if not classes.histograms:
        counted = release.table.settings.wording.group(int(groups.sizes.min()), smallest)
        figure = f"{counted[:1].upper()}{counted[1:]}"
        return {"figure": figure, "unit": "are in the smallest group", "sentence": "", "allowed": None}
    found, labels, wording, quasi = groups.redacted, groups.labels, release.table.settings.wording, release.table.quasi
    row = found.most_exposed_class(lambda i: wording.who(quasi, [labels[name][i] for name in quasi]))
    shown = {name: brief(labels[name][row]) for name in quasi}
    telling = sorted(quasi, key=lambda name: (shown[name] or "").startswith("any of "))
    (who,) = groups.who({name: [shown[name]] for name in telling})
    card = found.headline(row, f", all within {who}" if classes.exact else f": {who}")
    seen, label, *_ = found.exposed_value(row)
    known = scale_of(seen, int(found.value[row]), kind, smallest) if kind and label is not None else None
    return {"figure": card["figure"], "unit": card["unit"], "sentence": card["sentence"], "allowed": example(known)}


def example(known: Scale | None) -> ScaleExample | None:
    """Convert a scale to plain data."""
    if known is None:
        return None
    column, value, share, costs, most = known
    return {"column": column, "value": value, "share": share, "costs": list(costs), "dearest": most}


def _risk(groups: Groups) -> Risk:
    """Return how many people lose as much as a full disclosure would cost, and each column's share of the risk."""
    release, smallest = groups.release, groups.smallest
    seen = assess_exposure(release)
    if seen.losses is None:
        raise Undefined(seen.note)
    each = [one for name in release.classes.histograms if (one := assess_exposure(release, name).losses) is not None]
    count = int(seen.classes.sizes[np.logical_or.reduce([one.at_risk() for one in each])].sum())
    try:
        n = share_resolution(release.table.records // FINEST, smallest)
        shares = (np.round(n * seen.risk_shares.share) / n).tolist()
    except Undefined:  # of buckets
        shares = []
    return {
        "at_risk": release.table.settings.wording.some_of(count, published_total(release.table, smallest), smallest),
        "shares": dict(zip(release.table.quasi, shares, strict=False)),
    }


def _tied(classes: pa.Table) -> int:
    """Return how many classes that are not small are published as the most exposed."""
    shown = (
        ~published_folder.is_withheld(classes).to_numpy(zero_copy_only=False) & classes["people"].is_valid().to_numpy()
    )
    shares = classes["share"].to_numpy()[shown]
    return int((shares == shares.max(initial=0)).sum())


def _or_reason(table: Table, call: Callable[[], T]) -> T | Reason:
    try:
        return call()
    except Undefined as why:
        return {"reason": publishable_reason(str(why), table)}


def _covered(release: Release) -> Release:
    """Return the release; raise Undefined if noise guarantees that little can be learned about the original."""
    if release.about.guarantee:
        raise Undefined("the true figures follow from the records, and the guarantee of the noise does not cover them")
    return release


def _left_out(release: Release, smallest: int) -> str:
    """Return the rounded number of suppressed records in words; empty if there are none."""
    suppressed, every = release.suppressed, published_total(release.table, smallest)
    return release.table.settings.wording.some_of(suppressed, every, smallest) if suppressed else ""


def refused(release: Release) -> str:
    """Return why no file of a release is written; empty if one may be written."""
    wording = release.table.settings.wording
    tales = [f"{wording.column(name)} nearly names {wording.many}" for name in nearly_identifying_columns(release)]
    tales += [found.sentence(wording) for found in find_giveaways(release)]
    if release.disclosing_columns and not tales:
        single = "singles" if len(release.disclosing_columns) == 1 else "jointly single"
        tales.append(f"{wording.columns(release.disclosing_columns)} {single} out {wording.many}")
    why = f"columns that would be published unchanged undo the protection of the release: {', '.join(tales)}"
    return why * bool(tales)


def _attack(release: Release, smallest: int) -> Attack:
    """Return how often an attacker's best guess is right, with and without the release."""
    require_sensitive(release)  # raises if there is none
    seen = costliest_column(release.table.sensitive.values(), "js", smallest)  # of the same column for every release
    assert seen is not None
    guess = rounded_guess_accuracy(release, seen.name, smallest)
    if guess.commonest is None:
        raise Undefined("so few people have the commonest value that its share is not published")
    return {
        "sensitive": guess.sensitive,
        "commonest": guess.commonest,
        "right": guess.right,
        "chance": guess.chance,
    }


# --- classes


def exposures(groups: Groups) -> pa.Table:
    """Return one row per class, in random order: labels, size, exposure, and what is believed about its members.

    Sizes are rounded to the threshold. The exposure does not depend on the study's measures: it is how far belief in
    the most exposed value has moved from its usual share toward certainty. Without sensitive columns it is one over the
    size.
    """
    release, smallest = groups.release, groups.smallest
    classes, table = release.classes, release.table
    order = operating_system_random().permutation(len(classes))
    columns: dict[str, Any] = {}
    labels = {name: found[order] for name, found in groups.labels.items()}
    for name, column in zip(table.quasi, published_folder.label_columns(list(table.quasi)), strict=True):
        columns[column] = pa.array(labels[name], pa.string())
    columns["who"] = groups.who(labels)
    people = groups.sizes[order]
    columns["people"] = pa.array(people, mask=(people < 2 * smallest) & (smallest > 1))
    if not classes.histograms:
        fewest = np.where(people < 2 * smallest, 1, people - max(smallest, 1) + 1)
        columns["share"] = np.ceil(1000 / fewest) / 1000
        columns["fewest"] = [0.0] * len(order)
        lacking = {name: pa.nulls(len(order)) for name in published_folder.CLASS_COLUMNS if name not in columns}
        return pa.table({**columns, **lacking})
    return pa.table({**columns, **_believed(groups.redacted, order)})


def _believed(found: RedactedClasses, order: np.ndarray) -> dict[str, Any]:
    """Return the most exposed value of each class, its exposure, and what is believed."""
    first, number = found.distinct
    rows, told_as = first.tolist(), pa.array(number[order])
    about, exposed = [found.exposed_value(row) for row in rows], [found.certainty_gain(row) for row in rows]
    columns = {
        "share": pa.array([most for _, most in exposed], pa.float64()),
        "fewest": pa.array([least for least, _ in exposed], pa.float64()),
        "sensitive": pa.array([seen.name for seen, *_ in about], pa.string()),
        "value": pa.array([label for _, label, *_ in about], pa.string()),
        "prior": pa.array([found.published_prior(row) for row in rows], pa.float64()),
        "posterior": pa.array([found.posterior(row) for row in rows], pa.float64()),
        "sentence": pa.array([found.belief_sentence(row) for row in rows], pa.string()),
    }
    return {name: column.take(told_as) for name, column in columns.items()}
