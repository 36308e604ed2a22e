"""Messages say what, where and what to do, and repeat no data."""

import pandas as pd
import pytest

from workbench.base.errors import MANY, BadColumns, BadInput, at, columns_meant, enumerated, meant, said


def test_of_all_but_small_values_the_type_alone_is_said():
    assert (said(3), said("a"), said(None)) == ("3", "'a'", "None")
    assert said(pd.DataFrame({"name": ["secret"]})) == "a DataFrame" and said(["secret"]) == "a list"
    assert len(said("x" * 1000)) < 70 and said(int) == "int"


def test_a_name_that_is_nearly_right_is_asked_for_and_columns_are_never_listed():
    assert meant("mondrain", ["mondrian", "keep"]) == "did you mean 'mondrian'?"
    assert meant("x", ["mondrian", "keep"]) == "there are mondrian, keep"
    assert "age" not in columns_meant("x", ["age", "town"]) and "2 columns" in columns_meant("x", ["age", "town"])


def test_a_long_list_says_how_many_more_there_are():
    assert enumerated([str(i) for i in range(MANY + 5)]).endswith(" and 5 more")


def test_what_goes_wrong_inside_stands_there():
    with pytest.raises(BadInput) as caught, at("recipes", 0), at("model"):
        raise BadInput("no")
    assert caught.value.path == ("recipes", 0, "model")
    assert str(BadColumns({"a": "one", "b": "two"})) == "one; two"
