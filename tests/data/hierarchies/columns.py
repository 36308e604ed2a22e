"""Columns for the tests of hierarchies."""

import numpy as np

from workbench.data.column import Column
from workbench.data.hierarchies.builders import Columns, Dates, Groups, Intervals, Nested, Prefixes


def numbers(values, counts=None, name="age"):
    array = np.array(sorted(values), dtype=None if len(values) else np.int64)
    labels = tuple(map(str, array.tolist()))
    return Column(name, "number", array, labels, np.ones(len(array), np.int64) if counts is None else np.array(counts))


def texts(values, name="work", counts=None):
    labels = tuple(sorted(values))
    counts = np.ones(len(labels), np.int64) if counts is None else np.array(counts)
    return Column(name, "text", np.array(labels, dtype=object), labels, counts)


def dates(values, unit="D", name="visit"):
    array = np.array(sorted(values), dtype=f"datetime64[{unit}]")
    return Column(name, "date", array, tuple(map(str, array)), np.ones(len(array), np.int64))


WORK = ["Federal-gov", "Local-gov", "Private", "Self-emp"]


ZIPS = ["12099", "12345", "12346", "12390", "13000", "98101"]


DAYS = ["1969-12-31", "2008-01-31", "2008-02-01", "2008-05-09", "2010-05-09"]


TREE = {"gov": {"central": ["Federal-gov"], "near": ["Local-gov"]}, "Private": None, "own": ["Self-emp"]}


BUILT = {
    "widths": (Intervals(widths=(5, 20)), numbers([17, 19, 20, 25, 39, 40, 90])),
    "widths that do not nest": (Intervals(widths=(20, 50)), numbers([10, 45, 55, 99])),
    "float widths": (Intervals(widths=(0.1, 0.5)), numbers([-0.2, 0.1, 0.3, 0.7, 1.25])),
    "widths, top and bottom": (
        Intervals(widths=(5, 20, 40), bottom=20, top=80),
        numbers([3, 18, 20, 25, 39, 40, 80, 90]),
    ),
    "cuts and top": (Intervals(cuts=[(30, 65), (40,)], top=79.5), numbers([3, 29, 30, 64, 65, 79, 80])),
    "quantiles and bottom": (Intervals(quantiles=(4, 2), bottom=0.5), numbers([i / 4 for i in range(-4, 16)])),
    "top alone": (Intervals(top=80), numbers([17, 19, 79, 80, 90])),
    "cuts": (Intervals(cuts=[(18, 30, 65), (30,)]), numbers([3, 18, 29, 30, 64, 65])),
    "quantiles": (Intervals(quantiles=(4, 2)), numbers(range(-4, 16))),
    "groups": (Groups(({"gov": ["Local-gov", "Federal-gov"]},), order=WORK), texts(WORK)),
    "groups of numbers": (Groups(({"low": [1, 2]}, {"all": [1, 2, 9]})), numbers([1, 2, 9])),
    "prefixes": (Prefixes((4, 3, 2)), texts(ZIPS)),
    "prefixes of numbers": (Prefixes((3, 1), pad=5), numbers([501, 544, 6390, 98101], name="zip")),
    "dates": (Dates(("day", "month", "quarter", "year", "decade")), dates(DAYS)),
    "nested": (Nested(TREE), texts(WORK)),
    "columns": (Columns([(work, "gov" if "gov" in work else "rest") for work in reversed(WORK)]), texts(WORK)),
}


def labels(hierarchy, level=0):
    return list(hierarchy.levels[level].labels)
