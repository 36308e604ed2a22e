"""Counts before and after, compared with naive counts by class, with merged values and suppressed records."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.releases.toys import Cluster, Perturb
from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import AlphaK, KAnonymity
from workbench.releases.before_after import before_and_after, bins_of, cross
from workbench.releases.foreign import foreign


def people(records=400, seed=1, missing=True):
    rng = np.random.default_rng(seed)
    age = np.minimum(18 + rng.gamma(2, 11, records).astype(int), 95)
    town = np.array([f"t{i:02d}" for i in range(60)])[np.minimum(rng.geometric(0.1, records), 59)]
    ill = np.array(["cold", "flu", "gout"])[np.minimum(rng.poisson(age / 60), 2)]
    frame = pd.DataFrame({"age": age.astype(float), "town": town, "ill": ill, "wage": rng.integers(1, 6, records)})
    if missing:
        frame.loc[rng.random(records) < 0.05, "age"] = None
    return frame


def made(**changes):
    return Table.from_frame(people(**changes), ["age", "town"], "ill", hierarchies={"age": Intervals(widths=(5, 20))})


def naive(release, name, of_code, groups):
    """Spread each record of a class evenly over the published values, and numbers over the covered years."""
    a, column, found = release.table.quasi.index(name), release.table.columns[name], np.zeros(groups)
    width = column.edges[1] - column.edges[0]
    for i, size in enumerate(release.classes.sizes):
        shown = range(release.classes.low[i, a], release.classes.high[i, a] + 1)
        if a in release.classes.sets:
            shown = np.flatnonzero(release.classes.sets[a][i])
            for code in shown:
                found[of_code[code]] += size / len(shown)
            continue
        # between two values that occur there may be others: what is covered goes on to the next
        left, right = column.edges[0][shown[0]], column.edges[1][shown[-1]]
        for code in shown:
            found[of_code[code]] += size * width[code] / (right - left)
    return found


@examples(20)
@given(st.integers(0, 1000), st.integers(2, 60), st.booleans())
def test_counts_before_and_expected_counts_after(seed, k, sets):
    table = Table.from_frame(people(120, seed), ["age", "town"], "ill")
    release = Cluster(k)(table) if sets else Mondrian()(table, KAnonymity(min(k, 30)))
    towns = before_and_after(release, "town")
    for label, count in zip(towns.labels, towns.before, strict=True):
        assert label.startswith("others") or count == (table.frame["town"] == label).sum()
    for found in (towns, before_and_after(release, "age")):
        assert found.before.sum() == 120 and found.after.sum() == pytest.approx(120)
        expected = naive(release, found.column, bins_of(table, found.column).of_code, len(found.labels))
        assert found.after == pytest.approx(expected * (120 / expected.sum()))


def test_unchanged_columns_have_the_same_counts_after():
    table = made()
    for name in ("age", "town", "ill", "wage"):
        found = before_and_after(Keep()(table), name)
        assert found.after == pytest.approx(found.before) and found.moved == pytest.approx(0)
        assert len(found.labels) == len(found.before) <= 40
    for pair in (("age", "town"), ("town", "age"), ("age", "ill"), ("ill", "town")):
        found = cross(Keep()(table), *pair)
        assert found.after == pytest.approx(found.before) and found.before.sum() == table.records
        assert found.before.shape == tuple(map(len, found.labels)) and max(found.before.shape) <= 12


def test_a_cross_table_has_the_sums_of_its_columns():
    table = made()
    release = Mondrian()(table, KAnonymity(15))
    frame = table.frame
    for a, b in (("age", "town"), ("town", "ill")):
        found = cross(release, a, b)
        assert found.after.sum() == pytest.approx(table.records)
        assert 0 < found.moved < 1
        rows, columns = (bins_of(table, name, 12) for name in (a, b))
        assert found.before.sum(axis=1) == pytest.approx(rows.counted(table.columns[a].totals))
        assert found.before.sum(axis=0) == pytest.approx(columns.counted(table.columns[b].totals))
    commonest = frame["town"].value_counts().index[0]
    i, j = found.labels[0].index(commonest), found.labels[1].index("flu")
    assert found.before[i, j] == ((frame["town"] == commonest) & (frame["ill"] == "flu")).sum()
    assert found.after.sum(axis=0) == pytest.approx(table.sensitive["ill"].totals)


def test_columns_of_many_values_are_grouped():
    table = made()
    age, town = bins_of(table, "age"), bins_of(table, "town", 12)
    assert "missing" in age.labels and "[20-24]" in age.labels
    assert len(town.labels) == 12 and town.labels[-1].startswith("others: ")
    bare = Table.from_frame(people(), ["age", "town"], "ill")
    numbers = bins_of(bare, "age", 12)
    assert numbers.labels[-1] == "missing" and len(numbers.labels) <= 12
    assert numbers.counted(bare.columns["age"].totals).sum() == bare.records
    groups = {"ill": Groups(({"lungs": ["cold", "flu"]},))}
    coarse = Table.from_frame(people(), ["age", "town"], "ill", hierarchies=groups, levels={"ill": 1})
    assert bins_of(coarse, "ill").labels == ("lungs", "gout")


def test_suppressed_records_are_counted_separately():
    table = made(missing=False)
    frame = table.frame.astype(str)
    frame.loc[:49, ["age", "town"]] = "*"
    release = foreign(frame[["age", "town", "ill"]], original=table, suppressed="out")
    assert release.suppressed == 50
    for name in ("age", "town", "ill"):
        found = before_and_after(release, name)
        assert found.suppressed == 50 and found.before.sum() == 400
        assert found.after.sum() == pytest.approx(350)
    found = cross(release, "age", "ill")
    assert found.suppressed == 50 and found.after.sum() == pytest.approx(350)
    with pytest.raises(Undefined, match="released records cannot be matched to original ones"):
        before_and_after(release, "wage")


def test_records_suppressed_by_a_method_are_counted():
    table = made()
    release = Mondrian(suppress=0.4)(table, AlphaK(0.7, 2))
    assert release.suppressed > 0
    for name in ("age", "town", "ill", "wage"):
        found = before_and_after(release, name)
        assert found.suppressed == release.suppressed and found.before.sum() == table.records
        assert found.after.sum() == pytest.approx(table.records - release.suppressed)
    assert cross(release, "age", "town").after.sum() == pytest.approx(table.records - release.suppressed)


def test_weights_are_ignored():
    frame = people(missing=False)
    plain = Table.from_frame(frame, ["age", "town"], "ill")
    weighted = Table.from_frame(frame, ["age", "town"], "ill", weight="wage")
    for method in (Mondrian(), Mondrian(publish="bucketized")):
        releases = [method(table, KAnonymity(20)) for table in (plain, weighted)]
        for name in ("age", "town", "ill"):
            one, other = (before_and_after(release, name) for release in releases)
            assert one.after == pytest.approx(other.after) and one.before.tolist() == other.before.tolist()
        one, other = (cross(release, "age", "ill") for release in releases)
        assert one.after == pytest.approx(other.after) and one.before.tolist() == other.before.tolist()


def test_a_release_without_classes_answers_too():
    table = made(missing=False)
    release = Perturb(0.5)(table)
    found = before_and_after(release, "ill")
    assert found.after.sum() == pytest.approx(400)
    assert before_and_after(release, "age").moved == pytest.approx(0)


def test_missing_inputs_have_clear_errors():
    table = made()
    removed = Remove()(table)
    assert before_and_after(removed, "age").after is None and before_and_after(removed, "age").moved is None
    with pytest.raises(Undefined, match="age and town are not published"):
        cross(removed, "age", "town")
    with pytest.raises(Undefined, match="neutral columns are unchanged"):
        cross(Keep()(table), "age", "wage")
    with pytest.raises(Undefined, match="published unchanged"):
        cross(Keep()(table), "ill", "wage")
    with pytest.raises(BadInput, match="choose two different columns"):
        cross(Keep()(table), "age", "age")
    with pytest.raises(BadInput, match="no column 'height'"):
        before_and_after(Keep()(table), "height")
    alone = foreign(people()[["age", "town", "ill"]], ["age", "town"], "ill")
    with pytest.raises(Undefined, match="the original is not available"):
        before_and_after(alone, "age")
