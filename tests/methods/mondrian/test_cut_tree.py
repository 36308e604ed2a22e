"""What is looked up in a tree of known cuts is what is found anew, whatever was asked of it before."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.methods.stops import Stops
from tests.methods.tables import frames, quasi_choices, random_frame, table_of
from workbench.base.progress import Cancelled, listening
from workbench.methods import Mondrian
from workbench.methods.mondrian import cut_tree
from workbench.methods.mondrian.cut_tree import CutTree, Rows, classes_by_known_cuts
from workbench.methods.mondrian.splits import Nodes, Widest, grow
from workbench.models import DeltaDisclosure, DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness

MODELS = st.one_of(
    st.none(),
    st.builds(KAnonymity, st.integers(1, 40)),
    st.builds(TCloseness, st.floats(0.01, 0.9), st.sampled_from(["equal", "js"])),
    st.builds(EntropyLDiversity, st.floats(1, 3)),
    st.builds(DeltaDisclosure, st.floats(0.1, 5)),  # not monotone: a half may keep it where the whole does not
    st.builds(lambda k, l, t: KAnonymity(k) & DistinctLDiversity(l) & TCloseness(t),
              st.integers(1, 9), st.integers(1, 3), st.floats(0.1, 0.9)),
)  # fmt: skip


def widest(table, model, even=False):
    return Widest(table, table.cells(), model, strict=True, even=even)


def tree_of(table, model):
    return CutTree(Nodes.root(table, table.cells()), widest(table, model))


def anew(table, model, even=False):
    return grow(Nodes.root(table, table.cells()), widest(table, model, even), model)


def known(table, model, even=False):
    return classes_by_known_cuts(table, widest(table, model, even), model)


@settings(max_examples=60, deadline=None)
@given(frames(), quasi_choices, st.lists(st.tuples(MODELS, st.booleans()), min_size=2, max_size=8))
def test_in_whatever_order_models_are_asked_the_classes_are_those_of_a_fresh_table(frame, quasi, asked):
    table, fresh = table_of(frame, quasi), table_of(frame, quasi)
    for model, even in asked:
        found = known(table, model, even)
        assert found is None or (found == anew(fresh, model, even)).all()
    for model, even in asked:  # by now each is known
        assert (known(table, model, even) == anew(fresh, model, even)).all()


def test_so_they_are_on_adult_and_the_method_takes_them(adult):
    tree = tree_of(adult, KAnonymity(2))
    for k in (500, 3, 40, 2, 2000, 3, 7):
        found = tree.classes(KAnonymity(k))
        assert found is None or (found == anew(adult, KAnonymity(k))).all()
    for t in (0.1, 0.3, 0.05, 0.3):
        release = Mondrian()(adult, TCloseness(t))
        assert (release.group == anew(adult, TCloseness(t))).all()
    assert any(key[0] == "cut tree" for key in adult._memory)


def test_a_table_that_is_asked_once_gets_no_tree():
    table = table_of(random_frame(1, 100), ["whole", "real"])
    assert known(table, KAnonymity(3)) is None and known(table, KAnonymity(3)) is not None


def test_other_settings_than_the_widest_attribute_are_cut_anew():
    table = table_of(random_frame(1, 100), ["whole", "real"])
    for method in (Mondrian(strict=False), Mondrian("fewest"), Mondrian(suppress=0.2)):
        method(table, KAnonymity(3))
    assert not any(key[0] == "cut tree" for key in table._memory)


def test_it_holds_no_more_than_it_has_room_for_and_is_right_where_that_is_too_little(monkeypatch):
    table = table_of(random_frame(2, 3000), ["whole", "real", "day"])
    monkeypatch.setattr(cut_tree, "ROOM", 500_000)
    tree, full = tree_of(table, TCloseness(0.5)), 0
    for t in np.linspace(0.05, 0.9, 40):
        found = tree.classes(TCloseness(t))
        full += found is None
        assert found is None or (found == anew(table, TCloseness(t))).all()
        assert tree.bytes <= 500_000
    assert 1 < full < 40  # the first time, and when it was forgotten
    monkeypatch.setattr(cut_tree, "ROOM", 1000)
    assert known(table, KAnonymity(3)) is known(table, KAnonymity(3)) is None
    assert not any(key[0] == "cut tree" for key in table._memory)


def test_a_walk_that_is_cancelled_leaves_a_sound_tree():
    table, model = table_of(random_frame(3, 400), ["whole", "real", "plain"]), TCloseness(0.4)
    tree = tree_of(table, model)
    tree.classes(model)

    stopped = 0
    for looks in range(30):
        try:
            with listening(Stops(looks)):
                tree.classes(model)
        except Cancelled:
            stopped += 1
    assert stopped > 5
    for t in (0.4, 0.2, 0.7):
        assert (tree.classes(TCloseness(t)) == anew(table, TCloseness(t))).all()


def test_what_goes_wrong_in_a_walk_is_forgotten_with_the_tree():
    class Failing(KAnonymity):
        def holds(self, classes):
            raise MemoryError

    table = table_of(random_frame(3, 100), ["whole", "real"])
    tree = tree_of(table, KAnonymity(2))
    tree.classes(KAnonymity(2))
    with pytest.raises(MemoryError):
        tree.classes(Failing(2))
    assert (tree.classes(KAnonymity(2)) == anew(table, KAnonymity(2))).all()


def test_nobody_waits_for_another_walk():
    table = table_of(random_frame(3, 100), ["whole", "real"])
    tree = tree_of(table, KAnonymity(2))
    tree.classes(KAnonymity(2))
    with tree._lock:
        assert tree.classes(KAnonymity(2)) is None
    assert tree.classes(KAnonymity(2)) is not None


def test_rows_grow_together():
    rows = Rows(one=np.zeros(1, np.int64), two=np.zeros((1, 2)))
    for i in range(1, 50):
        assert rows.add(one=np.array([i, i]), two=-i).tolist() == [2 * i - 1, 2 * i]
    assert rows.count == 99 and rows["one"][97] == 49 and rows["two"][98].tolist() == [-49, -49]
    assert rows.bytes == rows["one"].nbytes + rows["two"].nbytes
