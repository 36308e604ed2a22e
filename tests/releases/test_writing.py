"""The files of a release have names beside each other, and take another's place only if that is allowed."""

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.releases.codebook import Entry
from workbench.releases.export import Coded, Rows
from workbench.releases.writing import write_files


def rows():
    return Rows.shuffled([Coded("a", pd.Series([1, 2]), np.array([0, 1, 1]))])


def test_each_table_has_a_file_of_its_name(tmp_path):
    given = {"records": rows(), "a b": rows(), "a_b": rows()}
    found = write_files(tmp_path / "out.csv", given, [], defuse=False, overwrite=True)
    assert [path.name for path in found] == ["out-records.csv", "out-a_b.csv", "out-a_b_.csv"]
    assert all(len(pd.read_csv(path)) == 3 for path in found)
    sensitive = {"records": rows(), "codebook": rows(), "Sex": rows(), "sex": rows()}
    book = [Entry("sex", "exchanged", "", "", missing=False)]
    *tables, csv, _ = write_files(tmp_path / "two.csv", sensitive, book, defuse=False, overwrite=True)
    assert [path.name for path in tables] == ["two-records.csv", "two-codebook_.csv", "two-Sex.csv", "two-sex_.csv"]
    assert csv.name == "two-codebook.csv" and "exchanged" in csv.read_text("utf-8")
    alone = write_files(tmp_path / "one.parquet", {"release": rows()}, [], defuse=False, overwrite=True)
    assert [path.name for path in alone] == ["one.parquet"]


def test_a_file_that_is_there_stays_unless_it_may_go(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("mine")
    with pytest.raises(BadInput, match="already exists"):
        write_files(path, {"release": rows()}, [], defuse=False, overwrite=False)
    assert path.read_text() == "mine"
    with pytest.raises(BadInput, match="defuse is for CSV"):
        write_files(tmp_path / "out.parquet", {"release": rows()}, [], defuse=True, overwrite=True)


def test_the_codebook_of_a_release_goes_when_another_takes_its_place(tmp_path):
    book, out = [Entry("age", "young", "20", "29", missing=False)], tmp_path / "out.csv"

    def written(path, *labels):
        write_files(path, {"release": rows()}, labels, defuse=False, overwrite=True)
        return sorted(one.name for one in tmp_path.iterdir())

    assert written(out, *book) == ["out-codebook.csv", "out-codebook.json", "out.csv"]
    assert written(out) == ["out.csv"]
    written(out, *book)
    assert "out-codebook.csv" in written(tmp_path / "out.parquet"), "it is of the other file"
    (tmp_path / "out.parquet").unlink()
    (tmp_path / "out-codebook.csv").write_text("column,mine\n")
    (tmp_path / "out-codebook.json").write_text('{"columns": {"mine": [{"name": 1}]}}')
    assert written(out) == ["out-codebook.csv", "out-codebook.json", "out.csv"], "not ours"
