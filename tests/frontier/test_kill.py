"""A sweep that is killed in the middle of a write loses no finished point and resumes."""

import importlib
import multiprocessing
import os
import random
import signal

import pandas as pd
import pytest

from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import sweep

SEED = 20240229
HALVES = ["half point.json", "half classes.parquet", "half populations.parquet"]
PLACES = ["before point.json", *HALVES, "before moving", "after moving"]


def kills():
    """Return twenty kills, three or four at each place, after 1 to 63 committed points."""
    rng = random.Random(SEED)
    return [(place, rng.randint(1, 63)) for place in PLACES * 3 + HALVES[1:]]


@pytest.fixture(scope="module")
def killed_sweep():
    """Import the module late, since it measures a point on import."""
    return importlib.import_module("tests.frontier.killed_sweep")


@pytest.fixture(scope="module")
def processes(killed_sweep):
    """Return a context that forks processes from one that has imported everything."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([killed_sweep.__name__])
    return context


@pytest.fixture(scope="module")
def undisturbed(killed_sweep):
    """Return the points of a sweep without a store by recipe, and its frontier."""
    found = {}
    frontier = sweep(*killed_sweep.STUDY, progress=lambda done, total, point: found.update({point.recipe: point}))
    assert len(found) == 64
    assert any(value == float("inf") for point in found.values() for value in point.values.values())
    return found, frontier


def kill_in_the_middle(processes, sweeping, folder, place, committed):
    """Start the sweep, wait until it reports that it has reached the place, and kill it."""
    here, there = processes.Pipe(duplex=False)
    child = processes.Process(target=sweeping, args=(folder, place, committed, there))
    child.start()
    there.close()
    try:
        assert here.poll(60), "the sweep never reached this place"
        assert os.read(here.fileno(), 1) == b"!", "the sweep ended before it was killed"
    finally:
        child.kill()
        child.join()
    assert child.exitcode == -signal.SIGKILL


def equal_points(one, other):
    return (one.recipe, one.values, one.reasons, one.sentences) == (
        other.recipe, other.values, other.reasons, other.sentences
    )  # fmt: skip


def file_stamps(folder, keys):
    """Return the inode and modification time of each point, which change if it is written again."""
    return {key: ((folder / key).stat().st_ino, (folder / key).stat().st_mtime_ns) for key in keys}


@pytest.mark.slow
@pytest.mark.parametrize(("place", "committed"), kills())
def test_killed_sweep(place, committed, tmp_path, killed_sweep, undisturbed, processes, monkeypatch):
    print(f"seed {SEED}: killed {place} after {committed} points")
    folder, (points, frontier) = tmp_path / "points", undisturbed
    kill_in_the_middle(processes, killed_sweep.killed_sweep, folder, place, committed)
    left = list(folder.glob(".aside-*"))
    assert left or place == "after moving"

    store = Store(folder)
    assert not list(folder.glob(".aside-*")), "files of dead writers are removed"
    finished = store.keys()
    assert len(finished) == committed
    table, recipes, measures = killed_sweep.STUDY
    keys = {store.key(table, recipe, measures): recipe for recipe in points}
    assert len(keys) == 64
    for key in finished:
        assert equal_points(store.get(key, keys[key]), points[keys[key]])
        assert store.classes(key)["size"].sum() == table.records
    before = file_stamps(folder, finished)

    released, release = [], Recipe.release
    monkeypatch.setattr(Recipe, "release", lambda recipe, *given: released.append(recipe) or release(recipe, *given))
    resumed = sweep(table, recipes, measures, store)
    assert len(released) == 64 - committed, "a finished point is never computed again"
    assert not {keys[key] for key in finished} & set(released)
    assert file_stamps(folder, finished) == before
    assert store.keys() == sorted(keys)
    assert resumed.complete
    assert all(equal_points(store.get(key, recipe), points[recipe]) for key, recipe in keys.items())
    pd.testing.assert_frame_equal(resumed.points, frontier.points)
