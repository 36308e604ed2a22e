"""Files appear whole or not at all."""

import errno
import subprocess
import sys

import pandas as pd
import pytest

from workbench.errors import BadInput
from workbench.writing import defused, refuse_overwriting, whole, write_frames

FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
ENDINGS = ("csv", "parquet")


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_is_read_again(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    write_frames({path: FRAME})
    back = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(back, FRAME)
    assert files(tmp_path) == [path.name]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_failure_in_the_middle_leaves_nothing(tmp_path, monkeypatch, ending):
    def half(self, path, **options):
        path.write_text("half of it")
        raise OSError("no space left")

    monkeypatch.setattr(pd.DataFrame, f"to_{ending}", half)
    with pytest.raises(OSError, match="no space"):
        write_frames({tmp_path / f"out.{ending}": FRAME})
    assert files(tmp_path) == []


def test_a_failure_leaves_the_older_file_as_it_was(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("older")
    with pytest.raises(RuntimeError), whole(path) as aside:
        aside.write_text("newer")
        raise RuntimeError
    assert path.read_text() == "older" and files(tmp_path) == ["out.csv"]


def test_a_full_disk_names_the_file(tmp_path):
    path = tmp_path / "out.csv"
    with pytest.raises(BadInput, match=r"out\.csv: it cannot be written there \(No space left on device\); choose"):  # noqa: SIM117
        with whole(path) as aside:
            aside.write_text("half of it")
            raise OSError(errno.ENOSPC, "No space left on device")
    assert files(tmp_path) == []


def test_what_a_killed_process_was_writing_is_removed_when_the_next_writes(tmp_path):
    code = (
        "import sys; from pathlib import Path; from workbench.writing import whole\n"
        "with whole(Path(sys.argv[1])) as aside:\n"
        "    aside.write_text('half of it'); print('!', flush=True); sys.stdin.read()"
    )
    child = [sys.executable, "-c", code, str(tmp_path / "a file.csv")]
    with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline()
        (left,) = files(tmp_path)
        write_frames({tmp_path / "other.csv": FRAME})
        assert files(tmp_path) == [left, "other.csv"], "its process lives"
        process.terminate()
        process.wait()
    write_frames({tmp_path / "other.csv": FRAME})
    assert files(tmp_path) == ["other.csv"]


@pytest.mark.parametrize("spelled", ["same", "dots", "link", "target", "hard link", "folder"])
def test_a_file_that_is_read_is_never_written_over_however_its_path_is_spelled(tmp_path, spelled):
    data = tmp_path / "in" / "people.csv"
    data.parent.mkdir()
    data.write_text("a\n1\n")
    link = tmp_path / "link.csv"
    out = {"dots": tmp_path / "in" / ".." / "in" / "people.csv", "link": link, "hard link": link}.get(spelled, data)
    read = link if spelled == "target" else data
    if spelled == "hard link":
        link.hardlink_to(data)
    else:
        link.symlink_to(data)
    with pytest.raises(BadInput, match=r"would take the place of .*, which is read; choose another name"):
        refuse_overwriting([tmp_path / "new.csv", data.parent if spelled == "folder" else out], [read])
    refuse_overwriting([tmp_path / "new.csv", tmp_path / "in" / "people.csv.gz"], [read])


def test_of_several_files_none_appears_where_one_fails(tmp_path, monkeypatch):
    plain = pd.DataFrame.to_csv

    written = []

    def fails_on_the_second(self, path, **options):
        plain(self, path, **options)
        written.append(path)
        if len(written) == 2:
            raise OSError("no space left")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fails_on_the_second)
    with pytest.raises(OSError, match="no space"):
        write_frames({tmp_path / "first.csv": FRAME, tmp_path / "second.csv": FRAME})
    assert files(tmp_path) == []


def test_a_newer_file_takes_the_place_of_an_older(tmp_path):
    path = tmp_path / "out.csv"
    for frame in (FRAME, FRAME.head(1)):
        write_frames({path: frame})
    assert len(pd.read_csv(path)) == 1 and files(tmp_path) == ["out.csv"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.xlsx", r"cannot write \.xlsx; end it in \.csv or \.parquet"),
        ("out", "cannot write a name without an ending"),
        ("nowhere/out.csv", "'.*nowhere' does not exist; make it"),
        ("folder.csv", "is a folder; name a file in it"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_clear_error(tmp_path, name, message):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BadInput, match=message):
        write_frames({tmp_path / "fine.csv": FRAME, tmp_path / name: FRAME})
    assert files(tmp_path) == ["folder.csv"]


RISKY = ["=1+1", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "-", "- 5", "=", "-5-3"]
PLAIN = ["-5", "+5.5", "-1e-3", "-.5", "5.", "[20-30]", "'=1", "a=b", " =1", "", "*"]


def test_what_a_spreadsheet_takes_for_a_formula_gets_an_apostrophe():
    frame = pd.DataFrame({"=a": RISKY, "b": [*PLAIN, None], "c": range(-6, 6), "d": [-0.5, None] * 6})
    safe = defused(frame)
    assert safe["'=a"].tolist() == [f"'{value}" for value in RISKY]
    assert safe["b"].tolist()[:-1] == PLAIN and safe["b"].isna().tolist()[-1]
    pd.testing.assert_frame_equal(safe[["b", "c", "d"]], frame[["b", "c", "d"]])
    assert frame["=a"].tolist() == RISKY  # what was given is as it was


def test_two_names_that_become_one_lose_no_column():
    assert defused(pd.DataFrame([[1, 2]], columns=["=a", "'=a"])).to_numpy().tolist() == [[1, 2]]


def test_defused_columns_of_categories_and_dates():
    frame = pd.DataFrame({"a": pd.Categorical(["=1", "b", None]), "b": pd.to_datetime(["2020-01-01"] * 3)})
    safe = defused(frame)
    assert safe["a"].tolist()[:2] == ["'=1", "b"] and safe["a"].isna().tolist() == [False, False, True]
    assert safe["b"].equals(frame["b"])
