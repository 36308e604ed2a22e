"""k-anonymity (Samarati 2001, Sweeney 2002)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.base.parameters import parameter
from workbench.data.sensitive import Sensitive
from workbench.models import Model
from workbench.models.classes import Classes


@dataclass(frozen=True)
class KAnonymity(Model):
    k: int = parameter(10, "minimum number of records per class", low=1, high=lambda t: t.records, scale="log")
    name = "k-anonymity"
    title = "k-anonymity (Samarati 2001, Sweeney 2002)"
    summary = "every class has at least k records"
    figure = "k"
    at_least = True
    needs_sensitive = False

    @property
    def min_class_size(self) -> int:
        return self.k

    @property
    def limit(self) -> float:
        return self.k

    def score(self, classes: Classes) -> np.ndarray:
        return classes.sizes

    def score_column(self, histogram: np.ndarray, sensitive: Sensitive) -> np.ndarray:
        return histogram.sum(axis=1)

    def explain_impossible(self, sensitive: Sensitive | None, records: int) -> str | None:
        return f"the table has {records:,} records, fewer than k = {self.k:,}" if records < self.k else None
