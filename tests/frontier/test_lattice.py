"""The frame of the lattice and its arguments (its figures: methods/full_domain)."""

import numpy as np
import pytest

from workbench import BadInput, Recipe, Unsatisfiable, lattice
from workbench.measures import Achieved, GeometricLoss, InformationLoss, PrivacyLoss, UtilityLoss
from workbench.methods import FullDomain
from workbench.models import DistinctLDiversity, KAnonymity


@pytest.fixture(scope="module")
def table(adult):
    return adult.with_roles(["sex", "race", "marital_status"], "occupation")


def test_a_row_has_the_figures_of_its_recipe(table):
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


def test_slow_measures_are_computed_for_efficient_nodes_only(table):
    frame = lattice(table, KAnonymity(200), [PrivacyLoss(), UtilityLoss()])
    assert "GL" in frame and 0 < frame["efficient"].sum() < frame["keeps"].sum()
    assert np.array_equal(frame["U_loss"].notna(), frame["efficient"])
    node = frame.index[frame["efficient"]][0]
    release = FullDomain(levels=node, suppress=0.0)(table, KAnonymity(200))
    assert frame["U_loss"][node] == pytest.approx(UtilityLoss()(release).value)


def test_scores_are_reused_for_another_share_of_suppression(table, monkeypatch):
    model = KAnonymity(77)
    first = lattice(table, model, suppress=0.0)
    monkeypatch.setattr("workbench.methods.full_domain.full_domain._score_nodes", None)
    second = lattice(table, model, suppress=1.0)
    assert second["keeps"].all() and not first["keeps"].all()


def test_without_a_model_every_node_is_kept(table):
    frame = lattice(table)
    assert frame["keeps"].all() and list(frame)[-3:] == ["GL", "P_loss", "efficient"]
    assert list(lattice(table.with_roles(["sex", "race"])))[-2:] == ["GL", "efficient"]


def test_a_column_named_like_a_figure_keeps_its_name(adult):
    from workbench import Table

    frame = adult.frame[["sex", "race", "occupation"]].rename(columns={"race": "classes"})
    found = lattice(Table.from_frame(frame, ["sex", "classes"], "occupation"), KAnonymity(5))
    assert {"classes", "classes_"} < set(found) and found["classes"].max() == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("table", None), "is not a table"),
        (("model", 5), "5 is not a model"),
        (("measures", ["GL"]), "'GL' is not a measure"),
        (("suppress", 2), "suppress = 2 must be a share"),
    ],
)
def test_invalid_arguments_are_reported(table, given, why):
    arguments = {"table": table, "model": KAnonymity(5), "measures": None, "suppress": 0.0} | dict([given])
    with pytest.raises(BadInput, match=why):
        lattice(arguments["table"], arguments["model"], arguments["measures"], suppress=arguments["suppress"])
