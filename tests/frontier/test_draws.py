"""A release that is drawn at random is drawn once: what was measured is what is exported, by whatever command."""

import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.methods.noise.tables import table
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep
from workbench.measures import KnowledgeGain, UtilityLoss
from workbench.methods import KMember, Laplace, RakedBuckets, RandomizedResponse
from workbench.models import KAnonymity

RECIPE = Recipe(RandomizedResponse(0.5))


def drawn(release):
    return release.drawn["ill"].released


def test_in_one_process_a_table_is_drawn_once_and_the_seed_has_no_part_in_it():
    given = table()
    assert RECIPE.release(given) is RECIPE.release(given) is Recipe(RECIPE.method, seed=3).release(given)
    assert (drawn(RECIPE.release(given)) != drawn(RECIPE.release(table()))).any(), "another table, though equal"
    assert (drawn(RECIPE.release(given)) != drawn(Recipe(RandomizedResponse(0.51)).release(given))).any()


def test_the_store_keeps_it_for_its_owner_alone(tmp_path):
    store = Store(tmp_path / "points")
    first = RECIPE.release(table(), store)
    assert (drawn(RECIPE.release(table(), Store(tmp_path / "points"))) == drawn(first)).all()
    (file,) = (tmp_path / "points").glob("*.drawn")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert store.keys() == [], "it is no point"
    assert (drawn(RECIPE.release(table(), Store(tmp_path / "others"))) != drawn(first)).any()
    Store(tmp_path / "points")


def test_what_was_drawn_before_there_was_a_store_is_what_it_keeps(tmp_path):
    given = table()
    before = RECIPE.release(given)
    assert (drawn(RECIPE.release(given, Store(tmp_path / "points"))) == drawn(before)).all()


def test_the_release_that_was_measured_is_the_one_that_is_exported(tmp_path):
    store = Store(tmp_path / "points")
    first = sweep(table(), [RECIPE], [KnowledgeGain(), UtilityLoss()], store, baselines=False).measured[0]
    again = sweep(table(), [RECIPE], [KnowledgeGain()], store, baselines=False).measured[0]
    seeded = sweep(table(), [Recipe(RECIPE.method, seed=9)], [KnowledgeGain()], store, baselines=False).measured[0]
    release = RECIPE.release(table(), store)
    assert KnowledgeGain()(release).value == first.values["A_know"] == again.values["A_know"] == seeded.values["A_know"]
    files = [release.export(tmp_path / f"{n}.csv", giveaways=True)[0].read_text().splitlines() for n in (1, 2)]
    assert files[0] != files[1] and sorted(files[0]) == sorted(files[1]), "two exports differ in their order alone"


def test_of_many_that_draw_at_once_all_go_on_with_one(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: drawn(RECIPE.release(table(), Store(tmp_path / "points"))), range(16)))
    assert len({one.tobytes() for one in found}) == 1


def test_a_column_is_not_drawn_again_for_other_roles_or_groups(tmp_path):
    """Whoever had both could take the noise off: only what is drawn of a column, and by what settings, counts."""
    store, given = Store(tmp_path / "points"), table(missing=0.1)
    laplace = Recipe(Laplace(1, bounds="age: 17..90"))
    first = [recipe.release(given, store) for recipe in (RECIPE, laplace)]
    others = [
        given.with_importance({"age": 2}),
        given.with_hierarchies({"age": Intervals(widths=[5, 20]), "ill": Groups([{"x": ["rare", "cold"]}])}),
        given.with_roles(quasi=["age"], sensitive=["wage", "ill"]),
    ]
    for other in others:
        again = [recipe.release(other, store) for recipe in (RECIPE, laplace)]
        names = [of.sensitive["ill"].labels for of in (given, other)]
        before, after = (np.array(name)[drawn(one)] for name, one in zip(names, (first[0], again[0]), strict=True))
        assert (before == after).all()
        assert (again[1].drawn["age"].released == first[1].drawn["age"].released).all()
    assert len(list((tmp_path / "points").glob("*.drawn"))) == 3, "wages are drawn as well, where they are sensitive"
    two = Recipe(RandomizedResponse(0.5, ("city", "ill"))).release(given, store)
    assert (drawn(two) == drawn(first[0])).all(), "and with other columns"


DRAW = """
import sys
from tests.methods.noise.tables import table
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.methods import RandomizedResponse
release = Recipe(RandomizedResponse(0.5)).release(table(), Store(sys.argv[1]))
print(release.drawn["ill"].released.tolist())
"""


def test_another_process_reads_the_same(tmp_path):
    runs = [
        subprocess.run([sys.executable, "-c", DRAW, str(tmp_path / "points")], capture_output=True, text=True)
        for _ in "ab"
    ]
    assert runs[0].returncode == 0, runs[0].stderr
    assert runs[0].stdout == runs[1].stdout
    assert drawn(RECIPE.release(table(), Store(tmp_path / "points"))).tolist() == eval(runs[0].stdout)


@pytest.mark.parametrize("place", [0, 39, 40, 60, -9, -1, None])
@pytest.mark.parametrize("recipe", [RECIPE, Recipe(RakedBuckets(rho=0.5))], ids=["response", "raked buckets"])
def test_a_damaged_draw_is_not_drawn_again(tmp_path, recipe, place):
    """Whatever byte is another: values that are read all the same would be another draw."""
    store = Store(tmp_path / "points")
    recipe.release(table(), store)
    (file, *_) = (tmp_path / "points").glob("*.drawn")
    damaged = bytearray(file.read_bytes())
    if place is None:
        del damaged[50:]
    else:
        damaged[place] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(BadInput, match=r"cannot be read \(it was changed\)\. Restore it: another draw"):
        recipe.release(table(), store)


@pytest.mark.parametrize("secret", [None, b"short"])
def test_a_store_that_lost_its_secret_draws_nothing_anew(tmp_path, secret):
    RECIPE.release(table(), Store(tmp_path / "points"))
    place = tmp_path / "points" / ".secret"
    place.unlink() if secret is None else place.write_bytes(secret)
    with pytest.raises(BadInput, match=r"is damaged: its \.secret .*\. Restore it: what was drawn at random"):
        Store(tmp_path / "points")
    assert secret is not None or not place.exists()


def test_a_store_that_can_only_be_read_gets_no_new_draw(tmp_path, monkeypatch):
    store = Store(tmp_path / "points")
    monkeypatch.setattr(store, "writable", False)
    with pytest.raises(BadInput, match="can only be read"):
        RECIPE.release(table(), store)


def test_other_methods_are_made_anew_and_a_model_is_refused(tmp_path):
    store, given = Store(tmp_path / "points"), table()
    recipe = Recipe(KMember(), KAnonymity(5))
    assert recipe.release(given, store) is not recipe.release(given, store)
    with pytest.raises(Unsatisfiable, match="remove the model"):
        Recipe(RandomizedResponse(0.5), KAnonymity(2)).release(given, store)
    assert not list((tmp_path / "points").glob("*.drawn"))
    assert np.isfinite(KnowledgeGain()(RECIPE.release(given, store)).value)
