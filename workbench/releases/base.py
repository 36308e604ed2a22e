"""A release: what would be published of a table, and the four questions that it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from workbench.base import cell_kernels
from workbench.base.errors import BadInput, Undefined, meant, said
from workbench.base.small_counts import SMALLEST
from workbench.data import weights
from workbench.data.cells import told_apart
from workbench.data.table import Table
from workbench.models import Audit, Model
from workbench.models.classes import Classes
from workbench.releases import answers, bounds
from workbench.releases.codebook import Entry
from workbench.releases.export import Rows
from workbench.releases.giveaways import Beside, Giveaway, giveaways, names
from workbench.releases.joint import Joint, of_histograms
from workbench.releases.labels import region_labels
from workbench.releases.shown import Shown
from workbench.releases.spark_export import IN_SPARK, write_in_spark
from workbench.releases.stars import with_stars
from workbench.releases.writing import write_files
from workbench.workloads.populations import Populations, shared_prefix
from workbench.workloads.workload import Workload

IN_PYTHON = (
    "Drop the columns that disclose too much with table.drop(release.telling), make them identifiers or "
    "quasi-identifiers, or pass giveaways=True"
)
OWN_CLASS, COVERING_CLASSES = ADVERSARIES = ("own class", "covering classes")


class Posterior(NamedTuple):
    """What an adversary who knows a person's quasi-identifiers believes: a distribution per group of records."""

    sizes: np.ndarray  # records in each group
    beliefs: np.ndarray  # groups x values


class Release(ABC):
    """It answers four questions: `classes`, `posterior`, `estimate`, and `tables` or `frame`.

    What it cannot answer raises Undefined with the reason. Beliefs and estimates follow from the classes; a release
    that has none, or publishes more than they say, answers by itself. Nobody learns anything of records that are left
    out: they are believed to be like the whole table, by the adversary and by the researcher.
    """

    table: Table
    removed: frozenset[str] = frozenset()  # the columns that are not published
    left_out: int = 0  # the records of the table that are not published
    original: bool = True  # the table is the original, not only what a file tells of it
    guarantee: str = ""  # what its method promises by itself, whatever the data
    caution: str = ""  # what everybody who gets it has to know, as part of a sentence
    rest: Mapping[str, np.ndarray] = MappingProxyType({})  # of who is left out, where a researcher knows more than Q
    in_rows: bool = False  # whoever estimates counts rows, to which values are dealt anew in each file
    truthful: bool = True  # what it shows of people is true of them, or was drawn for each by declared chances

    @property
    def to_pass_on(self) -> str:
        """What everybody who gets it has to know, as part of a sentence: of its method, and that it is of a sample."""
        return "; ".join(filter(None, (self.caution, self.table.sampled and f"it is of {self.table.sampled}")))

    # --- the four questions

    @property
    @abstractmethod
    def classes(self) -> Classes:
        """Sizes, regions and histograms of the classes."""

    @property
    def own_classes(self) -> Classes:
        """The classes with each record in one of them: in a foreign release more may look alike than share a class."""
        return self.classes

    @property
    def overlapping(self) -> bool:
        """Whether a record may be in several classes."""
        return False

    def posterior(self, sensitive: str, adversary: str = OWN_CLASS) -> Posterior:
        """What an adversary believes about the sensitive value of each record's group; Q where it is not published.

        She knows the quasi-identifiers of everybody and the class of each, or not the class: then any record of the
        classes whose regions cover a person may be the person's, and people alike in all quasi-identifiers are a group.
        Those who are left out are one group more, the last.
        """
        self._known(sensitive)
        if sensitive in self.removed:
            return Posterior(np.array([self.table.records]), self.table.sensitive[sensitive].prior[None, :])
        if adversary == COVERING_CLASSES:
            if sensitive not in self._covered:
                self._covered[sensitive] = self._covering(sensitive)
            return self._covered[sensitive]
        sizes, beliefs = self.own_classes.sizes, self.classes.distributions(sensitive)
        if not self.left_out:
            return Posterior(sizes, beliefs)
        prior = self.table.sensitive[sensitive].prior
        return Posterior(np.append(sizes, self.left_out), np.vstack([beliefs, prior]))

    @cached_property
    def _covered(self) -> dict[str, Posterior]:
        """What was believed by all classes that cover a person, of the sensitive columns that were asked for."""
        return {}

    @cached_property
    def mined(self) -> dict[Any, Any]:
        """What miners predicted of its records: as private as these."""
        return {}

    def _covering(self, sensitive: str) -> Posterior:
        """By all classes that cover a person; Q where none does."""
        people, sizes = self.table.remember("people", lambda: told_apart(self.table.cells()))
        counts = self._expected(*as_runs(people), self.own_classes.histograms[sensitive], whole=True)
        found, prior = counts.sum(axis=1, keepdims=True), self.table.sensitive[sensitive].prior
        return Posterior(sizes, np.where(found > 0, counts / np.where(found > 0, found, 1), prior))

    def estimate(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """What a researcher expects: records per population and value (per population alone without `sensitive`).

        Every value in a released region is taken as equally likely. Where the sensitive column is not published,
        its distribution is taken as Q; so it is of those who are left out, who may be anybody. Where records stand for
        several people, these are counted.
        """
        runs, same = as_runs(populations)
        if sensitive is not None:
            self._known(sensitive)
        prior = 1.0 if sensitive is None else weights.shares(self.table)[sensitive]
        if sensitive is None or sensitive in self.removed:
            told = self._expected(runs, same, self.people_of_classes()) * prior
        else:
            told = self._expected(runs, same, self.people_of_classes(sensitive))
        return told + self._anywhere(runs, same) * self.rest.get(sensitive or "", prior) if self.left_out else told

    def people_of_classes(self, sensitive: str | None = None) -> np.ndarray:
        """The people of each class, a column a value of the sensitive one: its records, where these have no weight."""
        return self.own_classes.sizes[:, None] if sensitive is None else self.own_classes.histograms[sensitive]

    def _anywhere(self, runs: np.ndarray, same: np.ndarray) -> np.ndarray:
        """Of the people that are left out, how many are expected in each population."""
        last = np.array([[self.table.columns[name].size - 1 for name in self.table.quasi]], np.int32)
        left, right = self.table.edges
        gone: float = self.left_out
        if self.table.weight is not None:
            gone = float(weights.people(self.table).sum() - self.people_of_classes().sum())
        return cell_kernels.coverage(runs, np.zeros_like(last), last, left, right, np.array([[gone]]), same)

    def count(self, workload: Workload) -> np.ndarray:
        """What a researcher expects of each query: a count, a sum or an average, as it asks for."""
        return answers.expected(self, workload)

    def bounds(self, workload: Workload) -> tuple[np.ndarray, np.ndarray]:
        """The least and the most that the truth may be, for certain, by what is published."""
        return bounds.certain(self, workload)

    def joint(self, names: Sequence[str], original: bool = False) -> Joint:
        """The published records by class and by columns that are told of each record unchanged; where `original`, by
        the original codes of any columns."""
        return of_histograms(self, names, original)

    def published_alone(self, populations: Populations | np.ndarray, sensitive: str | None = None) -> np.ndarray:
        """The same of the published records alone, each counted once whatever its weight."""
        if not self.left_out and self.table.weight is None:
            return self.estimate(populations, sensitive)
        runs, same = as_runs(populations)
        counts = self.own_classes.sizes[:, None] if sensitive is None else self.own_classes.histograms[sensitive]
        return self._expected(runs, same, counts, whole=self.classes.exact)

    def _expected(self, runs: np.ndarray, same: np.ndarray, histogram: np.ndarray, whole: bool = False) -> np.ndarray:
        """People per population and value; where `whole`, records of all classes that meet the population, in full."""
        left, right = self.table.edges
        classes, weighed = self.classes, self.table.weight is not None and not whole
        counts = np.ascontiguousarray(histogram, dtype=np.float64 if weighed else np.int64)
        assert classes.low is not None and classes.high is not None
        return cell_kernels.coverage(runs, classes.low, classes.high, left, right, counts, same, classes.sets, whole)

    def _known(self, sensitive: str) -> None:
        if sensitive not in self.table.sensitive:
            raise BadInput(
                f"{sensitive!r} is not a sensitive column; there are {', '.join(self.table.sensitive) or 'none'}"
            )

    @property
    def files(self) -> tuple[str, ...]:
        """The names of what is published."""
        return ("release",)

    @abstractmethod
    def rows(self) -> dict[str, Rows]:
        """What is in each published file, by name, as codes: record by record in random order."""

    def starred_rows(self, where: str | Path) -> dict[str, Rows]:
        """The same with a row of `*` for each record that is left out; all is text, unless it is for Parquet."""
        tables = self.rows()
        if not self.left_out:
            return tables
        if len(tables) > 1 or self.classes.exact:
            raise BadInput(
                f"{where}: rows of * stand for records left out of one file with generalized values; this release "
                "publishes quasi-identifiers unchanged. Leave these records out of the file instead"
            )
        kept = self.table.records - self.left_out
        as_text = Path(where).suffix != ".parquet"
        return {name: with_stars(rows, kept, self.left_out, as_text) for name, rows in tables.items()}

    def tables(self) -> dict[str, pd.DataFrame]:
        """What is in each published file, by name."""
        return {name: rows.frame() for name, rows in self.rows().items()}

    def frame(self) -> pd.DataFrame:
        """One row a record as published, in random order."""
        return self.rows()["release"].frame()

    def likelihood_of_rows(self, sensitive: str) -> tuple[np.ndarray, np.ndarray]:
        """How likely each value of a sensitive column is released as each kind of row shows it, values x kinds, and the
        kind of each record's row; Undefined where people are not found by their quasi-identifiers."""
        raise Undefined("it has neither classes nor rows with noise, so how values go together is not learnt from it")

    # --- what follows

    def audit(self, model: Model) -> Audit:
        """Whether the model holds, and the classes that break it."""
        if not isinstance(model, Model):
            raise BadInput(f"audit: {said(model)} is not a model; write, for example, KAnonymity(5)")
        return model.audit(self.classes)

    @property
    def group_of_record(self) -> np.ndarray:
        """The group of `posterior` that each record of the table is in: for miners and previews, never published."""
        raise Undefined("no released record stands for an original one")

    @property
    def group_of_cell(self) -> np.ndarray | None:
        """The same of each of the table's cells; None where the records of one may be in several groups."""
        return None

    @property
    def published_records(self) -> np.ndarray:
        """The records of the table that are published, ascending: for miners and attacks, never published."""
        raise Undefined("no released record stands for an original one")

    def shown(self, name: str, seed: int = 0) -> Shown:
        """What each published record shows of a column, in the order of `published_records`; never published itself.

        Sensitive values that are published for a class as a whole are dealt to its records, by the seed.
        """
        if name not in self.table.columns:
            raise BadInput(f"{said(name)} is not a column of the table; {meant(name, self.table.names)}")
        if name in self.removed or name == self.table.weight:
            raise Undefined(f"{name!r} is not published")
        self.table.engine.require_memory("what a release shows is looked at record by record")
        return self._shown(name, seed)

    def _shown(self, name: str, seed: int) -> Shown:
        raise Undefined("what a release of this kind shows of each record is not known")

    def without(self, gone: np.ndarray) -> Release:
        """The same release with the records of some classes left out."""
        raise Undefined("no record can be left out of a release of this kind")

    def class_labels(self, name: str) -> np.ndarray:
        """The released value of a quasi-identifier in each class."""
        return region_labels(self.table.columns[name], self.classes, self._axis(name))

    def _axis(self, name: str) -> int:
        """The number of a quasi-identifier."""
        if name not in self.table.quasi:
            raise BadInput(f"{name!r} is not a quasi-identifier; there are {', '.join(self.table.quasi)}")
        return self.table.quasi.index(name)

    def label_level(self, name: str) -> int | np.ndarray | None:
        """The level from which on nodes of a quasi-identifier have their labels, in all classes or in each; None where
        labels are of values."""
        return None

    def codebook(self, smallest: int = SMALLEST) -> list[Entry]:
        """What each label stands for; nothing where all values are published unchanged."""
        return []

    @property
    def reading(self) -> dict[str, Any]:
        """How it was read, if it was: records that are suppressed altogether, what a missing value fits, notes."""
        return {"suppressed": 0, "missing_fits": "itself", "notes": []}

    # --- neutral columns

    @property
    def neutral(self) -> list[str]:
        """The columns that are published unchanged."""
        return [name for name in self.table.neutral if name not in self.removed]

    @cached_property
    def beside(self) -> Beside:
        """What is found by who knows the neutral columns of everybody, too."""
        return self.beside_those(self.neutral)

    @abstractmethod
    def beside_those(self, neutral: Sequence[str]) -> Beside:
        """What is found by who knows some neutral columns of everybody, too."""

    @property
    def blurred(self) -> dict[str, np.ndarray]:
        """Which columns are not published unchanged, and for which records; taken are all of them."""
        return dict.fromkeys([*self.table.quasi, *self.table.sensitive], np.ones(self.table.records, bool))

    def untouched(self, names: Iterable[str]) -> list[str]:
        """Those of the columns that are published as every record has them."""
        return [name for name in names if name not in self.removed and name not in self.blurred]

    def giveaways(self) -> list[Giveaway]:
        """Neutral columns, published unchanged, that narrow what the release blurs.

        Who knows a blurred quasi-identifier may know the neutral column that follows from it (a degree, the years of
        schooling), and look for that; or the neutral one tells it (a husband, the sex). What is hidden of a sensitive
        column may follow from neutral ones.
        """
        return giveaways(self.table, self.neutral, self.blurred) if self.neutral else []

    def named(self) -> list[str]:
        """Neutral columns, published unchanged, that nearly name people; two releases can be joined by one of them."""
        return [name for name in self.neutral if names(self.table.columns[name])]

    @cached_property
    def telling(self) -> list[str]:
        """The neutral columns that tell too much: they name people, narrow what is blurred, or single out a noticeable
        share of the records beside those with fewer values."""
        if not self.neutral or not self.table.engine.in_memory:
            return self.neutral  # nobody can tell which of them: all
        told, without, kept = {*self.named()}, self.beside_those(()), list[str]()
        told |= {name for one in self.giveaways() for name in one.columns}
        for name in sorted(self.neutral, key=lambda name: self.table.columns[name].size):
            if name not in told and not self.beside_those([*kept, name]).noticeably_more(without):
                kept.append(name)
        return [name for name in self.neutral if name not in kept]

    def refuse_giveaways(self, where: str | Path, mended: str = IN_PYTHON) -> None:
        """Raise BadInput where neutral columns name people, give away what the release blurs, or single people out."""
        if self.telling:
            found = [f"{name!r} nearly names people: hardly any share a value" for name in self.named()]
            found += [*map(str, self.giveaways()), str(self.beside)]
            raise BadInput(f"{where}: neutral columns are published unchanged: {'; '.join(found)}. {mended}")

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
        """Write the release as CSV or Parquet, by the ending of the name; all files appear whole or none does.

        Beside it, where values are generalized, stands a codebook, as CSV and as JSON: what each label stands for; it
        lists no value that fewer than about `smallest` people have.
        Refused where a neutral column names people, or gives away what the release blurs, unless `giveaways` says
        that it is known. `defuse` puts an apostrophe before what a spreadsheet would take for a formula in CSV.
        Records that are left out are absent from the file, or rows of `*` where `stars` asks for them: in Parquet
        numbers and dates are missing there. Of records in Spark, `spark:catalog.db.released` is a table there and
        `spark:/folder/released.parquet` a folder of files, which Spark writes itself; neither takes another's place.
        """
        if not giveaways:
            self.refuse_giveaways(path)
        if str(path).startswith(IN_SPARK):
            return write_in_spark(self, str(path).removeprefix(IN_SPARK), smallest, defuse=defuse, stars=stars)
        tables = self.starred_rows(path) if stars else self.rows()
        of = self.table.sampled.told(smallest) if self.table.sampled else ""
        return write_files(Path(path), tables, self.codebook(smallest), of, defuse=defuse, overwrite=overwrite)


def as_runs(populations: Populations | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Populations as runs, and how many leading attributes each shares with the one before it."""
    if isinstance(populations, Populations):
        return populations.runs, populations.same
    runs = np.ascontiguousarray(populations, dtype=np.int32)
    return runs, shared_prefix(runs)


def refuse_other(given: Any, where: str) -> None:
    """Raise BadInput for what is not a release."""
    if not isinstance(given, Release):
        raise BadInput(f"{where}: {said(given)} is not a release; a method makes one of a table")
