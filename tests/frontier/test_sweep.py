"""Sweeps run every recipe once and in order, report reasons for failures, and resume without loss."""

import re
import threading
import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput, Undefined
from workbench.base.parameters import Column, parameter
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe, recipes
from workbench.frontier.store import Store
from workbench.frontier.sweep import MeasureFailed, sweep
from workbench.measures import AverageClassSize, Measure, Measured, PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Method, Mondrian, Remove
from workbench.models import KAnonymity, ProbabilisticLDiversity

MEASURES = [PrivacyLoss(), UtilityLoss(min_support=0.2)]
made = []


@dataclass(frozen=True)
class Counted(Method):
    """A method that keeps everything, counts its runs and fails on request."""

    number: int = parameter(0, "tells one from another", low=0)
    seconds: float = parameter(0.0, "how long it takes", low=0)
    error: type | None = None
    name = "counted"

    def release(self, table, model, seed):
        made.append(self.number)
        time.sleep(self.seconds)
        if self.error:
            raise self.error(f"number {self.number} failed")
        return Keep().release(table, model, seed)


@dataclass(frozen=True)
class Odd(Measure):
    value: float = parameter(1.0, "what it says; 0 says nothing")
    name = "odd"
    symbol = "odd"
    side = "utility"
    unit = ""

    def measure(self, release):
        if not self.value:
            raise Undefined("there is nothing to say")
        return Measured(float("nan") if self.value < 0 else self.value, "said")


@dataclass(frozen=True)
class Foreign(Measure):
    """A measure of a column that the table does not have."""

    about: str = parameter("town", "the column", kind=Column)
    name = symbol = "foreign"
    side = "utility"
    unit = ""

    def measure(self, release):
        raise AssertionError("the table has no such column")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    age = rng.gamma(3, 10, 200).astype(int)
    frame = pd.DataFrame({"age": age, "work": rng.choice(list("abc"), 200, p=[0.1, 0.2, 0.7])})
    frame["ill"] = np.where(age + rng.normal(0, 9, 200) > 40, "heart", rng.choice(["flu", "none"], 200))
    return Table.from_frame(frame, quasi=["age", "work"], sensitive="ill")


@pytest.fixture(autouse=True)
def reset_counts():
    made.clear()


def list_points(frontier):
    return [(str(p.recipe), p.values, p.reasons, p.sentences) for p in frontier.measured]


def test_points_are_in_the_order_of_recipes_followed_by_the_baselines(table):
    requested = recipes(Mondrian(), KAnonymity, k=[100, 2, 30, 5])
    for threads in (1, 4):
        frontier = sweep(table, requested, MEASURES, threads=threads)
        assert [p.recipe for p in frontier.measured] == [*requested, Recipe(Keep()), Recipe(Remove())]
        assert frontier.complete and list(frontier.measures) == MEASURES
        for recipe, point in zip(requested, frontier.measured, strict=False):
            release = recipe.release(table)
            assert point.values == {m.key: m(release).value for m in MEASURES}
            assert point.sentences == {m.key: m(release).sentence for m in MEASURES}
            assert (point.reasons, point.key) == ({}, "")


def test_duplicates_are_computed_once(table):
    methods = [Counted(1), Counted(2), Counted(1), Keep(), Remove(["age"])]
    requested = [Recipe(method, seed=4) for method in methods]
    frontier = sweep(table, requested, [*MEASURES, PrivacyLoss()], threads=2)
    assert sorted(made) == [1, 2]
    assert [str(p.recipe) for p in frontier.measured] == [str(methods[i]) for i in (0, 1, 3, 4)] + ["remove"]
    assert list(frontier.measures) == MEASURES
    assert len(sweep(table, requested[:2], MEASURES, baselines=False).measured) == 2


def test_a_finished_point_is_never_computed_again(table, tmp_path):
    requested = [Recipe(Counted(i)) for i in range(4)]
    first = sweep(table, requested[:3], MEASURES, tmp_path / "points")
    second = sweep(table, requested, MEASURES, Store(tmp_path / "points"))
    third = sweep(table, requested, MEASURES, str(tmp_path / "points"))
    assert sorted(made) == [0, 1, 2, 3]
    assert list_points(second) == list_points(third)
    assert list_points(first)[:3] == list_points(second)[:3]
    assert [p.key for p in second.measured] == [p.key for p in third.measured]
    assert {p.key for p in third.measured} == set(Store(tmp_path / "points").keys())
    assert list_points(sweep(table, requested, MEASURES)) == list_points(third), "with and without a store"


def test_two_sweeps_share_a_store(table, tmp_path):
    requested, found = [Recipe(Counted(i, seconds=0.01)) for i in range(10)], []
    sweeps = [
        threading.Thread(target=lambda: found.append(sweep(table, requested, MEASURES, tmp_path / "points", threads=3)))
        for _ in range(3)
    ]
    for one in sweeps:
        one.start()
    for one in sweeps:
        one.join()
    assert len(found) == 3 and all(list_points(one) == list_points(found[0]) for one in found)
    there = {path.name for path in (tmp_path / "points").iterdir()}
    assert len(Store(tmp_path / "points").keys()) == 12, "10 recipes and the baselines"
    aside = there - {*Store(tmp_path / "points").keys(), ".secret"}
    assert len(aside) == 10 and all(name.endswith(".against") for name in aside), "the objections to each candidate"


def test_an_impossible_point_has_a_reason(table, tmp_path):
    requested = [Recipe(Mondrian(), ProbabilisticLDiversity(3)), Recipe(Counted())]
    for _ in range(2):
        frontier = sweep(table, requested, [*MEASURES, Odd(0.0)], tmp_path / "points")
        impossible, partial = frontier.measured[:2]
        assert impossible.values == {} and impossible.sentences == {}
        assert set(impossible.reasons) == {"P_loss", MEASURES[1].key, "odd(value=0.0)"}
        assert "ill" in impossible.reasons["P_loss"]
        assert set(partial.values) == {"P_loss", MEASURES[1].key}
        assert partial.reasons == {"odd(value=0.0)": "there is nothing to say"}
        assert frontier.complete
    assert made == [0]


def test_an_unsatisfiable_model_gives_a_point_with_a_reason(table):
    frontier = sweep(
        table, [Recipe(Mondrian(), KAnonymity(2) & KAnonymity(201)), Recipe(Mondrian(), KAnonymity(2))], MEASURES
    )
    impossible, possible = frontier.measured[:2]
    assert not impossible.values and "200 records, fewer than k = 201" in impossible.reasons["P_loss"]
    assert set(possible.values) == {measure.key for measure in MEASURES}


def test_recipes_that_do_not_fit_the_table_do_not_stop_the_others(table, tmp_path):
    foreign = Recipe(Mondrian(split="information_gain", target="job"), KAnonymity(2))
    requested = [foreign, Recipe(Counted(1, error=BadInput)), Recipe(Counted(2))]
    measures = [PrivacyLoss(), AverageClassSize(), UtilityLoss(min_support=0.2), Foreign()]
    with pytest.raises(BadInput, match="'job' is not a column"):
        sweep(table, requested, MEASURES)
    for _ in range(2):
        frontier = sweep(table, requested, measures, tmp_path / "points", partly=True)
        assert frontier.complete and list(frontier.measures) == measures and len(frontier.measured) == 5
        lacking, refused, made_all_the_same = frontier.measured[:3]
        assert lacking.values == refused.values == {}
        assert lacking.reasons["P_loss"].startswith("mondrian: target = 'job' is not a column of the table")
        assert refused.reasons["P_loss"] == "number 1 failed"
        assert set(made_all_the_same.values) == {measure.key for measure in measures[:3]}
        assert all("'town' is not a column" in point.reasons["foreign"] for point in frontier.measured)


def test_a_figure_that_is_not_a_number_has_a_reason(table, tmp_path):
    point = sweep(table, [Recipe(Counted())], [Odd(-1.0)], tmp_path / "points").measured[0]
    assert point.values == {} and point.reasons == {"odd(value=-1.0)": "odd evaluated to NaN"}


@pytest.mark.parametrize(
    ("requested", "measures", "message"),
    [
        ([Recipe(Mondrian("information_gain", "town"))], MEASURES, "target = 'town' is not a column"),
        ([Recipe(Remove(["town"]))], MEASURES, "'town' is not a column"),
        ([], [AverageClassSize(k=201)], "k = 201 must be at most 200"),
        ([], [PrivacyLoss], r"is not a measure; write PrivacyLoss\(\)"),
        ([], ["P_loss"], "str is not a measure"),
        ([], [], "no measure was passed"),
        ([Mondrian()], MEASURES, r"is not a recipe; write Recipe\(method, model\)"),
    ],
)
def test_a_wrong_parameter_is_reported_before_any_work(table, tmp_path, requested, measures, message):
    with pytest.raises(BadInput, match=message):
        sweep(table, [Recipe(Counted()), *requested], measures, tmp_path / "points", threads=1)
    assert made == []
    assert not (tmp_path / "points").exists()


def test_a_sweep_without_recipes(table):
    with pytest.raises(BadInput, match="no recipe was passed"):
        sweep(table, [], MEASURES, baselines=False)
    with pytest.raises(BadInput, match="threads = 0 must be at least 1"):
        sweep(table, [], MEASURES, threads=0)
    assert len(sweep(table, [], MEASURES).measured) == 2


def test_two_measures_with_one_name_are_refused(table):
    @dataclass(frozen=True)
    class Other(Odd):
        name = "other"

    with pytest.raises(BadInput, match="two measures are called 'odd'"):
        sweep(table, [], [Odd(), Other()])


def test_an_error_names_its_recipe_and_stops_the_rest(table, tmp_path):
    requested = [
        Recipe(Counted(1)),
        Recipe(Counted(2, error=ZeroDivisionError)),
        *(Recipe(Counted(i)) for i in range(3, 9)),
    ]
    with pytest.raises(ZeroDivisionError) as caught:
        sweep(table, requested, MEASURES, tmp_path / "points", threads=1)
    assert caught.value.__notes__ == [f"in the recipe {requested[1]}"]
    assert made[:2] == [1, 2] and len(made) < 8
    finished = len(Store(tmp_path / "points").keys())
    assert finished == len(made) - 1
    with pytest.raises(BadInput, match=r"recipe counted, number = 2.*: number 2 failed"):
        sweep(table, [Recipe(Counted(2, error=BadInput))], MEASURES)


@dataclass(frozen=True)
class Failing(Measure):
    """A measure that divides by zero with or without suppressed records; its message quotes a value."""

    name = "failing"
    symbol = "failing"
    side = "utility"
    unit = ""

    def measure(self, release):
        if isinstance(release.classes, Exception) or len(release.classes) > 1:
            raise OverflowError("yes, Smith, 44")
        return Measured(0.25, "said")


def test_an_unexpected_exception_in_a_measure_is_a_reason_and_the_sweep_continues(table, tmp_path):
    requested = [Recipe(Counted(1)), Recipe(Mondrian(), KAnonymity(2))]
    for _ in range(2):
        with pytest.warns(MeasureFailed, match=r"^failing is undefined for 3 points because of an unexpected Over"):
            frontier = sweep(table, requested, [*MEASURES, Failing()], tmp_path / "points")
        assert frontier.complete and len(frontier.measured) == 4
        for point in frontier.measured[:3]:
            assert re.fullmatch(
                r"an unexpected OverflowError in test_sweep.py, line \d+; please report it", point.reasons["failing"]
            )
            assert point.failures == {"failing": "OverflowError"} and len(point.values) == 2
        assert frontier.measured[3].values["failing"] == 0.25
    assert made == [1, 1], "a point with a failure is not stored"
    assert len(Store(tmp_path / "points").keys()) == 1


def test_progress_is_reported_in_the_calling_thread_also_for_stored_points(table, tmp_path):
    requested = [Recipe(Counted(i)) for i in range(5)]
    said = []

    def progress(done, total, point):
        said.append((done, total, point.key, threading.current_thread()))

    for _ in range(2):
        said.clear()
        frontier = sweep(table, requested, MEASURES, tmp_path / "points", threads=2, progress=progress)
        assert [(done, total) for done, total, _, _ in said] == [(i, 7) for i in range(1, 8)]
        assert {key for _, _, key, _ in said} == {p.key for p in frontier.measured}
        assert {thread for _, _, _, thread in said} == {threading.current_thread()}


def test_a_cancelled_sweep_returns_its_finished_points(table, tmp_path):
    requested, cancel = [Recipe(Counted(i, seconds=0.02)) for i in range(20)], threading.Event()

    def progress(done, total, point):
        if done == 3:
            cancel.set()

    part = sweep(table, requested, MEASURES, tmp_path / "points", threads=2, cancel=cancel, progress=progress)
    assert not part.complete
    assert 3 <= len(part.measured) <= 6
    assert [p.recipe for p in part.measured] == [r for r in requested if r in {p.recipe for p in part.measured}]
    whole = sweep(table, requested, MEASURES, tmp_path / "points")
    assert whole.complete and len(whole.measured) == 22
    assert set(made) == set(range(20)) and len(made) <= 22, "only the unfinished work of two threads is repeated"
    nothing = sweep(table, requested, MEASURES, tmp_path / "points", cancel=cancel)
    assert not nothing.complete and not nothing.measured


def test_an_interrupt_cancels_the_sweep(table):
    cancel = threading.Event()

    def interrupt(done, total, point):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(table, [Recipe(Counted(1))], MEASURES, progress=interrupt, cancel=cancel)
    assert cancel.is_set()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_no_recipe_starts_after_an_interrupt(table, tmp_path, error):
    def interrupt(done, total, point):
        raise error

    requested = [Recipe(Counted(i, seconds=0.02)) for i in range(20)]
    with pytest.raises(error):
        sweep(table, requested, MEASURES, tmp_path / "points", threads=2, progress=interrupt)
    begun = len(made)
    assert begun < 8
    time.sleep(0.1)
    assert len(made) == begun, "no thread is left"
    assert len(Store(tmp_path / "points").keys()) == begun, "work in progress is finished and stored"


def test_a_sweep_uses_as_many_threads_as_processors(table, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1, 2}, raising=False)
    together, names = threading.Barrier(3), set()

    @dataclass(frozen=True)
    class Meets(Counted):
        name = "meets"

        def release(self, table, model, seed):
            together.wait(10)
            names.add(threading.current_thread().name)
            return Keep().release(table, model, seed)

    sweep(table, [Recipe(Meets(i)) for i in range(3)], MEASURES, baselines=False)
    assert len(names) == 3
