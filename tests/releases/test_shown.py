"""Values that each record shows, compared with the published files by the neutral column `person`."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import table_of
from tests.queries.queried import RELEASES, table
from tests.releases.columns import QUASI
from tests.releases.toys import Cluster
from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Columns
from workbench.data.records import published_values
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.methods import FullDomain, Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases.foreign import foreign
from workbench.releases.shown import Shown, counts_from_partition

METHODS = [
    Mondrian(), Mondrian(strict=False), Mondrian(publish="bucketized"), Mondrian(strict=False, publish="bucketized"),
    FullDomain(suppress=0.1), Cluster(10), Remove("word"), Keep(),
]  # fmt: skip


def text(value) -> str:
    return "missing" if pd.isna(value) else str(value)


def labels(release, name, seen: Shown) -> list[str]:
    """Return what each record shows, as the release writes it."""
    if seen.codes is not None:
        return [text(value) for value in published_values(release.table, name).iloc[seen.codes]]
    of_class, of_region = release.class_labels(name), {}
    a, classes = release.table.quasi.index(name), release.own_classes
    for c in range(len(classes)):
        held = classes.sets[a][c] if a in classes.sets else np.arange(release.table.columns[name].size)
        held = held if a in classes.sets else (classes.low[c, a] <= held) & (held <= classes.high[c, a])
        of_region[held.tobytes()] = str(of_class[c])
    codes = np.arange(release.table.columns[name].size)
    every = [
        np.array([Shown(seen.column, group=np.array([g]), regions=seen.regions).held(np.array([c]))[0] for c in codes])
        for g in range(len(seen.regions))
    ]
    return [of_region[every[g].tobytes()] for g in seen.group]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_each_record_shows_its_published_values(table, method):
    release = method(table, KAnonymity(6) if not isinstance(method, (Cluster, Keep, Remove)) else None)
    frame = release.frame().set_index("person")
    people = table.frame["person"].to_numpy()[release.published_records]
    assert sorted(people) == sorted(frame.index) and (np.diff(release.published_records) > 0).all()
    for name in (one for one in released_columns(table) if one not in release.unpublished_columns and one != "person"):
        seen = release.shown(name)
        assert (seen.records == len(people) and seen.held(table.codes[name][release.published_records]).all()) or (
            release.classes.exact and name in table.sensitive
        )
        if release.classes.exact and name in table.sensitive:
            continue  # nobody knows which record has which
        if seen.codes is None and name in QUASI:
            assert labels(release, name, seen) == [str(one) for one in frame.loc[people, name]]
        elif name in QUASI and not release.classes.exact:
            assert (table.codes[name][release.published_records] == seen.codes).all()
        else:
            assert labels(release, name, seen) == [text(one) for one in frame.loc[people, name]]


@pytest.mark.parametrize("strict", [True, False])
def test_buckets_assign_their_values_to_their_records(table, strict):
    release = Mondrian(strict=strict, publish="bucketized")(table, KAnonymity(8))
    group, values = release.group_of_record, release.shown("s", 4).codes
    counted = np.zeros_like(release.classes.histograms["s"])
    np.add.at(counted, (group, values), 1)
    assert (counted == release.classes.histograms["s"]).all()
    assert (release.shown("s", 4).codes == values).all() and (release.shown("s", 5).codes != values).any()


def test_assignment_is_random(table):
    """Over many seeds each record has each value of its class as often as the class does."""
    release = Mondrian(publish="bucketized")(table, KAnonymity(20))
    drawn = np.stack([release.shown("s", seed).codes for seed in range(600)])
    share = np.stack([(drawn == value).mean(axis=0) for value in range(len(table.sensitive["s"]))], axis=1)
    assert share == pytest.approx(release.classes.distributions("s")[release.group_of_record], abs=0.11)


def test_assignment_uses_only_the_classes(table):
    """Swapping sensitive values within classes does not change the assigned values."""
    release = Mondrian(publish="bucketized")(table, KAnonymity(20))
    frame, group = table.frame, release.group_of_record
    order = np.lexsort([np.random.default_rng(1).random(200), group])
    swapped = frame["s"].to_numpy(dtype=object).copy()
    swapped[np.argsort(group, kind="stable")] = frame["s"].to_numpy(dtype=object)[order]
    assert (pd.Series(swapped).fillna("") != frame["s"].fillna("")).any()
    other = table_of(frame.assign(s=swapped), QUASI, ("s", "s2"))
    again = Mondrian(publish="bucketized")(other, KAnonymity(20))
    assert (again.group_of_record == group).all()
    assert (again.shown("s", 3).codes == release.shown("s", 3).codes).all()


def test_suppressed_records_show_nothing(table):
    release = Mondrian()(table, KAnonymity(6)).without(np.array([0, 2]))
    assert len(release.published_records) == table.records - release.suppressed < table.records
    assert release.shown("word").records == release.shown("s").records == len(release.published_records)
    assert set(table.frame["person"].iloc[release.published_records]) == set(release.frame()["person"])


def test_a_sensitive_column_at_a_level_shows_its_nodes():
    frame = pd.DataFrame({"q": [1, 1, 2, 2, 3, 3], "s": ["a", "b", "c", "d", None, "a"]})
    above = Columns([("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd")])
    table = Table.from_frame(frame, ["q"], "s", hierarchies={"s": above}, levels={"s": 1})
    seen = Keep()(table).shown("s")
    assert seen.codes is None and seen.group.tolist() == [0, 0, 1, 1, 2, 0]
    assert seen.held(np.array([1, 0, 3, 2, 4, 0])).all() and not seen.held(np.array([2, 2, 0, 0, 0, 4])).any()


def test_unpublished_columns_are_undefined(table):
    release = Remove(("word", "s"))(table)
    for name in ("word", "s"):
        with pytest.raises(Undefined, match="is not published"):
            release.shown(name)
    with pytest.raises(BadInput, match="is not a column of the table"):
        release.shown("wrod")


def test_the_repr_contains_no_records(table):
    assert repr(Keep()(table).shown("whole")) == "<Shown 'whole' of 200 records>"


FILE = pd.DataFrame(
    {
        "age": ["[20-29]", "*", "[30-39]", "[20-29]", "[30-39]"],
        "sex": ["F", "*", "M", "F", "M"],
        "disease": ["Flu", "HIV", "Flu", "Flu", "HIV"],
    }
)
PEOPLE = pd.DataFrame(
    {"age": [20, 25, 29, 31, 39], "sex": list("FFMMM"), "disease": ["Flu", "HIV", "Flu", "Flu", "HIV"]}
)


def test_a_file_shows_its_records_in_order():
    release = foreign(FILE, original=Table.from_frame(PEOPLE, ["age", "sex"], "disease"))
    age, column = release.shown("age"), release.table.columns["age"]
    holds = [[age.held(np.full(5, code))[row] for code in range(column.size)] for row in range(5)]
    young, old = [True] * 3 + [False] * 2, [False] * 3 + [True] * 2
    assert holds == [young, [True] * 5, old, young, old]
    told = published_values(release.table, "disease").iloc[release.shown("disease").codes]
    assert told.tolist() == FILE["disease"].tolist()
    with pytest.raises(Undefined, match="records of a file cannot be matched"):
        release.published_records  # noqa: B018


def test_a_file_alone_is_the_table():
    release = foreign(FILE, ["age", "sex"], "disease")
    assert release.published_records.tolist() == [0, 1, 2, 3, 4]
    assert published_values(release.table, "age").iloc[release.shown("age").codes].tolist() == FILE["age"].tolist()


# Records of a release by class and unchanged columns, compared with record-by-record counts.

COLUMNS = [[], ["ill"], ["ill", "wage"], ["job"], ["age", "job", "ill"]]


@pytest.mark.parametrize("names", COLUMNS, ids=" ".join)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in RELEASES if kind != "foreign"])
def test_records_are_counted_by_class_and_codes(kind, names, weighted):
    release = RELEASES[kind](table(3, weighted, 1))
    asking, group = release.table, release.group_of_record
    each = asking.columns[asking.weight].values[asking.codes[asking.weight]] if weighted else np.ones(asking.records)
    names = [name for name in names if name not in release.unpublished_columns]
    for original in (False, True):
        expected = Counter()
        codes = asking.codes if original else asking.model_view.codes
        for i in np.flatnonzero(group < len(release.classes)):
            expected[(int(group[i]), *(int(codes[name][i]) for name in names))] += each[i]
        found = Counter()
        joint = counts_from_partition(release, names, True) if original else release.class_counts(names)
        for row in zip(joint.group, *(joint.codes[name] for name in names), joint.people, strict=True):
            found[tuple(map(int, row[:-1]))] += float(row[-1])
        assert found == expected


def test_the_other_engine_counts_the_same(small):
    frame, roles = small(1).frame, {"quasi": ["age", "work", "sex"], "sensitive": "disease"}
    found = []
    for engine in ("memory", "duckdb"):
        release = Mondrian()(Table.read(frame, **roles, engine=engine), KAnonymity(4))
        joint = release.class_counts(["wage", "disease"])
        rows = np.column_stack([joint.group, joint.codes["wage"], joint.codes["disease"], joint.people])
        found.append(Counter({tuple(key): 0 for key in rows[:, :3].tolist()}))
        for *key, count in rows.tolist():
            found[-1][tuple(key)] += count
    assert found[0] == found[1]
