"""Describe one release for publication: disclosure, cost, classes and files."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from workbench.base.errors import Undefined
from workbench.base.randomness import operating_system_random
from workbench.base.small_counts import may_list_groups, share_resolution
from workbench.data.published_counts import published_total
from workbench.data.table import Table
from workbench.data.wording import brief
from workbench.disclosure.exposure import assess_exposure
from workbench.measures import Measure, require_sensitive
from workbench.measures.privacy.accuracy_gain import rounded_guess_accuracy
from workbench.measures.privacy.privacy_loss import PrivacyLoss
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.models import Model
from workbench.publication import published_folder
from workbench.publication.accuracy import accuracy_of
from workbench.publication.certainty import describe_certainty
from workbench.publication.distributions import distributions
from workbench.publication.exposed_values import choose_exposed_values
from workbench.publication.publishable_reasons import publishable_reason
from workbench.publication.published_types import Attack, Details, Figure, Reason, Risk, ScaleExample
from workbench.publication.queries import queries
from workbench.publication.tellable_queries import how_many
from workbench.releases.base import Release
from workbench.releases.published_classes import FINEST, RedactedClasses, published_sizes
from workbench.releases.scale import Scale, allowed_shares, costliest_column, guaranteed_shares, scale_of
from workbench.releases.side_information import find_giveaways, nearly_identifying_columns

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
        "queries": _or_reason(table, lambda: queries(_covered(release) if how_many(table) else release, smallest)),
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
            raise Undefined(f"the table has so few {table.wording.many} that its groups are not listed")
        return self

    @cached_property
    def sizes(self) -> np.ndarray:
        """The published size of each class."""
        rounding = self.release.table.rounding
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
        wording = self.release.table.wording
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
        found = choose_exposed_values(classes, self.smallest, self.most, self.release.table.wording, limits)
        return replace(found, is_truthful=self.release.about.is_truthful, hidden=self.hidden)


def _most_exposed(groups: Groups, kind: str) -> Figure:
    """Describe the first group of the table of classes: who they are, and what is believed about them."""
    release, smallest = groups.release, groups.smallest
    classes = release.classes
    if not classes.histograms:
        counted = release.table.wording.group(int(groups.sizes.min()), smallest)
        figure = f"{counted[:1].upper()}{counted[1:]}"
        return {"figure": figure, "unit": "are in the smallest group", "sentence": "", "allowed": None}
    found, labels, wording, quasi = groups.redacted, groups.labels, release.table.wording, release.table.quasi
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
        "at_risk": release.table.wording.some_of(count, published_total(release.table, smallest), smallest),
        "shares": dict(zip(release.table.quasi, shares, strict=False)),
    }


def _tied(classes: pa.Table) -> int:
    """Return how many classes that are not small are published as the most exposed."""
    shown = (
        ~published_folder.is_untold(classes).to_numpy(zero_copy_only=False) & classes["people"].is_valid().to_numpy()
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
    return release.table.wording.some_of(suppressed, every, smallest) if suppressed else ""


def refused(release: Release) -> str:
    """Return why no file of a release is written; empty if one may be written."""
    wording = release.table.wording
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
