"""Raked buckets satisfy the model, preserve the data and are far below the published frontier."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr

from tests.examples import examples
from tests.methods.raking.tables import people, table
from tests.methods.tables import frames, quasi_choices, table_of
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data import datasets
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Mondrian, RakedBuckets
from workbench.methods.raking import raked_buckets
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.raked_buckets import add_noise, max_changed_populations, use_draw_store
from workbench.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    ProbabilisticLDiversity,
    TCloseness,
)

DEALT = RakedBuckets(publish="dealt")
SMALL, NOISY = (RakedBuckets(smallest=3, rho=rho) for rho in (None, 0.2))


def js(t):
    return TCloseness(t, distance="js")


# --- on Adult, in the setting of Li & Li's figure 2


@pytest.mark.parametrize(("t", "most"), [(0.075, 0.0026), (0.1, 0.0011), (0.15, 0.0004), (0.2, 0.0002)])
def test_swapped_buckets_are_far_below_the_published_frontier(adult, t, most):
    release = RakedBuckets()(adult, js(t))
    assert PrivacyLoss()(release).value <= t
    assert UtilityLoss()(release).value <= most
    assert 4 * most < UtilityLoss()(Mondrian(publish="bucketized")(adult, js(t))).value


@pytest.mark.slow
def test_assigned_buckets_have_a_tenth_more_loss(adult):
    exchanged, dealt = (UtilityLoss()(method(adult, js(0.1))).value for method in (RakedBuckets(), DEALT))
    assert exchanged < dealt <= 1.1 * exchanged


def test_buckets_are_accurate_for_populations_that_were_not_used(adult):
    raked, median = RakedBuckets()(adult, js(0.1)), Mondrian(publish="bucketized")(adult, js(0.1))
    small = UtilityLoss(min_support=0.02)
    assert 3.5 * small(raked).value <= small(median).value


def test_buckets_are_accurate_for_random_boxes(adult):
    """Compute the error of counts by value over boxes that match no hierarchy."""
    rng, cells = np.random.default_rng(8), adult.cells()
    raked, median = RakedBuckets()(adult, js(0.1)), Mondrian(publish="bucketized")(adult, js(0.1))
    off = np.zeros(2)
    boxes = 0
    while boxes < 300:
        ends = np.array([sorted(rng.integers(0, adult.columns[name].size, 2)) for name in adult.quasi])
        inside = ((cells.quasi >= ends[:, :1]) & (cells.quasi <= ends[:, 1:])).all(axis=0)
        people = np.bincount(cells.others["occupation"][inside], cells.weight[inside], 14)
        if people.sum() < 0.02 * adult.records:
            continue
        boxes += 1
        for i, release in enumerate((raked, median)):
            group, cell, weight = release._entries
            there = np.bincount(group[inside[cell]], weight[inside[cell]], len(release.classes))
            told = there @ release.classes.distributions("occupation")
            off[i] += divergence(people / people.sum(), told / told.sum())
    assert 2 * off[0] <= off[1]


def divergence(one, other):
    """Return the Jensen-Shannon divergence, in nats."""
    middle = (one + other) / 2
    return sum(rel_entr(each, middle).sum() for each in (one, other)) / 2


@pytest.mark.slow
def test_buckets_with_a_guarantee_are_still_far_below_the_published_frontier(adult):
    release = RakedBuckets(rho=0.3)(adult, js(0.1))
    assert PrivacyLoss()(release).value <= 0.1
    assert UtilityLoss()(release).value <= 0.0027
    assert "rho = 0.3" in release.about.guarantee and "epsilon at most 4.38 at delta = 1e-06" in release.about.guarantee


# --- on generated visits, of which a column has hundreds of values


@pytest.mark.slow
@pytest.mark.parametrize(("sensitive", "values", "most"), [("symptom", 190, 0.0013), ("diagnosis", 697, 0.012)])
def test_buckets_are_large_enough_for_columns_with_hundreds_of_values(sensitive, values, most):
    visits = datasets.ambulatory(sensitive=sensitive)
    assert len(visits.sensitive[sensitive]) == values
    release, plain = (method(visits, js(0.1)) for method in (RakedBuckets(), Mondrian(publish="bucketized")))
    assert release.audit(js(0.1)).holds and not release.about.notices
    assert UtilityLoss()(release).value <= most < UtilityLoss()(plain).value / 2


# --- on any table


@pytest.mark.parametrize("sensitive", [("illness",), ("illness", "wage")])
@pytest.mark.parametrize("weights", [False, True])
def test_every_record_is_in_one_bucket_and_counts_of_values_are_preserved(sensitive, weights):
    data = table(1, sensitive, weights=weights, missing=0.05)
    model = js(0.1) & KAnonymity(60)
    release = RakedBuckets()(data, model)
    assert release.audit(model).holds and release.classes.sizes.min() >= 60
    assert np.bincount(release.group_of_record).tolist() == release.classes.sizes.tolist()
    for name in sensitive:
        assert release.classes.histograms[name].sum(axis=0).tolist() == data.sensitive[name].totals.tolist()
    assert UtilityLoss()(release).value < UtilityLoss()(Mondrian(publish="bucketized")(data, model)).value


def test_assigned_buckets_contain_the_published_values():
    data = table(2, missing=0.05)
    release = DEALT(data, js(0.1))
    counted = np.zeros_like(release.classes.histograms["illness"])
    np.add.at(counted, (release.group_of_record, data.model_view.codes["illness"]), 1)
    assert (counted == release.classes.histograms["illness"]).all()
    assert release.about.is_truthful and not release.about.warning


def test_swapped_buckets_state_that_values_are_not_those_of_their_people():
    release = RakedBuckets()(table(2), js(0.05))
    counted = np.zeros_like(release.classes.histograms["illness"])
    np.add.at(counted, (release.group_of_record, release.table.model_view.codes["illness"]), 1)
    assert (counted != release.classes.histograms["illness"]).any()
    assert not release.about.is_truthful and "data swapping" in release.about.warning == RakedBuckets().warning
    assert "exchanged" in str(RakedBuckets()) and "exchanged" in RakedBuckets().line


models = st.one_of(
    st.builds(TCloseness, st.floats(0.02, 1), st.sampled_from(["equal", "ordered", "hierarchical", "js"])),
    st.builds(lambda t, k: js(t) & KAnonymity(k), st.floats(0.02, 0.6), st.integers(1, 60)),
    st.floats(1, 3).map(EntropyLDiversity),
    st.floats(1, 3).map(ProbabilisticLDiversity),
    st.integers(1, 4).map(DistinctLDiversity),
)


@examples(40)
@given(
    frames(least=10),
    quasi_choices,
    models,
    st.sampled_from([RakedBuckets(smallest=3), NOISY, DEALT]),
    st.integers(0, 2),
)
def test_buckets_satisfy_what_the_whole_table_satisfies(frame, quasi, model, method, seed):
    data = table_of(frame, quasi, ("s",) if method is DEALT else ("s", "s2"))
    try:
        release = method(data, model, seed)
    except Unsatisfiable as refusal:
        assert "no release of this table can satisfy" in str(refusal)
        return
    assert release.audit(model).holds
    assert release.classes.sizes.sum() == len(frame)
    for name, seen in data.sensitive.items():
        assert release.classes.histograms[name].sum(axis=0).tolist() == seen.totals.tolist()


def test_a_seed_reproduces_the_buckets():
    one, two, other = (RakedBuckets(clusters=10)(table(3), js(0.05), seed) for seed in (4, 4, 5))
    assert (one.group == two.group).all() and (one.seats["illness"] == two.seats["illness"]).all()
    assert len(one.group) != len(other.group) or (one.group != other.group).any()


def test_beliefs_are_the_true_distributions_without_a_model():
    assert UtilityLoss()(RakedBuckets(smallest=1)(table())).value < 0.001


def test_unsupported_settings_are_refused_with_a_reason():
    with pytest.raises(Unsatisfiable, match="need a sensitive column"):
        RakedBuckets()(table().with_roles(["age"]), None)
    with pytest.raises(Unsatisfiable, match="made for one sensitive column, and the table has 2"):
        DEALT(table(0, ("illness", "wage")), js(0.1))
    with pytest.raises(Unsatisfiable, match="contain true values, which no noise protects"):
        RakedBuckets(publish="dealt", rho=1)(table(), js(0.1))
    with pytest.raises(Unsatisfiable, match="these have weights"):
        RakedBuckets(rho=1)(table(weights=True), js(0.1))


# Noise on the truth about populations: as wide as the budget requires, drawn once, the only source of a release.

MODEL = TCloseness(0.1, distance="js")


def exchanged(seed):
    """Return a table, and one in which two people have swapped their illnesses."""
    frame, rng = people(seed), np.random.default_rng(seed)
    one, other = rng.choice(len(frame), 2, replace=False)
    after = frame.copy()
    after.loc[[one, other], "illness"] = frame.loc[[other, one], "illness"].to_numpy()
    return (Table.from_frame(each, quasi=["age", "town", "sex"], sensitive="illness") for each in (frame, after))


def sets_of(atoms):
    """Return the populations that contain each atom."""
    held = [set() for _ in range(len(atoms))]
    for number, (start, stop) in enumerate(zip(atoms.start, atoms.start[1:], strict=False)):
        for atom in atoms.members[start:stop]:
            held[atom].add(number)
    return held


@pytest.mark.parametrize("pairs", [10_000_000, 500])
def test_the_sensitivity_bounds_the_populations_in_which_two_people_differ(pairs, monkeypatch):
    monkeypatch.setattr(raked_buckets, "PAIRS", pairs)
    atoms = Atoms.from_table(table(), 0.05)
    held = sets_of(atoms)
    most = max(len(one ^ other) for one in held for other in held)
    assert max_changed_populations(atoms) == most > 10
    monkeypatch.setattr(raked_buckets, "MANY", 1)
    assert max_changed_populations(atoms) >= most, "not computed pair by pair"


@pytest.mark.parametrize("seed", range(20))
def test_the_noise_covers_the_change_if_two_people_swap_values(seed):
    before, after = (Atoms.from_table(one, 0.05) for one in exchanged(seed))
    off = before.populations.truth["illness"] - after.populations.truth["illness"]
    assert (off**2).sum() <= 2 * max_changed_populations(before) and max_changed_populations(
        before
    ) == max_changed_populations(after)


def test_the_noise_has_the_scale_of_the_gaussian_mechanism():
    given = table()
    atoms = Atoms.from_table(given, 0.02)
    drawn = {rho: _stored_draw(given, atoms, rho) for rho in (0.01, 1.0)}
    for rho, counts in drawn.items():
        expected = np.sqrt(2 * max_changed_populations(atoms) / (2 * rho))
        off = counts - atoms.populations.truth["illness"]
        assert off.std() == pytest.approx(expected, rel=0.12) and abs(off.mean()) < 4 * expected / np.sqrt(off.size)


def test_counts_that_no_swap_changes_have_no_noise():
    """If all people are identical or no population is large, only the totals are known."""
    alike = Table.from_frame(people(1).assign(age=30, town="Ash", sex="f"), ["age", "town", "sex"], "illness")
    release = RakedBuckets(rho=0.1)(alike, MODEL)
    assert release.seats["illness"].tolist() == [alike.sensitive["illness"].totals.tolist()]


def _stored_draw(given, atoms, rho):
    found = []

    def keep(about, make, read):
        found.append(read(make()))
        return found[0]

    with use_draw_store(keep):
        add_noise(given, atoms, rho, 0.02)
    order = np.argsort(given.sensitive["illness"].labels)
    counts = np.empty(found[0].shape)
    counts[:, order] = found[0]
    return counts


@pytest.mark.parametrize("seed", range(5))
def test_a_release_depends_only_on_the_noisy_counts_and_the_totals(seed):
    """Identical noisy counts lead to the same release of two tables in which two people swapped their values."""
    method, kept, releases = RakedBuckets(rho=0.5), [], []

    def keep(about, make, read):
        kept.append(make())
        return read(kept[0])

    for one_table in exchanged(seed):
        with use_draw_store(keep):
            releases.append(method(one_table, MODEL))
    one, other = releases
    assert kept[0] != kept[1], "the draws are independent"
    assert np.array_equal(one.group_of_record, other.group_of_record)
    assert np.array_equal(one.seats["illness"], other.seats["illness"])


def test_noise_is_drawn_once_for_all_recipes():
    given = table()
    before = [RakedBuckets(rho=1.0)(given, model, seed).seats["illness"] for model, seed in ((MODEL, 0), (MODEL, 0))]
    RakedBuckets(rho=1.0)(given, TCloseness(0.2, distance="js"), 3)
    assert np.array_equal(*before)
    draws = [key for key in given.remember.results if isinstance(key, tuple) and key[0] == "drawn"]
    assert len(draws) == 1
    assert not np.array_equal(RakedBuckets(rho=1.0)(table(), None).seats["illness"], before[0]), "a different table"


def test_the_stored_noise_serves_all_releases_and_hierarchies_of_the_values(tmp_path):
    store, recipes = Store(tmp_path / "points"), [Recipe(RakedBuckets(rho=1.0), TCloseness(t)) for t in (0.1, 0.3)]
    first = [recipe.release(table(), store).seats["illness"] for recipe in recipes]
    again = [recipe.release(table(), Store(tmp_path / "points")).seats["illness"] for recipe in recipes]
    assert all(map(np.array_equal, first, again))
    (file,) = (tmp_path / "points").glob("*.drawn")
    Recipe(RakedBuckets(rho=1.0), seed=4).release(table(), store)
    assert [*(tmp_path / "points").glob("*.drawn")] == [file], "another seed does not redraw"
    Recipe(RakedBuckets(rho=2.0)).release(table(), store)
    assert len([*(tmp_path / "points").glob("*.drawn")]) == 2
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(BadInput, match=r"cannot be read \(it was changed\). Restore it"):
        recipes[0].release(table(), store)
