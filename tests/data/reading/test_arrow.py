"""Types that Arrow supports and tables do not."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.data.reading.files import message_of, table_of, written
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query


def test_nested_types_are_refused(tmp_path):
    nested = pa.table({"a": [1], "deep": [[1, 2]]})
    pq.write_table(nested, tmp_path / "d.parquet")
    ndjson = written(tmp_path, '{"a": 1, "deep": {"b": 1}}\n', "d.ndjson")
    frame = pd.DataFrame({"a": [1], "deep": [[1, 2]]})
    for data in (nested, tmp_path / "d.parquet", ndjson, frame, Query("SELECT 1 AS a, [1, 2] AS deep")):
        assert "column 'deep': nested values" in message_of(lambda data=data: table_of(open_source(data)))
        assert table_of(open_source(data), ["a"]) == {"a": [1]}


def test_mixed_types_in_a_frame():
    frame = pd.DataFrame({"a": pd.Series([1, 2, "secret", None], dtype=object)})
    message = message_of(lambda: table_of(open_source(frame)))
    assert "column 'a': values of different types, number (2) and str (1)" in message and "secret" not in message


def test_integers_beyond_64_bits_in_a_frame():
    frame = pd.DataFrame({"a": pd.Series([2**70, 1], dtype=object)})
    assert "column 'a': integers beyond 64 bits" in message_of(lambda: table_of(open_source(frame)))


@pytest.mark.parametrize(
    "values", [pd.to_timedelta([1, 2]), pd.Series([1j, 2j]), pd.period_range("2020", periods=2), [b"x", b"y"]]
)
def test_types_without_a_use(values):
    said = message_of(lambda: table_of(open_source(pd.DataFrame({"a": values}))))
    assert "column 'a': the " in said and "is not supported; convert it to numbers, dates or text" in said
    assert "<" not in said, "an extension type is reported by its name"
