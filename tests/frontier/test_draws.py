"""A random release is drawn once: every command exports the release that was measured."""

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


def released_values(release):
    return release.drawn["ill"].released


def test_a_table_is_drawn_once_per_process_independently_of_the_seed():
    given = table()
    assert RECIPE.release(given) is RECIPE.release(given) is Recipe(RECIPE.method, seed=3).release(given)
    assert (released_values(RECIPE.release(given)) != released_values(RECIPE.release(table()))).any(), (
        "a different table with equal content"
    )
    assert (
        released_values(RECIPE.release(given)) != released_values(Recipe(RandomizedResponse(0.51)).release(given))
    ).any()


def test_only_the_owner_can_read_a_stored_draw(tmp_path):
    store = Store(tmp_path / "points")
    first = RECIPE.release(table(), store)
    assert (released_values(RECIPE.release(table(), Store(tmp_path / "points"))) == released_values(first)).all()
    (file,) = (tmp_path / "points").glob("*.drawn")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert store.keys() == [], "a draw is not a point"
    assert (released_values(RECIPE.release(table(), Store(tmp_path / "others"))) != released_values(first)).any()
    Store(tmp_path / "points")


def test_the_store_takes_over_an_earlier_draw(tmp_path):
    given = table()
    before = RECIPE.release(given)
    assert (released_values(RECIPE.release(given, Store(tmp_path / "points"))) == released_values(before)).all()


def test_the_measured_release_is_exported(tmp_path):
    store = Store(tmp_path / "points")
    first = sweep(table(), [RECIPE], [KnowledgeGain(), UtilityLoss()], store, baselines=False).measured[0]
    again = sweep(table(), [RECIPE], [KnowledgeGain()], store, baselines=False).measured[0]
    seeded = sweep(table(), [Recipe(RECIPE.method, seed=9)], [KnowledgeGain()], store, baselines=False).measured[0]
    release = RECIPE.release(table(), store)
    assert KnowledgeGain()(release).value == first.values["A_know"] == again.values["A_know"] == seeded.values["A_know"]
    files = [release.export(tmp_path / f"{n}.csv", giveaways=True)[0].read_text().splitlines() for n in (1, 2)]
    assert files[0] != files[1] and sorted(files[0]) == sorted(files[1]), "two exports differ only in order"


def test_concurrent_draws_use_one_result(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        found = list(
            pool.map(lambda _: released_values(RECIPE.release(table(), Store(tmp_path / "points"))), range(16))
        )
    assert len({one.tobytes() for one in found}) == 1


def test_a_column_is_not_redrawn_for_other_roles_or_groups(tmp_path):
    """Two draws would reveal the noise, so a draw depends only on the column and its settings."""
    store, given = Store(tmp_path / "points"), table(missing=0.1)
    laplace = Recipe(Laplace(1, bounds="age: 17..90"))
    first = [recipe.release(given, store) for recipe in (RECIPE, laplace)]
    others = [
        given.with_settings(importance={"age": 2}),
        given.with_hierarchies({"age": Intervals(widths=[5, 20]), "ill": Groups([{"x": ["rare", "cold"]}])}),
        given.with_roles(quasi=["age"], sensitive=["wage", "ill"]),
    ]
    for other in others:
        again = [recipe.release(other, store) for recipe in (RECIPE, laplace)]
        names = [of.sensitive["ill"].labels for of in (given, other)]
        before, after = (
            np.array(name)[released_values(one)] for name, one in zip(names, (first[0], again[0]), strict=True)
        )
        assert (before == after).all()
        assert (again[1].drawn["age"].released == first[1].drawn["age"].released).all()
    assert len(list((tmp_path / "points").glob("*.drawn"))) == 3, "wages are drawn too if they are sensitive"
    two = Recipe(RandomizedResponse(0.5, ("city", "ill"))).release(given, store)
    assert (released_values(two) == released_values(first[0])).all(), "also with other columns"


DRAW = """
import sys
from tests.methods.noise.tables import table
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.methods import RandomizedResponse
release = Recipe(RandomizedResponse(0.5)).release(table(), Store(sys.argv[1]))
print(release.drawn["ill"].released.tolist())
"""


@pytest.mark.slow
def test_another_process_reads_the_same_draw(tmp_path):
    runs = [
        subprocess.run([sys.executable, "-c", DRAW, str(tmp_path / "points")], capture_output=True, text=True)
        for _ in "ab"
    ]
    assert runs[0].returncode == 0, runs[0].stderr
    assert runs[0].stdout == runs[1].stdout
    assert released_values(RECIPE.release(table(), Store(tmp_path / "points"))).tolist() == eval(runs[0].stdout)


@pytest.mark.parametrize("place", [0, 39, 40, 60, -9, -1, None])
@pytest.mark.parametrize("recipe", [RECIPE, Recipe(RakedBuckets(rho=0.5))], ids=["response", "raked buckets"])
def test_a_damaged_draw_is_not_redrawn(tmp_path, recipe, place):
    """Any changed byte is detected: values that were read regardless would be a second draw."""
    store = Store(tmp_path / "points")
    recipe.release(table(), store)
    (file, *_) = (tmp_path / "points").glob("*.drawn")
    damaged = bytearray(file.read_bytes())
    if place is None:
        del damaged[50:]
    else:
        damaged[place] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(BadInput, match=r"cannot be read \(it was changed\)\. Restore it: a second draw"):
        recipe.release(table(), store)


@pytest.mark.parametrize("secret", [None, b"short"])
def test_a_store_without_its_secret_redraws_nothing(tmp_path, secret):
    RECIPE.release(table(), Store(tmp_path / "points"))
    place = tmp_path / "points" / ".secret"
    place.unlink() if secret is None else place.write_bytes(secret)
    with pytest.raises(BadInput, match=r"is damaged: its \.secret .*\. Restore it: random releases"):
        Store(tmp_path / "points")
    assert secret is not None or not place.exists()


def test_a_read_only_store_gets_no_new_draw(tmp_path, monkeypatch):
    store = Store(tmp_path / "points")
    monkeypatch.setattr(store, "writable", False)
    with pytest.raises(BadInput, match="is read-only"):
        RECIPE.release(table(), store)


def test_other_methods_run_again_and_a_model_is_refused(tmp_path):
    store, given = Store(tmp_path / "points"), table()
    recipe = Recipe(KMember(), KAnonymity(5))
    assert recipe.release(given, store) is not recipe.release(given, store)
    with pytest.raises(Unsatisfiable, match="remove the model"):
        Recipe(RandomizedResponse(0.5), KAnonymity(2)).release(given, store)
    assert not list((tmp_path / "points").glob("*.drawn"))
    assert np.isfinite(KnowledgeGain()(RECIPE.release(given, store)).value)
