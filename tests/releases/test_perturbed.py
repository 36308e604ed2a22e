"""Perturbed releases: the answers to the four questions, and the reasons where there is none."""

from itertools import product

import numpy as np
import pytest

from tests.methods.noise.tables import table
from workbench.base.errors import Undefined
from workbench.measures import (
    AccuracyGain,
    AverageClassSize,
    KnowledgeGain,
    PrivacyLoss,
    QueryError,
    ReidentificationRisk,
    UtilityLoss,
)
from workbench.methods import Keep, Laplace, RandomizedResponse
from workbench.models import KAnonymity
from workbench.queries.populations import large_populations
from workbench.queries.workload import Workload
from workbench.releases import perturbed
from workbench.releases.codebook import drawn_columns_of_file
from workbench.releases.foreign import foreign
from workbench.releases.perturbed import posterior_beliefs
from workbench.releases.responses import Categorical, Drawn

BOTH = {"age": (17, 90), "wage": (0, 50)}


def test_a_perturbed_release_has_no_classes():
    release = RandomizedResponse(0.5)(table())
    for ask in (lambda: release.classes, lambda: release.audit(KAnonymity(2)), lambda: AverageClassSize()(release),
                lambda: ReidentificationRisk()(release)):  # fmt: skip
        with pytest.raises(Undefined, match="changed at random, record by record, so it has no classes"):
            ask()


def test_the_posterior_of_a_group_is_the_mean_over_its_rows():
    given = table(missing=0.1)
    release = RandomizedResponse(0.4)(given)
    q, released = given.sensitive["ill"].prior, release.drawn["ill"].released
    found = release.posterior("ill")
    assert found.sizes.sum() == given.records and np.allclose(found.beliefs.sum(axis=1), 1)
    for group in (0, 7, int(release.group_of_record.max())):
        beliefs = []
        for row in np.flatnonzero(release.group_of_record == group):
            joint = [q[v] * (0.4 * (v == released[row]) + 0.6 * q[released[row]]) for v in range(len(q))]
            beliefs.append(np.array(joint) / sum(joint))
        assert found.beliefs[group] == pytest.approx(np.mean(beliefs, axis=0))


@pytest.mark.parametrize("others", ["table", "uniform"])
def test_the_posterior_agrees_with_a_simulation(others):
    """The shares of true values among records with one released value equal the posterior."""
    given = table(20_000)
    release = RandomizedResponse(0.5, others=others)(given)
    drawn, true = release.drawn["ill"], given.model_view.codes["ill"]
    told = drawn.posterior(given.sensitive["ill"].prior)
    for i, value in enumerate(drawn.values):
        rows = drawn.released == value
        share = np.bincount(true[rows], minlength=4) / rows.sum()
        assert share == pytest.approx(told[i], abs=5.5 * 0.5 / np.sqrt(rows.sum()))


def test_extreme_probabilities_disclose_everything_or_nothing():
    given = table()
    kept, keep = RandomizedResponse(1.0)(given), Keep()(given)
    for measure in (PrivacyLoss(), AccuracyGain(), KnowledgeGain(), UtilityLoss()):
        assert measure(kept).value == pytest.approx(measure(keep).value, abs=1e-9)
    assert kept.side_information_risk() == keep.side_information_risk()
    nothing = RandomizedResponse(0.0)(given)
    for measure in (PrivacyLoss(), AccuracyGain(), KnowledgeGain()):
        assert measure(nothing).value == pytest.approx(0, abs=1e-9)


def test_more_noise_hides_more_and_columns_without_noise_still_count():
    given = table()
    some = [KnowledgeGain()(Laplace(e, bounds={"age": (17, 90)})(given)).value for e in (0.1, 5, 50)]
    all_of_it = KnowledgeGain()(Keep()(given)).value
    assert some[0] < some[1] < some[2] <= all_of_it + 1e-9
    by_city = KnowledgeGain()(Keep()(given.with_roles(["city"], "ill"))).value
    assert some[0] >= by_city - 0.02, "the city is published as it is"


def test_a_noisy_sensitive_number_is_inverted_by_bayes_rule():
    given = table(sensitive="wage")
    release = Laplace(5, bounds={"wage": (10, 30)})(given)
    found, values = release.posterior("wage"), given.columns["wage"].values
    rows = np.flatnonzero(release.group_of_record == release.group_of_record[0])
    beliefs = []
    for y in release.drawn["wage"].released[rows]:
        joint = given.sensitive["wage"].prior * np.exp(-np.abs(y - values) / 4)
        beliefs.append(joint / joint.sum())
    assert found.beliefs[release.group_of_record[0]] == pytest.approx(np.mean(beliefs, axis=0))
    assert release.estimate(np.array([[[0, 10**6], [0, 10**6]]]), "wage").sum() == pytest.approx(given.records)


def test_measures_have_figures_for_every_kind_of_noise():
    given = table(missing=0.1)
    for method in (Laplace(2, bounds=BOTH), RandomizedResponse(0.5, ("ill", "city")), RandomizedResponse(0.2)):
        release = method(given)
        for measure in (PrivacyLoss(), UtilityLoss(), AccuracyGain(), KnowledgeGain(), QueryError()):
            assert np.isfinite(measure(release).value)


def test_certain_values_are_counted_by_unchanged_columns():
    given = table()
    noisy = RandomizedResponse(0.5)(given)
    assert (
        noisy.side_information_risk().sensitive == ()
        and noisy.side_information_risk().unique == Keep()(given).side_information_risk().unique
    )
    aged = Laplace(1, bounds={"age": (17, 90)})(given)
    assert aged.side_information_risk(()).unique < noisy.side_information_risk(
        ()
    ).unique and aged.side_information_risk().sensitive == ("ill",)
    assert "wage" not in Laplace(1, bounds={"wage": (0, 50)})(given).neutral


def test_files_have_random_order_and_a_codebook_of_the_noise(tmp_path):
    given = table()
    release = Laplace(2, bounds=BOTH)(given)
    first, second = release.frame(), release.frame()
    assert not first.equals(second)
    columns = list(first.columns)
    assert first.sort_values(columns, ignore_index=True).equals(second.sort_values(columns, ignore_index=True))
    files = release.export(tmp_path / "noisy.csv", giveaways=True)
    said = files[1].read_text()
    assert (
        "age,number + Laplace noise of scale 73,17,90" in said
        and "wage,number + Laplace noise of scale 50,0,50" in said
    )


def test_miners_see_numbers_and_codes_as_they_were_drawn():
    release = Laplace(2, bounds=BOTH)(table())
    assert (release.shown("age").numbers == release.drawn["age"].released).all()
    assert (release.shown("city").codes == release.table.codes["city"]).all()
    assert len(release.published_records) == release.table.records


def test_a_note_reports_random_changes_of_a_file(tmp_path):
    given = table()
    path, *books = RandomizedResponse(0.5, ("ill", "city"), "uniform")(given).export(tmp_path / "r.csv", giveaways=True)
    (note,) = [one for one in foreign(path, ["age", "city"], "ill").notes if "at random" in one]
    assert note.startswith("city and ill: changed at random or swapped, according to the codebook")
    for text in (
        "no JSON",
        "[]",
        '{"columns": 3}',
        '{"columns": {"ill": [3]}}',
        '{"columns": {"ill": [{"label": "x"}]}}',
    ):
        books[-1].write_text(text)
        assert not any("at random" in one for one in foreign(path, ["age", "city"], "ill").notes)
    books[-1].unlink()
    assert drawn_columns_of_file(path) == [] and foreign(path, ["age", "city"], "ill").notes == ()


# Answers to queries from perturbed values: unbiased counts, sums that preserve the mean, valid bounds.

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
    partly = type(release)(given, {"ill": Drawn.from_released(Categorical(chances), given.model_view.codes["ill"])})
    least, most = partly.bounds(count_queries(given, ["ill = 'rare'", "ill in ('cold', 'flu')"]))
    counts = np.bincount(given.model_view.codes["ill"], minlength=4)
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


# Estimates from perturbed values: their bias, and a comparison with naive computations.

ESTIMATED_DRAWS = 400


def populations(given):
    """Return the whole population and two groups."""
    last = [given.columns[name].size - 1 for name in given.quasi]
    return np.array([[[0, last[0]], [0, last[1]]], [[0, 9], [0, last[1]]], [[5, last[0]], [0, 0]]], np.int32)


def truth(given, runs):
    return Keep()(given).estimate(runs, "ill")


@pytest.mark.parametrize("columns", [("ill",), ("ill", "city")])
@pytest.mark.parametrize("others", ["table", "uniform"])
def test_the_unbiased_estimate_is_correct_on_average(columns, others):
    given = table(300)
    runs, method = populations(given), RandomizedResponse(0.5, columns, others)
    drawn = np.array([method(given).unbiased(runs, "ill") for _ in range(ESTIMATED_DRAWS)])
    error = drawn.std(axis=0, ddof=1) / np.sqrt(ESTIMATED_DRAWS)
    assert (np.abs(drawn.mean(axis=0) - truth(given, runs)) <= 6 * error + 1e-9).all()
    everybody = np.array([method(given).unbiased(runs) for _ in range(3)])
    assert everybody[:, 0] == pytest.approx(given.records)


def test_the_likeliest_estimate_is_the_unbiased_one_unless_that_is_negative():
    given = table(600)
    release, runs = RandomizedResponse(0.3)(given), populations(given)
    likely, plain = release.estimate(runs, "ill"), release.unbiased(runs, "ill")
    fine = (plain >= 0).all(axis=1)
    assert likely[fine] == pytest.approx(plain[fine]) and (likely >= 0).all()
    assert likely.sum(axis=1) == pytest.approx(plain.sum(axis=1))


def test_the_bias_of_the_most_likely_estimate_vanishes_in_large_populations():
    given = table(20_000)
    release, runs = RandomizedResponse(0.5)(given), populations(given)
    assert release.estimate(runs, "ill")[0] == pytest.approx(truth(given, runs)[0], abs=6 * np.sqrt(20_000))


def test_unchanged_columns_are_counted_exactly():
    given = table(400)
    release, runs = Laplace(1, bounds={"wage": (0, 50)})(given), populations(given)
    assert release.estimate(runs, "ill") == pytest.approx(truth(given, runs))
    assert release.estimate(runs).ravel() == pytest.approx(truth(given, runs).sum(axis=1))


def test_a_changed_quasi_identifier_is_inverted_like_a_naive_sum():
    given = table(300)
    release = RandomizedResponse(0.6, ("city",))(given)
    runs, drawn = populations(given), release.drawn["city"]
    likely = drawn.posterior(drawn.likeliest)[drawn.codes]
    age, ill = given.codes["age"], given.model_view.codes["ill"]
    for p, (ages, cities) in enumerate(runs.tolist()):
        inside = (age >= ages[0]) & (age <= ages[1])
        counts = np.bincount(ill, inside * likely[:, cities[0] : cities[1] + 1].sum(axis=1), 4)
        assert release.estimate(runs, "ill")[p] == pytest.approx(counts)


def test_estimates_of_many_populations_agree_with_those_of_each_alone():
    given = table(300)
    release = Laplace(10, bounds={"age": (17, 90)})(given)
    many = large_populations(given, 0.1)
    together = release.estimate(many, "ill")
    for p in range(0, len(many), max(1, len(many) // 7)):
        assert release.estimate(many.runs[p : p + 1], "ill")[0] == pytest.approx(together[p])


def test_noise_has_no_unbiased_counts():
    release = Laplace(1, bounds={"age": (17, 90)})(table())
    with pytest.raises(Undefined, match="age: there is no unbiased estimate"):
        release.unbiased(populations(release.table), "ill")


def test_weights_count_people():
    import pandas as pd

    from tests.methods.noise.tables import people
    from workbench.data.table import Table

    frame = people(300).assign(w=np.arange(300) % 4)
    weighted = Table.from_frame(frame, ["age", "city"], "ill", weight="w")
    repeated = Table.from_frame(
        pd.DataFrame(frame.loc[frame.index.repeat(frame["w"])]).drop(columns="w"), ["age", "city"], "ill"
    )
    release, plain = RandomizedResponse(1.0)(weighted), Keep()(repeated)
    runs = np.array([[[0, 30], [0, 2]], [[0, 30], [1, 1]]], np.int32)
    assert release.estimate(runs, "ill") == pytest.approx(plain.estimate(runs, "ill"))


# The probability that a row belongs to a person, compared with a naive sum and by simulation.

CHANCES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])


def naive(target, released, shares):
    """Return the probability of each row to be the target's, summed over all assignments of the other people."""
    found = []
    for mine in range(len(released)):
        total = 0.0
        for others in product(range(3), repeat=len(released) - 1):
            people = [*others[:mine], target, *others[mine:]]
            known = np.prod([shares[one] for one in others])
            total += known * np.prod([CHANCES[t, r] for t, r in zip(people, released, strict=True)])
        found.append(total)
    return np.array(found) / sum(found)


@pytest.mark.parametrize("released", [[0, 1, 2, 0], [2, 2, 1, 1], [0, 0, 0, 0]])
def test_posteriors_equal_a_naive_sum(released):
    true = np.array([0, 0, 1, 2])
    shares = np.bincount(true, minlength=3) / 4
    drawn = {"x": Drawn.from_released(Categorical(CHANCES), np.array(released))}
    told = np.eye(4)  # what a row tells is its number: beliefs are then about rows
    found = posterior_beliefs(np.zeros(4, int), true, {"x": true}, drawn, told, np.arange(4))
    for person in range(3):
        assert found[person] == pytest.approx(naive(person, released, shares))


def test_two_changed_columns_and_groups_that_agree_in_others():
    rng = np.random.default_rng(3)
    alike = np.array([0, 0, 0, 1, 1, 2])
    x, y = rng.integers(0, 3, 6), rng.integers(0, 3, 6)
    person = np.unique(np.stack([alike, x, y]), axis=1, return_inverse=True)[1].ravel()
    drawn = {n: Drawn.from_released(Categorical(CHANCES), rng.integers(0, 3, 6)) for n in "xy"}
    found = posterior_beliefs(alike, person, {"x": x, "y": y}, drawn, np.eye(6), np.arange(6))
    for i in range(6):
        rows = np.flatnonzero(alike == alike[i])
        chance = {}
        for j in rows:
            likely = [CHANCES[x[k], drawn["x"].released[j]] * CHANCES[y[k], drawn["y"].released[j]] for k in (i, *rows)]
            chance[j] = likely[0] / np.mean(likely[1:])
        expected = np.array([chance.get(j, 0.0) for j in range(6)])
        assert found[person[i]] == pytest.approx(expected / expected.sum())


def test_beliefs_are_calibrated():
    """Guess every person's row in a large table, whose shares are nearly those of its distribution."""
    rng, shares, hits, said, people = np.random.default_rng(8), np.array([0.5, 0.3, 0.2]), 0.0, 0.0, 0
    for _ in range(60):
        true = rng.choice(3, 60, p=shares)
        released = np.array([rng.choice(3, p=CHANCES[t]) for t in true])
        drawn = {"x": Drawn.from_released(Categorical(CHANCES), released)}
        secret = (released + rng.integers(0, 2, 60)) % 3  # each row's posterior follows its released value
        found = posterior_beliefs(np.zeros(60, int), true, {"x": true}, drawn, np.eye(3), secret)
        hits += (found[true].argmax(axis=1) == secret).sum()
        said, people = said + found[true].max(axis=1).sum(), people + 60
    assert hits / people == pytest.approx(said / people, abs=5.5 * 0.5 / np.sqrt(people))


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(perturbed, "MAX_PAIRS", 10)
    drawn = {"x": Drawn.from_released(Categorical(CHANCES), np.zeros(4, int))}
    with pytest.raises(Undefined, match="too many rows may belong to each person"):
        posterior_beliefs(np.zeros(4, int), np.arange(4), {"x": np.zeros(4, int)}, drawn, np.eye(4), np.arange(4))
