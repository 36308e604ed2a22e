"""Objections to candidates are assessed once per threshold and wording, and then read from the store."""

from dataclasses import replace

import pytest

from tests.planted import planted
from workbench.data.wording import Wording
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.frontier import objections as module
from workbench.frontier.objections import exceeded_caps, reasons_against
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, Mondrian
from workbench.models import KAnonymity

MEASURES = [PrivacyLoss(), UtilityLoss()]
RECIPES = [Recipe(Mondrian(), KAnonymity(k)) for k in (3, 40)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    study = planted(tmp_path_factory.mktemp("study"))
    return study.table(study.read())


@pytest.fixture
def assessments(monkeypatch):
    """Return a list that grows with each assessment of a release."""
    calls = []
    monkeypatch.setattr(
        module, "reasons_not_to_recommend", lambda *given: calls.append(given[1]) or reasons_not_to_recommend(*given)
    )
    return calls


def reasons(table, store=None, smallest=10):
    return [point.against for point in sweep(table, RECIPES, MEASURES, store, smallest=smallest).measured]


def test_objections_are_assessed_once_and_stored(table, tmp_path, assessments):
    first = reasons(table, tmp_path / "store")
    assert len(assessments) == 2 and first[0] and first[2:] == [(), ()], "baselines are not assessed"
    assert first == [*(tuple(reasons_not_to_recommend(one.release(table), 10, one.model)) for one in RECIPES), (), ()]
    assert reasons(table, tmp_path / "store") == first == reasons(table) and len(assessments) == 4, (
        "once more without a store"
    )


def test_another_threshold_or_wording_needs_a_new_assessment(table, tmp_path, assessments):
    store = Store(tmp_path / "store")
    reasons(table, store)
    reasons(table, store, smallest=20)
    assert assessments == [10, 10, 20, 20]
    renamed = replace(table, wording=Wording({}, "patient", "patients"))
    assert any("patients" in text for text in reasons(renamed, store)[0]) and len(assessments) == 6
    assert reasons(table, store, smallest=20) == reasons(table, smallest=20)


def test_changed_objections_in_the_store_are_assessed_again(table, tmp_path, assessments):
    first = reasons(table, tmp_path / "store")
    for path in (tmp_path / "store").glob("*.against"):
        path.write_text("[]")
    assert reasons(table, tmp_path / "store") == first and len(assessments) == 4


def test_the_assessment_is_optional(table, assessments):
    found = sweep(table, RECIPES, MEASURES, smallest=None)
    assert not assessments and not any(point.against for point in found.measured)


def test_objections_to_a_named_recipe(table):
    release = RECIPES[0].release(table)
    assert reasons_against(RECIPES[0], release, 10) == reasons_not_to_recommend(release, 10, RECIPES[0].model)
    assert "a baseline" in reasons_against(Recipe(Keep()), Recipe(Keep()).release(table), 10)[0]


def test_caps_that_a_release_violates(table):
    release = RECIPES[0].release(table)
    risk = ReidentificationRisk()(release).value
    measures = [PrivacyLoss(), ReidentificationRisk()]
    assert exceeded_caps(release, measures, {"R_id": risk}, {}) == []
    (text,) = exceeded_caps(release, measures, {"R_id": 0.01, "P_loss": 99}, {"P_loss": 1.0})
    assert text.startswith("its R_id is ") and text.endswith(", above the cap of 0.01")
