"""Good utility compared with loops over records, and by hand."""

import numpy as np
import pandas as pd
import pytest

from tests.conftest import HIERARCHIES
from workbench import Store, sweep
from workbench.base.errors import BadInput, Undefined
from workbench.base.figures import format_number
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.measures import GoodUtility
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners import DecisionTree, Majority, RandomForest
from workbench.miners.cross_fitting import cross_fit
from workbench.models import KAnonymity


def test_the_worst_miner_counts(small):
    release, asked = Remove()(small(2)), (Majority(), DecisionTree(), RandomForest(5))
    found = GoodUtility("disease", asked)(release)
    for miner in asked:
        shares = []
        for one in (Keep()(small(2)), release):
            told = cross_fit(one, "disease", miner).by_miner(miner).codes
            shares.append(sum(a == b for a, b in zip(told, small(2).codes["disease"], strict=True)) / len(told))
        its = found.detail["miners"][str(miner) if miner == RandomForest(5) else miner.name]
        assert (its["original"], its["release"]) == pytest.approx(tuple(shares))
        assert its["decline"] == pytest.approx(max(1 - shares[1] / shares[0], 0)) and its["decline"] <= found.value
    kept = format_number(1 - found.value, "higher")
    assert f"({kept}, L)-utility-preserving for L = {{majority, decision tree, " in found.sentence


def test_weights_and_false_positives(small):
    """All other records have weight 0."""
    table = small(2)
    given = {"sex = 'F'": 10, "others": 0}
    found = GoodUtility("disease", "majority", "false positives", weights=given)(Mondrian()(table, KAnonymity(5)))
    told = cross_fit(Keep()(table), "disease", "majority").by_miner("majority").codes
    women = (table.frame["sex"] == "F").to_numpy()
    assert found.detail["miners"]["majority"]["original"] == pytest.approx(
        (told >= table.codes["disease"])[women].mean()
    )


def test_numbers_within_a_tolerance(small):
    release = Mondrian()(small(2), KAnonymity(5))
    found = GoodUtility("wage", "mean", "tolerance", tolerance=6)(release).detail["miners"]["mean"]
    told = cross_fit(release, "wage", "mean").by_miner("mean").numbers
    assert found["release"] == pytest.approx((np.abs(told - small(2).frame["wage"]) <= 6).mean())


def test_a_generalized_target_can_be_scored_as_a_number(small):
    found = GoodUtility("age", "mean", "absolute")(Mondrian()(small(2), KAnonymity(5)))
    assert 0 <= found.value < 1
    with pytest.raises(Undefined, match="'age' is generalized"):
        GoodUtility("age")(Mondrian()(small(2), KAnonymity(5)))


def mine(predicted, true):
    return 1.0 if predicted == true else -0.1


def test_a_function_works_in_python_and_cannot_be_stored(small, tmp_path):
    measure = GoodUtility("disease", "majority", error=mine)
    assert measure == GoodUtility("disease", "majority", error=mine) and "error=mine" in measure.key
    assert measure(Mondrian()(small(2), KAnonymity(5))).value >= 0
    recipes = [Recipe(Mondrian(), KAnonymity(5))]
    assert len(sweep(small(2), recipes, [measure, GoodUtility()]).measured) == 3
    with pytest.raises(BadInput, match="mine is a Python function, which cannot be saved in a study or a store"):
        sweep(small(2), recipes, [measure], Store(tmp_path / "store"))


def test_stored_predictions_are_reused_in_another_session(small, tmp_path, monkeypatch):
    recipes, measures = [Recipe(Mondrian(), KAnonymity(5))], [GoodUtility()]
    first = sweep(small(2), recipes, measures, tmp_path / "store")
    kept = sorted((tmp_path / "store").glob("*.mined"))
    assert kept and all(path.stat().st_mode & 0o077 == 0 for path in kept)
    for point in (tmp_path / "store").glob("[0-9a-f]*"):
        if point.suffix:
            continue
        for file in point.iterdir():
            file.unlink()
        point.rmdir()
    monkeypatch.setattr("workbench.miners.cross_fitting.predict_fold", None)
    again = Table.from_frame(small(2).frame, ["age", "work", "sex"], "disease", hierarchies=HIERARCHIES)
    second = sweep(again, recipes, measures, tmp_path / "store")
    assert [point.values for point in second.measured] == [point.values for point in first.measured]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"miners": "forest"}, "is not a miner"),
        ({"miners": [{"name": "random forest", "tree": 3}]}, "no parameter tree"),
        ({"weights": {"age >= 5": "x"}}, "is not a weight"),
        ({"costs": 4}, "costs"),
        ({"error": "wrong"}, "is not one of"),
        ({"target": "agee"}, "is not a column"),
        ({"weights": {"agee >= 5": 1}}, "agee"),
    ],
)
def test_bad_parameters_are_reported(small, given, words):
    with pytest.raises(BadInput, match=words):
        GoodUtility(**given)(Keep()(small(0)))


def test_the_published_figure(small):
    frame = pd.concat([small(2).frame] * 20, ignore_index=True)
    release = Mondrian()(Table.from_frame(frame, ["age", "work", "sex"], "disease"), KAnonymity(30))
    found = GoodUtility()(release)
    value, sentence = GoodUtility().publish(found, release, 10)
    assert value >= found.value and sentence == "How much less accurately miners predict from a release."
    few = GoodUtility(weights={"age = 51": 5})
    assert few.publish(found, release, 10)[0] is None


def test_conditions_do_not_occur_in_keys():
    """Conditions may be about people, and the names of figures are published."""
    one, other = (GoodUtility(weights={f"age = {age}": 2}) for age in (77, 78))
    assert one.key != other.key and "age" not in one.key
