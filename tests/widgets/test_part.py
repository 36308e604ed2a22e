"""What every widget does: answers messages, says problems at their field, and sends nothing that JSON can't carry."""

import logging

import numpy as np
import pytest

from widgets.part import Part, plain
from workbench.errors import BadInput


class Picked(Part):
    _esm = "export default { render() {} }"

    def __init__(self):
        self.sent = []
        super().__init__()

    def send(self, content, buffers=None):
        self.sent.append(content)

    def show(self):
        self.tell("drawn", share=np.float64(0.5))

    def hear_choose(self, content, buffers):
        if content["value"] == "bad":
            raise BadInput("choose another")
        if content["value"] == "broken":
            raise KeyError(content["record"])


@pytest.fixture
def part():
    return Picked()


def test_a_view_that_says_hello_is_shown_everything(part):
    part._heard(None, {"kind": "hello"}, [])
    assert part.sent == [{"kind": "drawn", "share": 0.5}]


def test_a_problem_is_said_at_its_field_and_taken_back_when_it_is_gone(part):
    part._heard(None, {"kind": "choose", "field": "k", "value": "bad"}, [])
    part._heard(None, {"kind": "choose", "field": "k", "value": "good"}, [])
    assert part.sent == [
        {"kind": "problem", "field": "k", "text": "choose another"},
        {"kind": "fine", "field": "k"},
    ]


def test_a_mistake_of_ours_tells_its_place_and_no_data(part, caplog):
    with caplog.at_level(logging.ERROR, "widgets"):
        part._heard(None, {"kind": "choose", "field": "k", "value": "broken", "record": "Mrs Miller, 43, HIV"}, [])
    assert "KeyError at test_part.py" in part.sent[0]["text"]
    assert "Miller" not in part.sent[0]["text"] + caplog.text


@pytest.mark.parametrize("kind", ["msg", "trait_change", "nothing", "__init__", None, 3, "problem"])
def test_no_other_method_can_be_called_from_outside(part, kind):
    part._heard(None, {"kind": kind}, [])
    assert part.sent == []


def test_what_is_sent_is_plain():
    given = {"a": np.array([1.5, np.inf, -np.inf, np.nan]), 2: (np.int64(3), {"x": np.bool_(True)})}
    assert plain(given) == {"a": [1.5, "inf", "-inf", None], "2": [3, {"x": True}]}
