"""Nodes as text, and errors for nodes that do not exist."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as of_every
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.full_domain.lattices import table_of
from workbench import BadInput, Table, Unsatisfiable
from workbench.data.hierarchies.builders import Groups
from workbench.measures import GeometricLoss
from workbench.methods import FullDomain
from workbench.methods.full_domain.node_selection import (
    format_levels,
    node_name,
    parse_levels,
    refuse_other_columns,
    release_at,
)
from workbench.methods.full_domain.scores import score_nodes
from workbench.models import KAnonymity


@pytest.mark.parametrize(
    "given",
    ["age=2, sex=0", " sex = 0,age=2 ", ("age=2", "sex=0"), ["sex=0", "age=2"], {"sex": 0, "age": 2}],
)
def test_a_node_has_one_spelling(given):
    assert parse_levels(given) == {"age": 2, "sex": 0}
    assert format_levels(parse_levels(given)) == "age=2, sex=0"


def test_names_may_have_commas_and_blanks():
    assert parse_levels("hours, per week=1, a=b=2") == {"hours, per week": 1, "a=b": 2}


@pytest.mark.parametrize(
    "given", ["", "age", "age=-1", "age=x", "age=1, age=2", {"age": 1.5}, {"age": True}, {1: 2}, 7, {}]
)
def test_invalid_nodes_are_refused(given):
    with pytest.raises(BadInput, match="expected one level per column, as in age=2, sex=0"):
        parse_levels(given)


def test_every_quasi_identifier_needs_an_existing_level():
    table = table_of(0)[0]
    node = dict.fromkeys(table.quasi, 0)
    refuse_other_columns(node, table)
    with pytest.raises(BadInput, match=r"'aa' is not a quasi-identifier; did you mean 'a'\?"):
        refuse_other_columns({**node, "aa": 0}, table)
    with pytest.raises(BadInput, match="'a' has no level 9 here; choose one from 0 to"):
        refuse_other_columns({**node, "a": 9}, table)
    with pytest.raises(BadInput, match="set a level for a too; 0 keeps the values"):
        refuse_other_columns({name: 0 for name in table.quasi if name != "a"}, table)


def test_a_released_node_shows_nodes():
    table = table_of(2)[0]
    top = [len(table.columns[name].released_at) - 1 for name in table.quasi]
    assert len(release_at(table, top).classes) == 1
    assert node_name(table, top) == ", ".join(f"{name}={level}" for name, level in zip(table.quasi, top, strict=True))


NAMES = st.text(st.sampled_from('ab =0123,"\\\n\tn'), min_size=1, max_size=8) | st.text(min_size=1, max_size=5)


@examples(300)
@of_every(st.dictionaries(NAMES, st.integers(0, 12), min_size=1, max_size=3))
def test_the_name_of_every_node_is_parsed_back(levels):
    assert parse_levels(format_levels(levels)) == levels


def test_an_ambiguous_name_is_quoted():
    frame = pd.DataFrame({"a": list("xxyy"), "a=1, b": list("pqpq")})
    table = Table.from_frame(frame, list(frame), [])
    node = node_name(table, [0, 1])
    assert node == 'a=0, "a=1, b"=1'
    assert len(FullDomain(levels=node)(table, None).classes) == 2
    assert format_levels({"b=a, c": 1}) == "b=a, c=1"


def test_levels_may_be_numbers_of_numpy():
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("pqpq")})
    table = Table.from_frame(frame, list(frame), [])
    assert FullDomain(levels={"a": np.int64(0), "b": np.int32(1)}).levels == "a=0, b=1"
    assert table.with_level_ranges({"a": [np.int64(0), np.int8(1)]}).level_ranges == {"a": (0, 1)}


def test_suppression_of_every_record_is_reported():
    table = Table.from_frame(pd.DataFrame({"a": list("xxyy")}), ["a"], [])
    for suppress in (1.0, 0.1):
        with pytest.raises(Unsatisfiable, match="every record would be suppressed"):
            FullDomain(suppress=suppress)(table, KAnonymity(5))


@pytest.mark.parametrize("suppress", [0.02, 0.1])
def test_the_lattice_has_the_loss_of_the_release_also_for_a_column_with_one_value(suppress):
    frame = pd.DataFrame({"age": [30] * 20 + [40] * 20 + [77], "grp": "a"})
    groups = Groups(({"AB": ["a", "b"], "CG": list("cdefg")},))
    table = Table.from_frame(frame, ["age", "grp"], [], hierarchies={"grp": groups})
    scores = score_nodes(table, KAnonymity(5), [GeometricLoss()])
    for levels, loss in zip(scores.lattice.levels, scores.released_figure("GL", int(suppress * 41)), strict=True):
        release = release_at(table, levels)
        audit = release.audit(KAnonymity(5))
        if 0 < audit.records <= suppress * 41:
            release = release.without(audit.violating)
        assert GeometricLoss()(release).value == pytest.approx(loss)
    whole = [1 / 7 * 40 / 41 + 1 / 41, 1]  # above its values the one value is shown as everything
    shares = [(one - 1 / 7) / (6 / 7) for one in whole]
    if suppress == 0.1:
        expected = [((1 + 1 / 41) * (1 + share)) ** 0.5 - 1 for share in shares]
        nodes, losses = scores.lattice.levels.tolist(), scores.released_figure("GL", 4).tolist()
        found = dict(zip(map(tuple, nodes), losses, strict=True))
        assert [found[0, 0], found[0, 1]] == pytest.approx(expected)
