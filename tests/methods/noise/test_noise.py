"""Properties of every method that changes records at random."""

import math

import numpy as np
import pytest

from tests.methods.noise.tables import table
from workbench.base.errors import BadInput
from workbench.base.variants import catalog
from workbench.methods import Laplace, Method, OptimalResponse, RandomizedResponse
from workbench.methods.noise import numbered, refuse_roles
from workbench.releases.responses import Categorical, read, written

METHODS = [
    Laplace(2, bounds="age: 17..90, wage: 0..50"),
    RandomizedResponse(0.4),
    RandomizedResponse(0.4, ("ill", "city", "age"), "uniform"),
    OptimalResponse(0.2),
]


def test_every_method_that_changes_records_is_tested():
    kinds = {kind for kind in catalog("workbench.methods", Method).values() if not kind.supports_models}
    assert kinds == {type(method) for method in METHODS}


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_stored_draw_reproduces_the_release(method, missing):
    given = table(missing=missing)
    release = method(given)
    kept = {name: written(given, name, one) for name, one in release.drawn.items()}
    again = method.release_draws(given, {name: read(given, name, one) for name, one in kept.items()})
    assert again.about.guarantee == release.about.guarantee
    for name, one in release.drawn.items():
        assert (again.drawn[name].released == one.released).all()
    for known in ("ill",):
        assert np.array_equal(release.posterior(known).beliefs, again.posterior(known).beliefs)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_every_guarantee_mentions_composition_with_other_releases(method):
    given = table()
    for said in (method.guarantee, method(given).about.guarantee):
        assert said.endswith("for this release alone, since others of the same records add to it")


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_other_columns_are_published_unchanged(method):
    given = table()
    release = method(given)
    frame = release.frame()
    assert list(frame.columns) == list(given.frame.columns) and len(frame) == given.records
    for name in frame.columns:
        same = sorted(frame[name].astype(str)) == sorted(given.frame[name].astype(str))
        assert same == (name not in release.drawn)


def test_unpublished_columns_cannot_be_changed():
    import pandas as pd

    from workbench.data.table import Table

    frame = pd.DataFrame({"q": [1, 2, 3], "w": [1, 2, 1], "s": list("aba")})
    weighted = Table.from_frame(frame, ["q"], "s", weight="w")
    with pytest.raises(BadInput, match="'w' is not published"):
        refuse_roles(weighted, ["w"], "laplace")


@pytest.mark.parametrize("values", [2, 3, 14])
@pytest.mark.parametrize("keep", [0.05, 0.5, 0.9])
def test_epsilon_equals_that_of_opendp(values, keep):
    import opendp.prelude as dp

    dp.enable_features("contrib")
    response = numbered(keep * np.eye(values) + (1 - keep) / values, "")
    theirs = dp.m.make_randomized_response(categories=list(range(values)), prob=float(response.chances[0, 0])).map(1)
    assert response.epsilon == pytest.approx(theirs, rel=1e-9)


def test_a_matrix_with_an_impossible_transition_has_no_epsilon():
    assert Categorical(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0]])).epsilon == pytest.approx(0, abs=1e-300)
    assert math.isinf(Categorical(np.array([[0.5, 0.5], [0.0, 1.0]])).epsilon)
