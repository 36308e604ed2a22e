"""Published counts add up to the published records, for every column, and follow the secret."""

import pandas as pd

from workbench.data.published_counts import published_total, published_values, rounded_by
from workbench.data.table import Table


def test_each_column_adds_up_to_the_same_records():
    frame = pd.DataFrame(
        {"age": [20 + i % 13 for i in range(313)], "ill": ["flu"] * 204 + ["cold"] * 105 + ["rare"] * 4}
    )
    table = Table.from_frame(frame, ["age"], "ill")
    found = set()
    for secret in range(20):
        other = rounded_by(table, bytes([secret] * 32))
        ages, ills = (published_values(other, name, 10) for name in ("age", "ill"))
        assert ages.sum() == ills.sum() == published_total(other, 10) == 310
        found.add(tuple(ills.tolist()))
    assert len(found) > 1
    assert published_values(table, "age", 1).sum() == published_total(table, 1) == 313
