"""Plan the reports of a study: one, or one for each value of a column and each combination of parameters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.base.errors import BadInput, safe_repr, suggest_column
from workbench.base.small_counts import small_limit
from workbench.publication.report.batch import Job, job_of
from workbench.publication.report.reporting import quietly_read
from workbench.studies.study import Study

LONGEST = 60  # maximum characters of a value in a file name
Choices = Sequence[tuple[str, Any, str]]  # the values of one parameter: its name, the value, words for the file's name


def jobs_of(
    study: Path,
    stem: Path,
    each: str | None,
    varied: Sequence[Choices],
    given: Mapping[str, Any],
    note: Callable[[str], None],
) -> list[Job]:
    """Return the jobs of one study; `note` is called if some values get no report."""
    axes = list(varied)
    if each is not None:
        axes.insert(0, [("only", {each: label}, f"{each} {label}") for label in values_of(study, each, note)])
    found = []
    for chosen in itertools.product(*axes):
        words = (re.sub(r"[^\w.]+", "-", words).strip("-")[:LONGEST] for *_, words in chosen)
        parameters = {**given, **{parameter: value for parameter, value, _ in chosen}}
        found.append(job_of(stem.with_name("-".join([stem.name, *words])), study, **parameters))
    return found


def values_of(study: Path, column: str, note: Callable[[str], None]) -> list[str]:
    """Return the values of a column that have enough records for a report."""
    opened = Study.open(study)
    if column in opened.sensitive:
        raise BadInput(
            f"--each {column}: it is sensitive, and within one of its values nothing is left to learn; choose another"
        )
    table = quietly_read(opened)
    if column not in table.names:
        raise BadInput(
            f"--each {safe_repr(column)}: the data have no such column; {suggest_column(column, table.names)}"
        )
    seen = table.columns[column]
    least = max(small_limit(opened.smallest), 2)  # smaller groups are published as "some people"
    enough = [label for label, count in zip(seen.labels, seen.counts, strict=True) if count >= least]
    if len(enough) < len(seen.labels):
        note(f"some values of {column} have too few records for a report, and get none")
    return enough
