"""Several releases combined: an attacker with all files may be certain although one with a single file is not."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from tests.examples import seeds
from tests.methods.noise.tables import table
from workbench import Table
from workbench.base.convergence import collect_fits
from workbench.data.hierarchies.builders import Intervals
from workbench.disclosure import several_releases
from workbench.disclosure.recommendable import reasons_not_to_recommend
from workbench.disclosure.several_releases import Sums, count_certain, describe_joint_budget, propagate_bounds
from workbench.frontier.recipe import Recipe
from workbench.methods import (
    FullDomain,
    Keep,
    Laplace,
    Mondrian,
    OptimalResponse,
    RakedBuckets,
    RandomizedResponse,
    Remove,
)
from workbench.models import DistinctLDiversity, KAnonymity
from workbench.releases.exchanged import Exchanged
from workbench.releases.partition import Bucketized, Partition


def table_of(**more):
    frame = pd.DataFrame({"age": [1, 1, 2, 2] * 3, "town": list("abab") * 3, "ill": ["x", "y", "y", "x"] * 3, **more})
    return Table.from_frame(frame, quasi=["age", "town"], sensitive="ill")


def test_two_files_together_disclose_what_neither_does():
    table = table_of()
    by_age, by_town = Remove("town")(table), Remove("age")(table)
    both = Keep()(table)
    assert count_certain(table, [by_age]) == (0, 0, False)
    assert count_certain(table, [both]).alone == 12
    assert count_certain(table, [by_age, by_town]).together == 0, "each class has both values"


def test_neutral_columns_join_the_files():
    table = table_of(row=[i % 4 for i in range(12)])
    found = count_certain(table, [Remove("town")(table), Remove("age")(table)])
    assert found.joined and (found.together, found.alone) == (12, 0)


def test_swapped_values_exclude_nothing_in_combination():
    """Two files disclose x or y, and x or z, for people of 1 in town a: x. The third has y and z of other people."""
    frame = pd.DataFrame({"age": [1, 1, 2, 2] * 3, "town": list("abab") * 3, "ill": ["x", "y", "z", "y"] * 3})
    table = Table.from_frame(frame, ["age", "town"], "ill")
    by_age, by_town = Remove("town")(table), Remove("age")(table)
    group = (table.cells().quasi.sum(axis=0) > 0).astype(np.int32)
    exchanged = Exchanged.from_cells(table, group, {"ill": np.array([[0, 2, 1], [3, 4, 2]])})
    assert count_certain(table, [by_age, by_town]).together == 12
    assert count_certain(table, [by_age, by_town, exchanged]).together == 12
    assert count_certain(table, [exchanged]).together == count_certain(table, [exchanged, exchanged]).together == 0


def test_neutral_columns_link_values_with_the_exact_quasi_identifiers_of_another_file():
    """Four people are indistinguishable in one file and have distinct rows in the other, by the neutral column."""
    frame = pd.DataFrame({"age": [1, 2, 3, 4] * 3, "night": [0, 1, 0, 1] * 3, "ill": ["x", "y", "z", "y"] * 3})
    table = Table.from_frame(frame, ["age"], "ill")
    cells, group = table.cells(), np.zeros(len(table.cells()), np.int32)
    values, bucket = Partition(table, cells, group), Bucketized(table, cells, group)
    assert count_certain(table, [values]).together == count_certain(table, [bucket, bucket]).together == 0
    assert count_certain(table, [values, bucket]) == (12, 0, True)


def test_an_attacker_who_knows_all_people_subtracts_one_file_from_another():
    """One of the two people of 1 in town b at most is ill, so the person of 1 in town a is ill."""
    rows = [(1, "a", "ill"), (1, "b", "ill"), (1, "b", "well"), (2, "a", "ill"), (2, "a", "well"), (2, "b", "well")]
    table = Table.from_frame(pd.DataFrame(rows, columns=["age", "town", "state"]), ["age", "town"], "state")
    by_age, by_town = Remove("town")(table), Remove("age")(table)
    assert count_certain(table, [by_age, by_town]) == (2, 0, False)
    assert count_certain(table, [by_age, by_age]).together == 0


def test_the_difference_to_a_file_with_suppressed_records_is_certain():
    """The last person alone is left out of one file: the values of the other file, less those of this one, are hers."""
    frame = pd.DataFrame({"age": [age for age in range(20, 30) for _ in range(30)] + [31]})
    frame["ill"] = ["flu", "cold", "hiv"] * 100 + ["hiv"]
    table = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(5, 10, 20))})
    model = KAnonymity(5) & DistinctLDiversity(2)
    every, some = FullDomain(suppress=0)(table, model), FullDomain(suppress=0.01)(table, model)
    assert (every.suppressed, some.suppressed) == (0, 1)
    assert count_certain(table, [every, some]).together == 1
    assert count_certain(table, [some]).together == count_certain(table, [every, every]).together == 0
    assert any("totals" in reason for reason in reasons_not_to_recommend(some, 10)) and not reasons_not_to_recommend(
        every, 10
    )


# Bounds by subtraction of sums contain all feasible counts and often equal their range.


def ways(sums, parts, most):
    """Yield all counts of the parts that add up to the sums."""
    found = []
    for numbers in product(range(most + 1), repeat=parts):
        of_parts = np.array(numbers)
        if all((np.bincount(one.of, of_parts[one.parts], len(one.total)) == one.total).all() for one in sums):
            found.append(numbers)
    return np.array(found)


def test_two_sums_are_subtracted():
    """Two of three people have x, and the last two have one x and one y, so the first has x."""
    people, value = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    of_people = Sums.from_keys(np.arange(4), people, np.array([1, 2]))
    of_all = Sums.from_keys(np.arange(4), value, np.array([2, 1]))
    of_last = Sums.from_keys(np.array([2, 3]), value[2:], np.array([1, 1]))
    least, most = propagate_bounds(4, [of_people, of_all, of_last])
    assert least.tolist() == most.tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("seed", seeds(20, fast=4))
def test_no_feasible_count_is_excluded(seed):
    """Intersect two files with three classes each: six groups with two values each."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, (5, 2))
    group, value = np.repeat(np.arange(5), 2), np.tile(np.arange(2), 5)
    keys = [group, *(2 * rng.integers(0, 3, 5)[group] + value for _ in range(2))]
    sums = [Sums.from_keys(np.arange(10), key, np.bincount(key, true.ravel(), 10)) for key in keys]
    least, most = propagate_bounds(10, sums)
    every = ways(sums, 10, 2) if most.max() <= 2 else np.array([true.ravel()])
    assert (least <= every.min(axis=0)).all() and (every.max(axis=0) <= most).all()


def test_the_result_reports_whether_the_bounds_still_change(monkeypatch):
    """A chain of sums is tightened link by link in both directions."""
    pairs = [Sums(np.array([i, i + 1]), np.array([0, 0]), np.array([1])) for i in reversed(range(8))]
    sums = [*pairs, Sums(np.array([0]), np.array([0]), np.array([1]))]
    with collect_fits() as fits:
        least, most = propagate_bounds(9, sums)
    assert least.tolist() == most.tolist() == [1, 0, 1, 0, 1, 0, 1, 0, 1]
    assert fits[0].converged and fits[0].residual == 0 and fits[0].rounds > 3
    monkeypatch.setattr(several_releases, "ROUNDS", 3)
    with collect_fits() as fits:
        propagate_bounds(9, sums)
    assert not fits[0].converged and fits[0].residual > 0 and fits[0].rounds == 3


# The joint epsilon of several releases with noise, computed by hand.

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
