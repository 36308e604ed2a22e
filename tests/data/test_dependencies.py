"""Dependencies between quasi-identifiers, against guesses of single records from all others."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench
from tests.examples import examples
from tests.releases import parted
from workbench.data import dependencies as counted
from workbench.data.dependencies import between
from workbench.data.table import Table


def table(frame: pd.DataFrame, **options) -> Table:
    return Table.read(frame, quasi=list(frame), **options)


def one(found: Table, determining: str, determined: str) -> counted.Dependency:
    return next(d for d in between(found) if (d.determining, d.determined) == (determining, determined))


def guessed(others: list[str], value: str) -> Fraction:
    """Return the probability that a guess from the others is this value."""
    counts = Counter(others)
    best = [name for name, count in counts.items() if count == max(counts.values())]
    return Fraction(value in best, len(best))


def naive(pairs: list[tuple[str, str]]) -> tuple[float, float, int, int]:
    """Return share, commonest, exceptions and unique records, one record after the other."""
    right, blindly, seen = Fraction(0), Fraction(0), 0
    for i, (a, b) in enumerate(pairs):
        others = pairs[:i] + pairs[i + 1 :]
        like = [value for key, value in others if key == a]
        blindly += guessed([value for _, value in others], b) if others else 0
        if like:
            seen += 1
            right += guessed(like, b)
    groups = {a: Counter(b for key, b in pairs if key == a) for a, _ in pairs}
    exceptions = sum(sum(group.values()) - max(group.values()) for group in groups.values())
    return float(right / seen) if seen else math.nan, float(blindly / len(pairs)), exceptions, len(pairs) - seen


@examples(60)
@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("uuuvwx"), st.sampled_from("yz")), min_size=2))
def test_figures_are_those_of_guessing_each_record_from_the_others(rows):
    found = table(pd.DataFrame(rows, columns=["a", "b", "c"]))
    for i, j in [(0, 1), (1, 0), (0, 2), (2, 1)]:
        got = one(found, "abc"[i], "abc"[j])
        share, commonest, exceptions, alone = naive([(row[i], row[j]) for row in rows])
        assert (got.exceptions, got.alone) == (exceptions, alone)
        assert got.share == pytest.approx(share, nan_ok=True) and got.commonest == pytest.approx(commonest)
        assert 0 <= got.strength <= 1


def test_both_ways_of_counting_agree(monkeypatch):
    found = workbench.datasets.donations(n=3_000)
    dense = counted._between(found)
    monkeypatch.setattr(counted, "DENSE", 0)
    assert counted._between(found) == dense


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_pairs_of_many_records_are_counted_without_the_cells(monkeypatch, engine):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"zip": rng.integers(0, 40, 3000), "age": rng.integers(0, 9, 3000)})
    frame["state"] = frame["zip"] // 10
    table = Table.without_roles(frame, engine=engine).with_roles(["zip", "age", "state"])
    expected = between(table)
    monkeypatch.setattr(counted, "MANY", 1000)
    monkeypatch.setattr(Table, "cells", lambda *_: pytest.fail("the cells of all quasi-identifiers were counted"))
    assert between(Table.without_roles(frame, engine=engine).with_roles(["zip", "age", "state"])) == expected


def test_worked_by_hand():
    """Two towns with three people each, and one person elsewhere.

    Of the six in towns, four agree with most of the others; the ties of the remaining two count one half.
    """
    frame = pd.DataFrame({"town": list("AAABBBH"), "team": list("rrrrrgg")})
    got = one(table(frame), "town", "team")
    assert (got.alone, got.exceptions) == (1, 1)
    assert got.share == pytest.approx((3 + 2 * 0.5) / 6)  # in B each r sees one r and one g; g sees two r
    assert got.commonest == pytest.approx(5 / 7)
    assert got.settled == 0.5  # A, not B; H has one record


def test_determined_columns_are_reported_with_consequences():
    frame = pd.DataFrame({"zip": ["01", "02", "03", "04"] * 25, "state": ["X", "X", "Y", "Z"] * 25})
    frame.loc[0, "state"] = "Q"
    nearly = one(table(frame), "zip", "state")
    assert nearly.words == "zip nearly determines state: 99 %" and nearly.exceptions == 1
    assert nearly.is_strong and "1 record is an exception." in nearly.sentence
    exact = one(table(frame.iloc[1:]), "zip", "state")
    assert exact.words == "zip determines state" and exact.strength == 1
    assert exact.meaning == "Generalizing state hides nothing unless zip is generalized too."
    back = one(table(frame.iloc[1:]), "state", "zip")
    assert back.words == "state partly determines zip: 63 %" and back.meaning == ""


def test_values_of_one_record_each_determine_nothing():
    draw = np.random.default_rng(1)
    frame = pd.DataFrame({"name": [f"n{i}" for i in range(400)], "sex": draw.choice(["m", "f"], 400)})
    got = one(table(frame), "name", "sex")
    assert got.alone == 400 and got.exceptions == 0 and got.strength == 0 and math.isnan(got.share)
    assert got.words == "name hardly predicts sex" and "its own value of name" in got.sentence
    assert got.per_cent == ""


def test_independent_columns_have_no_strength_for_any_number_of_values():
    draw = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"a": draw.integers(0, 3_000, 3_000).astype(str), "b": draw.choice(["x", "y"], 3_000, p=[0.8, 0.2])}
    )
    plain = frame.groupby("a").b.agg(lambda values: values.value_counts().iloc[0]).sum() / len(frame)
    got = one(table(frame), "a", "b")
    assert plain > 0.86 and got.commonest == pytest.approx(0.8, abs=0.02), "the plain share would be too large"
    assert got.has_enough_records and got.strength < 0.05


def test_a_column_of_one_value_is_not_reported():
    got = one(table(pd.DataFrame({"a": list("xxyy"), "b": list("kkkk")})), "a", "b")
    assert got.strength == 0 and got.verdict == "hardly predicts"


def test_engines_agree_and_a_frame_lists_the_strongest_first(tmp_path):
    frame = workbench.datasets.donations(n=2_000).codes
    path = tmp_path / "gifts.csv"
    pd.DataFrame({name: codes.astype(str) for name, codes in frame.items()}).to_csv(path, index=False)
    quasi = ["state", "zip", "employer"]
    here, there = (Table.read(path, quasi=quasi, engine=engine) for engine in ("memory", "duckdb"))
    listed = workbench.dependencies(here)
    assert listed.equals(workbench.dependencies(there)) and len(listed) == 6
    assert list(listed.columns) == counted.COLUMNS and listed.strength.is_monotonic_decreasing
    assert tuple(listed.loc[0, ["determining", "verdict", "determined"]]) == ("zip", "determines", "state")


def test_the_employer_determines_the_state_as_in_the_slides():
    got = one(workbench.datasets.donations(), "employer", "state")
    assert got.settled > 0.8 and got.verdict == "partly determines"
    assert "86 % of the values of employer with several records have a single state" in got.sentence.lower()


def test_one_quasi_identifier_has_none(adult):
    assert workbench.dependencies(adult.with_roles(["age"])).empty


def test_a_table_that_does_not_fit_is_reported_as_unchecked():
    memory, other = parted.pair(11)
    assert counted.describe_dependencies(memory) != [counted.UNSEEN] == counted.describe_dependencies(other)
