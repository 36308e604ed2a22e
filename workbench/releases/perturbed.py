"""A perturbed release: a row a record, the values of some columns changed at random, and the others as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.errors import Undefined
from workbench.base.small_counts import SMALLEST
from workbench.data import weights
from workbench.data.table import Table
from workbench.models.classes import Classes
from workbench.releases import estimated, likely_rows, perturbed_answers
from workbench.releases.base import OWN_CLASS, Posterior, Release, as_runs
from workbench.releases.codebook import Entry
from workbench.releases.export import Coded, Rows
from workbench.releases.giveaways import Beside, beside, known_by
from workbench.releases.responses import Categorical, Drawn, Noise
from workbench.releases.shown import Shown, at_level
from workbench.workloads.populations import Populations
from workbench.workloads.workload import Workload

NO_CLASSES = "its values were changed at random, record by record, so it has no classes"


@dataclass(frozen=True, eq=False, repr=False)
class Perturbed(Release):
    """`drawn` has the columns that were changed; every record is published, and nobody's row is known.

    Who knows a person's quasi-identifiers looks among the rows that agree in those which are unchanged, each as likely
    hers as the noise makes it; what the row shows of a sensitive column she undoes by Bayes' rule.
    """

    table: Table
    drawn: Mapping[str, Drawn]
    guarantee: str = ""

    def __repr__(self) -> str:
        return f"<Perturbed release of {self.table.records:,} records: {', '.join(self.drawn)}>"

    @property
    def classes(self) -> Classes:
        raise Undefined(NO_CLASSES)

    # --- who is told apart

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
        """Who shares all quasi-identifiers: the groups of `posterior`."""
        return known_by(self.table, self.table.quasi)

    @property
    def published_records(self) -> np.ndarray:
        """All of them."""
        return np.arange(self.table.records)

    def _shown(self, name: str, seed: int) -> Shown:
        """Codes or numbers, as they were drawn."""
        column, level, drawn = self.table.columns[name], self.table.levels.get(name, 0), self.drawn.get(name)
        if drawn is not None and isinstance(drawn.response, Noise):
            return Shown(column, numbers=drawn.released.astype(float))
        return at_level(column, level, self._codes(name) if drawn is None else drawn.released)

    @property
    def blurred(self) -> dict[str, np.ndarray]:
        return dict.fromkeys(self.drawn, np.ones(self.table.records, bool))

    def beside_those(self, neutral: Sequence[str]) -> Beside:
        """Counted by what is published unchanged: a value that was changed at random is certain for nobody."""
        sure = {name: self._codes(name) for name in self.table.sensitive if self._is_sure(name)}
        return beside(neutral, known_by(self.table, self.unchanged), known_by(self.table, neutral), sure)

    def _is_sure(self, name: str) -> bool:
        return name not in self.drawn or self.drawn[name].response.certain

    def _codes(self, name: str) -> np.ndarray:
        """The true value of each record, as it would be published."""
        return self.table.sensitive_codes(name) if name in self.table.sensitive else self.table.codes[name]

    # --- the adversary

    def posterior(self, sensitive: str, adversary: str = OWN_CLASS) -> Posterior:
        """What is believed of who shares all quasi-identifiers; there are no classes, so adversaries do not differ."""
        self._known(sensitive)
        if sensitive not in self._believed:
            self._believed[sensitive] = self._believe(sensitive)
        return self._believed[sensitive]

    @cached_property
    def _believed(self) -> dict[str, Posterior]:
        return {}

    def _believe(self, sensitive: str) -> Posterior:
        told, of_row = self._told(sensitive)
        groups = self.group_of_record
        sizes = np.bincount(groups)
        noisy = {name: self.drawn[name] for name in self.table.quasi if name in self.drawn}
        if not noisy:
            ones = np.ones(len(groups), np.int64)
            counts = cell_kernels.histogram(groups, of_row, ones, len(sizes), len(told))
            return Posterior(sizes, counts @ told / sizes[:, None])
        alike = known_by(self.table, self.unchanged)
        codes = {name: self.table.codes[name] for name in noisy}
        return Posterior(sizes, likely_rows.beliefs(alike, groups, codes, noisy, told, of_row))

    def _told(self, sensitive: str) -> tuple[np.ndarray, np.ndarray]:
        """What rows tell of the sensitive value, by Bayes' rule: the kinds of rows, and which of them each row is."""
        seen = self.table.sensitive[sensitive]
        if sensitive not in self.drawn:
            return np.eye(len(seen)), self._codes(sensitive)
        drawn = self.drawn[sensitive]
        return self.seen(sensitive, drawn.given(self._prior(sensitive))), drawn.codes

    def likelihood_of_rows(self, sensitive: str) -> tuple[np.ndarray, np.ndarray]:
        seen = self.table.sensitive[sensitive]
        if changed := [name for name in self.table.quasi if name in self.drawn]:
            raise Undefined(f"{NO_CLASSES}, and with noise on {', '.join(changed)} no model is learnt from its rows")
        if sensitive not in self.drawn:
            return np.eye(len(seen)), self._codes(sensitive)
        drawn = self.drawn[sensitive]
        likelihood = drawn.response.likelihood(drawn.values)
        if len(likelihood) != len(seen):
            raise Undefined(
                f"noise was added to the numbers of {sensitive}, not to its level: nothing is learnt from it"
            )
        return likelihood, drawn.codes

    def _prior(self, sensitive: str) -> np.ndarray:
        """Q of the values that the response reads."""
        if isinstance(self.drawn[sensitive].response, Noise):
            return self.table.columns[sensitive].totals / self.table.records
        return self.table.sensitive[sensitive].prior

    def seen(self, sensitive: str, beliefs: np.ndarray) -> np.ndarray:
        """Beliefs about codes as beliefs about the values that models see."""
        level = self.table.levels.get(sensitive, 0)
        if not level or beliefs.shape[1] == len(self.table.sensitive[sensitive]):
            return beliefs
        node = self.table.columns[sensitive].node(level - 1)
        return np.add.reduceat(beliefs, np.flatnonzero(np.diff(node, prepend=-1)), axis=1)

    # --- the researcher

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """Records per population and value: those that make what is released most likely."""
        runs, same = as_runs(populations)
        if sensitive is not None:
            self._known(sensitive)
        return estimated.likeliest(self, runs, same, sensitive)

    def unbiased(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """The same so that it is right on average, though it may be below 0; Undefined where noise was added."""
        runs, same = as_runs(populations)
        if sensitive is not None:
            self._known(sensitive)
        return estimated.unbiased(self, runs, same, sensitive)

    @cached_property
    def people(self) -> np.ndarray:
        """How many people each record stands for."""
        return np.ones(self.table.records) if self.table.weight is None else weights.of_record(self.table)

    def count(self, workload: Workload) -> np.ndarray:
        """What a researcher expects of each query."""
        return perturbed_answers.expected(self, workload)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most that the true count may be: a changed value is any that may be released so."""
        return perturbed_answers.certain(self, workload)

    # --- files

    def rows(self) -> dict[str, Rows]:
        """One table, record by record in random order."""
        return {"release": Rows.shuffled([self._column(name) for name in self.table.released])}

    def _column(self, name: str) -> Coded:
        if name not in self.drawn:
            return Coded(name, self.table.published(name), self._codes(name))
        drawn = self.drawn[name]
        if isinstance(drawn.response, Noise):
            return Coded(name, pd.Series(drawn.values), drawn.codes)
        return Coded(name, self.table.published(name).iloc[drawn.values].reset_index(drop=True), drawn.codes)

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """How the values of each changed column were drawn: what is needed to estimate anything from them."""
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
        """Each true value, with the chance of each that may be released of it."""
        labels = self.table.sensitive[name].labels if name in self.table.sensitive else self._labels(name)
        return [
            Entry(
                name, f"true: {labels[v]}", "", "", False, tuple(f"{labels[r]}: {row[r]:.6g}" for r in row.nonzero()[0])
            )
            for v, row in enumerate(response.chances)
        ]

    def _labels(self, name: str) -> tuple[str, ...]:
        return self.table.columns[name].value_labels()
