"""Full-domain generalization: the best node, compared with a naive search and with ARX on Adult."""

import threading
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as of_every
from hypothesis import strategies as st

from tests.examples import examples, seeds
from tests.methods.full_domain import arx
from tests.methods.full_domain.lattices import Naive, table_of, variation, within
from workbench import BadInput, Recipe, Unsatisfiable, lattice, sweep
from workbench.base.progress import Cancelled, cancellable
from workbench.data.hierarchies.builders import Groups, Intervals, read_csv
from workbench.data.table import Table
from workbench.frontier.recipe import parse_recipe
from workbench.measures import Discernibility, GeometricLoss, InformationLoss, PrivacyLoss, UtilityLoss
from workbench.methods import FullDomain, LocalRecoding
from workbench.methods.full_domain import full_domain as scores
from workbench.methods.full_domain.full_domain import (
    ALL,
    KEPT,
    format_levels,
    is_scored_by_class,
    node_name,
    parse_levels,
    refuse_other_columns,
    release_at,
    score_nodes,
    sum_costs,
)
from workbench.models import DeltaDisclosure, DeltaPresence, DistinctLDiversity, KAnonymity, KMap, TCloseness


@pytest.mark.parametrize("seed", seeds(25, fast=5))
def test_the_chosen_node_has_the_minimum_loss(seed):
    table, frame, hierarchies = table_of(seed)
    suppress = (0.0, 0.1, 0.4)[seed % 3]
    plain = (KAnonymity(3), lambda part: len(part) >= 3)
    model, holds = plain if seed % 2 else (DeltaDisclosure(1, absent="allowed"), within(1, frame["ill"].tolist()))
    naive, spare = Naive(frame, hierarchies, holds), int(suppress * len(frame) + 1e-9)
    scores = [naive.score(node, spare) for node in naive.nodes()]
    keeping = [score for score in scores if score["keeps"]]
    if not keeping:
        with pytest.raises(Unsatisfiable):
            FullDomain(suppress=suppress)(table, model)
        return
    release = FullDomain(suppress=suppress)(table, model)
    least = min(score["GL"] for score in keeping)
    assert GeometricLoss()(release).value == pytest.approx(least, abs=1e-9)
    ties = [score for score in keeping if score["GL"] < least + 1e-9]
    assert release.suppressed == min(score["breaking"] for score in ties) <= spare


@pytest.mark.parametrize("minimise", ["discernibility", "number of classes"])
def test_the_node_can_be_chosen_by_any_measure_of_utility(minimise):
    table, frame, hierarchies = table_of(5)
    found = FullDomain(minimise=minimise, suppress=0.2)(table, KAnonymity(3))
    naive, spare = Naive(frame, hierarchies, lambda part: len(part) >= 3), int(0.2 * len(frame))
    keeping = [node for node in naive.nodes() if naive.score(node, spare)["keeps"]]
    pinned = [FullDomain(levels=dict(zip(naive.names, node, strict=True)), suppress=0.2) for node in keeping]
    every = [method(table, KAnonymity(3)) for method in pinned]
    if minimise == "discernibility":
        assert Discernibility()(found).value == min(Discernibility()(one).value for one in every)
    else:
        assert len(found.classes) == max(len(one.classes) for one in every)


def test_a_node_can_be_given(adult):
    table = adult.with_roles(["sex", "race"], "occupation")
    method = FullDomain(levels={"race": 1, "sex": 0}, suppress=0.0)
    assert method == FullDomain(levels="sex=0, race=1", suppress=0.0)
    assert parse_recipe(f"k-anonymity, k=5 ({method})") == (KAnonymity(5), method)
    release = method(table, KAnonymity(5))
    assert len(release.classes) == 2
    with pytest.raises(BadInput, match="levels: set a level for race too"):
        FullDomain(levels="sex=0")(table, KAnonymity(5))
    with pytest.raises(Unsatisfiable, match="cannot satisfy k-anonymity"):
        FullDomain(levels="sex=0, race=0", suppress=0.0)(table, KAnonymity(5000))


def test_a_point_of_a_node_has_the_figures_of_its_release(adult, tmp_path):
    table = adult.with_roles(["sex", "race"], "occupation")
    recipes = [Recipe(FullDomain(levels=f"race={j}, sex=1"), KAnonymity(5)) for j in (0, 1)] + [
        Recipe(FullDomain(), KAnonymity(5))
    ]
    first = sweep(table, recipes, [PrivacyLoss(), GeometricLoss()], tmp_path, baselines=False)
    again = sweep(table, recipes, [PrivacyLoss(), GeometricLoss()], tmp_path, baselines=False)
    assert [point.values for point in first.measured] == [point.values for point in again.measured]
    assert "levels" not in FullDomain().to_dict()
    assert recipes[0].to_dict()["method"]["levels"] == "race=0, sex=1"


def test_a_model_that_no_node_satisfies_has_no_release(adult):
    table = adult.with_roles(["sex", "race"], "occupation")
    with pytest.raises(Unsatisfiable, match="k-anonymity"):
        FullDomain()(table, KAnonymity(45_222 + 1))


@arx.needs_shared
@pytest.mark.parametrize(
    ("suppress", "levels", "classes", "left_out", "theirs"),
    [
        (0.0, (0, 4, 1, 2, 3, 2, 0, 0), 26, 0, 0.5422),
        (0.05, (0, 3, 0, 0, 2, 1, 1, 0), 397, 1346, 0.1701),
        (1.0, (0, 3, 0, 0, 2, 1, 0, 0), 518, 2184, 0.1621),
    ],
)
def test_the_node_on_adult_is_that_of_arx(suppress, levels, classes, left_out, theirs):
    """Its classes, suppressed records and loss agree with pandas, too."""
    table, frame = arx.table(), arx.frame()
    assert table.records == 30_162
    release = FullDomain(suppress=suppress)(table, KAnonymity(5))
    assert (len(release.classes), release.suppressed) == (classes, left_out)
    chosen = dict(zip(arx.COLUMNS, levels, strict=True))
    pinned = FullDomain(levels=chosen, suppress=suppress)(table, KAnonymity(5))
    assert GeometricLoss()(release).value == pytest.approx(GeometricLoss()(pinned).value, abs=1e-12)
    labels = {name: {row[0]: row[level] for row in arx.rows(name)} for name, level in chosen.items()}
    shown = frame[list(chosen)].astype(str).apply(lambda column: column.map(labels[column.name]))
    gone = shown.groupby(list(chosen))["sex"].transform("size") < 5
    assert int(gone.sum()) == left_out
    assert arx.loss(frame, chosen, gone) == pytest.approx(theirs, abs=5e-5)
    assert GeometricLoss()(release).value == pytest.approx(arx.loss(frame, chosen, gone), abs=1e-12)


def test_labels_are_those_of_the_level_also_for_nodes_with_one_value():
    frame = pd.DataFrame({"age": [25, 31, 32, 33] * 5, "sex": list("mf") * 10, "s": list("abcde") * 4})
    table = Table.from_frame(frame, ["age", "sex"], "s", hierarchies={"age": Intervals(widths=(10,))})
    for method in (FullDomain(levels={"age": 1, "sex": 1}), LocalRecoding()):
        release = method(table.with_settings(level_ranges={"age": [1, 2]}), KAnonymity(2))
        assert set(release.class_labels("age")) == {"[20-29]", "[30-39]"}
    release = FullDomain(levels={"age": 2, "sex": 1})(table, KAnonymity(2))
    assert release.class_labels("age").tolist() == release.class_labels("sex").tolist() == ["*"]


PRESENCE = ("sex", "age", "race", "marital_status", "salary")


@arx.needs_shared
@pytest.mark.parametrize("limits", [(0.0, 0.2), (0.05, 0.15)])
def test_delta_presence_chooses_among_the_nodes_that_arx_allows(limits):
    """ARX compares the records of each class with the people of the population.

    Its population includes people without a record; among the nodes that satisfy the model, its average class size
    prefers the one with most classes.
    """
    people, (low, high) = arx.frame()[[*PRESENCE]], limits
    hierarchies = {name: read_csv(arx.SHARED / f"adult_hierarchy_{arx.COLUMNS[name]}.csv") for name in PRESENCE}
    table = Table.from_frame(people[::10], PRESENCE, hierarchies=hierarchies).with_settings(population=people)
    labels = {}
    for name in PRESENCE:
        rows = arx.rows(name)
        labels[name] = [people[name].astype(str).map({row[0]: row[j] for row in rows}) for j in range(len(rows[0]))]
    chosen = np.arange(len(people)) % 10 == 0
    allowed = {}
    for levels in product(*(range(len(labels[name])) for name in PRESENCE)):
        shown = [labels[name][j].to_numpy() for name, j in zip(PRESENCE, levels, strict=True)]
        share = pd.Series(chosen).groupby(shown).mean()
        if share.between(low, high).all():
            allowed[levels] = int((share > 0).sum())
    scores = score_nodes(table, DeltaPresence(low, high), [])
    kept = np.flatnonzero(scores.keeps(0))
    found = {tuple(scores.lattice.levels[i].tolist()): int(scores.classes[i, 0]) for i in kept}
    assert found == allowed and allowed
    release = FullDomain(suppress=0, minimise="average class size")(table, DeltaPresence(low, high))
    assert len(release.classes) == max(allowed.values())


# Every node of random lattices, compared with naive scores; pruning loses no node that satisfies the model.

# The scores of every node: violating records, the model's figures, and losses.

FIGURES = {"k (k-anonymity)": "k", "l (distinct l-diversity)": "l", "t (t-closeness)": "t"}


def random_model(seed, frame):
    """Return a model, and its condition on the values of a class."""
    prior = frame["ill"].tolist()
    every = (
        (KAnonymity(3), lambda part: len(part) >= 3),
        (KAnonymity(2) & DistinctLDiversity(2), lambda part: len(part) >= 2 and len(set(part)) >= 2),
        (TCloseness(0.3) & KAnonymity(2), lambda part: variation(part, prior) <= 0.3 + 1e-9 and len(part) >= 2),
        (DeltaDisclosure(0.9, absent="allowed"), within(0.9, prior)),
    )
    return every[seed % len(every)]


@pytest.mark.parametrize("seed", seeds(100, fast=10))
def test_every_score_equals_a_naive_count(seed):
    table, frame, hierarchies = table_of(seed)
    model, holds = random_model(seed, frame)
    suppress = (0.0, 0.1, 0.3, 1.0)[seed // 4 % 4]
    found = lattice(table, model, suppress=suppress)
    naive = Naive(frame, hierarchies, holds)
    nodes = list(naive.nodes())
    assert sorted(map(tuple, found[list(table.quasi)].to_numpy())) == sorted(nodes)
    for _, row in found.iterrows():
        expected = naive.score([row[name] for name in naive.names], int(suppress * len(frame) + 1e-9))
        assert [row["classes"], row["breaking"], row["keeps"]] == [
            expected[key] for key in ("classes", "breaking", "keeps")
        ]
        assert row["left out"] == (expected["breaking"] if expected["keeps"] else 0)
        for key in ("GL", "P_loss"):
            assert row[key] == pytest.approx(expected[key], abs=1e-9)
        for key, name in FIGURES.items():
            assert key not in found or row[key] == pytest.approx(expected[name], abs=1e-9)
    keeping = found[found["keeps"]]
    for name, row in keeping.iterrows():
        beaten = (keeping[["GL", "P_loss"]] <= row[["GL", "P_loss"]]).all(axis=1)
        beaten &= (keeping[["GL", "P_loss"]] < row[["GL", "P_loss"]]).any(axis=1)
        assert row["efficient"] == (not beaten.any()), name


@pytest.mark.parametrize("seed", seeds(40, fast=5))
def test_pruning_loses_no_node_that_satisfies_the_model(seed, monkeypatch):
    monkeypatch.setattr(scores, "BATCH", 1)
    table, frame, hierarchies = table_of(seed)
    model, holds = random_model(seed, frame)
    naive, pruned = Naive(frame, hierarchies, holds), score_nodes(table, model, [])
    for levels, breaking in zip(pruned.lattice.levels, pruned.breaking, strict=True):
        assert breaking == naive.score(levels, 0)["breaking"]


class Counting(KAnonymity):
    """A model that counts the classes that it checks."""

    random_model = 0
    name = "counting"

    def holds(self, classes):
        type(self).asked += len(classes)
        return super().holds(classes)


def test_a_monotone_model_is_not_checked_on_classes_that_satisfy_it(adult, monkeypatch):
    monkeypatch.setattr(scores, "BATCH", 1)
    table = adult.with_roles(["sex", "race", "marital_status", "workclass"], "occupation")
    Counting.asked = 0
    plain = score_nodes(table, Counting(5), [])
    assert 0 < Counting.asked < plain.classes[:, ALL].sum()
    assert np.array_equal(plain.breaking, score_nodes(table, Counting(5), [], figures=True).breaking)


def test_scoring_reports_progress_and_can_be_cancelled(adult, monkeypatch):
    monkeypatch.setattr(scores, "BATCH", 1)
    table, heard, stop = adult.with_roles(["sex", "race", "workclass"], "occupation"), [], threading.Event()

    def report_progress(words):
        heard.append(words)
        if len(heard) == 3:
            stop.set()

    with pytest.raises(Cancelled), cancellable(stop, report_progress):
        lattice(table, KAnonymity(5))
    assert heard == [f"{n} of 12 nodes" for n in (1, 2, 3)]
    assert len(lattice(table, KAnonymity(5))) == 12, "a cancelled result is not cached"


def test_scores_are_those_of_the_releases(adult):
    table = adult.with_roles(["sex", "race", "marital_status"], "occupation")
    model = KAnonymity(300)
    measures = [GeometricLoss(), InformationLoss(), PrivacyLoss()]
    found = score_nodes(table, model, measures)
    for node, levels in enumerate(found.lattice.levels):
        release = release_at(table, levels)
        audit = release.audit(model)
        assert audit.records == found.breaking[node]
        for measure in measures:
            assert found.figures[measure.key][node, ALL] == pytest.approx(measure(release).value, abs=1e-12)
            if 0 < audit.records < table.records:
                kept = measure(release.without(audit.violating)).value
                assert found.figures[measure.key][node, KEPT] == pytest.approx(kept, abs=1e-12)


def test_models_of_a_population_are_checked_on_published_nodes(adult):
    everybody = adult.frame[["sex", "race", "marital_status"]]
    table = Table.from_frame(
        adult.frame[["sex", "race", "marital_status", "occupation"]][::9], everybody.columns, "occupation"
    )
    table, model = table.with_settings(population=everybody), KMap(300) & KAnonymity(3)
    found = score_nodes(table, model, [], figures=True)
    for node, levels in enumerate(found.lattice.levels):
        audit = release_at(table, levels).audit(model)
        assert audit.records == found.breaking[node]
        assert dict(audit.achieved)["k"] in (found.figures[key][node, ALL] for key in found.figures)
    for method in (FullDomain(suppress=0.1), LocalRecoding()):
        assert method(table, model).audit(model).holds


def test_additive_measures_are_computed_class_by_class(adult):
    assert all(is_scored_by_class(measure, adult) for measure in (GeometricLoss(), InformationLoss(), PrivacyLoss()))
    assert not any(
        is_scored_by_class(one, adult)
        for one in (Discernibility(), UtilityLoss(), PrivacyLoss(adversary="covering classes"))
    )


@pytest.mark.parametrize(
    "given",
    ["age=2, sex=0", " sex = 0,age=2 ", ("age=2", "sex=0"), ["sex=0", "age=2"], {"sex": 0, "age": 2}],
)
def test_a_node_has_one_spelling(given):
    assert parse_levels(given) == {"age": 2, "sex": 0}
    assert format_levels(parse_levels(given)) == "age=2, sex=0"


def test_names_may_have_commas_and_blanks():
    assert parse_levels("hours, per week=1, a=b=2") == {"hours, per week": 1, "a=b": 2}


@pytest.mark.parametrize(
    "given", ["", "age", "age=-1", "age=x", "age=1, age=2", {"age": 1.5}, {"age": True}, {1: 2}, 7, {}]
)
def test_invalid_nodes_are_refused(given):
    with pytest.raises(BadInput, match="expected one level per column, as in age=2, sex=0"):
        parse_levels(given)


def test_every_quasi_identifier_needs_an_existing_level():
    table = table_of(0)[0]
    node = dict.fromkeys(table.quasi, 0)
    refuse_other_columns(node, table)
    with pytest.raises(BadInput, match=r"'aa' is not a quasi-identifier; did you mean 'a'\?"):
        refuse_other_columns({**node, "aa": 0}, table)
    with pytest.raises(BadInput, match="'a' has no level 9 here; choose one from 0 to"):
        refuse_other_columns({**node, "a": 9}, table)
    with pytest.raises(BadInput, match="set a level for a too; 0 keeps the values"):
        refuse_other_columns({name: 0 for name in table.quasi if name != "a"}, table)


def test_a_released_node_shows_nodes():
    table = table_of(2)[0]
    top = [len(table.columns[name].released_at) - 1 for name in table.quasi]
    assert len(release_at(table, top).classes) == 1
    assert node_name(table, top) == ", ".join(f"{name}={level}" for name, level in zip(table.quasi, top, strict=True))


NAMES = st.text(st.sampled_from('ab =0123,"\\\n\tn'), min_size=1, max_size=8) | st.text(min_size=1, max_size=5)


@examples(300)
@of_every(st.dictionaries(NAMES, st.integers(0, 12), min_size=1, max_size=3))
def test_the_name_of_every_node_is_parsed_back(levels):
    assert parse_levels(format_levels(levels)) == levels


def test_an_ambiguous_name_is_quoted():
    frame = pd.DataFrame({"a": list("xxyy"), "a=1, b": list("pqpq")})
    table = Table.from_frame(frame, list(frame), [])
    node = node_name(table, [0, 1])
    assert node == 'a=0, "a=1, b"=1'
    assert len(FullDomain(levels=node)(table, None).classes) == 2
    assert format_levels({"b=a, c": 1}) == "b=a, c=1"


def test_levels_may_be_numbers_of_numpy():
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("pqpq")})
    table = Table.from_frame(frame, list(frame), [])
    assert FullDomain(levels={"a": np.int64(0), "b": np.int32(1)}).levels == "a=0, b=1"
    assert table.with_settings(level_ranges={"a": [np.int64(0), np.int8(1)]}).settings.level_ranges == {"a": (0, 1)}


def test_suppression_of_every_record_is_reported():
    table = Table.from_frame(pd.DataFrame({"a": list("xxyy")}), ["a"], [])
    for suppress in (1.0, 0.1):
        with pytest.raises(Unsatisfiable, match="every record would be suppressed"):
            FullDomain(suppress=suppress)(table, KAnonymity(5))


@pytest.mark.parametrize("suppress", [0.02, 0.1])
def test_the_lattice_has_the_loss_of_the_release_also_for_a_column_with_one_value(suppress):
    frame = pd.DataFrame({"age": [30] * 20 + [40] * 20 + [77], "grp": "a"})
    groups = Groups(({"AB": ["a", "b"], "CG": list("cdefg")},))
    table = Table.from_frame(frame, ["age", "grp"], [], hierarchies={"grp": groups})
    scores = score_nodes(table, KAnonymity(5), [GeometricLoss()])
    for levels, loss in zip(scores.lattice.levels, scores.released_figure("GL", int(suppress * 41)), strict=True):
        release = release_at(table, levels)
        audit = release.audit(KAnonymity(5))
        if 0 < audit.records <= suppress * 41:
            release = release.without(audit.violating)
        assert GeometricLoss()(release).value == pytest.approx(loss)
    whole = [1 / 7 * 40 / 41 + 1 / 41, 1]  # above its values the one value is shown as everything
    shares = [(one - 1 / 7) / (6 / 7) for one in whole]
    if suppress == 0.1:
        expected = [((1 + 1 / 41) * (1 + share)) ** 0.5 - 1 for share in shares]
        nodes, losses = scores.lattice.levels.tolist(), scores.released_figure("GL", 4).tolist()
        found = dict(zip(map(tuple, nodes), losses, strict=True))
        assert [found[0, 0], found[0, 1]] == pytest.approx(expected)


def test_costs_are_summed_over_all_rows_and_over_those_that_are_kept():
    rng = np.random.default_rng(1)
    first, levels = np.array([0, 3, 3, 8]), rng.integers(0, 2, (3, 2))
    codes, sizes, kept = rng.integers(0, 4, (8, 2)).astype(np.int16), rng.integers(1, 9, 8), rng.random(8) < 0.5
    cost = rng.random((2, 2, 4))
    every, of_kept = sum_costs(codes, sizes, kept, first, levels, cost)
    for i in range(3):
        for a in range(2):
            each = [sizes[r] * cost[a, levels[i, a], codes[r, a]] for r in range(first[i], first[i + 1])]
            assert every[i, a] == pytest.approx(sum(each))
            here = kept[first[i] : first[i + 1]]
            assert of_kept[i, a] == pytest.approx(sum(c for c, held in zip(each, here, strict=True) if held))
