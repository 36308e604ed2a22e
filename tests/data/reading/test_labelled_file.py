"""Stata, SPSS and SAS files."""

import sys

import pandas as pd
import pyreadstat
import pytest

from tests.data.reading.files import message_of, written
from workbench.data.reading.labelled_file import is_coded, labelled
from workbench.data.reading.opening import open_source
from workbench.data.table import Table

FRAME = pd.DataFrame({"sex": [1.0, 2, 1, 2], "age": [31.0, 42, 99, 53], "town": ["Ayr", "Ely", "Ayr", ""]})
LABELS = {"sex": {1: "female", 2: "male"}, "age": {99: "refused"}}


@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize("name", ["d.sav", "d.zsav", "d.dta"])
def test_labels_replace_codes(tmp_path, name, engine):
    write = pyreadstat.write_dta if name.endswith("dta") else pyreadstat.write_sav
    options = {"compress": True} if name.endswith("zsav") else {}
    write(FRAME, str(tmp_path / name), variable_value_labels=LABELS, **options)
    table = Table.without_roles(tmp_path / name, engine=engine)
    assert table.columns["sex"].labels == ("female", "male") and table.columns["sex"].counts.tolist() == [2, 2]
    assert table.columns["age"].values.tolist() == [31, 42, 53, 99], "codes stay where few values have a label"
    assert "age: 3 values have no label; the labels of the others are not used" in table.notes
    assert table.columns["town"].missing == 1


def test_values_declared_as_missing_are_missing(tmp_path):
    path = tmp_path / "d.sav"
    pyreadstat.write_sav(FRAME, str(path), variable_value_labels=LABELS, missing_ranges={"age": [99]})
    column = Table.without_roles(path).columns["age"]
    assert column.values.tolist() == [31, 42, 53] and column.missing == 1


@pytest.mark.parametrize("name", ["d.xpt", "d.por"])
def test_portable_files(tmp_path, name):
    frame = FRAME.rename(columns=str.upper)
    (pyreadstat.write_xport if name.endswith("xpt") else pyreadstat.write_por)(frame, str(tmp_path / name))
    assert Table.without_roles(tmp_path / name).columns["AGE"].values.tolist() == [31, 42, 53, 99]


def test_dates_are_dates(tmp_path):
    frame = pd.DataFrame({"born": pd.to_datetime(["2024-01-02", "2023-01-02"]).date})
    pyreadstat.write_dta(frame, str(tmp_path / "d.dta"))
    assert Table.without_roles(tmp_path / "d.dta").columns["born"].labels == ("2023-01-02", "2024-01-02")


def test_labels_of_most_values_are_used_and_the_other_codes_are_text():
    values = pd.Series([1.0, 2, 3, None])
    assert (
        labelled(values, {1: "a", 2: "b"}).tolist()[:3] == ["a", "b", "3"]
        and labelled(values, {1: "a", 2: "b"}).isna()[3]
    )
    assert not is_coded(values, {1: "a", 2: "a"}), "two values of one label would become one"


def test_invalid_and_unsupported_files_are_refused(tmp_path, monkeypatch):
    for name, called in (("d.sav", "SPSS"), ("d.dta", "Stata"), ("d.sas7bdat", "SAS")):
        path = written(tmp_path, "a,b\n1,2\n", name)
        assert f"not a valid {called} file" in message_of(lambda path=path: open_source(path))
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    message = message_of(lambda: open_source(tmp_path / "d.sav"))
    assert message.endswith("SPSS files are read with pyreadstat; install it with: pip install pyreadstat")
