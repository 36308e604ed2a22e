"""The data picker: where data may come from, what is refused, and that no value is kept where a notebook saves it."""

import gc
import gzip
import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from widgets.data.data import CHUNK, DataPicker
from workbench.data.hierarchies.builders import Groups
from workbench.data.table import Table

FRAME = pd.DataFrame(
    {"age": [31, 32, 33, 34] * 5, "ill": ["flu", "cold"] * 10, "note": [f"marker{i}" for i in range(20)]}
)


@pytest.fixture(autouse=True)
def private(tmp_path, monkeypatch):
    """Create temporary folders where the test can find them."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "private"))
    (tmp_path / "private").mkdir()
    return tmp_path / "private"


def record_messages(widget: DataPicker) -> list[dict]:
    """Return the list of messages sent from now on."""
    sent: list[dict] = []
    widget.send = lambda content, buffers=None: sent.append(content)
    return sent


def replies(widget: DataPicker, kind: str, *buffers: bytes, **content) -> list[dict]:
    sent = record_messages(widget)
    widget._receive(None, {"kind": kind, **content}, [memoryview(one) for one in buffers])
    return sent


def problems(sent: list[dict]) -> list[tuple[str, str]]:
    return [(one["field"], one["text"]) for one in sent if one["kind"] == "problem"]


def upload(widget: DataPicker, name: str, content: bytes, token: str = "t") -> list[dict]:
    sent = replies(widget, "upload", field="upload", upload=token, name=name, size=len(content))
    for index, start in enumerate(range(0, len(content), CHUNK)):
        chunk = content[start : start + CHUNK]
        sent += replies(widget, "chunk", chunk, upload=token, index=index)
    return sent


def test_adult_is_there_at_the_start_and_complete():
    picker = DataPicker()
    assert picker.data == {"bundled": "adult", "drop_missing": True}
    assert picker.base.records == 48_842 and set(picker.base.roles.values()) == {"neutral"}
    told = next(one for one in replies(picker, "hello") if one["kind"] == "summary")
    assert (told["records"], told["incomplete"], len(told["columns"])) == (48_842, 3_620, 15)
    assert any("'' read as missing" in note for note in told["notes"])


def test_records_with_missing_values_are_left_out_later_and_nothing_is_read_again():
    picker = DataPicker()
    base = picker.base
    replies(picker, "choose", field="drop_missing", value=False)
    assert picker.data == {"bundled": "adult"} and picker.base is base
    replies(picker, "choose", field="drop_missing", value=True)
    assert picker.data == {"bundled": "adult", "drop_missing": True} and picker.base is base


def test_a_sample_is_drawn_later_and_nothing_is_read_again():
    picker = DataPicker(FRAME)
    base = picker.base
    replies(picker, "choose", field="sample", value=12)
    assert picker.data == {"given": "frame", "sample": 12} and picker.base is base
    for wrong in (0, 1.5, "many"):
        sent = replies(picker, "choose", field="sample", value=wrong)
        assert problems(sent) == [("sample", "the number of records must be a whole number, 1 or above; empty: all")]
    assert picker.data["sample"] == 12
    replies(picker, "choose", field="sample", value="")
    assert picker.data == {"given": "frame"} and picker.base is base


def test_a_frame_is_given_and_can_be_chosen_again():
    picker = DataPicker(FRAME)
    assert picker.data == {"given": "frame"} and picker.base.records == 20
    replies(picker, "choose", field="source", value="bundled")
    assert picker.data == {"bundled": "adult", "drop_missing": True}
    replies(picker, "choose", field="drop_missing", value=False)
    replies(picker, "choose", field="source", value="bundled")
    assert picker.data == {"bundled": "adult"}
    replies(picker, "choose", field="source", value="given")
    assert picker.data == {"given": "frame"} and picker.base.names == ["age", "ill", "note"]
    assert problems(replies(DataPicker(), "choose", field="source", value="given"))


def test_a_table_or_a_studys_data_may_be_given(tmp_path):
    table = Table.without_roles(FRAME)
    assert DataPicker(table).base is table
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    assert DataPicker({"path": str(tmp_path / "x.csv"), "types": {"age": "text"}}).base.columns["age"].kind == "text"


def test_a_path_is_read_from_the_folder_and_what_is_no_file_is_said_there(tmp_path):
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "empty.csv").touch()
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    picker = DataPicker(FRAME, folder=str(tmp_path))
    assert not problems(replies(picker, "choose", field="path", value=" people.csv "))
    good, data = picker.base, picker.data
    assert data == {"path": "people.csv"} and good.records == 20
    for name in ("none.csv", "empty.csv", "picture.csv", "", ".", "x.pdf"):
        sent = replies(picker, "choose", field="path", value=name)
        [(field, text)] = problems(sent)
        assert field == "path" and text
        assert picker.base is good and picker.data == data
    assert next(one for one in replies(picker, "hello") if one["kind"] == "state")["typed"] == "x.pdf"


def test_paths_can_be_switched_off_in_python(tmp_path):
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    picker = DataPicker(paths=False)
    assert problems(replies(picker, "choose", field="path", value=str(tmp_path / "people.csv")))[0][0] == "path"
    assert "bundled" in picker.data
    picker.set_state(
        {"paths": True, "most_bytes": 10**12, "data": {"path": str(tmp_path / "people.csv")}}
    )  # by the page
    assert picker.paths is False and picker.most_bytes == 200_000_000 and "bundled" in picker.data


def test_a_program_may_say_where_data_are_from(tmp_path):
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    picker = DataPicker()
    sent = record_messages(picker)
    picker.data = {"path": str(tmp_path / "people.csv")}
    assert picker.base.records == 20 and not problems(sent)
    picker.data = {"path": "nowhere.csv"}
    assert problems(sent) and picker.data == {"path": str(tmp_path / "people.csv")} and picker.base.records == 20
    base = Table.without_roles(FRAME.head(7))
    picker.take({"given": "upload: a.csv"}, base)
    assert picker.base is base and picker.data == {"given": "upload: a.csv"}


def test_an_upload_arrives_in_chunks_and_its_file_goes(private):
    content = ("age,ill\n" + "31,flu\n32,cold\n" * 200_000).encode()
    assert len(content) > 2 * CHUNK
    picker = DataPicker(FRAME)
    sent = upload(picker, "people.csv", content)
    assert not problems(sent) and [one["received"] for one in sent if one["kind"] == "got"][-1] == len(content)
    assert picker.data == {"given": "upload: people.csv"} and picker.base.records == 400_000
    assert not list(private.iterdir())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.csv", b""),
        ("notes.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9),
        ("a.csv", b"a,b\n1,2,3\n4\n"),
        ("a.parquet", b"a,b\n1,2\n"),
        ("a.csv.gz", b"a,b\n1,2\n"),
        ("report.docx", b"PK"),
        ("none", b"a,b\n1,2\n"),
    ],
)
def test_a_file_that_is_none_is_said_at_the_upload_and_the_last_table_stays(private, name, content):
    picker = DataPicker(FRAME)
    good = picker.base
    [(field, text), *_] = problems(upload(picker, name, content))
    assert field == "upload" and text.startswith(name) and "workbench-" not in text
    gc.collect()  # DuckDB's folder is removed with its source
    assert picker.base is good and picker.data == {"given": "frame"} and not list(private.iterdir())


def test_too_large_a_file_is_refused_before_it_is_sent(private):
    picker = DataPicker(FRAME, most_bytes=1_000_000)
    sent = replies(picker, "upload", field="upload", upload="t", name="big.csv", size=1_000_001)
    assert "more than the 1.0 MB allowed" in problems(sent)[0][1] and not list(private.iterdir())
    assert not any(one["kind"] == "welcome" for one in sent)
    for size in (-5, 0, None, "9", 2.5, True, 10**30):
        assert problems(replies(picker, "upload", field="upload", upload="t", name="a.csv", size=size)) or size is True


def test_chunks_out_of_turn_too_many_or_too_large_end_the_upload(private):
    wrong = [
        [(1, b"abc")],  # not the first
        [(0, b"abc"), (0, b"abc")],  # the first again
        [(0, b"abcdefghijklm")],  # more than announced
        [(0, b"")],
        [("0", b"abc")],
        [(None, b"abc")],
    ]
    for chunks in wrong:
        picker = DataPicker(FRAME)
        replies(picker, "upload", field="upload", upload="t", name="a.csv", size=12)
        assert len(list(private.iterdir())) == 1
        sent = [one for index, chunk in chunks for one in replies(picker, "chunk", chunk, upload="t", index=index)]
        assert problems(sent)[0][0] == "upload" and not list(private.iterdir())
        assert not replies(picker, "chunk", b"abc", upload="t", index=1), "what was on its way is ignored"
    picker = DataPicker(FRAME)
    replies(picker, "upload", field="upload", upload="t", name="a.csv", size=9 * CHUNK)
    assert problems(replies(picker, "chunk", bytes(CHUNK + 1), upload="t", index=0))
    assert not list(private.iterdir())


def test_cancel_and_another_upload_take_the_file_away(private):
    picker = DataPicker(FRAME)
    replies(picker, "upload", field="upload", upload="one", name="a.csv", size=12)
    replies(picker, "chunk", b"abc", upload="one", index=0)
    replies(picker, "cancel")
    assert not list(private.iterdir())
    replies(picker, "upload", field="upload", upload="two", name="a.csv", size=12)
    replies(picker, "upload", field="upload", upload="three", name="b.csv", size=8)
    assert len(list(private.iterdir())) == 1
    assert not replies(picker, "chunk", b"a,b\n1,2\n", upload="two", index=0)
    replies(picker, "chunk", b"a,b\n1,2\n", upload="three", index=0)
    assert picker.data == {"given": "upload: b.csv"} and not list(private.iterdir())


def test_an_uploads_name_makes_no_file(private):
    picker = DataPicker(FRAME)
    replies(picker, "upload", field="upload", upload="t", name="../../secret marker.csv", size=8)
    [folder] = private.iterdir()
    assert [file.name for file in folder.iterdir()] == ["upload.csv"]
    assert folder.stat().st_mode & 0o077 == 0


def test_no_value_is_in_what_a_notebook_saves():
    picker = DataPicker(FRAME)
    saved = json.dumps(
        {key: value for key, value in picker.get_state().items() if key not in ("_esm", "_css")}, default=str
    )
    assert "marker" not in saved and "flu" not in saved and "age" not in saved


def test_hierarchies_follow_the_records_that_stay():
    frame = pd.DataFrame({"work": ["Farm", "Shop", "Local", "Shop"], "x": [None, 1, 2, 3]})
    groups = Groups(({"Own": ("Shop", "Farm")},))
    table = Table.without_roles(frame).with_hierarchies({"work": groups}).complete()
    column = table.columns["work"]
    assert column.hierarchy.leaves == column.labels and set(column.labels) == {"Shop", "Local"}


def test_the_script_ends_in_one_widget():
    text = DataPicker._esm
    assert str(text).count("export default") == 1 and Path("widgets/data/data.js").exists()


def test_a_packed_file_may_not_hold_far_more_than_an_upload(private):
    picker = DataPicker(FRAME, most_bytes=10_000)
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 60_000)
    assert len(packed) < 10_000
    [(field, text)] = problems(upload(picker, "many.csv.gz", packed))
    assert field == "upload" and "many.csv.gz: uncompressed it has more than the 0.2 MB allowed" in text
    assert picker.data == {"given": "frame"} and list(private.iterdir()) == []


def test_types_and_missing_codes_are_chosen_in_the_data_step(tmp_path):
    rows = "".join(f"{-7 if i % 5 == 0 else i},{1 if i % 2 else 2}\n" for i in range(100))
    (tmp_path / "people.csv").write_text("age,sex\n" + rows)
    picker = DataPicker({"path": "people.csv"}, folder=str(tmp_path))
    assert picker.base.columns["sex"].kind == "number" and picker.base.columns["age"].missing == 0
    replies(picker, "choose", field="type", column="sex", value="text")
    replies(picker, "choose", field="missing", value="-7, unknown")
    assert picker.data == {"path": "people.csv", "types": {"sex": "text"}, "missing": ["-7", "unknown"]}
    assert picker.base.columns["sex"].labels == ("1", "2") and picker.base.columns["age"].missing == 20
    state = next(one for one in replies(picker, "hello") if one["kind"] == "state")
    assert state["types"] == {"sex": "text"} and state["missing"] == "-7, unknown"
    replies(picker, "choose", field="type", column="sex", value="")
    replies(picker, "choose", field="missing", value=None)
    assert picker.data == {"path": "people.csv"} and picker.base.columns["sex"].kind == "number"


def test_all_problems_of_a_file_are_said_at_once_and_mended_there(tmp_path):
    rows = "".join(f"{i},{i},{i}\n" for i in range(40))
    (tmp_path / "people.csv").write_text("age,wage,id\n" + rows + "secret,private,7\n")
    picker = DataPicker(FRAME, folder=str(tmp_path))
    sent = replies(picker, "choose", field="path", value="people.csv")
    state = [one for one in sent if one["kind"] == "state"][-1]
    assert [one["name"] for one in state["unreadable"]] == ["age", "wage"]
    assert all("use text as the type" in one["text"] and "record 41" in one["text"] for one in state["unreadable"])
    assert "2 columns cannot be read" in problems(sent)[0][1]
    assert [one["texts"] for one in state["unreadable"]] == [["secret"], ["private"]], "the analyst has to find them"
    assert "secret" not in picker.trouble and "private" not in picker.trouble
    replies(picker, "choose", field="type", column="age", value="text")
    replies(picker, "choose", field="missing", value="private")
    assert picker.data["path"] == "people.csv" and picker.base.columns["age"].kind == "text"
    assert picker.base.columns["wage"].missing == 1
    assert not next(one for one in replies(picker, "hello") if one["kind"] == "state")["unreadable"]


def test_detected_missing_values_stay_when_a_marker_is_added(tmp_path):
    """Regression: adding `abt 40` replaced the detected markers, so that NA and empty cells were invalid."""
    rows = "".join(f"{i},{i}\n" for i in range(40))
    (tmp_path / "people.csv").write_text("age,id\n" + rows + "NA,40\n,41\nabt 40,42\n")
    picker = DataPicker(FRAME, folder=str(tmp_path))
    state = [one for one in replies(picker, "choose", field="path", value="people.csv") if one["kind"] == "state"][-1]
    assert state["missing"] == "NA" and not state["listed"], "prefilled with the detected texts"
    (column,) = state["unreadable"]
    assert column["texts"] == ["abt 40"] and "abt" not in column["text"] + picker.trouble
    replies(picker, "choose", field="missing", add=column["values"])
    assert picker.data == {"path": "people.csv", "missing": ["NA", "abt 40"]}
    assert picker.base.columns["age"].missing == 3 and picker.base.columns["age"].kind == "number"
    replies(picker, "choose", field="missing", value="NA, abt 40, ")
    assert picker.base.columns["age"].missing == 3
    replies(picker, "choose", field="missing", value="abt 40")
    assert "NA" in [text for one in replies(picker, "hello") if one["kind"] == "state"
                    for column in one["unreadable"] for text in column["texts"]]  # fmt: skip


def test_markers_that_are_values_can_be_taken_out(tmp_path):
    (tmp_path / "states.csv").write_text("state,id\n" + "NA,1\nDE,2\n,3\n" * 9)
    picker = DataPicker({"path": "states.csv"}, folder=str(tmp_path))
    state = next(one for one in replies(picker, "hello") if one["kind"] == "state")
    assert state["missing"] == "NA" and picker.base.columns["state"].missing == 18
    replies(picker, "choose", field="missing", value="")
    assert picker.data == {"path": "states.csv", "missing": []} and picker.base.columns["state"].missing == 9
    replies(picker, "choose", field="missing", value=None)
    assert picker.base.columns["state"].missing == 18


def test_a_choice_is_offered_where_the_data_do_not_decide(tmp_path):
    (tmp_path / "people.csv").write_text("born,pay\n" + '01/02/2024,"30,996"\n03/04/2024,950\n' * 9)
    picker = DataPicker(FRAME, folder=str(tmp_path))
    state = [one for one in replies(picker, "choose", field="path", value="people.csv") if one["kind"] == "state"][-1]
    (born,) = state["unreadable"]
    assert [*born["choices"]] == ["date dd/mm/yyyy", "date mm/dd/yyyy", "text"]
    sent = replies(picker, "choose", field="type", column="born", value=born["choices"][0])
    columns = {one["name"]: one for one in [one for one in sent if one["kind"] == "summary"][-1]["columns"]}
    assert columns["born"]["range"] == "2024-02-01 to 2024-04-03" and columns["pay"]["range"] == "950 to 30,996"
    replies(picker, "choose", field="type", column="pay", value="number")
    assert picker.base.columns["pay"].values.tolist() == [950, 30996]
    wrong = problems(replies(picker, "choose", field="type", column="born", value="date soon"))
    assert wrong[0][0] == "type" and "'date %d %b %Y'" in wrong[0][1]


def test_one_of_several_tables_is_chosen(tmp_path):
    with sqlite3.connect(tmp_path / "town.sqlite") as file:
        file.execute("CREATE TABLE people AS SELECT 31 AS age UNION ALL SELECT 42")
        file.execute("CREATE TABLE houses AS SELECT 1 AS id")
    file.close()
    picker = DataPicker(FRAME, folder=str(tmp_path))
    sent = replies(picker, "choose", field="path", value="town.sqlite")
    assert [one for one in sent if one["kind"] == "state"][-1]["tables"] == ["houses", "people"]
    assert problems(sent)[0][1].endswith("the file has 2 tables; choose one below")
    sent = replies(picker, "choose", field="table", value="people")
    assert picker.data == {"path": "town.sqlite", "table": "people"} and picker.base.records == 2
    assert not [one for one in sent if one["kind"] == "state"][-1]["tables"]
    content = (tmp_path / "town.sqlite").read_bytes()
    upload(picker, "town.sqlite", content)
    assert "upload the file again" in problems(replies(picker, "choose", field="table", value="houses"))[0][1]
    upload(picker, "town.sqlite", content)
    assert picker.base.names == ["id"]


def test_all_columns_of_a_frame_that_cannot_be_read_are_said_at_once():
    mixed = pd.DataFrame({"a": [1, "secret"], "b": [[1], [2]], "c": [1, 2], "d": [None, None]})
    picker = DataPicker(mixed)
    state = next(one for one in replies(picker, "hello") if one["kind"] == "state")
    assert [one["name"] for one in state["unreadable"]] == ["a", "b"] and picker.base is None
    assert "secret" not in json.dumps(state)


def test_an_upload_is_read_as_was_said_when_it_comes_again():
    content = b"code,ill\n" + b"1,flu\n2,cold\n" * 9
    picker = DataPicker(FRAME)
    upload(picker, "people.csv", content)
    assert (
        "upload the file again" in problems(replies(picker, "choose", field="type", column="code", value="text"))[0][1]
    )
    upload(picker, "people.csv", content)
    assert picker.base.columns["code"].kind == "text"
    upload(picker, "bad.csv", b"x\n" + b"".join(b"%d\n" % i for i in range(40)) + b"secret\n")
    assert picker.trouble.startswith("column 'x': mixed types") and "upload.csv" not in picker.trouble
