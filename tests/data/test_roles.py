"""Columns as they are named in a call, and as people type them."""

import pytest

from workbench.base.errors import BadInput
from workbench.data.roles import assign, column_names, require_columns, typed_names


def test_one_column_or_several_may_be_given_or_none():
    assert column_names(None) == () and column_names("a, b") == ("a, b",) and column_names(["a", "b"]) == ("a", "b")
    with pytest.raises(BadInput, match="one or a list of them, not as 5"):
        column_names(5)


def test_a_name_with_a_comma_stands_in_quotes():
    assert typed_names(' age,"name, first" , ,sex') == ("age", "name, first", "sex") and typed_names("") == ()


def test_every_column_has_one_role():
    assert assign(["a", "b", "c"], ["a"], ["c"], []) == {"a": "quasi", "b": "neutral", "c": "sensitive"}
    with pytest.raises(BadInput, match="column 'a' is quasi and identifier; give it one role"):
        assign(["a", "b"], ["a"], [], ["a"])
    with pytest.raises(BadInput, match="no column 'd'"):
        require_columns(["d"], ["a"])
