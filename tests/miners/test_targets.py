"""Which column is predicted."""

import pytest

from workbench.base.errors import Undefined
from workbench.miners.targets import target_or_default


def test_the_first_sensitive_column_unless_another_is_given(small):
    assert target_or_default(small(0, ("disease", "wage")), None) == "disease"
    assert target_or_default(small(0), "age") == "age"
    with pytest.raises(Undefined, match="name the column to predict"):
        target_or_default(small(0, ()), None)
