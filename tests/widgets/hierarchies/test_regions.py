"""The choice of what releases show of a column, and its examples."""

import pandas as pd
import pytest

from widgets.hierarchies.regions import examples, shown_regions
from workbench.data.hierarchies.builders import Intervals, Prefixes
from workbench.data.table import Table


@pytest.fixture
def table():
    frame = pd.DataFrame(
        {
            "zip": [f"606{i % 40:02}" for i in range(400)],
            "age": [18 + i % 50 for i in range(398)] + [97, 99],
            "town": ["A", "B", "C", "D"] * 100,
            "s": ["x", "y"] * 200,
        }
    )
    hierarchies = {"zip": Prefixes(keep=(4, 3)), "age": Intervals(widths=(5, 10))}
    return Table.read(frame, ["zip", "age", "town"], "s", hierarchies=hierarchies, regions={})


def test_text_with_a_hierarchy_shows_nodes_and_numbers_ranges(table):
    chosen = {name: shown_regions(table, table.columns[name])["chosen"] for name in table.quasi}
    assert chosen == {"zip": "nodes", "age": "ranges", "town": "ranges"}
    choices = {n: [one["name"] for one in shown_regions(table, table.columns[n])["choices"]] for n in table.quasi}
    assert choices["zip"] == choices["age"] == ["exact", "ranges", "nodes"]
    assert choices["town"] == ["exact", "ranges"], "without a hierarchy there are no nodes"


def test_examples_are_labels_of_that_kind(table):
    assert set(examples(table, table.columns["zip"], "nodes")) <= {"6060*", "6061*", "6062*", "6063*"}
    assert any("99" in one for one in examples(table, table.columns["age"], "exact"))
    assert not any("99" in one for one in examples(table, table.columns["age"], "ranges"))
    known = {label for level in table.columns["age"].hierarchy.levels for label in level.labels}
    assert set(examples(table, table.columns["age"], "nodes")) <= known | {"*", *table.columns["age"].labels}


def test_an_exact_table_has_examples_too():
    plain = Table.read(pd.DataFrame({"age": [1, 2, 3] * 9, "s": ["x", "y", "z"] * 9}), ["age"], "s")
    assert shown_regions(plain, plain.columns["age"])["chosen"] == "exact"
    assert all(examples(plain, plain.columns["age"], one) for one in ("exact", "ranges"))
