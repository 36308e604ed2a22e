"""Full-domain generalization: the best node, compared with a naive search and with ARX on Adult."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tests.examples import seeds
from tests.methods.full_domain import arx
from tests.methods.full_domain.lattices import Naive, table_of, within
from workbench import BadInput, Recipe, Unsatisfiable, sweep
from workbench.data.hierarchies.builders import Intervals, read_csv
from workbench.data.table import Table
from workbench.frontier.recipe import parse_recipe
from workbench.measures import Discernibility, GeometricLoss, PrivacyLoss
from workbench.methods import FullDomain, LocalRecoding
from workbench.methods.full_domain.nodes import score_nodes
from workbench.models import DeltaDisclosure, DeltaPresence, KAnonymity


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
