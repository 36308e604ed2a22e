"""Feather and ORC files."""

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.orc as orc
import pytest

from tests.data.reading.files import message_of, written
from workbench.data.reading.opening import open_source
from workbench.data.table import Table

FRAME = pd.DataFrame(
    {
        "age": range(500_000),
        "town": ["Ayr", None] * 250_000,
        "born": pd.to_datetime(["2024-01-02", "2023-01-02"] * 250_000),
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize("name", ["d.feather", "d.arrow", "d.orc"])
def test_arrow_files_are_read(tmp_path, name, engine):
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    orc.write_table(table, tmp_path / name) if name.endswith("orc") else feather.write_feather(table, tmp_path / name)
    found = Table.without_roles(tmp_path / name, engine=engine)
    assert found.records == 500_000 and found.columns["town"].missing == 250_000
    assert found.columns["born"].labels == ("2023-01-02", "2024-01-02")
    if engine is None:
        assert found.frame["age"].tolist() == FRAME["age"].tolist(), "in the order of the file"


def test_categories_are_text(tmp_path):
    feather.write_feather(pd.DataFrame({"town": pd.Categorical(["Ely", "Ayr"])}), tmp_path / "d.feather")
    assert Table.without_roles(tmp_path / "d.feather").columns["town"].labels == ("Ayr", "Ely")


@pytest.mark.parametrize(("name", "called"), [("d.feather", "Feather"), ("d.orc", "ORC")])
def test_other_files_are_refused(tmp_path, name, called):
    assert f"not a valid {called} file" in message_of(lambda: open_source(written(tmp_path, "a,b\n1,2\n", name)))
