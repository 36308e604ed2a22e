"""Released tables as files: the text that pandas writes, complete or absent, and readable record by record."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from workbench.base.errors import BadInput
from workbench.data.table import Table
from workbench.releases import export
from workbench.releases.export import CodedColumn, Rows, write_csv
from workbench.releases.writing import write_tables

FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
ENDINGS = ("csv", "parquet")


def rows_of(frame):
    """Return the records as values, in the order of the frame."""
    codes = np.arange(len(frame))
    return Rows.ordered([CodedColumn(name, frame.iloc[:, i], codes) for i, name in enumerate(frame.columns)], codes)


def text_of(rows):
    file = io.BytesIO()
    write_csv(rows, file)
    return file.getvalue().decode()


def files(folder):
    return sorted(path.name for path in folder.iterdir())


# --- all of them or none


@pytest.mark.parametrize("ending", ENDINGS)
def test_written_files_are_read_back(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    write_tables({path: rows_of(FRAME)})
    back = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(back, FRAME)
    assert files(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failure_in_the_middle_leaves_nothing(tmp_path, monkeypatch, ending):
    def half(rows, file):
        file.write(b"half of it")
        raise OSError("no space left")

    monkeypatch.setattr(export, f"write_{ending}", half)
    with pytest.raises(OSError, match="no space"):
        write_tables({tmp_path / f"out.{ending}": rows_of(FRAME)})
    assert files(tmp_path) == []


def test_no_file_appears_if_one_fails(tmp_path, monkeypatch):
    plain, written = export.write_csv, []

    def fails_on_the_second(rows, file):
        plain(rows, file)
        written.append(file)
        if len(written) == 2:
            raise OSError("no space left")

    monkeypatch.setattr(export, "write_csv", fails_on_the_second)
    with pytest.raises(OSError, match="no space"):
        write_tables({tmp_path / "first.csv": rows_of(FRAME), tmp_path / "second.csv": rows_of(FRAME)})
    assert files(tmp_path) == []


def test_a_newer_file_replaces_an_older_one(tmp_path):
    path = tmp_path / "out.csv"
    for frame in (FRAME, FRAME.head(1)):
        write_tables({path: rows_of(frame)})
    assert len(pd.read_csv(path)) == 1 and files(tmp_path) == ["out.csv"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.xlsx", r"unsupported file type; use a name that ends in \.csv or \.parquet"),
        ("out", "unsupported file type"),
        ("nowhere/out.csv", "'.*nowhere' does not exist; create it"),
        ("folder.csv", "is a folder; name a file in it"),
    ],
)
def test_an_unwritable_target_has_a_clear_error(tmp_path, name, message):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadInput, match=message):
        write_tables({tmp_path / "fine.csv": rows_of(FRAME), tmp_path / name: rows_of(FRAME)})
    assert files(tmp_path) == ["folder.csv"]


# --- as pandas writes

MOMENTS = ["2024-01-30T10:00:00", "0999-12-31T23:59:59", "2024-01-01T00:00:00"]
COLUMNS = {
    "text": pd.Series(["a", "b c", "[20-30]", "{a, b}", 'say "x"', "", "line\nend", "O'Brien", "Zoë ×"]),
    "missing text": pd.Series(["a", None, "b"]),
    "whole": pd.Series([-5, 0, 2**62]),
    "missing whole": pd.Series([1, None, 3], dtype="Int64"),
    "fractions": pd.Series([0.1, -2.5, 1e-7, 1e16, 1e22, 5.0, np.nan]),
    "days": pd.Series(np.array(["2024-01-30", "NaT", "0999-12-31"], "datetime64[D]")),
    "seconds": pd.Series(np.array([*MOMENTS, "NaT"], "datetime64[us]")),
    "milliseconds": pd.Series(np.array([*MOMENTS, "2024-01-30T10:00:00.500"], "datetime64[us]")),
    "microseconds": pd.Series(np.array([*MOMENTS, "2024-01-30T10:00:00.123456"], "datetime64[us]")),
    "mixed": pd.Series(["low", "high", "missing"], dtype=object),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("alone", [True, False])
def test_the_text_is_what_pandas_writes(name, alone):
    frame = pd.DataFrame({name: COLUMNS[name]} if alone else {"first": range(len(COLUMNS[name])), name: COLUMNS[name]})
    assert text_of(rows_of(frame)) == frame.to_csv(index=False)


def test_batches_are_one_file(monkeypatch, tmp_path):
    frame = pd.DataFrame({name: values.reindex(np.arange(40) % len(values)).array for name, values in COLUMNS.items()})
    whole = text_of(rows_of(frame))
    write_tables({tmp_path / "whole.parquet": rows_of(frame)})
    monkeypatch.setattr(export, "BATCH", 7)
    assert text_of(rows_of(frame)) == whole == frame.to_csv(index=False)
    write_tables({tmp_path / "parts.parquet": rows_of(frame)})
    one, other = (pd.read_parquet(tmp_path / f"{name}.parquet") for name in ("whole", "parts"))
    pd.testing.assert_frame_equal(one, other)
    frame.to_parquet(tmp_path / "pandas.parquet", index=False)
    pd.testing.assert_frame_equal(one, pd.read_parquet(tmp_path / "pandas.parquet"))


def test_the_order_is_random_and_the_same_for_all_columns(monkeypatch):
    monkeypatch.setattr(export, "BATCH", 100)
    codes = np.arange(10_000)
    frame = Rows.shuffled([CodedColumn(name, pd.Series(codes), codes) for name in ("a", "b")]).frame()
    assert frame["a"].equals(frame["b"]) and sorted(frame["a"]) == codes.tolist()
    came_from = frame["a"].to_numpy() // 100
    assert all(len(set(came_from[start : start + 100])) > 40 for start in range(0, 10_000, 100))


# --- read back

AWKWARD = ["\r", "\n", "\r\n", '"', "'", "\u2028", "\u2029", "\x85", "\f", "\v", "\x1c", "\t", " ", ",", ";", "|"]
AWKWARD += ["=", "+1", "-", "@", "\ufeff", "a", "b", "''", '""', "#", "\\", "é", "\u00a0", "😀", "\x1a", "NA"]
TEXT = st.lists(
    st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=3)),
    max_size=5,
).map("".join)
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(TEXT, min_size=width, max_size=width), min_size=2, max_size=8)
)


@given(TABLES)
@example([["a"], ["x\ry"]])
@example([["a", "b"], ["x\ry,z\r1,2", "\n"]])
@example([["a;b;c", "d"], ["1;2;3", "4"]])
@example([["'a'", "b"], ["'x'", "'y, z'"]])
@example([["\ufeffa", "b"], [" x ", ""]])
@example([["a"], [""], [""]])
def test_every_cell_is_read_back_by_python_and_by_pandas(table):
    header, *records = table
    frame = pd.DataFrame(records, columns=[f"{name}{i}" for i, name in enumerate(header)], dtype=object)
    text = text_of(rows_of(frame))
    assert list(csv.reader(io.StringIO(text, newline=""))) == [list(frame), *records]
    back = pd.read_csv(io.BytesIO(text.encode()), dtype=str, keep_default_na=False, skip_blank_lines=False)
    assert list(back) == list(frame) and back.to_numpy().tolist() == records


@given(TABLES)
@example([["a"], ["x\ry"]])
@example([["a", "b"], ["x\ry,z\r1,2", "\n"]])
@example([["a;b;c", "d"], ["1;2;3", "4"]])
@example([["'a'", "b"], ["'x'", "'y'"]])
@example([["\u2028a", "b"], ["x", "\x1cy"]])
@example([["a"], [""], ["x"]])
@example([["", "\t\t"], ["", "\t\t"]])
def test_every_record_is_read_back_here(tmp_path_factory, table):
    header, *records = table
    names = [f"x{name}{i}" for i, name in enumerate(header)]
    frame = pd.DataFrame(records, columns=names, dtype=object)
    path = tmp_path_factory.mktemp("out") / "out.csv"
    path.write_text(text_of(rows_of(frame)), "utf-8", newline="")
    plain = [name.strip() for name in frame]
    back = Table.without_roles(path, types=dict.fromkeys(plain, "text"), missing=dict.fromkeys(plain, ()))
    assert [name.strip() for name in frame] == back.names
    assert [tuple(c.strip() for c in r) for r in back.frame.itertuples(index=False)] == [
        tuple(cell.strip() for cell in record) for record in records
    ]


def test_a_zero_byte_that_makes_text_look_binary_is_refused_in_csv(tmp_path):
    rows = rows_of(pd.DataFrame({"town": ["Ely\0", "Ayr"]}))
    with pytest.raises(BadInput, match="column 'town' has text with a zero byte"):
        write_tables({tmp_path / "out.csv": rows})
    assert files(tmp_path) == []
    write_tables({tmp_path / "out.parquet": rows})


# --- formulas

RISKY = ["=1+1", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "-", "- 5", "=", "-5-3"]
PLAIN = ["-5", "+5.5", "-1e-3", "-.5", "5.", "[20-30]", "'=1", "a=b", " =1", "", "*"]


def test_formulas_get_an_apostrophe():
    days = pd.Series(pd.to_datetime(["2020-01-01"] * 12))
    frame = pd.DataFrame({"=a": RISKY, "b": [*PLAIN, None], "c": range(-6, 6), "d": [-0.5, None] * 6, "e": days})
    safe = rows_of(frame).defused().frame()
    assert safe["'=a"].tolist() == [f"'{value}" for value in RISKY]
    assert safe["b"].tolist()[:-1] == PLAIN and safe["b"].isna().tolist()[-1]
    pd.testing.assert_frame_equal(safe[["b", "c", "d", "e"]], frame[["b", "c", "d", "e"]])
    assert frame["=a"].tolist() == RISKY  # what was given is as it was


def test_columns_whose_names_become_equal_are_all_written():
    frame = pd.DataFrame([[1, 2]], columns=["=a", "'=a"])
    assert rows_of(frame).defused().frame().to_numpy().tolist() == [[1, 2]]
