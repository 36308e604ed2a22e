"""Queries as they are typed, against answers counted by hand."""

import pytest

from tests.widgets.workloads.people import people
from widgets.workloads.lines import LONGEST, MOST, Lines, true_answers
from workbench.base.errors import BadInput


def test_each_line_is_a_query_or_says_what_is_wrong_with_it_and_where():
    found = Lines(people()).read("age >= 40\n\n  \nagee = 3 \nsex = 'X'")
    assert [(line.row, bool(line.query), line.at) for line in found] == [(0, True, 0), (3, False, 0), (4, True, 0)]
    assert "did you mean 'age'" in found[1].wrong
    assert "no record has the requested value" in found[2].view()["note"] and not found[0].view()["note"]


def test_answers_are_those_of_the_records():
    table = people()
    texts = ["age >= 40", "sex = 'F' and age < 40", "avg(age) where sex = 'X'", "sum(age) where sex = 'F'"]
    queries = [line.query for line in Lines(table).read("\n".join(texts))]
    assert true_answers(table, queries) == ["3", "2", "no records", "108"]


def test_a_line_is_read_once(monkeypatch):
    lines, read = Lines(people()), []
    was = lines._parsed
    monkeypatch.setattr(lines, "_parsed", lambda line: read.append(line) or was(line))
    for text in ("age > 4", "age > 40", "age > 40\nsex = 'F'", "age > 40\nsex = 'F'"):
        lines.read(text)
    assert read == ["age > 4", "age > 40", "sex = 'F'"]


def test_there_is_an_end_to_it():
    for text in ("age > 1\n" * (MOST + 1), "x" * (LONGEST + 1)):
        with pytest.raises(BadInput, match="put them into a file"):
            Lines(people()).read(text)
