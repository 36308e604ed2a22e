"""What is kept of a draw is read as it was, and refused where it is of another table."""

import numpy as np
import pytest

from tests.methods.noise.tables import table
from workbench.methods import Laplace, RandomizedResponse
from workbench.releases.kept_draws import read, written


@pytest.mark.parametrize("method", [Laplace(1, bounds="age: 17..90"), RandomizedResponse(0.5)], ids=str)
def test_it_is_read_as_it_was(method):
    given = table(missing=0.1)
    drawn = method(given).drawn
    again = read(given, written(drawn))
    for name, one in drawn.items():
        assert again[name].released.dtype == one.released.dtype
        assert (again[name].released == one.released).all()
        for field, value in vars(one.response).items():
            assert np.array_equal(getattr(again[name].response, field), value)


def test_of_another_table_it_is_refused():
    with pytest.raises(ValueError, match="it is of another table"):
        read(table(50), written(RandomizedResponse(0.5)(table()).drawn))
