"""A perturbed release: one row per record, with the values of some columns changed at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.errors import Undefined
from workbench.base.small_counts import SMALLEST
from workbench.data import weights
from workbench.data.records import published_values
from workbench.data.roles import released_columns
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.queries.populations import Populations
from workbench.queries.workload import Workload
from workbench.releases import perturbed_answers
from workbench.releases.base import (
    NOTHING_STATED,
    OWN_CLASS,
    About,
    Posterior,
    Release,
    as_runs,
    require_sensitive,
    require_shown,
)
from workbench.releases.codebook import Entry
from workbench.releases.export import CodedColumn, Rows
from workbench.releases.responses import Categorical, Drawn, Noise
from workbench.releases.shown import Shown, at_level
from workbench.releases.side_information import SideInformationRisk, count_side_information, number_combinations

NO_CLASSES = "its values were changed at random, record by record, so it has no classes"


@dataclass(frozen=True, eq=False, repr=False)
class Perturbed(Release):
    """A release whose columns in `drawn` were changed; every record is published, but nobody's row is known.

    An attacker who knows a person's quasi-identifiers considers the rows that agree in the unchanged ones, weighted by
    the likelihood of the noise, and applies Bayes' rule to what a row shows of a sensitive value.
    """

    table: Table
    drawn: Mapping[str, Drawn]
    about: About = NOTHING_STATED

    def __repr__(self) -> str:
        return f"<Perturbed release of {self.table.records:,} records: {', '.join(self.drawn)}>"

    @property
    def classes(self) -> Classes:
        raise Undefined(NO_CLASSES)

    # --- groups

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The quasi-identifiers that are published unchanged."""
        return tuple(name for name in self.table.quasi if name not in self.drawn)

    @property
    def neutral(self) -> list[str]:
        """The neutral columns that are published unchanged."""
        return [name for name in self.table.neutral if name not in self.drawn]

    @cached_property
    def group_of_record(self) -> np.ndarray:
        """The index of each record's combination of quasi-identifiers: the groups of `posterior`."""
        return number_combinations(self.table, self.table.quasi)

    @property
    def published_records(self) -> np.ndarray:
        """The indices of all records."""
        return np.arange(self.table.records)

    def shown(self, name: str, seed: int = 0) -> Shown:
        """Return codes or numbers, as they were drawn."""
        require_shown(self, name)
        column, level, drawn = self.table.columns[name], self.table.levels.get(name, 0), self.drawn.get(name)
        if drawn is not None and isinstance(drawn.response, Noise):
            return Shown(column, numbers=drawn.released.astype(float))
        return at_level(column, level, self._codes(name) if drawn is None else drawn.released)

    @property
    def changed_columns(self) -> dict[str, np.ndarray | None]:
        return dict.fromkeys(self.drawn)

    def side_information_risk(self, neutral: Sequence[str] | None = None) -> SideInformationRisk:
        """Return the risk from the unchanged columns: a value that was changed at random is certain for nobody."""
        names = tuple(self.neutral if neutral is None else neutral)

        def risk() -> SideInformationRisk:
            same, known = (number_combinations(self.table, some) for some in (self.unchanged, names))
            sure = {name: self._codes(name) for name in self.table.sensitive if self._is_sure(name)}
            return count_side_information(names, same, known, sure)

        return self.remember(("side information", names), risk)

    def _is_sure(self, name: str) -> bool:
        return name not in self.drawn or self.drawn[name].response.certain

    def _codes(self, name: str) -> np.ndarray:
        """Return the true value of each record, at the level of publication."""
        return self.table.model_view.codes[name] if name in self.table.sensitive else self.table.codes[name]

    # --- the attacker

    def posterior(self, sensitive: str, adversary: str = OWN_CLASS) -> Posterior:
        """Return the beliefs about people with the same quasi-identifiers; without classes, attackers do not differ."""
        require_sensitive(self.table, sensitive)
        return self.remember(("posterior", sensitive), lambda: self._believe(sensitive))

    def _believe(self, sensitive: str) -> Posterior:
        of_kind, of_row = self._posterior_of_rows(sensitive)
        groups = self.group_of_record
        sizes = np.bincount(groups)
        noisy = {name: self.drawn[name] for name in self.table.quasi if name in self.drawn}
        if not noisy:
            ones = np.ones(len(groups), np.int64)
            counts = cell_kernels.histogram(groups, of_row, ones, len(sizes), len(of_kind))
            return Posterior(sizes, counts @ of_kind / sizes[:, None])
        alike = number_combinations(self.table, self.unchanged)
        codes = {name: self.table.codes[name] for name in noisy}
        return Posterior(sizes, perturbed_answers.beliefs(alike, groups, codes, noisy, of_kind, of_row))

    def _posterior_of_rows(self, sensitive: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the posterior of the sensitive value for each kind of row (Bayes' rule), and the kind of each row."""
        seen = self.table.sensitive[sensitive]
        if sensitive not in self.drawn:
            return np.eye(len(seen)), self._codes(sensitive)
        drawn = self.drawn[sensitive]
        return self.at_model_level(sensitive, drawn.posterior(self._prior(sensitive))), drawn.codes

    def _prior(self, sensitive: str) -> np.ndarray:
        """Return Q of the values that the response changes."""
        if isinstance(self.drawn[sensitive].response, Noise):
            return self.table.columns[sensitive].totals / self.table.records
        return self.table.sensitive[sensitive].prior

    def at_model_level(self, sensitive: str, beliefs: np.ndarray) -> np.ndarray:
        """Convert beliefs about codes to beliefs about the values of the model level."""
        level = self.table.levels.get(sensitive, 0)
        if not level or beliefs.shape[1] == len(self.table.sensitive[sensitive]):
            return beliefs
        node = self.table.columns[sensitive].node(level - 1)
        return np.add.reduceat(beliefs, np.flatnonzero(np.diff(node, prepend=-1)), axis=1)

    # --- estimates

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """Return the maximum likelihood estimate of records per population and value."""
        runs, same = as_runs(populations)
        if sensitive is not None:
            require_sensitive(self.table, sensitive)
        return perturbed_answers.likeliest(self, runs, same, sensitive)

    def unbiased(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """Return an unbiased estimate, which may be negative; raise Undefined if noise was added to numbers."""
        runs, same = as_runs(populations)
        if sensitive is not None:
            require_sensitive(self.table, sensitive)
        return perturbed_answers.unbiased(self, runs, same, sensitive)

    @cached_property
    def people(self) -> np.ndarray:
        """The number of people whom each record represents."""
        return np.ones(self.table.records) if self.table.weight is None else weights.of_record(self.table)

    def count(self, workload: Workload) -> np.ndarray:
        """Return the expected answer to each query."""
        return perturbed_answers.expected(self, workload)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """Return bounds on each true count: a changed value may be any value that can be released as this one."""
        return perturbed_answers.certain(self, workload)

    # --- files

    def rows(self) -> dict[str, Rows]:
        """Return one table, one row per record in random order."""
        return {"release": Rows.shuffled([self._column(name) for name in released_columns(self.table)])}

    def _column(self, name: str) -> CodedColumn:
        if name not in self.drawn:
            return CodedColumn(name, published_values(self.table, name), self._codes(name))
        drawn = self.drawn[name]
        if isinstance(drawn.response, Noise):
            return CodedColumn(name, pd.Series(drawn.values), drawn.codes)
        return CodedColumn(
            name, published_values(self.table, name).iloc[drawn.values].reset_index(drop=True), drawn.codes
        )

    @property
    def layout(self) -> dict[str, Any]:  # type: ignore[override]
        return {"kind": "noise", "columns": {name: drawn.response.layout for name, drawn in self.drawn.items()}}

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """Return how the values of each changed column were drawn: everything that estimates need."""
        found = []
        for name, drawn in self.drawn.items():
            response = drawn.response
            if isinstance(response, Noise):
                ends = f"{response.low:g}", f"{response.high:g}"
                found.append(
                    Entry(name, f"number + Laplace noise of scale {response.scale:g}", *ends, missing=False, drawn=True)
                )
            else:
                found.append(Entry(name, response.words, "", "", bool(self.table.columns[name].missing), drawn=True))
                found += self._chances(name, response) if response.listed else []
        return found

    def _chances(self, name: str, response: Categorical) -> list[Entry]:
        """Return an entry for each true value, with the probability of each value that may be released for it."""
        labels = self.table.sensitive[name].labels if name in self.table.sensitive else self._labels(name)
        return [
            Entry(
                name, f"true: {labels[v]}", "", "", False, tuple(f"{labels[r]}: {row[r]:.6g}" for r in row.nonzero()[0])
            )
            for v, row in enumerate(response.chances)
        ]

    def _labels(self, name: str) -> tuple[str, ...]:
        return self.table.columns[name].value_labels()


def likelihood_of_rows(release: Release, sensitive: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the likelihood of each kind of row (values x kinds), and the kind of each record's row.

    Raise Undefined where people are not found by their quasi-identifiers.
    """
    if not isinstance(release, Perturbed):
        raise Undefined("this release has neither classes nor rows with noise, so no model of its rows can be learned")
    seen = release.table.sensitive[sensitive]
    if changed := [name for name in release.table.quasi if name in release.drawn]:
        raise Undefined(f"{NO_CLASSES}, and with noise on {', '.join(changed)} no model of its rows can be learned")
    if sensitive not in release.drawn:
        return np.eye(len(seen)), release._codes(sensitive)
    drawn = release.drawn[sensitive]
    likelihood = drawn.response.likelihood(drawn.values)
    if len(likelihood) != len(seen):
        raise Undefined(
            f"noise was added to the numbers of {sensitive}, not at its level: no model of it can be learned"
        )
    return likelihood, drawn.codes
