"""The store returns complete points unchanged, only to their owner, also under concurrent writes."""

import json
import math
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from tests.releases.toys import Perturb
from workbench.base import files
from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Intervals
from workbench.data.records import fingerprint
from workbench.data.table import Table
from workbench.frontier import store as module
from workbench.frontier.recipe import Point, Recipe
from workbench.frontier.store import Store, StoredPredictions
from workbench.frontier.sweep import sweep
from workbench.measures import (
    Discernibility,
    GoodUtility,
    LargestQuotient,
    Measured,
    PrivacyLoss,
    QueryError,
    UtilityLoss,
)
from workbench.methods import Keep, Mondrian
from workbench.miners import Majority, NaiveBayes
from workbench.models import KAnonymity
from workbench.queries.populations import large_populations

FRAME = pd.DataFrame(
    {
        "age": [21, 21, 21, 24, 31, 31, 31, 34, 41, 42, 43, 43],
        "low:age": list("aabbaabbaabb"),
        "ill": ["flu", "flu", "flu", "none", "flu", "none", "none", "none", "heart", "heart", "none", "flu"],
    }
)
RECIPE = Recipe(Mondrian(), KAnonymity(3))
MEASURES = [PrivacyLoss(), UtilityLoss(min_support=0.2), LargestQuotient(), Discernibility()]


@pytest.fixture
def table():
    return Table.from_frame(FRAME, quasi=["age", "low:age"], sensitive="ill")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "points")


def store_point(store, table, recipe=RECIPE, measures=MEASURES):
    """Measure a point and put it into the store."""
    release = recipe.release(table)
    measured = {measure.key: measure(release) for measure in measures}
    key = store.key(table, recipe, measures)
    values = {name: one.value for name, one in measured.items()}
    point = Point(recipe, values, {"else": "a reason"}, {name: one.sentence for name, one in measured.items()}, key)
    store.put(key, point, release, measured)
    return point, release, measured


def test_a_point_survives_a_round_trip(store, table):
    point, _, _ = store_point(store, table)
    assert point.values["A_quot"] == float("inf")
    found = store.get(point.key, RECIPE)
    assert (found.values, found.reasons, found.sentences) == (point.values, point.reasons, point.sentences)
    assert (found.recipe, found.key) == (RECIPE, point.key)
    assert store.keys() == [point.key]
    text = (store.folder / point.key / "point.json").read_text()
    assert '"A_quot": "inf"' in text and "Infinity" not in text and fingerprint(table) not in text


def test_a_missing_point_is_none(store, table):
    assert store.get(store.key(table, RECIPE, MEASURES), RECIPE) is None
    assert store.keys() == []
    with pytest.raises(BadInput, match="has no point 'abc'; run the sweep again"):
        store.classes("abc")


def test_minus_infinity_and_full_precision_are_stored(store):
    point = Point(RECIPE, {"a": float("-inf"), "b": 0.1 + 0.2, "c": np.float64(1e-300)}, key="0" * 40)
    store.put(point.key, point, None, {})
    assert store.get(point.key, RECIPE).values == point.values


def test_classes_are_stored_with_their_details(store, table):
    point, release, measured = store_point(store, table)
    found, classes = store.classes(point.key), release.classes
    assert found["size"].tolist() == classes.sizes.tolist()
    assert found["low:age"].tolist() == classes.low[:, 0].tolist()
    assert found["high:low:age"].tolist() == classes.high[:, 1].tolist()
    assert np.array_equal(np.stack(found["histogram:ill"]), classes.histograms["ill"])
    assert found["P_loss:loss"].tolist() == measured["P_loss"].detail["loss"].tolist()
    assert found["A_quot:quotient"].tolist() == measured["A_quot"].detail["quotient"].tolist()
    assert not [name for name in found if name.endswith(":sizes")]


def test_populations_are_stored_for_each_measure(store, table):
    measures = [UtilityLoss(min_support=0.2), UtilityLoss(min_support=0.4)]
    point, _, measured = store_point(store, table, measures=measures)
    found = store.populations(point.key)
    assert len(found) > 2
    for measure in measures:
        part, large = found[found["measure"] == measure.key], large_populations(table, measure.min_support)
        assert part["loss"].tolist() == measured[measure.key].detail["loss"].tolist()
        assert part["low:age"].tolist() == large.runs[:, 0, 0].tolist()
        assert part["high:low:age"].tolist() == large.runs[:, 1, 1].tolist()


def test_details_of_other_groups_are_not_stored_with_classes(store, table):
    release = RECIPE.release(table)
    few = len(release.classes)
    other = Measured(1.0, "", {"sizes": release.classes.sizes[::-1] + 1, "loss": np.arange(few) / few})
    store.put("1" * 40, Point(RECIPE, {"x": 1.0}), release, {"x": other})
    assert "x:loss" not in store.classes("1" * 40)


def test_a_point_without_a_release_has_no_classes(store):
    store.put("2" * 40, Point(RECIPE, {}, {"P_loss": "impossible"}), None, {})
    assert store.get("2" * 40, RECIPE).reasons == {"P_loss": "impossible"}
    with pytest.raises(Undefined, match="has no classes"):
        store.classes("2" * 40)
    with pytest.raises(Undefined, match="describes populations"):
        store.populations("2" * 40)


def test_only_the_owner_can_read_the_store(tmp_path, table):
    old = os.umask(0)
    try:
        store = Store(tmp_path / "points")
        point, _, _ = store_point(store, table)
    finally:
        os.umask(old)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [store.folder, *store.folder.rglob("*")]}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert {path.name for path in modes} == {
        "points", ".secret", point.key, "point.json", "classes.parquet", "populations.parquet"
    }  # fmt: skip
    store.folder.chmod(0o755)
    assert stat.S_IMODE(Store(store.folder).folder.stat().st_mode) == 0o700


def test_the_key_depends_on_everything_that_determines_the_point(store, table, monkeypatch):
    other_data = Table.from_frame(FRAME.assign(age=FRAME["age"] + 1), quasi=["age", "low:age"], sensitive="ill")
    grouped = table.with_hierarchies({"age": Intervals(widths=[10])})
    keys = {
        store.key(table, RECIPE, MEASURES),
        store.key(other_data, RECIPE, MEASURES),
        store.key(grouped, RECIPE, MEASURES),
        store.key(table.with_roles(["age"], "ill"), RECIPE, MEASURES),
        store.key(table, Recipe(Mondrian(), KAnonymity(4)), MEASURES),
        store.key(table, Recipe(Mondrian(), KAnonymity(3), seed=1), MEASURES),
        store.key(table, Recipe(Mondrian()), MEASURES),
        store.key(table, RECIPE, MEASURES[:-1]),
        store.key(table, RECIPE, [*MEASURES[:-1], UtilityLoss(min_support=0.3)]),
        store.key(table, RECIPE, [GoodUtility(weights={"age >= 4": 2, "age >= 3": 1})]),
        store.key(table, RECIPE, [GoodUtility(weights={"age >= 3": 1, "age >= 4": 2})]),
    }
    before = store.key(table, RECIPE, MEASURES)
    monkeypatch.setattr(module, "ENGINE", SimpleNamespace(digest="another engine"))
    keys.add(store.key(table, RECIPE, MEASURES))
    assert len(keys) == 12
    monkeypatch.undo()
    assert store.key(table, RECIPE, MEASURES[::-1]) == before, "the order of measures does not matter"
    again = Table.from_frame(FRAME, quasi=["age", "low:age"], sensitive="ill")
    assert Store(store.folder).key(again, RECIPE, MEASURES) == before, "nor do process and time"


def test_a_key_cannot_be_guessed_without_the_secret(tmp_path, table):
    one, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    assert one.key(table, RECIPE, MEASURES) != other.key(table, RECIPE, MEASURES)


def test_concurrent_openers_of_a_new_store_agree_on_its_secret(tmp_path, table):
    folder, together, keys = tmp_path / "points", threading.Barrier(8), []

    def open_it():
        together.wait()
        keys.append(Store(folder).key(table, RECIPE, MEASURES))

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8 and len(set(keys)) == 1
    assert os.listdir(folder) == [".secret"]


def test_the_first_of_two_writers_of_a_point_wins(store, table):
    point, release, measured = store_point(store, table)
    before = (store.folder / point.key).stat().st_ino
    store.put(point.key, Point(RECIPE, {"P_loss": 99.0}, key=point.key), release, measured)
    assert (store.folder / point.key).stat().st_ino == before
    assert store.get(point.key, RECIPE).values == point.values
    assert sorted(os.listdir(store.folder)) == sorted([".secret", point.key])


def test_a_failed_write_leaves_nothing(store, table, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_file", full)
    with pytest.raises(BadInput, match="points' cannot store a point: No space left on device; free some space"):
        store_point(store, table)
    assert os.listdir(store.folder) == [".secret"]


def test_opening_removes_files_of_dead_writers(tmp_path):
    store = Store(tmp_path / "points")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host, old = files.host_id(), time.time() - 25 * 60 * 60
    names = {
        "dead": f".aside-{host}-{gone.pid}-{'a' * 12}",
        "living": f".aside-{host}-{os.getppid()}-{'b' * 12}",
        "elsewhere": f".aside-{'0' * 8}-{gone.pid}-{'c' * 12}",
        "elsewhere, long ago": f".aside-{'0' * 8}-{gone.pid}-{'d' * 12}",
    }
    for name in names.values():
        (store.folder / name).mkdir()
        (store.folder / name / "point.json").write_text("{")
    (store.folder / f".aside-{host}-{gone.pid}-{'e' * 12}").write_bytes(b"a secret that was never linked")
    os.utime(store.folder / names["elsewhere, long ago"], (old, old))
    assert store.keys() == []
    assert Store(store.folder).keys() == []
    left = {path.name for path in store.folder.glob(".aside-*")}
    assert left == {names["living"], names["elsewhere"]}


@pytest.mark.parametrize("content", ["", '{"values": {"P_loss"', "[]", "{}", '{"values": {"P_loss": "much"}}'])
def test_the_error_of_a_damaged_point_names_the_folder_to_delete(store, table, content):
    point, _, _ = store_point(store, table)
    (store.folder / point.key / "point.json").write_text(content)
    with pytest.raises(BadInput, match=f"{point.key}.*cannot be read.*delete the folder '{point.key}', and"):
        store.get(point.key, RECIPE)


NOWHERE = "0" * 40


@pytest.mark.parametrize("kind", ["file", "dangling link", "loop"])
def test_a_file_in_the_place_of_a_points_folder_is_reported(store, table, kind):
    key = store.key(table, RECIPE, MEASURES)
    place = store.folder / key
    if kind == "file":
        place.write_text("")
    else:
        place.symlink_to(store.folder / (NOWHERE if kind == "dangling link" else key))
    for run_script in (lambda: store.get(key, RECIPE), lambda: sweep(table, [RECIPE], MEASURES, store)):
        with pytest.raises(
            BadInput, match=f"{key}' is not a folder with a point in it; delete it, and run the sweep again"
        ):
            run_script()
    assert os.path.lexists(place)


def test_a_folder_in_the_place_of_a_points_file_is_reported(store, table):
    point, _, _ = store_point(store, table)
    (store.folder / point.key / "point.json").unlink()
    (store.folder / point.key / "point.json").mkdir()
    with pytest.raises(BadInput, match=f"cannot be read.*delete the folder '{point.key}'"):
        store.get(point.key, RECIPE)


def test_a_point_of_another_recipe_or_without_numbers_is_refused(store, table):
    point, _, _ = store_point(store, table)
    file = store.folder / point.key / "point.json"
    with pytest.raises(BadInput, match="it belongs to another recipe"):
        store.get(point.key, Recipe(Mondrian(), KAnonymity(4)))
    said = json.loads(file.read_text())
    for value in (math.nan, "nan"):
        file.write_text(json.dumps({**said, "values": {"P_loss": value}}))
        with pytest.raises(BadInput, match="a value in it is not a number"):
            store.get(point.key, RECIPE)


@pytest.fixture
def read_only(tmp_path, table, monkeypatch):
    """Return a store with a point in a folder that is read-only, even for root."""
    before = Store(tmp_path / "points")
    store_point(before, table)
    before.folder.chmod(0o500)
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK and may(path, mode))
    yield Store(before.folder)
    monkeypatch.undo()
    before.folder.chmod(0o700)


def test_a_read_only_store_can_be_read(read_only, table):
    assert stat.S_IMODE(read_only.folder.stat().st_mode) == 0o500
    (key,) = read_only.keys()
    assert read_only.get(key, RECIPE).values and len(read_only.classes(key))
    assert sweep(table, [RECIPE], MEASURES, read_only, baselines=False).measured[0].key == key
    with pytest.raises(BadInput, match="points' is read-only and lacks some points; make it writable"):
        sweep(table, [Recipe(Mondrian(), KAnonymity(4))], MEASURES, read_only)
    assert read_only.keys() == [key]


def test_files_of_a_living_writer_stay_whatever_the_clock(tmp_path, monkeypatch):
    """A clock that is days ahead makes every file look old."""
    store = Store(tmp_path / "points")
    here = store.folder / f".aside-{files.host_id()}-{os.getppid()}-{'a' * 12}"
    there = store.folder / f".aside-{'0' * 8}-1-{'b' * 12}"
    long_ago = time.time() - 3 * 24 * 60 * 60
    here.mkdir()
    os.utime(here, (long_ago, long_ago))
    there.mkdir()
    monkeypatch.setattr(time, "time", lambda: long_ago + 6 * 24 * 60 * 60)
    Store(store.folder)
    assert here.is_dir() and there.is_dir()


def test_damage_of_other_files_is_reported(store, table):
    point, _, _ = store_point(store, table)
    (store.folder / point.key / "classes.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BadInput, match=r"classes\.parquet' cannot be read"):
        store.classes(point.key)
    (store.folder / point.key / "point.json").unlink()
    with pytest.raises(BadInput, match=r"point\.json' cannot be read"):
        store.get(point.key, RECIPE)
    (store.folder / ".secret").write_bytes(b"short")
    with pytest.raises(BadInput, match=r"is damaged: its \.secret has 5 bytes"):
        Store(store.folder)


def test_a_folder_that_cannot_be_a_store_is_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"file' is a file, not a folder; choose another name"):
        Store(tmp_path / "file")
    with pytest.raises(BadInput, match=r"nowhere' is not a folder; create it, or choose another"):
        Store(tmp_path / "nowhere" / "points")
    with pytest.raises(BadInput, match=r"is not a folder; create it"):
        Store(tmp_path / "file" / "points")
    (tmp_path / "thesis").mkdir(mode=0o755)
    (tmp_path / "thesis" / "chapter.tex").write_text("")
    with pytest.raises(
        BadInput, match=r"thesis' is not a store: it contains 'chapter.tex'; name a new or an empty folder"
    ):
        Store(tmp_path / "thesis")
    assert stat.S_IMODE((tmp_path / "thesis").stat().st_mode) == 0o755
    (tmp_path / "locked").mkdir(mode=0o500)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(BadInput, match=r"locked' cannot be written to; change its permissions, or choose another"):
        Store(tmp_path / "locked")


def test_a_file_system_without_links_is_reported(tmp_path, monkeypatch):
    def none(source, target):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    with pytest.raises(BadInput, match="points' cannot be used: Operation not permitted; choose another folder"):
        Store(tmp_path / "points")


def test_the_keep_baseline_and_several_sensitive_columns_are_stored(store):
    table = Table.from_frame(FRAME, quasi=["age"], sensitive=["low:age", "ill"])
    recipe = Recipe(Keep())
    point, release, _ = store_point(store, table, recipe)
    found = store.classes(point.key)
    assert len(found) == len(release.classes) == 7
    assert {"histogram:low:age", "histogram:ill", "P_loss:loss"} <= set(found)


def test_intervals_are_stored(store):
    point = Point(RECIPE, {"x": 1.0, "y": 2.0}, intervals={"x": (0.1 + 0.2, math.inf)})
    store.put("4" * 40, point, None, {})
    assert store.get("4" * 40, RECIPE).intervals == point.intervals


def test_losses_of_a_release_without_classes_are_stored(store, table):
    store.put("3" * 40, Point(RECIPE, {"x": 1.0}), Perturb()(table), {"x": Measured(1.0, "")})
    assert os.listdir(store.folder / ("3" * 40)) == ["point.json"]


LIBRARY = """
from dataclasses import dataclass
from pathlib import Path
from workbench.measures import Measure, Measured
FACTOR = 1.0
class Base(Measure):
    def measure(self, release):
        return Measured(FACTOR, "So much.")
@dataclass(frozen=True)
class Own(Base):
    name = symbol = "own"
    side = "utility"
    unit = "pieces"
def made(factor):
    @dataclass(frozen=True)
    class Closed(Own):
        def measure(self, release):
            return Measured(factor, "So much.")
    return Closed()
"""
SCRIPT = """
import pandas as pd, sys
from workbench import BadInput, Recipe, Table, sweep
from workbench.methods import Keep
import library
table = Table.from_frame(pd.DataFrame({"q": [1, 2], "s": ["a", "b"]}), quasi=["q"], sensitive="s")
print(sweep(table, [Recipe(Keep())], [library.Own()], sys.argv[1]).measured[0].values["own"])
try:
    sweep(table, [Recipe(Keep())], [library.made(2.0)], sys.argv[1])
except BadInput as told:
    print(told)
"""


@pytest.mark.slow
def test_an_external_variant_is_identified_by_its_file(tmp_path):
    def run_script(library: str) -> list[str]:
        (tmp_path / "library.py").write_text(library)
        (tmp_path / "script.py").write_text(SCRIPT)
        command = [sys.executable, "-W", "ignore", "-B", tmp_path / "script.py", tmp_path / "store"]
        root = str(Path(module.__file__).parent.parent)
        environment = {**os.environ, "PYTHONPATH": root}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.splitlines()

    assert run_script(LIBRARY)[0] == "1.0"
    values, refused = run_script(LIBRARY.replace("FACTOR = 1.0", "FACTOR = 3.0"))
    assert values == "3.0", "base classes and constants of the file are part of the key"
    assert "Closed" in refused and "sweep without a store" in refused


def test_the_key_depends_on_the_named_workload_only(store, table, tmp_path):
    (tmp_path / "log.sql").write_text("age > 30\n")
    given = {"a": ["age > 30"], "b": ["age > 40"], "log": {"file": str(tmp_path / "log.sql")}}

    def key(workload, **changed):
        given_table = table.with_settings(workloads={**given, **changed})
        return store.key(given_table, RECIPE, [*MEASURES, QueryError(workload=workload)])

    before = {name: key(name) for name in ("a", "b", "log", "random")}
    assert len(set(before.values())) == 4

    def serving(workload, **changed):
        given_table = table.with_settings(workloads={**given, **changed})
        return store.key(given_table, Recipe(Mondrian("workload", workload=workload), RECIPE.model), MEASURES)

    assert serving("a") == serving("a", b=["age >= 30"]) != serving("a", a=["age >= 30"])
    assert {name: key(name, c=["age < 30"]) for name in before} == before, "another workload"
    assert key("a", a=["age >= 30"]) != before["a"] and key("a", b=["age >= 30"]) == before["a"]
    (tmp_path / "log.sql").write_text("age > 31\n")
    assert key("log") != before["log"] and key("a") == before["a"]
    assert store.key(table.with_settings(workloads=given), RECIPE, MEASURES) == store.key(table, RECIPE, MEASURES)


# Predictions in the store: readable by the owner only, found by what the miner saw, reported if damaged.


def test_predictions_are_found_by_input_and_miner(tmp_path):
    stored, found = StoredPredictions(Store(tmp_path / "store")), np.arange(5, dtype=np.int32)
    assert stored.mined(b"seen", Majority()) is None
    stored.put_predictions(b"seen", Majority(), found)
    again = StoredPredictions(Store(tmp_path / "store"))
    assert np.array_equal(again.mined(b"seen", Majority()), found)
    assert again.mined(b"other", Majority()) is None and again.mined(b"seen", NaiveBayes()) is None
    (path,) = (tmp_path / "store").glob("*.mined")
    assert path.stat().st_mode & 0o777 == 0o600 and Store(tmp_path / "store").keys() == []
    path.write_bytes(b"x")
    with pytest.raises(BadInput, match="cannot be read; delete it"):
        again.mined(b"seen", Majority())
