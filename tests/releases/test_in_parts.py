"""A release of which only the classes are in memory: answers and files are those of the same release in memory."""

import numpy as np
import pytest

from tests.data.engines.alike import assert_same_files
from tests.releases.parted import SENSITIVE, pair, with_cells_outside_memory
from workbench.base.errors import BadInput, TooMany, Undefined
from workbench.data import engines
from workbench.measures import KLDivergence, QueryError
from workbench.measures.privacy.attackers import count_groups
from workbench.measures.privacy.population_uniques import Sizes
from workbench.measures.utility.query_error import without_quasi_identifiers
from workbench.methods import Mondrian, Remove
from workbench.methods.mondrian import out_of_core as first_cuts
from workbench.models import KAnonymity
from workbench.queries.populations import atoms, large_populations
from workbench.queries.workload import Workload
from workbench.releases.partition import group_of_cell

pytestmark = pytest.mark.slow

SEEDS = range(5)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(first_cuts, "PART", 12)


def releases(seed, publish="generalized", model=None):
    tables = pair(seed)
    return [Mondrian(publish=publish)(table, model or KAnonymity(3)) for table in tables]


def random_runs(table, seed):
    rng = np.random.default_rng(seed)
    sizes = [table.columns[name].size for name in table.quasi]
    return np.stack([np.sort(rng.integers(0, size, (40, 2)), axis=1) for size in sizes], axis=1).astype(np.int32)


@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
@pytest.mark.parametrize("seed", SEEDS)
def test_estimates_are_those_of_memory(seed, publish):
    one, parts = releases(seed, publish)
    runs = random_runs(one.table, seed)
    for sensitive in (None, *SENSITIVE):
        assert parts.estimate(runs, sensitive) == pytest.approx(one.estimate(runs, sensitive), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_records_of_a_whole_part_are_counted_between_the_bounds(monkeypatch, seed):
    monkeypatch.setattr(first_cuts, "PART", 1)
    one, parts = releases(seed, "bucketized", KAnonymity(6))
    assert any(part.cells is None for part in parts.again())
    runs = random_runs(one.table, seed)
    assert parts.estimate(runs, SENSITIVE[0]) == pytest.approx(one.estimate(runs, SENSITIVE[0]), rel=1e-12, abs=1e-12)


def answered(release, seed):
    """Return expected and true answers of random queries, some about neutral columns."""
    table = release.table
    columns = [name for name in table.names if table.columns[name].size > 1]
    workload = Workload.random(table, 15, 2, 0.2, seed=seed, columns=columns[:4])
    low, high = release.bounds(workload)
    return release.count(workload), low, high, workload.truth, QueryError(workload)(release).value


@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
@pytest.mark.parametrize("seed", SEEDS[:3])
def test_queries_are_answered_as_in_memory(monkeypatch, seed, publish):
    monkeypatch.setattr(first_cuts, "PART", 40)
    for expected, found in zip(*(answered(release, seed) for release in releases(seed, publish)), strict=True):
        assert np.array_equal(expected, found)


def test_queries_about_all_columns_are_answered_slice_by_slice(monkeypatch):
    monkeypatch.setattr(engines, "SLICE", 30)
    memory, other = pair(5)
    columns = [*memory.quasi, *SENSITIVE]
    answers = [
        Workload.random(table, 30, len(columns), 0.3, seed=1, columns=columns).truth for table in (memory, other)
    ]
    assert np.array_equal(*answers) and answers[0].any()


@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
@pytest.mark.parametrize("part", [1, 12])
@pytest.mark.parametrize("seed", SEEDS)
def test_files_have_the_same_records(monkeypatch, seed, part, publish):
    monkeypatch.setattr(first_cuts, "PART", part)
    assert_same_files(*releases(seed, publish))


def test_files_are_written_whole_in_random_order(tmp_path):
    one, parts = releases(8)
    for release in (one, parts):
        release.export(tmp_path / f"{type(release).__name__}.csv", giveaways=True)
    lines = [(tmp_path / f"{name}.csv").read_text().splitlines() for name in ("Partition", "InParts")]
    assert lines[0] != lines[1] and sorted(lines[0]) == sorted(lines[1])
    again = parts.export(tmp_path / "again.csv", giveaways=True)
    assert again[0].read_text().splitlines() != lines[1]


@pytest.mark.parametrize("seed", [0, 4])
def test_all_combinations_are_counted_slice_by_slice(monkeypatch, seed):
    monkeypatch.setattr(engines, "SLICE", 60)
    monkeypatch.setattr(engines, "MOST", 2)
    for one, parts in (releases(seed), releases(seed, "bucketized")):
        assert len([*parts.table.engine.slices(parts.table.quasi, parts.table.columns)]) > 1
        assert KLDivergence()(parts).value == pytest.approx(KLDivergence()(one).value, abs=1e-9)
        for found, expected in zip(
            Sizes.from_classes(*count_groups(parts)), Sizes.from_classes(*count_groups(one)), strict=True
        ):
            assert np.array_equal(found, expected)


def test_large_populations_are_those_of_memory():
    for seed in range(6):
        one, other = (large_populations(table, 0.1) for table in pair(seed))
        assert np.array_equal(one.runs, other.runs) and np.array_equal(one.support, other.support)
        assert one.every == other.every and all(
            np.array_equal(one.truth[name], other.truth[name]) for name in one.truth
        )


@pytest.mark.parametrize("runs", [[[0, 9]], [[0, 9], [3, 4], [4, 4], [7, 9]], [[2, 2], [0, 5]]])
def test_atoms_are_distinguished_by_some_run(runs):
    found, runs = atoms(np.array(runs), 10), np.array(runs)
    for a in range(10):
        for b in range(10):
            apart_by = ((runs[:, 0] <= a) & (a <= runs[:, 1])) != ((runs[:, 0] <= b) & (b <= runs[:, 1]))
            if apart_by.any():
                assert found[a] != found[b]
    assert (np.diff(found) >= 0).all() and found[0] == 0


def test_all_removed_is_one_class():
    memory, other = pair(6)
    for one, parts in (
        (Remove()(memory), Remove()(other)),
        (without_quasi_identifiers(Remove()(memory)), without_quasi_identifiers(Remove()(other))),
    ):
        assert_same_release_of_one_class(one, parts)
    assert_same_files(Remove()(memory), Remove()(other))
    assert len(other.quasi) > 1
    with pytest.raises(TooMany):
        Remove((*other.quasi[:1],))(other)


def assert_same_release_of_one_class(one, parts):
    assert parts.classes.sizes.tolist() == one.classes.sizes.tolist() == [one.table.records]
    assert parts.unpublished_columns == one.unpublished_columns
    for name in SENSITIVE:
        assert (parts.classes.histograms[name] == one.classes.histograms[name]).all()
    assert (parts.classes.low == one.classes.low).all() and (parts.classes.high == one.classes.high).all()


def test_classes_that_do_not_fit_are_counted_and_refused(monkeypatch):
    _, other = pair(8)
    monkeypatch.setattr("workbench.models.classes.LARGEST", 1000)
    with pytest.raises(
        TooMany, match=r"^[\d,]+ classes or more with \d+ sensitive values do not fit .* by a larger k, or"
    ):
        Mondrian()(other, KAnonymity(2))


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (lambda release: release.group_of_record, BadInput),
        (lambda release: release.group_of_entry, TooMany),
        (lambda release: release.side_information_risk(), BadInput),
        (lambda release: release.posterior(SENSITIVE[0], "covering classes"), TooMany),
        (lambda release: release.without(np.array([0])), Undefined),
    ],
)
def test_computations_on_all_cells_are_refused(asked, error):
    _, parts = releases(8)
    assert group_of_cell(parts) is None
    with pytest.raises(error) as caught:
        asked(parts)
    assert len(str(caught.value).splitlines()) == 1


def test_too_many_combinations_in_classes_are_refused(monkeypatch):
    _, parts = releases(8, "bucketized")
    monkeypatch.setattr(engines, "MOST", 3)
    with pytest.raises(TooMany, match="use fewer columns"):
        parts.class_counts(parts.table.quasi)


@pytest.mark.parametrize("nodes", [False, True], ids=["ranges", "nodes"])
@pytest.mark.parametrize("seed", SEEDS)
def test_classes_with_equal_regions_are_merged_as_in_memory(seed, nodes, tmp_path):
    tables = pair(seed)
    text = [name for name in tables[0].quasi if tables[0].columns[name].kind == "text"]
    regions = {} if nodes else dict.fromkeys(text, "ranges")
    here, there = (table.with_settings(regions=regions, threshold=5) for table in tables)
    one, parts = (Mondrian()(table, KAnonymity(3)) for table in (here, with_cells_outside_memory(there)))
    assert parts.audit(KAnonymity(3)).holds and parts.classes.sizes.sum() == tables[0].records
    shown = np.column_stack([parts.classes.low, parts.classes.high])
    assert len(np.unique(shown, axis=0)) == len(shown) <= len(parts.found)
    parts.export(tmp_path / "parts.csv", giveaways=True)
    written = (tmp_path / "parts.csv").read_text().splitlines()
    assert len(written) == tables[0].records + 1
    if nodes:
        return  # the first cuts by counts are those of ranges, so classes differ from those in memory
    one.export(tmp_path / "one.csv", giveaways=True)
    assert sorted(written) == sorted((tmp_path / "one.csv").read_text().splitlines())
    runs = random_runs(one.table, seed)
    for sensitive in (None, *SENSITIVE):
        assert parts.estimate(runs, sensitive) == pytest.approx(one.estimate(runs, sensitive), rel=1e-12, abs=1e-12)
