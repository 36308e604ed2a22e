"""Encode and decode text and frames."""

import pandas as pd
import pytest

from tests.data.encoded import encode
from workbench.base.errors import BadInput
from workbench.data.reading.opening import open_source


def from_csv(folder, values, name="x", **options):
    path = folder / "data.csv"
    path.write_text("\n".join([f"{name},row", *(f"{value},{row}" for row, value in enumerate(values))]))
    source = open_source(path)
    column, codes = encode(source, [name], **options)[name]
    return column, codes, source


def from_frame(values, **options):
    return encode(open_source(pd.DataFrame({"x": values})), **options)["x"]


def message_of(action):
    with pytest.raises(BadInput) as caught:
        action()
    assert caught.value.__context__ is None
    return str(caught.value)
