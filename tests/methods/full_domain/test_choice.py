"""Nodes as people write them, and what is said of those that do not exist."""

import pytest

from tests.methods.full_domain.lattices import table_of
from workbench import BadInput
from workbench.methods.full_domain.choice import named, refuse_other_columns, released, spelled, understood


@pytest.mark.parametrize(
    "given",
    ["age=2, sex=0", " sex = 0,age=2 ", ("age=2", "sex=0"), ["sex=0", "age=2"], {"sex": 0, "age": 2}],
)
def test_a_node_has_one_spelling(given):
    assert understood(given) == {"age": 2, "sex": 0}
    assert spelled(understood(given)) == "age=2, sex=0"


def test_names_may_have_commas_and_blanks():
    assert understood("hours, per week=1, a=b=2") == {"hours, per week": 1, "a=b": 2}


@pytest.mark.parametrize(
    "given", ["", "age", "age=-1", "age=x", "age=1, age=2", {"age": 1.5}, {"age": True}, {1: 2}, 7, {}]
)
def test_what_is_no_node_is_refused(given):
    with pytest.raises(BadInput, match="write a level for each column once, as in age=2, sex=0"):
        understood(given)


def test_every_quasi_identifier_needs_a_level_that_there_is():
    table = table_of(0)[0]
    node = dict.fromkeys(table.quasi, 0)
    refuse_other_columns(node, table)
    with pytest.raises(BadInput, match=r"'aa' is not a quasi-identifier; did you mean 'a'\?"):
        refuse_other_columns({**node, "aa": 0}, table)
    with pytest.raises(BadInput, match="'a' has no level 9 here; choose one from 0 to"):
        refuse_other_columns({**node, "a": 9}, table)
    with pytest.raises(BadInput, match="say a level for a too; 0 keeps the values"):
        refuse_other_columns({name: 0 for name in table.quasi if name != "a"}, table)


def test_a_released_node_shows_nodes():
    table = table_of(2)[0]
    top = [len(table.columns[name].released_at) - 1 for name in table.quasi]
    assert len(released(table, top).classes) == 1
    assert named(table, top) == ", ".join(f"{name}={level}" for name, level in zip(table.quasi, top, strict=True))
