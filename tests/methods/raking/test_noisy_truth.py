"""Noise on the truth about populations: as wide as the budget requires, drawn once, the only source of a release."""

import numpy as np
import pytest

from tests.methods.raking.tables import people, table
from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.methods import RakedBuckets
from workbench.methods.raking import noisy_truth
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.noisy_truth import add_noise, max_changed_populations, use_draw_store
from workbench.models import TCloseness

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
    monkeypatch.setattr(noisy_truth, "PAIRS", pairs)
    atoms = Atoms.from_table(table(), 0.05)
    held = sets_of(atoms)
    most = max(len(one ^ other) for one in held for other in held)
    assert max_changed_populations(atoms) == most > 10
    monkeypatch.setattr(noisy_truth, "MANY", 1)
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

    for given in exchanged(seed):
        with use_draw_store(keep):
            releases.append(method(given, MODEL))
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
