"""Weights as they are typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.widgets.scenario.people import people
from widgets.scenario.weight_lines import EXAMPLE, MOST, NO_CONDITION, offered, read, tried, written
from workbench.base.errors import BadInput

TABLE = people(60)


def test_what_is_written_reads_back_in_its_order():
    text = "10: sex = 'F' and age >= 55\n2.5: age >= 40\n0: others"
    found = read(text, TABLE)
    assert list(found.items()) == [("sex = 'F' and age >= 55", 10), ("age >= 40", 2.5), ("others", 0)]
    assert written(found) == text and read("\n \n", TABLE) is None and written(None) == ""


def test_each_line_says_how_many_records_it_is_of_or_what_is_wrong_where():
    lines = tried("3: sex = 'F'\nage >= 40\n1: agee > 3\n1: avg(age)\n\n0: others", TABLE)
    assert [one["row"] for one in lines] == [0, 1, 2, 3, 5]
    assert lines[0]["answer"] == str(int((TABLE.frame.sex == "F").sum())) and not lines[0]["wrong"]
    assert lines[1]["wrong"] == EXAMPLE and lines[3]["wrong"] == NO_CONDITION and lines[4]["answer"] == "others"
    assert "did you mean 'age'" in lines[2]["wrong"] and lines[2]["at"] == 3
    with pytest.raises(BadInput, match="line 2, and 2 more cannot be read"):
        read("3: sex = 'F'\nage >= 40\n1: agee > 3\n1: avg(age)", TABLE)
    with pytest.raises(BadInput, match="enter fewer"):
        tried("1: age > 3\n" * (MOST + 1), TABLE)


def test_words_are_offered_behind_the_colon():
    options, start = offered("10: se", 6, TABLE)
    assert [one["text"] for one in options] == ["sex"] and start == 4
    assert offered("10", 2, TABLE) == ([], 2) and offered("10: se", 1, TABLE) == ([], 1)


@given(st.text(max_size=40))
def test_no_text_breaks_it(text):
    assert all(one["wrong"] or one["answer"] for one in tried(text, TABLE))
