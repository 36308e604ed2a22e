"""Toy releases of kinds that the workbench does not offer, which keep the interfaces general."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.base import cell_kernels
from workbench.base.errors import Undefined
from workbench.base.parameters import parameter
from workbench.data.records import published_values
from workbench.data.table import Table
from workbench.methods import Method
from workbench.models import Model
from workbench.models.classes import Classes
from workbench.queries.populations import Populations
from workbench.releases.base import NOTHING_STATED, About, Posterior, Release, as_runs, require_sensitive, require_shown
from workbench.releases.export import CodedColumn, Rows
from workbench.releases.partition import Partition
from workbench.releases.shown import Shown
from workbench.releases.side_information import SideInformationRisk, count_side_information, number_combinations


@dataclass(frozen=True, eq=False, repr=False)
class Perturbed(Release):
    """Unchanged quasi-identifiers; each sensitive value is kept with a probability, else drawn from the whole table."""

    table: Table
    kept: float
    drawn: dict[str, np.ndarray]  # the released value of each record
    about: About = NOTHING_STATED

    @property
    def classes(self) -> Classes:
        raise Undefined("its sensitive values were changed at random, so it has no classes")

    @cached_property
    def group_of_record(self) -> np.ndarray:
        """The number of each record's combination of quasi-identifiers."""
        return number_combinations(self.table, self.table.quasi)

    def _counted(self, sensitive: str) -> np.ndarray:
        values, group = len(self.table.sensitive[sensitive]), self.group_of_record
        ones = np.ones(len(group), np.int64)
        return cell_kernels.histogram(group, self.drawn[sensitive], ones, int(group.max()) + 1, values)

    def _true_given(self, sensitive: str) -> np.ndarray:
        """Return the posterior of each true value for each released one (Bayes' rule)."""
        prior = self.table.sensitive[sensitive].prior
        joint = prior[:, None] * (self.kept * np.eye(len(prior)) + (1 - self.kept) * prior)
        return (joint / joint.sum(axis=0)).T

    def posterior(self, sensitive: str, adversary: str = "own class") -> Posterior:
        require_sensitive(self.table, sensitive)
        counts = self._counted(sensitive)
        sizes = counts.sum(axis=1)
        return Posterior(sizes, counts @ self._true_given(sensitive) / sizes[:, None])

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        runs, same = as_runs(populations)
        quasi = np.stack([self.table.codes[name] for name in self.table.quasi])
        ones = np.ones(self.table.records, np.int64)
        if sensitive is None:
            return cell_kernels.reach(runs, quasi, ones, np.zeros(len(ones), np.int32), np.ones((1, 1)), same)
        return cell_kernels.reach(runs, quasi, ones, self.drawn[sensitive], self._true_given(sensitive), same)

    def rows(self) -> dict[str, Rows]:
        columns = []
        for name in self.table.names:
            columns.append(
                CodedColumn(name, published_values(self.table, name), self.drawn.get(name, self.table.codes[name]))
            )
        return {"release": Rows.shuffled(columns)}

    @property
    def published_records(self) -> np.ndarray:
        return np.arange(self.table.records)

    def shown(self, name: str, seed: int = 0) -> Shown:
        require_shown(self, name)
        return Shown(self.table.columns[name], self.drawn.get(name, self.table.model_view.codes[name]))

    def side_information_risk(self, neutral: Sequence[str] | None = None) -> SideInformationRisk:
        names = self.neutral if neutral is None else neutral
        return count_side_information(names, self.group_of_record, number_combinations(self.table, names), {})


@dataclass(frozen=True)
class Perturb(Method):
    """Randomized response (Warner 1965); a toy draws by the seed, which a real method must not."""

    keep: float = parameter(0.5, "how likely a value is kept", low=0, high=1)
    name = "perturb"

    @property
    def guarantee(self) -> str:
        return f"a sensitive value is the true one by no more than chance in {1 - self.keep:.0%} of the cases"

    def release(self, table: Table, model: Model | None, seed: int) -> Perturbed:
        rng, drawn = np.random.default_rng(seed), {}
        for name, seen in table.sensitive.items():
            other = rng.choice(len(seen), table.records, p=seen.prior)
            drawn[name] = np.where(rng.random(table.records) < self.keep, table.model_view.codes[name], other)
        return Perturbed(table, self.keep, drawn, About(self.guarantee))


@dataclass(frozen=True)
class Cluster(Method):
    """Neighbours on the first quasi-identifier are a class; text without a hierarchy is shown as a set of values."""

    size: int = parameter(10, "records of a class, about", low=1)
    name = "cluster"

    def release(self, table: Table, model: Model | None, seed: int) -> Partition:
        cells = table.cells()
        order = np.argsort(cells.quasi[0], kind="stable")
        group = np.empty(len(cells), np.int32)
        group[order] = (np.cumsum(cells.weight[order]) - 1) // self.size
        group = np.unique(group, return_inverse=True)[1].astype(np.int32)
        columns = (table.columns[name] for name in table.quasi)
        sets = frozenset(column.name for column in columns if column.kind == "text" and not column.hierarchy)
        return Partition(table, cells, group, sets=sets)
