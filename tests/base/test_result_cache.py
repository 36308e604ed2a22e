"""Results are computed once across threads; waiting can be cancelled, and copies start empty."""

import pickle
import threading

import pytest

from workbench.base.progress import Cancelled, cancellable
from workbench.base.result_cache import ResultCache


def test_a_result_is_computed_once():
    remember, made = ResultCache(), []
    assert [remember("key", lambda: made.append(1) or 5) for _ in range(3)] == [5, 5, 5] and made == [1]
    assert remember("other", lambda: 6) == 6 and remember.results == {"key": 5, "other": 6}


def test_pickled_copies_start_empty():
    remember = ResultCache()
    remember("key", object)
    assert pickle.loads(pickle.dumps(remember)).results == {}


def test_waiting_for_another_thread_can_be_cancelled():
    remember, cancel, began, go_on = ResultCache(), threading.Event(), threading.Event(), threading.Event()

    def long():
        began.set()
        assert go_on.wait(20)
        return 1

    other = threading.Thread(target=remember, args=("long", long))
    other.start()
    try:
        assert began.wait(20)
        cancel.set()
        with pytest.raises(Cancelled), cancellable(cancel):
            remember("long", long)
    finally:
        go_on.set()
        other.join()
    assert remember("long", long) == 1
