"""Mondrian by information gain gives the classes of a naive search over every candidate."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods import oracle
from tests.methods.mondrian.test_mondrian import classes_of, codes_of
from tests.methods.tables import axes_of, frames, quasi_choices, table_of
from workbench.data.hierarchies.builders import Columns
from workbench.data.table import Table
from workbench.methods import Mondrian
from workbench.models import KAnonymity, ProbabilisticLDiversity


@examples(60)
@given(
    frames(most=60),
    quasi_choices,
    st.sampled_from(["plain", "s", "s2", "a quasi-identifier", "person"]),
    st.sampled_from(["all", "best", "binary"]),
    st.integers(1, 6),
    st.booleans(),
)
def test_classes_of_random_tables_are_those_of_the_oracle(frame, quasi, target, cuts, k, diverse):
    table, s = table_of(frame, quasi), codes_of(frame["s"])
    target = quasi[0] if target == "a quasi-identifier" else target
    model, naive = KAnonymity(min(k, len(frame))), oracle.minimum_size(min(k, len(frame)))
    if diverse and np.bincount(s).max() * 1.3 <= len(s):
        model, naive = model & ProbabilisticLDiversity(1.3), oracle.both(naive, oracle.no_value_above(1.3, s))
    expected = oracle.information_gain(axes_of(frame, quasi), codes_of(frame[target]), naive, cuts)
    release = Mondrian("information_gain", target, cuts)(table, model)
    assert classes_of(release) == {frozenset(part.tolist()) for part in expected}


def distinct_people(frame, model, cuts="all", hierarchies=None):
    """Return the groups of rows after splitting about column `t`."""
    quasi = [name for name in frame if name not in ("s", "t")]
    table = Table.from_frame(frame, quasi=quasi, sensitive="s", hierarchies=hierarchies)
    return sorted(map(sorted, classes_of(Mondrian("information_gain", "t", cuts)(table, model))))


def test_uninformative_attributes_are_not_cut():
    frame = pd.DataFrame({"q": [1, 1, 2, 2], "t": ["a", "b", "a", "b"], "s": list("xyxy")})
    assert distinct_people(frame, KAnonymity(1)) == [[0, 1, 2, 3]]


def test_all_cuts_falls_back_to_the_next_best_allowed_cut():
    frame = pd.DataFrame({"q": [1, 2, 2, 3, 3, 3], "t": list("abbbbb"), "s": list("xyxyxy")})
    assert distinct_people(frame, KAnonymity(2), "best") == [[0, 1, 2, 3, 4, 5]]
    assert distinct_people(frame, KAnonymity(2), "all") == [[0, 1, 2], [3, 4, 5]]


def test_text_falls_back_from_its_values_to_its_groups():
    frame = pd.DataFrame({"q": list("abcd") * 2, "t": list("uuvv") * 2, "s": list("xxxxyyyy")})
    groups = {"q": Columns([("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd")])}
    assert distinct_people(frame, KAnonymity(4), "all", groups) == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert distinct_people(frame, KAnonymity(4), "best", groups) == [list(range(8))]
    flat = {"q": Columns([("a",), ("b",), ("c",), ("d",)])}
    assert distinct_people(frame, KAnonymity(4), "all", flat) == [list(range(8))]
    assert distinct_people(frame, KAnonymity(4), "binary", flat) == [[0, 1, 4, 5], [2, 3, 6, 7]]


def test_text_without_a_hierarchy_is_cut_in_alphabetical_order():
    frame = pd.DataFrame({"q": list("abcd") * 2, "t": list("uuvv") * 2, "s": list("xxxxyyyy")})
    assert distinct_people(frame, KAnonymity(4), "all") == [[0, 1, 4, 5], [2, 3, 6, 7]]


def test_ties_go_to_the_earlier_attribute():
    frame = pd.DataFrame({"p": [1, 1, 2, 2, 1, 2], "q": [1, 1, 2, 2, 2, 1], "t": list("aabbxx"), "s": list("xyxyxy")})
    assert distinct_people(frame, KAnonymity(3)) == [[0, 1, 4], [2, 3, 5]]
    assert distinct_people(frame[["q", "p", "t", "s"]], KAnonymity(3)) == [[0, 1, 5], [2, 3, 4]]


@pytest.mark.parametrize("target", ["race", "salary", "occupation"])
def test_every_class_of_adult_satisfies_the_model(adult, target):
    table = adult.with_roles(["age", "sex", "race"], "occupation")
    model = KAnonymity(20) & ProbabilisticLDiversity(3)
    classes = Mondrian("information_gain", target)(table, model).classes
    histogram = classes.histograms["occupation"]
    assert classes.sizes.min() >= 20 and (histogram.max(axis=1) * 3 <= classes.sizes).all()
    assert len(classes) >= (5 if target == "race" else 20) and classes.sizes.sum() == table.records
