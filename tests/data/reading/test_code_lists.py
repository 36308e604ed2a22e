"""Codes become words, digits numbers, blanks missing; other values are refused without a quotation."""

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.reading.code_lists import numbers, present, spelled, stripped


def test_blanks_are_missing():
    assert list(stripped(pd.Series([" a ", "  ", ""])).fillna("none")) == ["a", "none", "none"]


def test_codes_are_replaced_by_words_and_unknown_ones_refused():
    column = pd.Series(["1", " 2", ""])
    assert list(spelled(column, {"1": "one", "2": "two"}, "f", "x").fillna("none")) == ["one", "two", "none"]
    with pytest.raises(BadInput, match="f, line 2: x is an unknown code; add its meaning to codes"):
        spelled(column, {"1": "one"}, "f", "x")


def test_digits_are_integers_if_all_values_are():
    assert list(numbers(pd.Series(["07", " 8"]), "f", "x")) == [7, 8]
    assert numbers(pd.Series(["7", ""]), "f", "x").isna().tolist() == [False, True]
    assert list(numbers(pd.Series(["7.5", "8"]), "f", "x")) == [7.5, 8]
    for wrong in ("seven", "inf", "nan"):
        with pytest.raises(BadInput, match="f, line 1: x is not a number"):
            numbers(pd.Series([wrong]), "f", "x")


def test_a_compressed_file_is_refused_with_advice(tmp_path):
    packed = tmp_path / "indiv08.zip"
    packed.touch()
    with pytest.raises(BadInput, match="unpack it, and use the text file in it"):
        present(packed)
    with pytest.raises(BadInput, match="not an existing file"):
        present(tmp_path)
