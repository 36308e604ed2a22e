"""Distinct values as arrays, and their labels."""

import numpy as np
import pyarrow as pa

from workbench.data.reading.typed_arrays import date_labels, finer, float64, number_labels, sorted_text, whole


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
