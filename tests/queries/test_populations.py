"""Large populations compared with every conjunction, one by one, and with an independent FP-growth."""

import threading
from itertools import product
from math import ceil, prod

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import fpgrowth

from workbench.base import cell_kernels
from workbench.base.errors import BadInput, Undefined
from workbench.base.progress import Cancelled, cancellable
from workbench.data.hierarchies.builders import Groups, Intervals
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import UtilityLoss
from workbench.methods import Mondrian
from workbench.models import KAnonymity
from workbench.queries import populations
from workbench.queries.populations import large_populations, table_runs


def conditions(table, name):
    """Return the sets of values that a hierarchy names, including leaves but not the whole column."""
    column = table.columns[name]
    shown = column.hierarchy.frame().to_numpy().tolist() if column.hierarchy else [[label] for label in column.labels]
    levels = range(len(shown[0]))
    sets = {frozenset(row[0] for row in shown if row[level] == wanted[level]) for wanted in shown for level in levels}
    sets -= {frozenset(row[0] for row in shown)}
    return [*sets, frozenset(["missing"])] if column.missing else list(sets)


def labels(table, name):
    return [table.columns[name].value_labels()[code] for code in table.codes[name]]


def by_hand(table, least):
    """Return the members of every conjunction of at most one condition per column with enough records."""
    held = {name: labels(table, name) for name in table.quasi}
    found = {}
    for chosen in product(*([None, *conditions(table, name)] for name in table.quasi)):
        asked = {name: wanted for name, wanted in zip(table.quasi, chosen, strict=True) if wanted}
        members = [r for r in range(table.records) if all(held[name][r] in wanted for name, wanted in asked.items())]
        if asked and len(members) >= least:
            found[frozenset(asked.items())] = members
    return found


def described(table, large):
    """Return each population as its sets of values."""
    found = []
    for run in large.runs:
        ends = zip(table.quasi, run.tolist(), strict=True)
        names = {name: table.columns[name].value_labels()[low : high + 1] for name, (low, high) in ends}
        found.append(frozenset((n, frozenset(v)) for n, v in names.items() if len(v) < table.columns[n].size))
    return found


def compare(table, min_support):
    large = large_populations(table, min_support)
    expected = by_hand(table, ceil(min_support * table.records - 1e-9))
    found = described(table, large)
    assert len(set(found)) == len(found) == len(large) == large.every
    assert set(found) == set(expected)
    for i, asked in enumerate(found):
        assert large.support[i] == len(expected[asked])
        for name, seen in table.sensitive.items():
            held = labels(table, name)
            assert large.truth[name][i].tolist() == [sum(held[r] == v for r in expected[asked]) for v in seen.labels]


@pytest.mark.parametrize("min_support", [0.02, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_populations_are_all_conjunctions_with_enough_records(small, seed, min_support):
    compare(small(seed), min_support)


def test_levels_that_do_not_nest_count_each_run_once():
    ages = [1, 5, 12, 19, 21, 29, 33, 38, 44, 49]
    frame = pd.DataFrame({"age": ages * 2, "sex": list("FM" * 10), "s": list("abcab" * 4)})
    table = Table.from_frame(frame, ["age", "sex"], "s", hierarchies={"age": Intervals(widths=(10, 15, 20))})
    assert not table.columns["age"].hierarchy.nested
    compare(table, 0.05)
    compare(table, 0.2)


def test_a_root_is_not_a_condition_even_with_missing_values():
    frame = pd.DataFrame({"work": ["a", "b", None, "a"], "s": list("xyxy")})
    root = Groups(({"any": ("a", "b")},))
    table = Table.from_frame(frame, ["work"], "s", hierarchies={"work": root})
    assert table_runs(table, "work").tolist() == [[0, 0], [1, 1], [2, 2]]


def test_a_population_of_exactly_the_smallest_support_counts():
    frame = pd.DataFrame({"q": ["a"] * 7 + ["b"] * 93, "s": list("xy" * 50)})
    table = Table.from_frame(frame, ["q"], "s")
    assert 0.07 * 100 > 7, "in floating point"
    assert sorted(large_populations(table, 0.07).support) == [7, 93]
    assert sorted(large_populations(table, 0.071).support) == [93]


def test_a_table_without_sensitive_columns_has_populations_too(small):
    table = small(0).with_roles(["age", "work", "sex"])
    assert len(large_populations(table, 0.1)) == len(large_populations(small(0), 0.1))
    assert large_populations(table, 0.1).truth == {}


@pytest.mark.parametrize("min_support", [0, -0.1, 1.1])
def test_an_invalid_support_is_refused(small, min_support):
    with pytest.raises(BadInput, match="min_support"):
        large_populations(small(0), min_support)


def without_cache(table):
    """Return the same table without cached results."""
    return table.with_roles(table.quasi, list(table.sensitive))


def same(one, other):
    """Return whether two lists of populations are identical, including their order."""
    pairs = [(one.runs, other.runs), (one.support, other.support)]
    pairs += [(one.truth[name], other.truth[name]) for name in one.truth]
    return one.every == other.every and all(np.array_equal(*pair) for pair in pairs)


def test_an_interrupted_walk_resumes(small, monkeypatch):
    whole = large_populations(small(1), 0.02)
    monkeypatch.setattr(cell_kernels, "STEPS", 1)
    assert len(whole) > 100 and same(whole, large_populations(without_cache(small(1)), 0.02))


def test_the_order_of_columns_does_not_matter(small):
    table = small(2)
    turned = table.with_roles(table.quasi[::-1], list(table.sensitive))
    assert set(described(table, large_populations(table, 0.05))) == set(
        described(turned, large_populations(turned, 0.05))
    )


@pytest.mark.parametrize("seed", range(8))
def test_too_many_populations_are_sampled_reproducibly(small, seed, monkeypatch):
    every = large_populations(small(seed), 0.02)
    monkeypatch.setattr(populations, "LISTED", 100)
    drawn = large_populations(without_cache(small(seed)), 0.02)
    assert len(every) > 100 and not every.sampled
    assert drawn.sampled and len(drawn) == 10 and drawn.every == len(every)
    place = {runs.tobytes(): i for i, runs in enumerate(every.runs)}
    for i, runs in enumerate(drawn.runs):
        at = place[runs.tobytes()]
        assert drawn.support[i] == every.support[at]
        assert all((drawn.truth[name][i] == every.truth[name][at]).all() for name in every.truth)
    assert same(drawn, large_populations(without_cache(small(seed)), 0.02))
    monkeypatch.setattr(populations, "LISTED", len(every))
    assert same(every, large_populations(without_cache(small(seed)), 0.02))


def test_the_interval_of_a_sample_contains_the_overall_loss(adult, monkeypatch):
    """This holds in about nineteen of twenty samples."""
    measure, rng = UtilityLoss(min_support=0.02), np.random.default_rng(0)
    others = ["age", "education", "marital_status", "relationship", "sex", "hours_per_week", "workclass", "salary"]
    tables = [adult.with_roles(list(rng.choice(others, 4, replace=False)), "occupation") for _ in range(12)]
    cases = [(table, KAnonymity(k)) for table in tables for k in (20, 2000)]
    exact = [measure(Mondrian()(table, model)) for table, model in cases]
    monkeypatch.setattr(populations, "LISTED", 190)
    fresh = {table: without_cache(table) for table in tables}
    found = [measure(Mondrian()(fresh[table], model)) for table, model in cases]
    assert all(len(one.detail["loss"]) == 19 < one.detail["every"] for one in found)
    assert all(f"Estimated from 19 of {one.detail['every']:,} populations" in one.sentence for one in found)
    held = [one.interval[0] <= whole.value <= one.interval[1] for one, whole in zip(found, exact, strict=True)]
    assert np.mean(held) >= 0.75 and np.mean([np.ptp(one.interval) / one.value for one in found]) < 2


def test_exact_losses_have_no_interval(small):
    found = UtilityLoss(min_support=0.1)(Mondrian()(small(0), KAnonymity(3)))
    assert found.interval is None and "±" not in found.sentence and found.sentence.startswith("Over ")


def test_uncountable_populations_are_reported_once_with_advice(small, monkeypatch):
    table = without_cache(small(0))
    monkeypatch.setattr(populations, "COUNTED", 50)
    for _ in range(2):
        with pytest.raises(Undefined, match=r"more than [\d,]+ populations .*raise min_support, or choose fewer quasi"):
            UtilityLoss(min_support=0.02)(Mondrian()(table, KAnonymity(3)))
    assert ("populations", 0.02) in table.remember.results  # not counted again for each release


@pytest.fixture
def twelve(adult):
    """Return Adult with 12 quasi-identifiers, which give 1.8 million populations of one per cent."""
    others = [name for name in adult.names if name not in ("occupation", "fnlwgt", "education_num")]
    return adult.with_roles(others, "occupation")


@pytest.mark.slow
def test_adult_with_twelve_quasi_identifiers_is_sampled(twelve):
    found = UtilityLoss(min_support=0.01)(Mondrian()(twelve, KAnonymity(50)))
    assert found.detail["every"] == 1_779_932 and len(found.detail["loss"]) == 20_000
    assert found.interval[1] - found.interval[0] < 0.05 * found.value


@pytest.mark.slow
def test_a_sweep_is_cancelled_during_the_walk(twelve):
    """The progress reports the number of populations found."""
    cancel, said = threading.Event(), []

    def report_progress(words):
        said.append(words)
        if len(said) == 2:
            cancel.set()

    recipes = [Recipe(Mondrian(), KAnonymity(50))]
    frontier = sweep(twelve, recipes, [UtilityLoss(min_support=0.01)], cancel=cancel, say=report_progress, threads=1)
    assert not frontier.complete and not frontier.measured and len(said) == 2
    counts = [int(words.removesuffix(" populations found").replace(",", "")) for words in said]
    assert 0 < counts[0] < counts[1] < 1_000_000
    found = sweep(twelve, recipes, [UtilityLoss(min_support=0.01)], threads=1)
    assert found.complete


def test_a_running_search_is_cancelled(adult):
    cancel = threading.Event()
    cancel.set()
    for method in (Mondrian(), Mondrian("information_gain", "occupation")):
        with pytest.raises(Cancelled), cancellable(cancel):
            method(adult, KAnonymity(5))


def test_a_page_reports_that_a_loss_is_estimated(adult, monkeypatch):
    measure, release = UtilityLoss(min_support=0.02), Mondrian()(without_cache(adult), KAnonymity(50))
    exact = measure.publish(measure(release), release, 10)[1]
    monkeypatch.setattr(populations, "LISTED", 190)
    release = Mondrian()(without_cache(adult), KAnonymity(50))
    told = measure.publish(measure(release), release, 10)[1]
    assert "randomly chosen groups" in told and "randomly chosen groups" not in exact


def test_the_shared_prefix_is_common_to_adjacent_rows(small):
    large = large_populations(small(0), 0.05)
    assert large.same[0] == 0
    for i in range(1, len(large)):
        pairs = zip(large.runs[i - 1].tolist(), large.runs[i].tolist(), strict=True)
        assert large.same[i] == sum(prod(same) for same in prefixes([a == b for a, b in pairs]))


def prefixes(values):
    return [values[: i + 1] for i in range(len(values))]


def test_adult_has_the_1050_of_an_independent_fp_growth(adult):
    items = {}
    for name in adult.quasi:
        codes = np.array(labels(adult, name))
        for wanted in conditions(adult, name):
            held = np.isin(codes, list(wanted))
            if held.mean() >= 0.05:
                items[name, wanted] = held
    names = list(items)
    frequent = fpgrowth(pd.DataFrame(np.column_stack([items[item] for item in names])), min_support=0.05)
    sets = [[names[i] for i in chosen] for chosen in frequent["itemsets"]]
    sets = [chosen for chosen in sets if len({name for name, _ in chosen}) == len(chosen)]
    assert len(sets) == 1050
    assert {frozenset(chosen) for chosen in sets} == set(described(adult, large_populations(adult, 0.05)))
