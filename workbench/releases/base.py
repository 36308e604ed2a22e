"""The base class of releases: what would be published of a table, and the four questions that every release answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.convergence import Fit
from workbench.base.errors import BadInput, Undefined, safe_repr, suggest
from workbench.base.result_cache import ResultCache
from workbench.data import weights
from workbench.data.cells import distinct_people
from workbench.data.records import edges_of_quasi
from workbench.data.table import Table
from workbench.models import Audit, Model
from workbench.models.classes import Classes
from workbench.queries import bounds, evaluator
from workbench.queries.populations import Populations, shared_prefix
from workbench.queries.workload import Workload
from workbench.redaction.controlled_rounding import SMALLEST
from workbench.releases.codebook import Entry
from workbench.releases.export import Rows
from workbench.releases.labels import region_labels
from workbench.releases.shown import ClassCounts, Shown, counts_from_histograms
from workbench.releases.side_information import SideInformationRisk, find_disclosing_columns, refuse_giveaways
from workbench.releases.writing import IN_SPARK, described, rows_with_suppressed, write_files, write_in_spark

OWN_CLASS, COVERING_CLASSES = ADVERSARIES = ("own class", "covering classes")


class Posterior(NamedTuple):
    """Beliefs of an attacker who knows a person's quasi-identifiers: a distribution for each group of records."""

    sizes: np.ndarray  # records in each group
    beliefs: np.ndarray  # groups x values


@dataclass(frozen=True)
class About:
    """The statements of a release about itself; texts are parts of sentences."""

    guarantee: str = ""  # of the method, for any data
    warning: str = ""  # what every recipient has to know
    notices: tuple[str, ...] = ()  # what the method reports about this release
    is_truthful: bool = True  # values are the people's own, or drawn from them by declared chances
    has_original: bool = True  # the table is the original, not a reconstruction from a file
    # of suppressed records, if more than Q is known
    suppressed_distribution: Mapping[str, np.ndarray] = field(default_factory=dict)


NOTHING_STATED = About()


class Release(ABC):
    """A release answers four questions: `classes`, `posterior`, `estimate`, and `tables` or `frame`.

    A question without an answer raises Undefined with the reason. Beliefs and estimates follow from the classes, unless
    a release has none or publishes more. Suppressed records are assumed to be distributed like the whole table.
    """

    table: Table
    unpublished_columns: frozenset[str] = frozenset()  # columns that are not published
    suppressed: int = 0  # number of records that are not published
    about: About = NOTHING_STATED
    layout: Mapping[str, Any] = MappingProxyType({"kind": "generalized"})  # what an audit needs besides labels

    # --- the four questions

    @property
    @abstractmethod
    def classes(self) -> Classes:
        """Sizes, regions and histograms of the classes."""

    @property
    def own_classes(self) -> Classes:
        """The classes with each record in exactly one. They differ from `classes` where classes overlap, in a foreign
        release."""
        return self.classes

    def posterior(self, sensitive: str, adversary: str = OWN_CLASS) -> Posterior:
        """Return the attacker's beliefs about the sensitive value of each record's group; the prior Q if the column is
        unpublished.

        The attacker knows the quasi-identifiers of everybody. An `own class` attacker also knows each person's class.
        For a `covering classes` attacker, any record of the classes whose regions cover a person may be the person's,
        and people with identical quasi-identifiers form a group. Suppressed records form the last group.
        """
        require_sensitive(self.table, sensitive)
        if sensitive in self.unpublished_columns:
            return Posterior(np.array([self.table.records]), self.table.sensitive[sensitive].prior[None, :])
        if adversary == COVERING_CLASSES:
            return self.remember(("posterior", sensitive), lambda: _covering_posterior(self, sensitive))
        sizes, beliefs = self.own_classes.sizes, self.classes.distributions(sensitive)
        if not self.suppressed:
            return Posterior(sizes, beliefs)
        prior = self.table.sensitive[sensitive].prior
        return Posterior(np.append(sizes, self.suppressed), np.vstack([beliefs, prior]))

    @cached_property
    def remember(self) -> ResultCache:
        """A cache of results of this release, such as what miners predicted. It is as private as the records."""
        return ResultCache()

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """Return the expected number of records per population and sensitive value (per population without
        `sensitive`).

        Each value in a released region is assumed to be equally likely. An unpublished sensitive column is assumed to
        follow Q, and so are suppressed records, which may belong to any population. Where records have weights, people
        are counted.
        """
        runs, same = as_runs(populations)
        if sensitive is not None:
            require_sensitive(self.table, sensitive)
        prior = 1.0 if sensitive is None else weights.shares(self.table)[sensitive]
        if sensitive is None or sensitive in self.unpublished_columns:
            found = self.expected_people(runs, same, self.people_of_classes()) * prior
        else:
            found = self.expected_people(runs, same, self.people_of_classes(sensitive))
        if not self.suppressed:
            return found
        shares = self.about.suppressed_distribution.get(sensitive or "", prior)
        return found + _suppressed_people(self, runs, same) * shares

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """Return the number of people in each class, one column per sensitive value; records, where these have no
        weights."""
        return self.own_classes.sizes[:, None] if sensitive is None else self.own_classes.histograms[sensitive]

    def count(self, workload: Workload) -> np.ndarray:
        """Return the expected answer to each query: a count, a sum or an average."""
        return evaluator.expected_answers(self, workload)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """Return the certain minimum and maximum of each query's true answer, given what is published."""
        return bounds.certain_bounds(self, workload)

    def class_counts(self, names: Sequence[str], original: bool = False) -> ClassCounts:
        """Count the published records by class and by columns that are published for each record unchanged.

        With `original`, count by the original codes of any columns.
        """
        return counts_from_histograms(self, names, original)

    def expected_people(
        self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray, whole: bool = False
    ) -> np.ndarray:
        """Return people per population and value; with `whole`, all records of each class that overlaps the
        population."""
        left, right = edges_of_quasi(self.table)
        classes, weighed = self.classes, self.table.weight is not None and not whole
        counts = np.ascontiguousarray(histogram, dtype=np.float64 if weighed else np.int64)
        assert classes.low is not None and classes.high is not None
        return cell_kernels.coverage(runs, classes.low, classes.high, left, right, counts, same, classes.sets, whole)

    @abstractmethod
    def rows(self) -> dict[str, Rows]:
        """Return the rows of each published file as codes, one row per record in random order."""

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the contents of each published file by name."""
        return {name: rows.frame() for name, rows in self.rows().items()}

    def frame(self) -> pd.DataFrame:
        """Return one row per record as published, in random order."""
        return self.rows()["release"].frame()

    # --- what follows

    def audit(self, model: Model) -> Audit:
        """Check whether the model holds, and list the classes that violate it."""
        if not isinstance(model, Model):
            raise BadInput(f"audit: {safe_repr(model)} is not a model; write, for example, KAnonymity(5)")
        return model.audit(self.classes)

    @property
    def group_of_record(self) -> np.ndarray:
        """The group of `posterior` that each record of the table belongs to: for miners and previews, never
        published."""
        raise Undefined("released records cannot be matched to original ones")

    @property
    def published_records(self) -> np.ndarray:
        """The indices of the published records, ascending: for miners and attacks, never published."""
        raise Undefined("released records cannot be matched to original ones")

    def shown(self, name: str, seed: int = 0) -> Shown:
        """Return what each published record shows of a column, in the order of `published_records`; never published.

        Sensitive values that are published per class are assigned to its records at random, by the seed.
        """
        require_shown(self, name)
        raise Undefined("this kind of release does not show values record by record")

    def class_labels(self, name: str) -> np.ndarray:
        """Return the released value of a quasi-identifier in each class; the array is read-only."""
        if name not in self.table.quasi:
            raise BadInput(f"{name!r} is not a quasi-identifier; choose from {', '.join(self.table.quasi)}")

        def labels() -> np.ndarray:
            axis, level = self.table.quasi.index(name), self.label_level(name)
            assert not isinstance(level, np.ndarray)
            found = region_labels(self.table.columns[name], self.classes, axis, level)
            found.flags.writeable = False
            return found

        return self.remember(("labels", name), labels)

    def label_level(self, name: str) -> int | np.ndarray | None:
        """Return the lowest level whose node labels the release uses, for all classes or for each; None if labels are
        values."""
        return None

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """Return what each label stands for; empty if all values are published unchanged."""
        return []

    # --- neutral columns

    @property
    def neutral(self) -> list[str]:
        """The neutral columns that are published unchanged."""
        return [name for name in self.table.neutral if name not in self.unpublished_columns]

    @abstractmethod
    def side_information_risk(self, neutral: Sequence[str] | None = None) -> SideInformationRisk:
        """Return the risk from an attacker who also knows these neutral columns of everybody (None: all)."""

    @property
    def changed_columns(self) -> dict[str, np.ndarray | None]:
        """The columns that are not published unchanged, each with a mask of the classes that this applies to (None:
        all)."""
        return dict.fromkeys([*self.table.quasi, *self.table.sensitive])

    @cached_property
    def disclosing_columns(self) -> list[str]:
        """The neutral columns that disclose too much: they identify people, narrow generalized values, or, together
        with columns of fewer values, make a noticeable share of the records unique."""
        return find_disclosing_columns(self)

    # --- files

    def export(
        self,
        path: str | Path,
        giveaways: bool = False,
        *,
        defuse: bool = False,
        overwrite: bool = True,
        smallest: int = SMALLEST,
        stars: bool = False,
    ) -> list[Path]:
        """Write the release as CSV or Parquet, by the extension of the name; all files appear whole or none does.

        Where values are generalized or changed, a codebook (CSV and JSON) explains each label. It lists no value that
        fewer than about `smallest` people have. Export is refused if a neutral column identifies people or reveals what
        the release hides, unless `giveaways` is set. `defuse` puts an apostrophe before formulas in CSV. Suppressed
        records are absent, or rows of `*` with `stars`. If the records are in Spark, `spark:catalog.db.released` writes
        a table there and `spark:/folder/released.parquet` a folder of files; neither replaces an existing one.
        """
        if not giveaways:
            refuse_giveaways(self, path)
        if str(path).startswith(IN_SPARK):
            return write_in_spark(self, str(path).removeprefix(IN_SPARK), smallest, defuse=defuse, stars=stars)
        tables = rows_with_suppressed(self, path) if stars else self.rows()
        sample = self.table.origin.sampled.describe(smallest) if self.table.origin.sampled else ""
        book = self.codebook(smallest)
        return write_files(Path(path), tables, book, sample, described(self), defuse=defuse, overwrite=overwrite)


def fits_of(release: Release) -> list[Fit]:
    """Return the iterative fits behind a release. Models and measures are exact whatever their residual."""
    return release.remember("fits", list)


def _covering_posterior(release: Release, sensitive: str) -> Posterior:
    """Compute the posterior from all classes that cover a person; Q if none does."""
    table = release.table
    people, sizes = table.remember("people", lambda: distinct_people(table.cells()))
    counts = release.expected_people(*as_runs(people), release.own_classes.histograms[sensitive], whole=True)
    found, prior = counts.sum(axis=1, keepdims=True), table.sensitive[sensitive].prior
    return Posterior(sizes, np.where(found > 0, counts / np.where(found > 0, found, 1), prior))


def as_runs(populations: Populations | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return populations as runs, and how many leading attributes each shares with the previous one."""
    if isinstance(populations, Populations):
        return populations.runs, populations.same
    runs = np.ascontiguousarray(populations, dtype=np.int32)
    return runs, shared_prefix(runs)


def _suppressed_people(release: Release, runs: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Return how many suppressed people are expected in each population."""
    table = release.table
    last = np.array([[table.columns[name].size - 1 for name in table.quasi]], np.int32)
    left, right = edges_of_quasi(table)
    uncovered: float = release.suppressed
    if table.weight is not None:
        uncovered = float(weights.people(table).sum() - release.people_of_classes().sum())
    return cell_kernels.coverage(runs, np.zeros_like(last), last, left, right, np.array([[uncovered]]), same)


def recipient_notice(release: Release) -> str:
    """Return what every recipient has to know, as part of a sentence: the method's warning, and that it is a sample."""
    sampled = release.table.origin.sampled
    return "; ".join(filter(None, (release.about.warning, sampled and f"it is of {sampled}")))


def require_shown(release: Release, name: str) -> None:
    """Raise BadInput or Undefined unless records are published with values of this column."""
    table = release.table
    if name not in table.columns:
        raise BadInput(f"{safe_repr(name)} is not a column of the table; {suggest(name, table.names)}")
    if name in release.unpublished_columns or name == table.weight:
        raise Undefined(f"{name!r} is not published")
    table.engine.require_memory("what a release shows is computed record by record")


def require_sensitive(table: Table, sensitive: str) -> None:
    """Raise BadInput if the column is not sensitive."""
    if sensitive not in table.sensitive:
        raise BadInput(f"{sensitive!r} is not a sensitive column; {suggest(sensitive, table.sensitive)}")


def refuse_other(given: Any, where: str) -> None:
    """Raise BadInput if the argument is not a release."""
    if not isinstance(given, Release):
        raise BadInput(f"{where}: {safe_repr(given)} is not a release; a method makes one of a table")
