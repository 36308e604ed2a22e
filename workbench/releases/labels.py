"""Labels of runs of codes in a release, each of which is parsed back as that run only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from workbench.data.cells import distinct_rows
from workbench.data.column import MISSING, Column
from workbench.data.hierarchies.hierarchy import Hierarchy
from workbench.data.range_ends import ANY
from workbench.models.classes import Classes
from workbench.releases.label_parser import LISTED, STAR, Labels, format_run, in_quotes

GROUPS = 3  # maximum number of groups in one label


def region_labels(column: Column, classes: Classes, a: int, level: int | None = None) -> np.ndarray:
    """Return the label of each class's region of quasi-identifier number `a`; with a `level`, labels of nodes from
    there up."""
    if a in classes.sets:
        return set_labels(column, classes.sets[a])
    assert classes.low is not None and classes.high is not None
    return run_labels(column, classes.low[:, a], classes.high[:, a], level)


def set_labels(column: Column, members: np.ndarray) -> np.ndarray:
    """Return a label for each set of codes (sets x codes) that lists its values; different sets have different
    labels."""
    first, number = distinct_rows(np.packbits(members, axis=1))
    sets = [np.flatnonzero(members[i]).tolist() for i in first]
    labels = [_set_label(column, codes, quoted=False) for codes in sets]
    reading = Labels(column, tuple(labels))
    if any(list(reading.codes(label) or ()) != codes for label, codes in zip(labels, sets, strict=True)):
        labels = [_set_label(column, codes, quoted=True) for codes in sets]
    return np.array(labels, dtype=object)[number]


def _set_label(column: Column, codes: list[int], quoted: bool) -> str:
    """Return a value, or values between braces; "or missing" is appended for missing."""
    names = [in_quotes(column.labels[code]) if quoted else column.labels[code] for code in codes[:-1]]
    if not names:
        return format_run(column, codes[0], codes[0], quoted)
    if codes[-1] == len(column.values):
        return f"{_set_label(column, codes[:-1], quoted)} or {MISSING}"
    names.append(format_run(column, codes[-1], codes[-1], quoted))
    return f"{{{', '.join(names)}}}"


def run_labels(column: Column, low: np.ndarray, high: np.ndarray, level: int | None = None) -> np.ndarray:
    """Return a label for each run: of its hierarchy node, an interval or a set; different runs have different labels.

    Where runs are nodes from a `level` up (0: values), their labels are those of that level and of the ones above.
    """
    first, number = distinct_rows(np.stack([low, high], axis=1))
    runs = [(int(low[i]), int(high[i])) for i in first]
    labels = [run_label(column, *run) if level is None else node_label(column, *run, level) for run in runs]
    styles = list(LABEL_STYLES)
    while styles and (ambiguous := _ambiguous(column, labels, runs)):
        form = styles.pop(0)
        for i in ambiguous:
            labels[i] = form(column, *runs[i])
    return np.array(labels, dtype=object)[number]


def run_label(column: Column, low: int, high: int) -> str:
    """Return the label of one run."""
    if column.ends is not None and high - low == column.size - 1 and column.ends.text(column, low, high) == ANY:
        return STAR
    if column.missing and low < high == len(column.values):
        return f"{run_label(column, low, high - 1)} or {MISSING}"
    node = column.hierarchy.label(low, high) if column.hierarchy and high < len(column.values) else None
    if node is None and column.kind == "text" and column.hierarchy and column.hierarchy.levels and high - low >= LISTED:
        node = _list_groups(column.hierarchy, low, high)
    return node if node is not None else format_run(column, low, high)


def node_label(column: Column, low: int, high: int, level: int) -> str:
    """Return the label of a node on the lowest level from this one up that has it; `*` for everything."""
    if level == 0 and low == high:
        return format_run(column, low, high)
    if high - low == column.size - 1:
        return STAR
    above = column.hierarchy.levels[max(level, 1) - 1 :] if column.hierarchy and high < len(column.values) else ()
    for one in above:
        if _end(one.starts, low, high, len(column.values)) == high:
            return one.labels[int(np.searchsorted(one.starts, low))]
    return run_label(column, low, high)


def named_levels(column: Column, labels: Sequence[str], runs: np.ndarray) -> np.ndarray:
    """Return the lowest level on which each label names its run (labels x 2) as a node; 0 if none does."""
    named, top = dict[tuple[str, int, int], int](), len(column.released_at) - 1
    for j, level in enumerate(column.hierarchy.levels if column.hierarchy else ()):
        assert column.hierarchy is not None
        for label, (low, high) in zip(level.labels, column.hierarchy.bounds(j).tolist(), strict=True):
            named.setdefault((label.strip(), low, high), j + 1)
    found = []
    for label, (low, high) in zip(map(str.strip, labels), runs.tolist(), strict=True):
        everything = top if label == STAR and high - low == column.size - 1 else 0
        found.append(named.get((label, low, high), everything))
    return np.array(found, np.int64)


def _list_groups(hierarchy: Hierarchy, low: int, high: int) -> str | None:
    """Return a set of the few groups and values that make up a run; None if they are many."""
    parts = list[str]()
    while low <= high and len(parts) < GROUPS:
        end = max(low, *(_end(level.starts, low, high, len(hierarchy.leaves)) for level in hierarchy.levels))
        parts.append(str(hierarchy.label(low, end)))
        low = end + 1
    return f"{{{', '.join(parts)}}}" if low > high else None


def _end(starts: np.ndarray, low: int, high: int, size: int) -> int:
    """Return the last code of a level's run that begins at `low` and ends by `high`; -1 if there is none."""
    at = int(np.searchsorted(starts, low))
    if at == len(starts) or starts[at] != low:
        return -1
    end = int(starts[at + 1]) - 1 if at + 1 < len(starts) else size - 1
    return end if end <= high else -1


def _quoted(column: Column, low: int, high: int) -> str:
    return format_run(column, low, high, quoted=True)


def _numbered(column: Column, low: int, high: int) -> str:
    return f"{format_run(column, low, high)} (values {low + 1} to {high + 1})"


LABEL_STYLES: tuple[Callable[[Column, int, int], str], ...] = (format_run, _quoted, _numbered)


def _ambiguous(column: Column, labels: list[str], runs: list[tuple[int, int]]) -> list[int]:
    """Return the labels that several runs have, or that would be parsed as another run."""
    taken, reading = Counter(labels), Labels(column, tuple(labels))
    read = (reading.meaning(label) for label in labels)
    return [
        i
        for i, (run, found) in enumerate(zip(runs, read, strict=True))
        if taken[labels[i]] > 1 or found is None or (found.low, found.high) != run
    ]
