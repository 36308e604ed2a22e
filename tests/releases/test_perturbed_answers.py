"""Answers to queries from perturbed values: unbiased counts, sums that preserve the mean, valid bounds."""

import numpy as np
import pytest

from tests.methods.noise.tables import table
from workbench.base.errors import Undefined
from workbench.measures import QueryError
from workbench.methods import Keep, Laplace, RandomizedResponse
from workbench.queries.workload import Workload
from workbench.releases.responses import Categorical, Drawn

COUNTS = [
    "age >= 30",
    "ill = 'flu'",
    "city = 'a' and ill in ('flu', 'cold')",
    "age < 40 and not ill = 'none'",
    "wage > 15",
]
DRAWS = 300


def count_queries(given, queries=COUNTS):
    return Workload.from_texts(given, queries)


def test_counts_are_unbiased():
    given = table(300)
    queries, method = count_queries(given), RandomizedResponse(0.6, ("ill", "city"))
    drawn = np.array([method(given).count(queries) for _ in range(DRAWS)])
    error = drawn.std(axis=0, ddof=1) / np.sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=0) - queries.truth) <= 6 * error + 1e-9).all()
    assert drawn[:, 0].std() == 0, "age is unchanged"


def test_a_count_is_never_below_nobody_or_above_everybody():
    given = table(60)
    drawn = np.array([RandomizedResponse(0.1)(given).count(count_queries(given)) for _ in range(50)])
    assert drawn.min() == 0 and drawn.max() <= 60


@pytest.mark.slow
def test_sums_and_averages_of_noisy_numbers_keep_the_mean():
    given = table(300)
    queries = count_queries(given, ["sum(wage)", "avg(wage) where city = 'a'", "sum(wage) where ill = 'flu'"])
    method = Laplace(20, bounds={"wage": (0, 50)})
    drawn = np.array([method(given).count(queries) for _ in range(DRAWS)])
    error = drawn.std(axis=0, ddof=1) / np.sqrt(DRAWS)
    assert (np.abs(drawn.mean(axis=0) - queries.truth) <= 6 * error).all() and (error > 0).all()


def test_a_condition_on_noisy_numbers_uses_bayes_rule():
    given = table(20_000)
    release = Laplace(20, bounds={"age": (17, 90)})(given)
    queries = count_queries(given, ["age >= 30", "age >= 40 and age <= 50", "age >= 17"])
    found = release.count(queries)
    assert found == pytest.approx(queries.truth, abs=1000)
    assert found[2] == pytest.approx(20_000)


def test_unchanged_columns_are_answered_exactly():
    given = table(300, missing=0.1)
    release = RandomizedResponse(0.5)(given)
    queries = count_queries(given, ["age >= 30 and city = 'a'", "avg(wage) where age < 40", "age is missing"])
    assert release.count(queries) == pytest.approx(queries.truth)
    assert (
        release.bounds(count_queries(given, ["age >= 30"]))
        == (pytest.approx(queries.truth[:1] * 0 + Keep()(given).count(count_queries(given))[0]),) * 2
    )


def test_bounds_follow_from_possible_released_values():
    given = table(300)
    queries = count_queries(given)
    for method in (RandomizedResponse(0.5), Laplace(1, bounds={"age": (17, 90), "wage": (0, 50)})):
        least, most = method(given).bounds(queries)
        assert (least <= queries.truth).all() and (queries.truth <= most).all()
    least, most = RandomizedResponse(0.5)(given).bounds(
        count_queries(given, ["ill = 'flu'", "age >= 30 and ill = 'flu'"])
    )
    assert least.tolist() == [0, 0] and most[0] == 300 and most[1] == queries.truth[0]
    release = RandomizedResponse(0.5)(given)
    chances = np.array([[0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 1, 0], [0, 0, 0.2, 0.8]])  # cold flu none rare
    partly = type(release)(given, {"ill": Drawn.from_released(Categorical(chances), given.sensitive_codes("ill"))})
    least, most = partly.bounds(count_queries(given, ["ill = 'rare'", "ill in ('cold', 'flu')"]))
    counts = np.bincount(given.sensitive_codes("ill"), minlength=4)
    assert (least[0], most[0]) == (counts[3], counts[3] + counts[2]) and least[1] == most[1] == counts[0] + counts[1]


def test_sums_have_no_bounds_and_weights_no_answers():
    release = RandomizedResponse(0.5)(table())
    with pytest.raises(Undefined, match="only counts have bounds"):
        release.bounds(count_queries(release.table, ["sum(wage)"]))


def test_query_errors_are_measured():
    given = table(600)
    queries = count_queries(given)
    few, many = (QueryError(workload=queries)(RandomizedResponse(keep)(given)).value for keep in (0.95, 0.05))
    assert few < many
