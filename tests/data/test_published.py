"""Published counts add up to the published records, for every column, and follow the secret."""

import numpy as np
import pandas as pd
import pytest

from tests.methods.tables import random_frame
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data.hierarchies.builders import Columns, Prefixes
from workbench.data.published import (
    enclosing_nodes,
    published_runs,
    published_total,
    published_values,
    require_levels,
    rounded_by,
)
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.methods import FullDomain, Keep, KMember, LocalRecoding, Mondrian, Remove
from workbench.models import DistinctLDiversity, KAnonymity, KMap
from workbench.releases.foreign import foreign
from workbench.releases.labels import Labels


def test_each_column_adds_up_to_the_same_records():
    frame = pd.DataFrame(
        {"age": [20 + i % 13 for i in range(313)], "ill": ["flu"] * 204 + ["cold"] * 105 + ["rare"] * 4}
    )
    table = Table.from_frame(frame, ["age"], "ill")
    found = set()
    for secret in range(20):
        other = rounded_by(table, bytes([secret] * 32))
        ages, ills = (published_values(other, name, 10) for name in ("age", "ill"))
        assert ages.sum() == ills.sum() == published_total(other, 10) == 310
        found.add(tuple(ills.tolist()))
    assert len(found) > 1
    assert published_values(table, "age", 1).sum() == published_total(table, 1) == 313


# Published regions for every method: nodes for text with a hierarchy, ranges with safe ends for others.

METHODS = [
    Mondrian(), Mondrian(strict=False), Mondrian(suppress=0.1), Mondrian("information_gain", "s"), Mondrian("fewest"),
    Mondrian("workload", workload="random"), KMember(), FullDomain(), LocalRecoding(),
]  # fmt: skip


def people(records: int = 400, seed: int = 1) -> pd.DataFrame:
    """Return skewed data: most amounts are one of a few, the others are unique; the zip correlates with the illness."""
    draw = np.random.default_rng(seed)
    rank = draw.beta(1, 3, records)
    amount = np.where(draw.random(records) < 0.6, draw.choice([20, 50, 100], records), draw.lognormal(5, 1.5, records))
    zips = (60600 + 100 * (rank * 6).astype(int) + draw.integers(0, 12, records)).astype(str)
    day = pd.Timestamp("2021-03-05") + pd.to_timedelta((rank * 900).astype(int), unit="D")
    ill = np.where(draw.random(records) < rank, "flu", draw.choice(["cold", "none", "gout"], records))
    return pd.DataFrame({"amount": amount.round(2), "zip": zips, "day": day, "s": ill})


def table_of(frame: pd.DataFrame, **regions: str) -> Table:
    given = {"zip": Prefixes(keep=(4, 3, 2)), "word": None}
    hierarchies = {name: one for name, one in given.items() if name in frame and one is not None}
    quasi = [name for name in frame if name != "s"]
    return Table.read(frame, quasi, "s", hierarchies=hierarchies, regions=regions)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_no_end_that_a_method_publishes_is_the_value_of_few_records(method):
    """Attack: look up each printed end in the original, and count the records."""
    table = table_of(people())
    release = method(table, KAnonymity(5))
    for name in ("amount", "day"):
        column = table.columns[name]
        often = dict(zip(column.labels, column.counts.tolist(), strict=True))
        for label in set(map(str, release.class_labels(name))):
            if label in often:  # a value by itself is that of a whole class
                assert often[label] >= 5
                continue
            for word in label.strip("[]()").replace("..", " ").replace(",", " ").split():
                assert often.get(word, 0) == 0 or often[word] >= 10, label


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_classes_contain_their_records_and_have_distinct_regions(method):
    table = table_of(people(seed=2))
    release = method(table, KAnonymity(6))
    classes, of = release.classes, release.group_of_record
    kept = of < len(classes)
    for a, name in enumerate(table.quasi):
        codes, column = table.codes[name], table.columns[name]
        assert (classes.low[of[kept], a] <= codes[kept]).all() and (codes[kept] <= classes.high[of[kept], a]).all()
        labels = release.class_labels(name)
        reading = Labels(column, tuple(map(str, set(labels))))
        for label, low, high in zip(labels, classes.low[:, a], classes.high[:, a], strict=True):
            found = reading.meaning(label)
            assert found is not None and (found.low, found.high) == (low, high), label
    assert len(np.unique(classes.regions(), axis=0)) == len(classes), "classes with equal regions are merged"
    assert release.audit(KAnonymity(6)).holds
    nodes = set(map(str, release.class_labels("zip")))
    assert all(label == "*" or label in table.columns["zip"].labels or label.endswith("*") for label in nodes), nodes


def test_an_audit_of_a_release_gives_its_figures(tmp_path):
    table = table_of(people(seed=3))
    release = Mondrian()(table, KAnonymity(7))
    release.export(tmp_path / "out.csv")
    back = foreign(tmp_path / "out.csv", original=table)
    assert sorted(back.classes.sizes.tolist()) == sorted(release.classes.sizes.tolist())
    both = [sorted(map(tuple, one.classes.regions().tolist())) for one in (back, release)]
    assert both[0] == both[1]


def test_baselines_show_values_unchanged():
    table = table_of(people(seed=4))
    original = people(seed=4)
    assert sorted(Keep()(table).frame()["amount"].astype(float)) == sorted(original["amount"])
    assert sorted(Remove(["day"])(table).frame()["amount"].astype(float)) == sorted(original["amount"])


def test_ranges_are_exact_by_default_in_python():
    frame = people(seed=5)
    plain = Table.read(frame, ["amount"], "s")
    shown = set(Mondrian()(plain, KAnonymity(5)).class_labels("amount"))
    assert any(str(frame["amount"].min()) in str(label) for label in shown)
    exact = plain.with_settings(regions={"amount": "exact"})
    assert fingerprint(exact) == fingerprint(plain) != fingerprint(plain.with_settings(regions={}))
    assert fingerprint(plain.with_settings(regions={}, threshold=5)) != fingerprint(
        plain.with_settings(regions={}, threshold=10)
    )


def test_text_may_show_ranges_and_numbers_nodes():
    table = table_of(people(seed=6), zip="ranges", day="exact")
    labels = set(map(str, Mondrian()(table, KAnonymity(20)).class_labels("zip")))
    assert any(label.startswith("{") for label in labels)
    from workbench.data.hierarchies.builders import Intervals

    nodes = table_of(people(seed=6), amount="nodes").with_hierarchies({"amount": Intervals(widths=(50, 500))})
    release = Mondrian()(nodes, KAnonymity(20))
    allowed = {"*", *nodes.columns["amount"].labels}
    allowed |= {label for level in nodes.columns["amount"].hierarchy.levels for label in level.labels}
    assert set(map(str, release.class_labels("amount"))) <= allowed


def test_released_levels_bound_the_nodes():
    table = table_of(people(seed=7)).with_settings(level_ranges={"zip": [1, 3]})
    labels = set(map(str, Mondrian()(table, KAnonymity(5)).class_labels("zip")))
    assert labels and all(label.endswith("*") for label in labels)


def test_the_population_is_counted_in_published_regions():
    frame = people(seed=8)
    table = table_of(frame).with_settings(
        population=pd.concat([frame, frame.sample(150, random_state=0)])[["amount", "zip", "day"]]
    )
    release = Mondrian()(table, KMap(12))
    assert release.audit(KMap(12)).holds and (release.classes.population_matches() >= 12).all()
    assert len(release.classes) > len(Mondrian()(table, KAnonymity(40)).classes)


def test_published_nodes_are_the_lowest_that_contain_a_run():
    table = table_of(people(seed=9))
    column = table.columns["zip"]
    low = np.array([0, 0, 3], np.int32)
    high = np.array([0, 3, column.size - 1], np.int32)
    first, last = enclosing_nodes(column, low, high, (0, 4))
    shared = {column.labels[code][:4] for code in range(4)}
    assert (first[0], last[0]) == (0, 0) and (first[2], last[2]) == (0, column.size - 1)
    prefix = shared.pop() if len(shared) == 1 else column.labels[0][:3]
    assert {c for c, label in enumerate(column.labels) if label.startswith(prefix)} == set(range(first[1], last[1] + 1))
    with pytest.raises(Unsatisfiable, match="several nodes of 'zip'"):
        enclosing_nodes(column, low, high, (0, 1))


def test_exact_columns_are_unchanged():
    table = table_of(people(seed=10), amount="exact", zip="exact", day="exact")
    low, high = np.zeros((2, 3), np.int32), np.ones((2, 3), np.int32)
    assert published_runs(table, low, high) == (low, high)


@pytest.mark.parametrize(
    ("given", "says"),
    [({"amount": "safe"}, "regions of amount: 'safe' is unknown"), ({"town": "nodes"}, "no column 'town'")],
)
def test_impossible_regions_are_refused(given, says):
    with pytest.raises(BadInput, match=says):
        Table.read(people(), ["amount"], "s", regions=given)
    with pytest.raises(BadInput, match="regions of amount: nodes need a hierarchy"):
        require_levels(table_of(people()).columns, {"amount": "nodes"})


@pytest.mark.parametrize("seed", range(6))
def test_models_hold_with_missing_values_and_other_kinds(seed):
    frame = random_frame(seed, 150, missing=0.1)[["whole", "word", "real", "day", "plain", "s"]]
    words = Columns([(f"w{i}", "PQ"[i > 2], "all") for i in range(1, 6)])
    table = Table.read(frame, ["whole", "word", "real", "day", "plain"], "s", hierarchies={"word": words}, regions={})
    for model in (KAnonymity(4), DistinctLDiversity(2)):
        release = Mondrian()(table, model)
        assert release.audit(model).holds and sum(release.classes.sizes) == 150
        assert set(map(str, release.class_labels("word"))) <= {
            *words(table.columns["word"]).leaves,
            "P",
            "Q",
            "all",
            "missing",
            "*",
        }
