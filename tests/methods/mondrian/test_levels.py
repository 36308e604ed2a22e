"""Mondrian on levels: classes of a naive search, labels that are nodes, and files that are read back."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples, seeds
from tests.methods import oracle, oracle_levels
from tests.methods.tables import ABOVE, AXES, HIERARCHIES, WORDS, axes_of, frames, quasi_choices, random_frame, table_of
from workbench.base.errors import BadInput, Undefined, Unsatisfiable
from workbench.base.files import codebooks
from workbench.data import datasets
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.settings import level_range
from workbench.data.table import Table
from workbench.measures import Discernibility, InformationLoss, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Mondrian
from workbench.methods.mondrian.kernels import FEW_CHILDREN
from workbench.methods.mondrian.levels import Levels, WidestPerColumn, columns_of_nodes, nests, path
from workbench.methods.mondrian.splits import Nodes
from workbench.models import DistinctLDiversity, KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.queries.workload import Workload
from workbench.releases.foreign import foreign

ON_LEVELS = Mondrian(recode="levels")
EVERY = [
    ON_LEVELS,
    Mondrian("information_gain", "s", recode="levels"),
    Mondrian(suppress=0.2, recode="levels"),
    Mondrian(publish="bucketized", recode="levels"),
]
MODELS = {
    "k": (lambda n: KAnonymity(n), lambda n, s: lambda part: len(part) >= n),
    "l": (lambda n: DistinctLDiversity(n), lambda n, s: lambda part: len({s[i] for i in part}) >= n),
    "p": (
        lambda n: ProbabilisticLDiversity(1 + n / 4),
        lambda n, s: lambda part: max(map([s[i] for i in part].count, {s[i] for i in part})) * (1 + n / 4) <= len(part),
    ),
}


def naive(frame, quasi, ranges):
    """Return the columns in the format of the oracle."""
    found = []
    for name, axis in zip([n for n in frame if n in quasi], axes_of(frame, quasi), strict=True):
        levels = {"word": (WORDS, ABOVE), "whole": tuple({v: v // w for v in range(-99, 99)} for w in (5, 20))}
        shown = oracle_levels.shown(frame[name], *levels.get(name, ()))
        low, high = ranges.get(name, (0, len(shown) - 1))
        found.append(oracle_levels.Column(shown, axis.place.tolist(), low, high))
    return found


def table_on(frame, quasi, draw):
    """Draw a table with ranges of levels for some columns, in which the top two levels differ."""
    table, ranges = table_of(frame, quasi), {}
    for name in table.quasi:
        top = len(table.columns[name].released_at) - 1
        if draw(st.booleans()) and top == len(naive(frame, [name], {})[0].shown) - 1:
            low = draw(st.integers(0, top))
            ranges[name] = (low, draw(st.integers(max(low, top - 1), top)))
    return table.with_settings(level_ranges=ranges), ranges


@examples(40)
@given(st.data(), frames(most=70), quasi_choices, st.sampled_from(list(MODELS)), st.integers(1, 6), st.booleans())
def test_the_classes_and_nodes_are_those_of_the_naive_search(data, frame, quasi, case, n, gain):
    table, ranges = table_on(frame, quasi, data.draw)
    columns, s = naive(frame, quasi, ranges), frame["s"].fillna("missing").tolist()
    model, holds = (make(*given) for make, given in zip(MODELS[case], ((n,), (n, s)), strict=True))
    method = Mondrian("information_gain", "s", recode="levels") if gain else ON_LEVELS
    try:
        release = method(table, model)
    except Unsatisfiable:
        assert not all(map(holds, oracle_levels.beginning(columns)))
        return
    found = oracle_levels.information_gain(columns, s, holds) if gain else oracle_levels.widest(columns, holds)
    assert oracle.as_sets(release.group_of_record) == {frozenset(part) for part, _ in found}
    for part, levels in found:
        number = release.group_of_record[part[0]]
        for a, (column, level) in enumerate(zip(columns, levels, strict=True)):
            node = column.shown[level][part[0]]
            inside = {int(c) for c, label in zip(table.codes[table.quasi[a]], column.shown[level], strict=True)
                      if label == node}  # fmt: skip
            assert (min(inside), max(inside)) == (release.classes.low[number, a], release.classes.high[number, a])


def nodes_of(table, name):
    """Return the runs of a column's nodes on its allowed levels."""
    low, high = level_range(table, name)
    runs = set()
    for node in table.columns[name].released_at[low : high + 1]:
        for one in np.unique(node):
            codes = np.flatnonzero(node == one)
            runs.add((int(codes[0]), int(codes[-1])))
    return runs


@examples(25)
@given(st.data(), frames(), quasi_choices, st.sampled_from(EVERY[:3]), st.integers(1, 9))
def test_published_regions_are_nodes_and_labels_disjoint_or_nested(data, frame, quasi, method, k):
    table, _ = table_on(frame, quasi, data.draw)
    try:
        release = method(table, KAnonymity(k))
    except Unsatisfiable:
        return
    classes, of = release.classes, release.group_of_record
    kept = of < len(classes)
    for a, name in enumerate(table.quasi):
        runs = set(zip(classes.low[:, a].tolist(), classes.high[:, a].tolist(), strict=True))
        assert runs <= nodes_of(table, name)
        assert all(a[1] < b[0] or b[1] < a[0] or a[0] <= b[0] <= b[1] <= a[1] or b[0] <= a[0] <= a[1] <= b[1]
                   for a in runs for b in runs)  # fmt: skip
        codes = table.codes[name][kept]
        assert (classes.low[of[kept], a] <= codes).all() and (codes <= classes.high[of[kept], a]).all()
        labels = release.class_labels(name).tolist()
        assert (
            len(set(labels)) == len(runs) == len(set(zip(labels, classes.low[:, a], classes.high[:, a], strict=True)))
        )


def figures(release):
    found = [len(release.classes), release.suppressed]
    for measure in (PrivacyLoss(), UtilityLoss(0.1), InformationLoss(), Discernibility(), ReidentificationRisk()):
        try:
            found.append(measure(release).value)
        except Undefined as reason:
            found.append(str(reason))
    return found


@examples(15)
@given(st.data(), frames(least=6, most=60), quasi_choices, st.sampled_from(EVERY[:3]), st.integers(1, 5))
def test_a_file_is_read_back_with_the_same_figures(tmp_path_factory, data, frame, quasi, method, k):
    """The original resolves every label; without hierarchies intervals, sets and stars; the file alone its classes."""
    table, _ = table_on(frame.drop(columns="person"), quasi, data.draw)
    try:
        release = method(table, KAnonymity(k))
    except Unsatisfiable:
        return
    path = tmp_path_factory.mktemp("out") / "release.csv"
    release.export(path, giveaways=True)
    assert figures(foreign(path, original=table)) == pytest.approx(figures(release), abs=1e-12)
    book = codebooks(path)[0]
    if book.exists():
        labels = pd.read_csv(book, dtype=str, keep_default_na=False)
        for name in {*labels["column"]}:
            assert {*labels.loc[labels["column"] == name, "label"]} == {*release.class_labels(name)}
    numbers = [name for name in table.quasi if name == "whole"]
    if numbers:
        plain = foreign(path, original=table.without_hierarchies(numbers))
        found, expected = figures(plain), figures(release)
        del found[3], expected[3]  # utility is lost for populations, which hierarchies make
        assert found == pytest.approx(expected, abs=1e-12)
    alone = foreign(path, table.quasi, "s")
    assert sorted(alone.classes.sizes) == sorted(release.classes.sizes)
    if not release.suppressed:
        assert PrivacyLoss()(alone).value == pytest.approx(PrivacyLoss()(release).value, abs=1e-12)


def test_two_hierarchies_give_two_releases():
    source = datasets.path("adult")
    labels, classes = [], []
    for width in (10, 15):
        table = Table.read(source, ["age", "workclass", "race", "sex"], "occupation",
                           hierarchies={"age": Intervals(widths=(width,))}, drop_missing=True)  # fmt: skip
        table = table.with_settings(level_ranges={"age": [1, 2]})
        release = ON_LEVELS(table, KAnonymity(10))
        labels.append(set(release.class_labels("age")))
        classes.append(oracle.as_sets(release.group_of_record))
        assert labels[-1] <= {"*", *table.columns["age"].hierarchy.levels[0].labels}
    assert labels[0] & labels[1] <= {"*"} and not classes[0] <= classes[1]


def small(values, hierarchy=None, ranges=None, **more):
    frame = pd.DataFrame({"q": values, "s": list("ab") * (len(values) // 2)} | more)
    table = Table.from_frame(frame, ["q"], "s", hierarchies={"q": hierarchy} if hierarchy else None)
    return table.with_settings(level_ranges=ranges or {})


AGES = [20, 21, 22, 23, 31, 32, 33, 34, 47, 48] * 2


def test_labels_are_those_of_nodes_and_a_star_for_everything():
    table = small(AGES, Intervals(widths=(10, 30)))
    found = {k: set(ON_LEVELS(table, KAnonymity(k)).class_labels("q")) for k in (2, 4, 5, 20)}
    apart = {"[20-29]", "[30-59]"}  # of 30 to 59 ten years have too few
    assert found == {2: {*map(str, AGES)}, 4: {"[20-29]", "[30-39]", "[40-49]"}, 5: apart, 20: {"*"}}


def test_a_level_below_the_lowest_is_never_published_also_for_nodes_with_one_value(tmp_path):
    table = small([25, 31, 32, 33] * 4, Intervals(widths=(10,)), {"q": [1, 2]})
    release = ON_LEVELS(table, KAnonymity(2))
    assert set(release.class_labels("q")) == {"[20-29]", "[30-39]"}
    release.export(tmp_path / "out.csv")
    book = pd.read_csv(codebooks(tmp_path / "out.csv")[0], dtype=str, keep_default_na=False).set_index("label")
    assert book.loc["[20-29]", ["from", "to"]].tolist() == ["", ""]
    assert figures(foreign(tmp_path / "out.csv", original=table)) == figures(release)


def test_bucketization_requires_exact_values_to_be_allowed():
    table = small(AGES, Intervals(widths=(10,)), {"q": [1, 2]})
    with pytest.raises(BadInput, match="but the lowest level allowed for 'q' is 1"):
        EVERY[3](table, KAnonymity(2))
    assert EVERY[3](table.with_settings(level_ranges={}), KAnonymity(4)).audit(KAnonymity(4)).holds


def test_a_highest_level_that_violates_the_model_is_refused_in_one_sentence():
    table = small(AGES, Intervals(widths=(10,)), {"q": [0, 1]})
    with pytest.raises(Unsatisfiable, match=r"highest levels allowed \(q\), it is violated by 1 of 3 classes; allow"):
        ON_LEVELS(table, KAnonymity(5))
    release = Mondrian(recode="levels", suppress=0.2)(table, KAnonymity(5))
    assert release.suppressed == 4 and set(release.class_labels("q")) == {"[20-29]", "[30-39]"}


def test_equal_values_stay_together_on_levels():
    with pytest.raises(BadInput, match="recode = levels needs strict"):
        Mondrian(strict=False, recode="levels")


def test_a_level_that_does_not_nest_is_skipped():
    table = small(list(range(20, 60)), Intervals(widths=(10, 15, 30)))
    nodes = table.columns["q"].released_at
    assert [nests(fine, coarse) for fine, coarse in pairwise(nodes)] == [True, False, True, True]
    assert [len(np.unique(level)) for level in path(table, "q")] == [40, len(np.unique(nodes[2])), 2, 1]
    labels = set(ON_LEVELS(table, KAnonymity(8)).class_labels("q"))
    assert labels == {"[20-29]", "[30-44]", "[45-59]"}, (
        "20 to 29 are the only values from 15 on: the label of the lower level"
    )


def test_a_column_without_a_hierarchy_has_two_levels():
    table = small(["x", "y", "y", "x", None, None] * 2)
    assert set(ON_LEVELS(table, KAnonymity(4)).class_labels("q")) == {"x", "y", "missing"}
    assert ON_LEVELS(table, KAnonymity(5)).class_labels("q").tolist() == ["*"]


def test_a_group_named_star_is_distinguished_from_everything(tmp_path):
    stars = Groups(({"*": ["x", "y"]},))
    frame = pd.DataFrame({"q": ["x", "y"] * 6 + [None] * 2, "p": [1] * 8 + [2] * 6, "s": list("ab") * 7})
    table = Table.from_frame(frame, ["q", "p"], "s", hierarchies={"q": stars}).with_settings(level_ranges={"q": [1, 2]})
    release = ON_LEVELS(table, KAnonymity(5))
    release.export(tmp_path / "out.csv")
    assert len(set(release.class_labels("q"))) == len({*zip(release.classes.low[:, 0], release.classes.high[:, 0])})  # noqa: B905
    assert figures(foreign(tmp_path / "out.csv", original=table)) == figures(release)


@pytest.mark.parametrize("model", [KAnonymity(10), KAnonymity(5) & TCloseness(0.3)], ids=str)
def test_the_classes_of_adult_satisfy_the_model(adult, model):
    release = ON_LEVELS(adult, model)
    assert release.audit(model).holds and len(release.classes) > 20 and release.suppressed == 0


def test_records_may_be_suppressed_on_levels():
    for seed in range(6):
        table = table_of(random_frame(seed, 150, missing=0.1), list(AXES[:4]))
        release = Mondrian(recode="levels", suppress=0.1)(table, KAnonymity(5))
        assert release.audit(KAnonymity(5)).holds and release.suppressed <= 15
        assert InformationLoss()(release).value <= InformationLoss()(ON_LEVELS(table, KAnonymity(5))).value


def test_the_flat_arrays_contain_the_node_of_each_code():
    table = small([1, 2, 11, 40], Intervals(widths=(10,)))
    levels = Levels.from_table(table)
    assert levels.depth.tolist() == [3] and levels.node_of_code.reshape(3, 4)[1].tolist() == [0, 0, 1, 2]
    assert levels.width.reshape(3, 4)[1].tolist() == pytest.approx([1 / 39, 1 / 39, 0, 0])
    assert [side.tolist() for side in levels.enclosing(np.array([[0]]), np.array([[1]]))] == [[[0]], [[1]]]


# Mondrian on nodes and ranges in one release gives the cuts of a naive search.


def table_of_regions(frame: pd.DataFrame, quasi: list[str], **regions: str) -> Table:
    hierarchies = {name: one for name, one in HIERARCHIES.items() if name in quasi}
    chosen = {"whole": "exact", "real": "exact", **regions}
    return Table.read(frame, quasi, "s", hierarchies=hierarchies, regions={n: chosen[n] for n in quasi if n in chosen})


def naive_per_column(table: Table, k: int) -> set[frozenset[int]]:
    """Return the classes of a naive search: the widest axis first, ranges cut at the median, nodes between children."""
    columns = [table.columns[name] for name in table.quasi]
    codes = [table.codes[name].tolist() for name in table.quasi]

    def width(a: int, part: list[int]) -> float:
        at = columns[a].positions
        mine = [at[codes[a][i]] for i in part]
        return (max(mine) - min(mine)) / ((at[-1] - at[0]) or 1.0)

    def halves(a: int, part: list[int]) -> tuple[list[int], list[int]] | None:
        many = False
        if not columns[a].shows_nodes:
            mine = sorted(codes[a][i] for i in part)
            median = mine[(len(mine) + 1) // 2 - 1]
            if median == mine[-1]:
                median = max((code for code in mine if code < median), default=-1)
            cuts = [median]
        else:
            levels = [node.tolist() for node in columns[a].released_at]
            above = next(j for j, node in enumerate(levels) if len({node[codes[a][i]] for i in part}) == 1)
            if above == 0:
                return None
            child = levels[above - 1]
            there = [codes[a][i] for i in part]
            many = len(set(child[min(there) : max(there) + 1])) > FEW_CHILDREN
            ends = sorted({child[codes[a][i]] for i in part})[:-1]
            cuts = [max(c for c in range(columns[a].size) if child[c] == end) for end in ends]
        found = []
        for cut in cuts:
            left = [i for i in part if codes[a][i] <= cut]
            right = [i for i in part if codes[a][i] > cut]
            found.append((abs(len(left) - len(right)), cut, left, right))
        found = [cut for cut in found if cut[2] and cut[3]]
        if columns[a].shows_nodes and found and many:  # the larger end, if both sides have enough
            ends = [(-len(found[0][2]), 0, *found[0][2:]), (-len(found[-1][3]), 1, *found[-1][2:])]
            enough = [cut for cut in ends if min(len(cut[2]), len(cut[3])) >= k]
            found = [min(enough)] if enough else found
        _, _, left, right = min(found, default=(0, 0, [], []))
        return (left, right) if min(len(left), len(right)) >= k else None

    done, opened = set(), [list(range(table.records))]
    while opened:
        part = opened.pop()
        for a in sorted(range(len(columns)), key=lambda a, part=part: (-width(a, part), a)):
            both = halves(a, part) if width(a, part) > 0 else None
            if both:
                opened += both
                break
        else:
            done.add(frozenset(part))
    return done


def merged(table: Table, parts: set[frozenset[int]]) -> set[frozenset[int]]:
    """Merge parts with equal published regions into classes."""
    found: dict[tuple, set[int]] = {}
    for part in parts:
        shown = []
        for name in table.quasi:
            column, mine = table.columns[name], sorted({int(table.codes[name][i]) for i in part})
            low, high = mine[0], mine[-1]
            if column.shows_nodes:
                node = next(node for node in column.released_at if node[low] == node[high])
                inside = np.flatnonzero(node == node[low])
                low, high = int(inside[0]), int(inside[-1])
            shown.append((low, high))
        found.setdefault(tuple(shown), set()).update(part)
    return {frozenset(part) for part in found.values()}


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(25, fast=5))
def test_the_classes_are_those_of_a_naive_search(seed):
    frame = random_frame(seed, 40 + 7 * seed, missing=0.1 * (seed % 2))
    quasi = [["word", "real"], ["whole", "word"], ["word", "real", "plain"], ["word"]][seed % 4]
    table = table_of_regions(frame, quasi, **({"whole": "nodes"} if seed % 3 == 0 and "whole" in quasi else {}))
    k = 2 + seed % 5
    release = Mondrian()(table, KAnonymity(k))
    assert oracle.as_sets(release.group_of_record) == merged(table, naive_per_column(table, k))


def test_columns_of_nodes_are_those_with_a_hierarchy_and_nodes():
    table = table_of_regions(random_frame(0, 50), ["whole", "word", "plain"])
    assert columns_of_nodes(table).tolist() == [False, True, False], "text without a hierarchy shows ranges"


def test_a_cut_between_children_is_allowed_if_one_child_is_small():
    frame = pd.DataFrame({"word": ["w1"] * 3 + ["w3"] * 40 + ["w5"] * 40, "s": ["a", "b", "c"] * 27 + ["a", "b"]})
    table = table_of_regions(frame, ["word"])
    release = Mondrian()(table, KAnonymity(10))
    labels = dict(zip(map(str, release.class_labels("word")), release.classes.sizes.tolist(), strict=True))
    assert labels == {"PQ": 43, "R": 40} or labels == {"PQ": 43, "w5": 40}


def test_cuts_that_serve_a_workload_follow_both_kinds_of_columns():
    frame = random_frame(3, 300)
    table = table_of_regions(frame, ["word", "real"])
    workload = Workload.from_texts(table, ["word = 'w1'", "real >= 1", "word = 'w5' and real >= 0.5"])
    release = Mondrian("workload", workload=workload)(table, KAnonymity(10))
    assert release.audit(KAnonymity(10)).holds and len(release.classes) > 3
    found = WidestPerColumn(table, table.cells(), KAnonymity(10))
    split = found.split(Nodes.root(table, table.cells()), lambda parts: np.ones(len(parts), bool), 10)
    assert len(split.node) == 1 and split.sizes.sum() == 300
