"""A file of another tool, as text in roles."""

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.releases.foreign import foreign
from workbench.releases.released_file import read

FRAME = pd.DataFrame({"age": ["[20, 30)", "*", "NA"], "town": ["Ayr", "*", "*"], "ill": ["flu", "cold", "flu"]})


def test_values_are_text_and_suppressed_ones_are_anything():
    file = read(FRAME, ("age", "town"), ("ill",), None, {})
    assert file.table.columns["age"].kind == "text" and file.quasi == ("age", "town")
    assert (file.codes(file.starred(None) | True, None) < 0).tolist() == [[False, False], [True, True], [True, True]]
    assert file.starred(None).tolist() == [False, True, True]
    assert file.without(file.starred(None)).table.records == 1


def test_an_absent_column_is_reported():
    original = Table.from_frame(pd.DataFrame({"age": [1, 2], "zip": [3, 4], "ill": ["a", "b"]}), ["age", "zip"], "ill")
    assert "zip: not published" in read(FRAME, original.quasi, ("ill",), original, {}).notes
    elsewhere = original.with_roles(["zip"], "ill")
    with pytest.raises(BadInput, match="none of the quasi-identifiers"):
        read(FRAME, elsewhere.quasi, ("ill",), elsewhere, {})


def test_words_for_suppression_count_as_stars_with_an_original():
    original = Table.from_frame(
        pd.DataFrame({"age": [20, 30, 40], "town": ["Ayr", "any", "Ayr"], "ill": ["flu", "cold", "flu"]}),
        ["age", "town"],
        "ill",
    )
    shown = FRAME.assign(age=["unknown", " Suppressed ", "20"], town=["*", "Ayr", "any"])
    for release, sizes in (("itself", [1, 1, 1]), ("everything", [3, 2, 2])):
        found = foreign(shown, original=original, missing_fits=release)
        of_label = dict(zip(map(tuple, (found.codes < 0).tolist()), found.classes.sizes.tolist(), strict=True))
        assert of_label == dict(zip([(True, True), (True, False), (False, False)], sizes, strict=True))
    assert foreign(shown, original=original, suppressed="out").starred == 1
