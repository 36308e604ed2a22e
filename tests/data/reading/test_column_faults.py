"""Errors of columns that cannot be read."""

from workbench.data.reading.column_faults import Mixed


def test_markers_found_are_part_of_the_advice():
    error = Mixed("no numbers; add markers of missing values to missing=[], or correct the data")
    error.name_markers(["NA", "it's"])
    assert str(error) == ("no numbers; add markers of missing values to missing=['NA', \"it's\"], or correct the data")
    plain = Mixed("add it to missing=[]")
    plain.name_markers([])
    assert str(plain) == "add it to missing=[]"
