"""What every widget does: answers messages, says problems at their field, and sends nothing that JSON can't carry."""

import asyncio
import logging
import re
import threading

import numpy as np
import pytest

from widgets.base.part import WIDGETS, Part, read_integer, script
from widgets.base.worker import Worker
from workbench.base.errors import BadInput
from workbench.base.jsonable import jsonable


class RecordingPart(Part):
    _esm = "export default { render() {} }"

    def __init__(self):
        self.sent = []
        super().__init__()

    def send(self, content, buffers=None):
        self.sent.append(content)

    def show(self):
        self.send_message("drawn", share=np.float64(0.5))

    def receive_choose(self, content, buffers):
        if content["value"] == "bad":
            raise BadInput("choose another")
        if content["value"] == "broken":
            raise KeyError(content["record"])


@pytest.fixture
def part():
    return RecordingPart()


def test_a_view_that_says_hello_is_shown_everything(part):
    part._receive(None, {"kind": "hello"}, [])
    assert part.sent == [{"kind": "drawn", "share": 0.5}]


def test_a_problem_is_said_at_its_field_and_taken_back_when_it_is_gone(part):
    part._receive(None, {"kind": "choose", "field": "k", "value": "bad"}, [])
    part._receive(None, {"kind": "choose", "field": "k", "value": "good"}, [])
    assert part.sent == [
        {"kind": "problem", "field": "k", "text": "choose another"},
        {"kind": "fine", "field": "k"},
    ]


def test_a_mistake_of_ours_tells_its_place_and_no_data(part, caplog):
    with caplog.at_level(logging.ERROR, "widgets"):
        part._receive(None, {"kind": "choose", "field": "k", "value": "broken", "record": "Mrs Miller, 43, HIV"}, [])
    assert "KeyError at test_part.py" in part.sent[0]["text"]
    assert "Miller" not in part.sent[0]["text"] + caplog.text


@pytest.mark.parametrize("kind", ["msg", "trait_change", "nothing", "__init__", None, 3, "problem"])
def test_no_other_method_can_be_called_from_outside(part, kind):
    part._receive(None, {"kind": kind}, [])
    assert part.sent == []


def test_what_is_sent_is_jsonable():
    given = {"a": np.array([1.5, np.inf, -np.inf, np.nan]), 2: (np.int64(3), {"x": np.bool_(True)})}
    assert jsonable(given) == {"a": [1.5, "inf", "-inf", None], "2": [3, {"x": True}]}


def test_what_went_wrong_is_said_also_of_an_error_that_nobody_raised(part, caplog):
    part.wrong("k", BadInput("choose another"))
    with caplog.at_level(logging.ERROR, "widgets"):
        part.wrong("k", ValueError("Mrs Miller, 43, HIV"))
    texts = [one["text"] for one in part.sent]
    assert texts[0] == "choose another" and "Internal error: ValueError. The last" in texts[1]
    assert "Miller" not in caplog.text


@pytest.mark.parametrize("when", ["soon", "later", "in a job"])
def test_what_goes_wrong_in_a_turn_is_said_by_its_part_without_data(when, caplog):
    record = "Mrs Miller, 43, HIV"

    def broken():
        raise KeyError(record)

    async def play():
        part, lost = RecordingPart(), []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: lost.append(context))
        if when == "soon":
            await asyncio.to_thread(part.call_soon, broken)
        elif when == "later":
            part.call_later(0, broken)
        else:
            part.worker = Worker(lambda error: part.wrong("", error))
            part.worker.start(lambda cancel, call_soon: call_soon(broken))
        while not part.sent:
            await asyncio.sleep(0.01)
        return part.sent, lost

    with caplog.at_level(logging.ERROR, "widgets"):
        (problem,), lost = asyncio.run(asyncio.wait_for(play(), 20))
    assert (problem["kind"], problem["field"]) == ("problem", "") and lost == []
    assert problem["text"].startswith("Internal error: KeyError at test_part.py")
    assert "Miller" not in problem["text"] + caplog.text


def test_a_part_that_is_closed_hears_no_more_of_its_work(part):
    part.worker, said = Worker(print), []
    part.worker.start(lambda cancel, call_soon: (part.close(), call_soon(said.append, cancel.is_set())))
    assert said == []


def test_a_message_from_another_thread_is_answered_in_the_kernels():
    async def play():
        part, threads = RecordingPart(), []
        part.show = lambda: threads.append(threading.get_ident())
        await asyncio.to_thread(part._receive, None, {"kind": "hello"}, [])
        await asyncio.sleep(0)
        return threads == [threading.get_ident()]

    assert asyncio.run(play())


def test_integers_of_messages():
    assert [read_integer({"n": n}, "n", 0, 2) for n in (0, 2)] == [0, 2] and read_integer({"n": 9}, "n", 0) == 9
    for wrong in (-1, 3, True, 1.0, "1", None, [1]):
        with pytest.raises(BadInput, match="n: enter a whole number from 0 to 2, not "):
            read_integer({"n": wrong}, "n", 0, 2)
    with pytest.raises(BadInput, match="gone"):
        read_integer({}, "n", 0, 2, "gone")


MODULES = sorted(WIDGETS.rglob("[!.]*.js"))


def test_a_script_contains_every_imported_module_once_and_before_its_use(tmp_path, monkeypatch):
    monkeypatch.setattr("widgets.base.part.WIDGETS", tmp_path)
    (tmp_path / "a.js").write_text(
        'import { two } from "./b.js";\nimport { one } from "./c.js";\n\nexport default two + one;\n'
    )
    (tmp_path / "b.js").write_text('// the second\nimport { one } from "./c.js";\n\nexport const two = one + one;\n')
    (tmp_path / "c.js").write_text("export const one = 1;\n")
    lines = [line for line in script("a").splitlines() if line]
    assert lines == ["const one = 1;", "// the second", "const two = one + one;", "export default two + one;"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(WIDGETS).as_posix())
def test_joined_modules_declare_each_name_once(path):
    if "server" in path.parts:  # served as they are
        return
    joined = script(path.relative_to(WIDGETS).with_suffix("").as_posix())
    assert not re.search(r"^import |^export (?!default)", joined, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function\*? |class |const |let )(\w+)", joined, re.MULTILINE)
    assert len(names) == len(set(names)) > 0
