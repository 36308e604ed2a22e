"""Messages contain the problem, its place and advice, and quote no data."""

import pandas as pd
import pytest

from workbench.base.errors import MANY, BadColumns, BadInput, list_some, prefix_path, safe_repr, suggest, suggest_column


def test_large_values_are_reported_by_their_type_only():
    assert (safe_repr(3), safe_repr("a"), safe_repr(None)) == ("3", "'a'", "None")
    assert safe_repr(pd.DataFrame({"name": ["secret"]})) == "a DataFrame" and safe_repr(["secret"]) == "a list"
    assert len(safe_repr("x" * 1000)) < 70 and safe_repr(int) == "int"


def test_a_misspelled_name_gets_a_suggestion_and_columns_are_never_listed():
    assert suggest("mondrain", ["mondrian", "keep"]) == "did you mean 'mondrian'?"
    assert suggest("x", ["mondrian", "keep"]) == "choose from mondrian, keep"
    assert "age" not in suggest_column("x", ["age", "town"]) and "2 columns" in suggest_column("x", ["age", "town"])


def test_a_long_list_ends_with_the_number_of_further_items():
    assert list_some([str(i) for i in range(MANY + 5)]).endswith(" and 5 more")


def test_internal_errors_are_in_the_message():
    with pytest.raises(BadInput) as caught, prefix_path("recipes", 0), prefix_path("model"):
        raise BadInput("no")
    assert caught.value.path == ("recipes", 0, "model")
    assert str(BadColumns({"a": "one", "b": "two"})) == "one; two"
