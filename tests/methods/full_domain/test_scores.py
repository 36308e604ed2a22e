"""Every node of random lattices, compared with naive scores; pruning loses no node that satisfies the model."""

import threading

import numpy as np
import pytest

from tests.examples import seeds
from tests.methods.full_domain.lattices import Naive, table_of, variation, within
from workbench import Table, lattice
from workbench.base.progress import Cancelled, cancellable
from workbench.measures import Discernibility, GeometricLoss, InformationLoss, PrivacyLoss, UtilityLoss
from workbench.methods import FullDomain, LocalRecoding
from workbench.methods.full_domain import scores
from workbench.methods.full_domain.node_selection import release_at
from workbench.methods.full_domain.scores import ALL, KEPT, is_scored_by_class, score_nodes
from workbench.models import DeltaDisclosure, DistinctLDiversity, KAnonymity, KMap, TCloseness

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
    table, model = table.with_population(everybody), KMap(300) & KAnonymity(3)
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
