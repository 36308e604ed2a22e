"""Types of values: numbers, dates or text."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests.data.encoded import encode
from tests.data.reading.encoded import from_csv, from_frame, message_of
from workbench.base.errors import BadColumns
from workbench.data.reading.opening import open_source
from workbench.data.reading.source import Query
from workbench.data.reading.value_types import (
    MARKERS,
    Mixed,
    date_labels,
    find_values,
    finer,
    float64,
    number_labels,
    sorted_text,
    whole,
)


@pytest.mark.parametrize(
    ("fields", "kind", "values", "labels"),
    [
        (["39", "5", "39", "-7", "+5"], "number", [-7, 5, 39], ("-7", "5", "39")),
        (["1.5", "2", "0.10", "1e3", ".5"], "number", [0.1, 0.5, 1.5, 2.0, 1e3], ("0.1", "0.5", "1.5", "2", "1000")),
        (["-0.0", "0", "0.5"], "number", [0.0, 0.5], ("0", "0.5")),
        (["39.0", "5.0"], "number", [5, 39], ("5", "39")),
        (["01234", "98765"], "text", ["01234", "98765"], ("01234", "98765")),
        (["0", "10", "0.5"], "number", [0.0, 0.5, 10.0], ("0", "0.5", "10")),
        (["b", " a ", "B", "é"], "text", [" a ", "B", "b", "é"], (" a ", "B", "b", "é")),
        (["True", "False"], "text", ["False", "True"], ("False", "True")),
        (["2024-02-29", "1999-01-01"], "date", ["1999-01-01", "2024-02-29"], ("1999-01-01", "2024-02-29")),
        (["2024-02-30", "1999-01-01"], "text", ["1999-01-01", "2024-02-30"], ("1999-01-01", "2024-02-30")),
        (["31.12.2023", "1.2.2024"], "date", ["2023-12-31", "2024-02-01"], ("2023-12-31", "2024-02-01")),
        (["31.12.2023 10:30"], "date", None, ("2023-12-31T10:30:00",)),
        (["31.02.2023", "01.01.2024"], "text", None, ("01.01.2024", "31.02.2023")),
        (["2024-01-01T10:00", "2024-01-01 09:30:00"], "date", None, ("2024-01-01T09:30:00", "2024-01-01T10:00:00")),
        (["2024-01-01T00:00:00.5"], "date", None, ("2024-01-01T00:00:00.500000",)),
        (["2024-01-01T10:00+02:00", "2024-01-01T09:00Z"], "date", None, ("2024-01-01T08:00:00", "2024-01-01T09:00:00")),
        (["1", "two", "three"], "text", ["1", "three", "two"], ("1", "three", "two")),
        (["inf", "nan", "Inf"], "text", ["Inf", "inf"], ("Inf", "inf")),
        (["9223372036854775807", "1"], "number", [1, 2**63 - 1], ("1", "9223372036854775807")),
    ],
)  # fmt: skip
def test_types_are_found_from_text(tmp_path, fields, kind, values, labels):
    column, codes, _ = from_csv(tmp_path, fields)
    assert (column.kind, column.labels) == (kind, labels)
    if values is not None:
        assert column.values.astype(str if kind == "date" else object).tolist() == values
        assert all(type(a) is type(b) for a, b in zip(column.values.tolist(), values, strict=True) if kind == "number")
    assert len(codes) == len(fields) and column.totals.tolist() == np.bincount(codes, minlength=column.size).tolist()


def test_dtypes(tmp_path):
    assert from_csv(tmp_path, ["1", "2"])[0].values.dtype == np.int64
    assert from_csv(tmp_path, ["1.5", "2"])[0].values.dtype == np.float64
    assert from_csv(tmp_path, ["2024-01-01"])[0].values.dtype == "datetime64[D]"
    assert from_csv(tmp_path, ["2024-01-01T10:00"])[0].values.dtype == "datetime64[us]"
    assert from_csv(tmp_path, ["a"])[0].values.dtype == object
    assert from_frame(range(32_767))[1].dtype == np.int16 and from_frame(range(32_768))[1].dtype == np.int32


def test_missing_markers(tmp_path):
    column, codes, source = from_csv(tmp_path, [*MARKERS, "5", "7", "5"])
    assert column.kind == "number" and column.values.tolist() == [5, 7]
    assert column.missing == len(MARKERS) and column.counts.tolist() == [2, 1] and column.size == 3
    assert codes.tolist() == [2] * len(MARKERS) + [0, 1, 0]
    (note,) = [note for note in source.notes if note.startswith("x: ")]
    assert "'?'" in note and note.endswith("read as missing")


def test_missing_markers_can_be_given(tmp_path):
    column, _, source = from_csv(tmp_path, ["?", "none at all", "", "a"], missing=["none at all"])
    assert column.labels == ("?", "a") and column.missing == 2, "an empty cell is always missing"
    assert "x: '', 'none at all' read as missing" in source.notes
    column, _ = from_frame(["?", "", "a", None])  # a CSV could not tell an empty text from a missing value
    assert column.labels == ("?", "a") and column.missing == 2
    assert from_frame(["?", "", "a", None], missing=["?"])[0].missing == 3


def test_declared_types(tmp_path):
    assert from_csv(tmp_path, ["7", "10", "?"], types={"x": "text"})[0].labels == ("10", "7")
    assert from_csv(tmp_path, ["007", "10"], types={"x": "number"})[0].values.tolist() == [7, 10]
    column, _, _ = from_csv(tmp_path, [*map(str, range(50)), "50+"], types={"x": "text"})
    assert column.size == 51 and column.labels[-1] == "9"
    assert from_csv(tmp_path, [str(2**70), "5"], types={"x": "text"})[0].labels == (str(2**70), "5")
    assert from_csv(tmp_path, ["1.0", "inf"], types={"x": "text"})[0].labels == ("1.0", "inf")
    assert from_frame([1.0, 2.0, None], types={"x": "text"})[0].labels == ("1", "2")
    assert from_frame([1.5, np.inf], types={"x": "text"})[0].labels == ("1.5", "inf")
    assert from_frame(["1", "2.5"], types={"x": "number"})[0].values.tolist() == [1, 2.5]
    assert from_frame(["2024-01-01"], types={"x": "date"})[0].values.dtype == "datetime64[D]"
    assert from_frame([True, False], types={"x": "number"})[0].values.tolist() == [0, 1]
    assert from_frame([1e20, 2e20], types={"x": "number"})[0].values.tolist() == [1e20, 2e20]
    assert from_frame(pd.to_datetime(["2024-01-01"]), types={"x": "text"})[0].labels == ("2024-01-01",)
    assert from_frame(np.array([2**64 - 1], dtype=np.uint64), types={"x": "text"})[0].labels == (str(2**64 - 1),)


def test_mixed_types_in_a_csv(tmp_path):
    fields = [*map(str, range(30)), "unknown", "10+"]
    message = message_of(lambda: from_csv(tmp_path, fields))
    assert "column 'x': mixed types: 2 of 32 distinct values are not numbers, the first in record 31;" in message
    assert "unknown" not in message and "10+" not in message
    assert "types={'x': 'text'}" in message and "missing=[]" in message


def test_the_advice_on_mixed_types_works(tmp_path):
    """Regression: `missing=['abt 40']` alone made NA and empty cells invalid."""
    fields = [*map(str, range(30)), "abt 40", "NA", ""]
    with pytest.raises(BadColumns) as caught:
        from_csv(tmp_path, fields)
    assert "add markers of missing values to missing=['NA']" in str(caught.value)
    (texts,) = (fault.texts for fault in caught.value.faults.values())
    assert texts == ("abt 40",) and "abt" not in str(caught.value)
    column, _, source = from_csv(tmp_path, fields, missing=["NA", *texts])
    assert column.kind == "number" and column.missing == 3 and source.missing_texts == ["NA", "abt 40"]


def test_invalid_values_of_a_declared_number_are_refused(tmp_path):
    assert "2 of 3 distinct" in message_of(lambda: from_csv(tmp_path, ["1", "a", "b"], types={"x": "number"}))
    assert "are not numbers" in message_of(lambda: from_frame(pd.to_datetime(["2024-01-01"]), types={"x": "number"}))


def test_invalid_values_of_a_declared_date_are_refused(tmp_path):
    assert "not all values are dates such as" in message_of(
        lambda: from_csv(tmp_path, ["1/2 2024"], types={"x": "date"})
    )
    assert "not all values are dates such as" in message_of(lambda: from_frame([1], types={"x": "date"}))


def test_a_column_of_missing_values_only(tmp_path):
    for action in (
        lambda: from_csv(tmp_path, ["", "?", "NA"]),
        lambda: from_frame([None, None]),
        lambda: from_frame([np.nan]),
        lambda: encode(open_source(Query("SELECT NULL AS x"))),
    ):
        assert "column 'x': all values are missing; add it to the identifiers" in message_of(action)


def test_bad_declarations():
    source = open_source(pd.DataFrame({"x": [1]}))
    assert "has no column 'y'; it has 1 column, none with a similar name" in message_of(
        lambda: encode(source, types={"y": "text"})
    )
    assert "types: 'x': a type is" in message_of(lambda: encode(source, types={"x": "int"}))
    assert "there is no column 'y'" in message_of(lambda: encode(source, ["y"]))
    assert "no column is left to read" in message_of(lambda: encode(source, []))


@pytest.mark.parametrize("kind", [pa.int64(), pa.int8(), pa.float64(), pa.decimal128(6, 2)], ids=str)
def test_a_number_may_be_declared_as_missing_in_a_numeric_column(kind):
    found = find_values(pa.array([1, 2, -7], kind), "frame", "code", missing=["-7", "unknown", "", "99999"])
    assert found.values.tolist() == [1, 2] and found.place.tolist() == [0, 1, -1] and found.markers == ["-7"]


def test_a_date_may_be_declared_as_missing_and_other_values_stay():
    days = pa.array(["1900-01-01", "2001-02-03"]).cast(pa.timestamp("us"))
    assert find_values(days, "frame", "born", missing=["1900-01-01"]).place.tolist() == [-1, 0]
    assert find_values(pa.array([1, -7]), "frame", "code").values.tolist() == [-7, 1]
    assert find_values(pa.array([True, False]), "frame", "yes", missing=["1"]).place.min() == 0


# Distinct values as arrays, and their labels.


def test_numbers_keep_their_notation():
    assert float64(pa.array([0.1], pa.float32())).tolist() == [0.1]
    assert whole(np.array([1.0, 2.0])).dtype == np.int64 and whole(np.array([1.5])).dtype == np.float64
    assert str(whole(np.array([-0.0, 0.5]))[0]) == "0.0"
    assert number_labels(np.array([1.0, 2.5])) == ("1", "2.5") and number_labels(np.array([7])) == ("7",)


def test_text_is_ranked_by_code_points():
    values, rank = sorted_text(pa.array(["b", "é", "B"], pa.large_string()))
    assert values.tolist() == ["B", "b", "é"] and rank.tolist() == [1, 2, 0]


def test_dates_have_the_precision_that_they_need():
    assert date_labels(np.array(["2024-01-02"], "datetime64[D]")) == ("2024-01-02",)
    assert date_labels(np.array(["2024-01-02T03:04"], "datetime64[us]")) == ("2024-01-02T03:04:00",)
    assert finer(pa.array([1], pa.timestamp("ns"))) and not finer(pa.array([1000], pa.timestamp("ns")))


# Errors of columns that cannot be read.


def test_markers_found_are_part_of_the_advice():
    error = Mixed("no numbers; add markers of missing values to missing=[], or correct the data")
    error.name_markers(["NA", "it's"])
    assert str(error) == ("no numbers; add markers of missing values to missing=['NA', \"it's\"], or correct the data")
    plain = Mixed("add it to missing=[]")
    plain.name_markers([])
    assert str(plain) == "add it to missing=[]"
