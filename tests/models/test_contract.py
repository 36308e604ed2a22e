"""The contract of every model in the catalog."""

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest

from tests.methods.tables import random_frame, table_of
from tests.releases.toys import Perturb
from workbench.base.errors import Undefined
from workbench.base.variants import catalog
from workbench.data.population import Population
from workbench.models import (
    AlphaK,
    And,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    Model,
    ProbabilisticLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from workbench.models.classes import Classes

MODELS = catalog("workbench.models", Model)
every_model = pytest.mark.parametrize("model", [kind() for kind in MODELS.values()], ids=str)


of_records = pytest.mark.parametrize(
    "model", [kind() for kind in MODELS.values() if not kind.needs_population], ids=str
)


@pytest.fixture(scope="module")
def classes(classes_of):
    rng = np.random.default_rng(1)
    rows = [rng.multinomial(size, share) for size in (1, 4, 30, 200) for share in rng.dirichlet([0.5, 2, 2, 2], 12)]
    found = classes_of(*rows, [4, 10, 10, 10], [1, 3, 3, 3])
    number = np.arange(len(found), dtype=np.int32)[:, None]  # each class has its own value
    people = found.sizes * (1 + number[:, 0] % 3)
    return replace(found, low=number, high=number, population=Population(number, people, int(people.sum())))


@pytest.fixture(scope="module")
def two_columns(classes):
    """Return classes with a second sensitive column, randomly assigned within each class."""
    other = np.random.default_rng(2).permuted(classes.histograms["s"], axis=1)
    seen = classes.sensitive["s"]
    second = type(seen)("r", seen.labels, other.sum(axis=0))
    return Classes(classes.sizes, {"s": classes.histograms["s"], "r": other}, {"s": seen, "r": second})


@every_model
def test_a_model_names_its_figure(model):
    assert model.figure.isidentifier() and len(model.figure) < 10


@every_model
def test_a_model_holds_where_the_score_is_within_the_limit(model, classes):
    score = model.score(classes)
    within = score >= model.limit - 1e-8 if model.at_least else score <= model.limit + 1e-8
    assert score.shape == (len(classes),)
    assert (model.holds(classes) == within).all()
    assert 0 < model.holds(classes).sum() < len(classes)


@every_model
def test_an_audit_lists_the_classes_that_violate_the_model(model, classes):
    audit, holds = model.audit(classes), model.holds(classes)
    assert audit.violating.tolist() == [i for i in range(len(classes)) if not holds[i]]
    assert audit.records == sum(int(classes.sizes[i]) for i in audit.violating)
    assert not audit.holds and "is violated by" in str(audit)
    kept = model.audit(classes.take(np.flatnonzero(holds)))
    assert kept.holds and "holds" in str(kept)
    assert audit.achieved == ((model.figure, model.achieved(classes)),)


@of_records
def test_the_score_of_several_sensitive_columns_is_the_worst(model, two_columns):
    alone = [
        Classes(two_columns.sizes, {name: two_columns.histograms[name]}, {name: seen})
        for name, seen in two_columns.sensitive.items()
    ]
    assert (model.holds(two_columns) == np.logical_and.reduce([model.holds(one) for one in alone])).all()
    scores = [model.score(one) for one in alone]
    assert (model.score(two_columns) == (np.minimum if model.at_least else np.maximum)(*scores)).all()


@every_model
def test_a_model_that_needs_sensitive_values_is_undefined_without(model, classes):
    bare = replace(classes, histograms={}, sensitive={})
    if model.needs_sensitive:
        with pytest.raises(Undefined, match="needs a sensitive column"):
            model.score(bare)
    else:
        assert (model.score(bare) == model.score(classes)).all()


@every_model
def test_a_release_without_classes_is_undefined(model):
    table = table_of(random_frame(0, 50), ["whole"], ("s",))
    with pytest.raises(Undefined, match="no classes"):
        Perturb()(table).audit(model)


@every_model
def test_the_loosest_parameters_only_measure_the_figure(model, classes):
    bare = type(model).with_loosest_parameters()
    assert np.isfinite(bare.score(classes)).all() or model.figure == "delta"
    assert {f.name for f in fields(bare)} == set(bare.parameters())


FLOORS = [
    (KAnonymity(7), 7),
    (AlphaK(0.5, 5), 5),
    (DistinctLDiversity(3), 3),
    (EntropyLDiversity(2), 2),
    (EntropyLDiversity(2.000000001), 2),  # within the tolerance
    (EntropyLDiversity(2.5), 3),
    (ProbabilisticLDiversity(3), 3),
    (ProbabilisticLDiversity(3.5), 4),
    (RecursiveLDiversity(3, 4), 4),
    (RecursiveLDiversity(0.5, 2), 2),
    (TCloseness(0.7) & KAnonymity(6) & DistinctLDiversity(2), 6),
    *((kind(), kind().min_class_size) for kind in MODELS.values() if not kind.needs_population),
]


@pytest.mark.parametrize(("model", "floor"), FLOORS, ids=str)
def test_no_class_below_the_minimum_size_satisfies_the_model(model, floor, classes_of):
    counts = np.array(list(product(range(8), repeat=4)))
    small = counts[(counts.sum(axis=1) > 0) & (counts.sum(axis=1) < 8)]  # all classes of up to 7 records
    found = classes_of(*small, whole=[4, 3, 2, 1])
    assert model.min_class_size == floor >= 1
    assert not model.holds(found)[found.sizes < floor].any()


def test_combined_models_hold_where_each_holds(classes):
    k, t = KAnonymity(30), TCloseness(0.3)
    both = k & t
    assert (both.holds(classes) == (k.holds(classes) & t.holds(classes))).all()
    assert both.parts == (k, t) and (both & k).parts == (k, t)
    assert str(both) == "k-anonymity, k = 30 & t-closeness, t = 0.3"
    assert both.needs_sensitive and not (k & k).needs_sensitive
    assert both.to_dict() == {"name": "and", "models": [k.to_dict(), t.to_dict()]}
    assert both.audit(classes).records == classes.sizes[~both.holds(classes)].sum()
    assert isinstance(both, And) and "and" not in MODELS
