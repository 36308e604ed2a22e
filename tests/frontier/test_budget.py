import math
import threading

import pytest

from workbench.base.errors import BadInput
from workbench.frontier.budget import Budget, Deadline


@pytest.mark.parametrize(
    ("given", "seconds"),
    [(30, 30), (2.5, 2.5), ("30", 30), ("30 s", 30), ("2 min", 120), ("1.5h", 5400), ("10sec", 10), ("5 minutes", 300)],
)
def test_durations_are_parsed(given, seconds):
    assert Budget.read(given) == Budget(seconds=seconds)


def test_numbers_of_evaluations_are_parsed():
    assert Budget.read("40 evaluations") == Budget(evaluations=40)
    assert (str(Budget.read("40 evaluations")), str(Budget.read("2 min"))) == ("40 evaluations", "about 2 min")
    assert math.isinf(Budget.read("1 evaluation").seconds)


@pytest.mark.parametrize("wrong", [0, -3, "", "long", "5 days", "2.5 evaluations", None, True, "nan", "-2 s"])
def test_invalid_budgets_are_refused(wrong):
    with pytest.raises(BadInput, match=r"budget = .*: give seconds"):
        Budget.read(wrong)


def test_a_deadline_is_set_on_timeout_or_cancellation():
    cancel = threading.Event()
    long, over = Deadline(1000, cancel), Deadline(0, cancel)
    assert (long.is_set(), over.is_set(), over.cancelled) == (False, True, False)
    cancel.set()
    assert long.is_set() and long.cancelled
    assert not Deadline(1000).is_set()
