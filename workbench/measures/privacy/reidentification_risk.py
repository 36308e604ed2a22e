"""Re-identification risk: how likely the right record is found among those that look alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.figures import per_cent
from workbench.base.small_counts import averaged, coarse, least
from workbench.base.variants import parameter
from workbench.data.cells import distinct_rows
from workbench.measures import Measure, Measured, average, crowd
from workbench.models import Model
from workbench.models.alpha_k import AlphaK
from workbench.models.k_anonymity import KAnonymity
from workbench.releases.base import Release


@dataclass(frozen=True)
class ReidentificationRisk(Measure):
    """Over groups with equal published quasi-identifiers; a bucketized release publishes them exactly."""

    statistic: str = parameter(
        "largest", "of 1 / size: the largest, or the average record's; or the share of records with size 1",
        choices=("largest", "average", "unique"),
    )  # fmt: skip
    name = "re-identification risk"
    symbol = "R_id"
    side = "privacy"
    unit = "probability"

    def measure(self, release: Release) -> Measured:
        sizes = alike(release)
        of = sizes if release.own_classes is release.classes else release.own_classes.sizes
        largest, mean, records = 1 / int(sizes.min()), average(1 / sizes, of), int(of.sum())
        unique = int(of[sizes == 1].sum())
        value = {"largest": largest, "average": mean, "unique": unique / records}[self.statistic]
        sentence = (
            f"The easiest record is found with probability {per_cent(largest, 'lower')}, the "
            f"average one with {per_cent(mean, 'lower')}; "
            f"{unique:,} of {records:,} records {'is' if unique == 1 else 'are'} unique."
        )
        return Measured(value, sentence, {"sizes": sizes})

    def publish(self, measured: Measured, release: Release, smallest: int) -> tuple[float | None, str]:
        sizes, everybody = alike(release), release.table.records
        unique = int((sizes == 1).sum())
        value = {
            "largest": 1 / least(int(sizes.min()), smallest),
            "average": averaged(measured.value, self.step(release, smallest), crowd=crowd(release, smallest)),
            "unique": coarse(unique, smallest) / coarse(everybody, smallest),
        }[self.statistic]
        wording = release.table.wording
        who = f"{wording.some_of(unique, everybody, smallest)} are" if unique else f"{wording.nobody} is"
        return round(value, 4), f"{who[0].upper()}{who[1:]} unique on the released quasi-identifiers."

    def promised(self, release: Release, model: Model) -> float | None:
        of_largest = self.statistic == "largest" and not release.classes.exact
        return 1 / model.k if of_largest and isinstance(model, (KAnonymity, AlphaK)) else None


def alike(release: Release) -> np.ndarray:
    """The sizes of the groups that share their published quasi-identifiers."""
    classes, cells = release.classes, release.table.cells()
    if not classes.exact:
        return classes.sizes
    _, group = distinct_rows(cells.quasi.T)
    if not release.left_out:
        return np.bincount(group, weights=cells.weight).astype(np.int64)
    published = release.group_of_record < len(classes)
    sizes = np.bincount(group[release.table.cell_of_record()[published]])
    return sizes[sizes > 0]
