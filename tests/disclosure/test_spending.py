"""The joint epsilon of several releases with noise, computed by hand."""

import math

import numpy as np

from tests.methods.noise.tables import table
from workbench.disclosure.spending import describe_joint_budget
from workbench.frontier.recipe import Recipe
from workbench.methods import FullDomain, Keep, Laplace, Mondrian, OptimalResponse, RakedBuckets, RandomizedResponse

AGE = "age: 17..99"


def noise(*epsilons, bounds=AGE):
    return [Laplace(one, bounds=bounds) for one in epsilons]


def test_different_draws_of_a_column_add_up_and_equal_ones_count_once():
    given, both = table(), "age: 17..99, wage: 0..100"
    assert describe_joint_budget(given, noise(1, 0.5), "files") == (
        "Several releases add up: both files together have epsilon = 1.5 for age (1 + 0.5)."
    )
    twice = [*noise(1), *noise(2, bounds=both)]  # the second budget is halved: its age is the first one's draw
    assert describe_joint_budget(given, twice, "files").endswith(
        "have epsilon = 1 for age; no epsilon for wage, which some of them publish without noise."
    )
    one, other = (Recipe(method).release(given) for method in (Laplace(1, ("age",), both), Laplace(1, bounds=AGE)))
    assert np.array_equal(one.drawn["age"].released, other.drawn["age"].released)
    assert describe_joint_budget(given, [Laplace(1, ("age",), both), Laplace(1, bounds=AGE)], "files") == ""
    assert (
        describe_joint_budget(given, noise(1), "files")
        == describe_joint_budget(given, [Mondrian(), FullDomain()], "files")
        == ""
    )


def test_epsilons_of_responses_are_those_of_their_matrices():
    said = describe_joint_budget(table(), [RandomizedResponse(keep, others="uniform") for keep in (0.5, 0.2)], "files")
    parts = [math.log((keep + (1 - keep) / 4) / ((1 - keep) / 4)) for keep in (0.5, 0.2)]  # of four values
    assert np.allclose(parts, [1.609, 0.693], atol=1e-3) and "epsilon at most 2.31 for ill (1.61 + 0.694)" in said


def test_pages_publish_no_epsilon_that_depends_on_the_rarest_value():
    given, own = table(), [RandomizedResponse(keep) for keep in (0.5, 0.2)]
    assert "epsilon at most " in describe_joint_budget(given, own, "files")
    said = describe_joint_budget(given, own, "files", published=True)
    assert (
        said == "Several releases add up: both files together have for ill the sum of several, which are not published."
    )
    assert describe_joint_budget(given, noise(1, 2), "files", published=True) == describe_joint_budget(
        given, noise(1, 2), "files"
    )


def test_no_sum_is_rounded_down_and_many_draws_are_counted():
    said = describe_joint_budget(table(), noise(*[0.3334] * 1, 0.1, 0.2, 0.25, 0.15), "releases")
    assert said == "Several releases add up: all 5 releases together have epsilon at most 1.04 for age (5 draws)."


def test_a_column_without_noise_in_one_of_them_has_no_epsilon():
    given = table()
    said = describe_joint_budget(given, [*noise(1), Mondrian(), RandomizedResponse(0.5)], "releases")
    assert said == (
        "Several releases add up: all 3 releases together have no epsilon for age and ill, which some of them publish "
        "without noise."
    )
    assert describe_joint_budget(given, [*noise(1), Keep()], "releases") == "", "a baseline is not published"


def test_a_draw_without_an_epsilon_has_none_in_all():
    said = describe_joint_budget(
        table(), [OptimalResponse(0.3), RandomizedResponse(1.0), RandomizedResponse(0.5)], "releases"
    )
    assert said.endswith("together have no epsilon for ill.")


def test_noise_on_counts_is_drawn_once_for_all_limits_and_added_separately_from_epsilons():
    given = table()
    raked = [RakedBuckets(rho=one) for one in (0.1, 0.1, 0.3)]
    assert describe_joint_budget(given, raked[:2], "files") == "", "one draw for all limits"
    assert describe_joint_budget(given, raked, "files").endswith("have rho = 0.4 for ill (0.1 + 0.3).")
    assert describe_joint_budget(given, raked, "files", published=True) == describe_joint_budget(
        given, raked, "files"
    ), "no draw from the data"
    assert describe_joint_budget(given, [raked[0], Mondrian()], "files").endswith(
        "have no rho for ill, which some of them publish without noise."
    )
    assert describe_joint_budget(given, [raked[0], RandomizedResponse(0.5)], "files").endswith(
        "no sum for ill, since its noise is of two kinds (epsilon and rho)."
    )
