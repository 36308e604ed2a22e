"""Workload utility compared with loops over records, and on tables with a known answer."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput, Undefined
from workbench.data.settings import released_columns
from workbench.data.table import Table
from workbench.measures import AccuracyGain, WorkloadUtility
from workbench.methods import Keep, Mondrian, Remove
from workbench.miners.cross_fitting import cross_fit
from workbench.models import KAnonymity


@pytest.fixture(scope="module")
def table():
    """The target depends on the quasi-identifiers and the sensitive column together, not on one of them."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"q": rng.integers(0, 4, 400), "s": rng.choice(["x", "y"], 400, p=[0.6, 0.4])})
    frame["t"] = np.where((frame["q"] >= 2) == (frame["s"] == "x"), "one", "two")
    return Table.from_frame(frame, ["q"], "s")


def test_a_target_that_depends_on_both_kinds_of_columns_is_not_predicted_by_one(table):
    found = WorkloadUtility("t")(Keep()(table))
    assert found.detail["U_max"] == found.detail["U_san"] == 1
    assert found.detail["U_base"] == max(
        found.detail["without quasi-identifiers"], found.detail["without sensitive columns"]
    )
    assert found.detail["U_base"] < 0.65 and found.value == 1 - found.detail["U_base"]
    assert found.detail["A_acc"] == AccuracyGain()(Keep()(table)).value
    assert WorkloadUtility("t")(Remove()(table)).value <= 0


def test_the_figure_equals_loops_over_records(small):
    table, release = small(2), Mondrian()(small(2), KAnonymity(5))
    keep, others = Keep()(table), [name for name in released_columns(table) if name != "wage"]
    shares = {}
    for name, one, given in (
        ("U_san", release, others), ("U_max", keep, others),
        ("without quasi-identifiers", keep, [n for n in others if n not in table.quasi]),
        ("without sensitive columns", keep, [n for n in others if n not in table.sensitive]),
    ):  # fmt: skip
        told = cross_fit(one, "wage", "naive bayes", given=given).by_miner("naive bayes").codes
        shares[name] = sum(a == b for a, b in zip(told, table.codes["wage"], strict=True)) / table.records
    found = WorkloadUtility("wage", "naive bayes")(release)
    assert {name: found.detail[name] for name in shares} == pytest.approx(shares)
    trivial = max(shares["without quasi-identifiers"], shares["without sensitive columns"])
    assert found.value == pytest.approx(shares["U_san"] - trivial)
    assert found.interval[0] <= found.value <= found.interval[1]


def test_a_removed_sensitive_target_is_guessed(small):
    table = small(2)
    found = WorkloadUtility("disease", "naive bayes")(Keep()(table)).detail
    assert found["without sensitive columns"] == pytest.approx(table.sensitive["disease"].prior.max())


def test_the_best_of_several_miners_counts(small):
    release = Mondrian()(small(2), KAnonymity(5))
    several = WorkloadUtility("wage", ["majority", "naive bayes"])(release).detail
    alone = [WorkloadUtility("wage", one)(release).detail for one in ("majority", "naive bayes")]
    for name in ("U_san", "U_max", "U_base"):
        assert several[name] == max(one[name] for one in alone)


def test_bad_parameters_are_reported(small):
    with pytest.raises(BadInput, match="mean predicts numbers; choose miners"):
        WorkloadUtility("wage", "mean")
    with pytest.raises(Undefined, match="'age' is generalized"):
        WorkloadUtility("age")(Mondrian()(small(2), KAnonymity(5)))
