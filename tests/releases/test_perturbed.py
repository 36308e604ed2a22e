"""Perturbed releases: the answers to the four questions, and the reasons where there is none."""

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
from workbench.releases.codebook import drawn_columns_of_file
from workbench.releases.foreign import foreign

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
