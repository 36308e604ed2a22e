"""The workloads' step, as its view hears it."""

import pytest

from tests.widgets.workloads.people import people
from widgets.workloads.workloads import LOG_BYTES, MOST, WorkloadPicker

OLD = {"old": ["age >= 40"], "drawn": {"random": {"count": 50, "dimension": 1, "selectivity": 0.5}}}


@pytest.fixture
def part():
    """Return a step in a script, which runs jobs at once, and record its messages."""
    made = WorkloadPicker(people(), OLD)
    made.sent = []
    made.send = lambda content, buffers=None: made.sent.append(content)
    return made


def send(part, kind, *buffers, **content):
    """Send a message and return the replies."""
    del part.sent[:]
    part._receive(None, {"kind": kind, "field": kind, **content}, [memoryview(one) for one in buffers])
    return part.sent


def messages(part, kind):
    return [one for one in part.sent if one["kind"] == kind]


def problem(part):
    return messages(part, "problem")[-1]["text"]


def test_it_begins_with_the_workloads_of_the_table():
    table = people().with_settings(workloads=OLD)
    assert WorkloadPicker(table).workloads == OLD and WorkloadPicker(table).about() == "2 workloads"
    assert WorkloadPicker(None).about() == "0 workloads"


def test_what_is_typed_is_answered_and_kept_once_it_can_be_asked(part):
    send(part, "try", text="age >= 40\nsex = ", ask=7)
    (tried,), (answers,) = messages(part, "tried"), messages(part, "answers")
    assert [bool(line["wrong"]) for line in tried["lines"]] == [False, True] and tried["ask"] == 7
    assert answers["rows"] == [[0, "3"]] and part.workloads == OLD
    send(part, "keep", name="old", text="age >= 40\nsex = ")
    assert problem(part).startswith("1 line is not a query") and part.workloads == OLD
    send(part, "keep", name="old", text="age >= 40\n\n sex = 'F' \n")
    assert part.workloads["old"] == ["age >= 40", "sex = 'F'"]
    send(part, "keep", name="old", text=" \n")
    assert "at least one query" in problem(part)


def test_what_is_wrong_is_marked_where_a_browser_counts_it(part):
    send(part, "try", text="sex = '😀' and agee = 3")
    (line,) = messages(part, "tried")[0]["lines"]
    assert "sex = '😀' and agee"[: line["at"] - 1] == "sex = '😀' and "  # Python counts the face once


def test_what_may_stand_at_the_cursor_is_offered(part):
    send(part, "complete", text="sex = '", position=7, ask=3)
    (found,) = messages(part, "completions")
    assert found["options"] == [{"text": "'F'", "kind": "value"}, {"text": "'M'", "kind": "value"}]
    assert (found["start"], found["ask"]) == (6, 3)
    send(part, "complete", text="sex in ('😀', '", position=15)
    assert messages(part, "completions")[0]["start"] == 14  # for a browser the face is two
    send(part, "complete", text="nothing fits here", position=17)
    assert messages(part, "completions")[0]["options"] == []


def test_random_queries_follow_the_sliders_and_are_kept_where_the_hand_lets_go(part):
    said = {"name": "drawn", "dimension": 2, "selectivity": 0.2, "count": 30, "seed": 4}
    send(part, "draw", **said)
    (examples,) = messages(part, "examples")
    assert examples["text"].startswith("30 queries: ") and len(examples["rows"]) == 5 and part.workloads == OLD
    send(part, "draw", **said, keep=True)
    assert part.workloads["drawn"] == {"random": {"count": 30, "dimension": 2, "selectivity": 0.2, "seed": 4}}
    wrongs = {"dimension": [3, -1], "selectivity": [0, "x", 2], "count": [0], "seed": [-1], "name": ["old"]}
    for wrong in ({key: one} for key, values in wrongs.items() for one in values):
        send(part, "draw", **said | wrong, keep=True)
        assert problem(part)
    assert part.workloads["drawn"]["random"]["seed"] == 4


@pytest.mark.parametrize(
    ("drawn", "about", "slides"),
    [
        ({"dimension": 1}, "1,000 at random, qd 1, sel 0.05", ("dimension", "selectivity")),
        ({"rule": "type 1", "columns": ["age"]}, "1,000 ranges of age, sel 0.05", ("selectivity",)),
        ({"rule": "equality", "columns": ["sex"]}, "1,000 single values of sex", ()),
    ],
)
def test_only_what_the_rule_looks_at_is_shown_and_slides(part, drawn, about, slides):
    part.workloads = {"drawn": {"random": drawn}}
    told = messages(part, "workloads")[-1]
    assert told["rows"] == [{"name": "drawn", "about": about}] and tuple(told["slides"]) == slides
    send(part, "draw", name="drawn", dimension=2, selectivity=0.2, count=30, seed=0, keep=True)
    sized = {name: {"dimension": 2, "selectivity": 0.2}[name] for name in slides}
    assert part.workloads["drawn"]["random"] == {**drawn, **sized, "count": 30}


def test_a_log_becomes_a_workload_and_what_cannot_be_used_is_listed(part):
    log = b"age > 30\nSELECT COUNT(*) FROM t WHERE sex = 'F';\nSELECT sex FROM t;\n"
    send(part, "load", log, name="C:\\x\\my log.v2.sql")
    assert part.chosen == "C x my log v2" and part.workloads[part.chosen] == ["age > 30", "count where sex = 'F'"]
    (unusable,) = messages(part, "workloads")[-1]["unusable"]
    assert unusable.startswith("line 3, column 8")
    send(part, "load", b"age > 3", name="old.txt")
    assert part.chosen == "old 2" and messages(part, "workloads")[-1]["unusable"] == []
    for given in (b"no query", b"\xff\xfe", b"x" * (LOG_BYTES + 1), b"age > 3\n" * (MOST + 1)):
        send(part, "load", given, name="x")
        assert problem(part) and "x" not in part.workloads


def test_workloads_are_added_renamed_and_deleted(part):
    send(part, "add", what="written")
    assert part.chosen == "queries" and part.workloads["queries"] == ["age >= 40"]  # half of the records
    send(part, "add", what="random")
    assert part.workloads["random queries"] == {"random": {"dimension": 2}}
    send(part, "rename", name="drawn", to="  good   for state ")
    assert list(part.workloads) == ["old", "good for state", "queries", "random queries"]
    for wrong in ("old", "", "random", "a(b)", "x" * 41):
        send(part, "rename", name="good for state", to=wrong)
        assert problem(part)
    send(part, "choose", name="old")
    assert messages(part, "workloads")[-1]["text"] == "age >= 40"
    send(part, "remove", name="old")
    assert part.chosen == "good for state" and "old" not in part.workloads


def test_a_file_of_the_study_is_shown_with_what_cannot_be_used(part, tmp_path):
    (tmp_path / "log.txt").write_text("age > 30\nage like 3\n")
    spec = {"file": str(tmp_path / "log.txt")}
    part.table = people().with_settings(workloads={"log": spec})
    del part.sent[:]
    part.workloads = {"log": spec}
    (examples,) = messages(part, "examples")
    assert examples["rows"] == [["age > 30", "3"]] and "line 2" in examples["notes"][0]


def test_queries_are_in_no_synced_trait(part):
    send(part, "keep", name="old", text="sex = 'Markerville'")
    assert "Markerville" in str(part.workloads) and "Markerville" not in str(part.get_state()) + repr(part)


def test_without_a_table_nothing_is_asked():
    part = WorkloadPicker(None, OLD)
    part.sent = []
    part.send = lambda content, buffers=None: part.sent.append(content)
    for kind in ("try", "complete", "add", "load"):
        send(part, kind, text="age > 3", position=3, name="x")
        assert "no table yet" in problem(part)
