"""The frame of the lattice: what it is asked for, and what it says of whom (its figures: methods/full_domain)."""

import numpy as np
import pytest

from workbench import BadInput, Recipe, Unsatisfiable, lattice
from workbench.measures import Achieved, GeometricLoss, InformationLoss, PrivacyLoss, UtilityLoss
from workbench.methods import FullDomain
from workbench.models import DistinctLDiversity, KAnonymity


@pytest.fixture(scope="module")
def table(adult):
    return adult.with_roles(["sex", "race", "marital_status"], "occupation")


def test_a_row_is_what_its_recipe_releases(table):
    model = KAnonymity(200) & DistinctLDiversity(4)
    frame = lattice(table, model, [GeometricLoss(), InformationLoss(), PrivacyLoss()], suppress=0.05)
    assert {"sex", "race", "marital_status", "k (k-anonymity)", "l (distinct l-diversity)", "NCP"} < set(frame)
    for node, row in frame.iterrows():
        recipe = Recipe(FullDomain(suppress=0.05, levels=node), model)
        if not row["keeps"]:
            with pytest.raises(Unsatisfiable):
                recipe.release(table)
            continue
        release = recipe.release(table)
        assert (release.suppressed, len(release.classes)) == (row["left out"], row["classes"])
        for measure in (GeometricLoss(), InformationLoss(), PrivacyLoss(), Achieved()):
            assert row[measure.key] == pytest.approx(measure(release).value, abs=1e-12)


def test_slow_measures_are_taken_of_efficient_nodes_alone(table):
    frame = lattice(table, KAnonymity(200), [PrivacyLoss(), UtilityLoss()])
    assert "GL" in frame and 0 < frame["efficient"].sum() < frame["keeps"].sum()
    assert np.array_equal(frame["U_loss"].notna(), frame["efficient"])
    node = frame.index[frame["efficient"]][0]
    release = FullDomain(levels=node, suppress=0.0)(table, KAnonymity(200))
    assert frame["U_loss"][node] == pytest.approx(UtilityLoss()(release).value)


def test_another_share_needs_no_other_scores(table, monkeypatch):
    model = KAnonymity(77)
    first = lattice(table, model, suppress=0.0)
    monkeypatch.setattr("workbench.methods.full_domain.scores._score_nodes", None)
    second = lattice(table, model, suppress=1.0)
    assert second["keeps"].all() and not first["keeps"].all()


def test_without_a_model_every_node_is_kept(table):
    frame = lattice(table)
    assert frame["keeps"].all() and list(frame)[-3:] == ["GL", "P_loss", "efficient"]
    assert list(lattice(table.with_roles(["sex", "race"])))[-2:] == ["GL", "efficient"]


def test_a_column_called_like_one_of_ours_keeps_its_name(adult):
    from workbench import Table

    frame = adult.frame[["sex", "race", "occupation"]].rename(columns={"race": "classes"})
    found = lattice(Table.from_frame(frame, ["sex", "classes"], "occupation"), KAnonymity(5))
    assert {"classes", "classes_"} < set(found) and found["classes"].max() == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("table", None), "is no table"),
        (("model", 5), "5 is no model"),
        (("measures", ["GL"]), "'GL' is not a measure"),
        (("suppress", 2), "suppress = 2 must be a share"),
    ],
)
def test_what_is_wrong_is_said(table, given, why):
    asked = {"table": table, "model": KAnonymity(5), "measures": None, "suppress": 0.0} | dict([given])
    with pytest.raises(BadInput, match=why):
        lattice(asked["table"], asked["model"], asked["measures"], suppress=asked["suppress"])
