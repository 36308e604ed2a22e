"""Comparisons between engines: tables, releases and their figures must be identical."""

import pandas as pd

from workbench.base.errors import BadInput, Unsatisfiable
from workbench.measures import InformationLoss, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness

METHODS = [
    Mondrian(),
    Mondrian(publish="bucketized"),
    Mondrian("information_gain", "plain"),
    Mondrian("information_gain", "s"),
    Keep(),
    Remove(),
]
MODELS = [KAnonymity(2), DistinctLDiversity(2), KAnonymity(3) & TCloseness(0.4), TCloseness(0.6, "js")]
MEASURES = [PrivacyLoss(), UtilityLoss(min_support=0.1), InformationLoss(), ReidentificationRisk()]


def about(column):
    """Return all properties of a column."""
    spec = column.hierarchy.spec() if column.hierarchy else None
    return column.kind, list(column.values), column.labels, column.counts.tolist(), column.missing, spec


def assert_same_table(memory, elsewhere):
    assert elsewhere.notes == memory.notes and elsewhere.roles == memory.roles
    assert elsewhere.records == memory.records and elsewhere.names == memory.names
    for name in memory.names:
        assert str(about(elsewhere.columns[name])) == str(about(memory.columns[name]))
        assert elsewhere.columns[name].values.dtype == memory.columns[name].values.dtype
    if memory.quasi:
        one, other = memory.cells(), elsewhere.cells()
        assert (one.quasi == other.quasi).all() and one.quasi.dtype == other.quasi.dtype
        assert (one.weight == other.weight).all() and list(one.others) == list(other.others)
        assert all((one.others[name] == other.others[name]).all() for name in one.others)


def assert_same_release(memory, elsewhere):
    assert (memory.group == elsewhere.group).all() and (memory.classes.sizes == elsewhere.classes.sizes).all()
    for end in ("low", "high"):
        assert (getattr(memory.classes, end) == getattr(elsewhere.classes, end)).all()
    for name, histogram in memory.classes.histograms.items():
        assert (histogram == elsewhere.classes.histograms[name]).all()
    assert_same_files(memory, elsewhere)


def assert_same_files(memory, elsewhere):
    """Assert equal records in any order, and equal codebooks."""
    assert elsewhere.codebook() == memory.codebook()
    one, other = memory.tables(), elsewhere.tables()
    assert list(one) == list(other)
    for name, frame in one.items():
        for rows in (frame, other[name]):
            if "class" in rows:  # its number is drawn; the classes are alike as they were above
                rows["class"] = rows["class"].map(rows["class"].value_counts())
        columns = list(frame)
        expected, found = (rows.astype("str").sort_values(columns, ignore_index=True) for rows in (frame, other[name]))
        pd.testing.assert_frame_equal(found, expected)
        assert (frame.dtypes == other[name].dtypes).all()


def try_measure(measure, release):
    try:
        return measure(release).value
    except Exception as error:
        return str(error)


def try_release(method, table, model):
    try:
        return method(table, model)
    except (BadInput, Unsatisfiable) as error:
        return str(error)


def assert_equal_outcomes(tables, method, model):
    """Assert that two tables or error messages are equal, then that a method's releases are."""
    if any(isinstance(one, str) for one in tables):
        assert tables[0] == tables[1]
        return
    assert_same_table(*tables)
    releases = [try_release(method, table, model) for table in tables]
    if any(isinstance(one, str) for one in releases):
        assert releases[0] == releases[1]
        return
    assert_same_release(*releases)
    assert str(releases[0].audit(model or KAnonymity(2))) == str(releases[1].audit(model or KAnonymity(2)))
    for measure in MEASURES:
        assert try_measure(measure, releases[0]) == try_measure(measure, releases[1])
