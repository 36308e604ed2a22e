"""A clustering that is cancelled anywhere goes on from its clusters, to the same release."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.methods.clustering.promises import regions
from tests.methods.stops import Stops
from tests.methods.tables import frames, quasi_choices, random_frame, table_of
from workbench.base.errors import Unsatisfiable
from workbench.base.progress import Cancelled, listening
from workbench.methods import KMember, Microaggregation, ThresholdClustering
from workbench.methods.clustering import begun as module
from workbench.methods.clustering import growth, within
from workbench.methods.clustering.begun import Begun, Grown, going_on, kept_at, share_begun
from workbench.methods.clustering.entries import Entries
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness

METHODS = [
    (KMember(), KAnonymity(3)),
    (KMember("protection"), KAnonymity(2) & DistinctLDiversity(2)),
    (Microaggregation(), KAnonymity(2) & DistinctLDiversity(2)),
    (Microaggregation(aware=True), KAnonymity(2) & TCloseness(0.6)),
    (ThresholdClustering(delta=0.4), KAnonymity(3)),
    (ThresholdClustering(0.7, 0.3, delta=0.5, size=6, part_delta=1.5), KAnonymity(2)),
]


class Drawer:
    """A place that keeps one thing."""

    content = None

    def begun(self):
        return self.content

    def keep_begun(self, content):
        self.content = content


def made(method, table, model, seed=0, looks=None, small=4096):
    """The release, or None where it was cancelled: it looks up as often as it can."""
    with pytest.MonkeyPatch.context() as patch, listening(None if looks is None else Stops(looks)):
        patch.setattr(growth, "BUDGET", 1)
        patch.setattr(within, "SMALL", small)
        try:
            return method(table, model, seed)
        except Cancelled:
            return None


@settings(max_examples=60)
@given(
    frames(least=8, most=60), quasi_choices, st.sampled_from(METHODS), st.integers(0, 3),
    st.lists(st.integers(0, 40), min_size=1, max_size=4), st.booleans(), st.sampled_from([0, 10, 4096]),
)  # fmt: skip
def test_whenever_it_is_cancelled_it_comes_to_the_same(frame, quasi, one, seed, moments, elsewhere, small):
    """Cancelled again and again, in one table's memory or each time in another process that has the place."""
    method, model = one
    table, drawer = table_of(frame, quasi, ("s",)), Drawer()
    try:
        wanted = regions(made(method, table, model, seed, small=small))
    except Unsatisfiable:
        return
    again, found = table_of(frame, quasi, ("s",)), None
    for looks in [*moments, None]:
        with kept_at(drawer if elsewhere else None):
            found = made(method, again, model, seed, looks, small)
        if found is not None:
            break
        if elsewhere:
            again = table_of(frame, quasi, ("s",))
    assert regions(found) == wanted
    assert not share_begun(again, method, model, seed), "what is finished is not kept"


def test_what_is_there_is_not_grown_again():
    table, said = table_of(random_frame(5, 200), ["whole", "real"]), []
    method, model, drawer = KMember(), KAnonymity(4), Drawer()
    wanted = regions(made(method, table, model))
    share = 0.0
    for looks in (40, 60, 2):
        with kept_at(drawer):
            assert made(method, table, model, looks=looks) is None
        assert share <= share_begun(table, method, model, 0) < 1
        share = share_begun(table, method, model, 0)
    assert share > 0.4
    fresh = table_of(random_frame(5, 200), ["whole", "real"])
    with kept_at(drawer), listening(say=said.append):
        assert regions(method(fresh, model)) == wanted
    assert said[0] == f"clustering goes on from {100 * share:.0f} %: {round(200 * share) + 1:,} of 200 records"


@pytest.mark.parametrize(
    "changed", [lambda c: None, lambda c: b"", lambda c: b"x" * len(c), lambda c: bytes([c[0] ^ 1]) + c[1:]]
)
def test_what_is_about_something_else_is_nothing(changed):
    table, drawer = table_of(random_frame(5, 60), ["whole", "real"]), Drawer()
    wanted = regions(KMember()(table, KAnonymity(3)))
    with kept_at(drawer):
        made(KMember(), table, KAnonymity(3), looks=30)
    drawer.content = changed(drawer.content)
    for other in (KMember(), KMember("protection")):  # another method has other clusters
        fresh = table_of(random_frame(5, 60), ["whole", "real"])
        with kept_at(drawer):
            found = regions(other(fresh, KAnonymity(3)))
        assert (found == wanted) is (other == KMember())


def entries_of(count):
    return Entries(np.zeros((1, count), np.int32), {}, np.ones(count, np.int64), np.arange(count, dtype=np.int32))


def test_memory_is_for_the_last_few_and_places_for_what_takes_long(monkeypatch):
    table, entries, drawer = table_of(random_frame(1, 20), ["whole"]), entries_of(20), Drawer()
    grown = Grown(np.arange(10, dtype=np.int32), np.array([4, 6]))
    for seed in range(module.MOST + 2):
        with pytest.raises(Cancelled), going_on(table, KMember(), KAnonymity(3), seed, entries) as begun:
            begun.watch(lambda: grown)
            raise Cancelled
    shares = [share_begun(table, KMember(), KAnonymity(3), seed) for seed in range(module.MOST + 2)]
    assert shares == [0, 0] + [0.5] * module.MOST
    with kept_at(drawer):
        with going_on(table, KMember(), KAnonymity(3), 0, entries) as begun:
            begun.watch(lambda: grown)
        assert drawer.content is None, "it was there at once"
        monkeypatch.setattr(module, "EVERY", 0.0)
        with going_on(table, KMember(), KAnonymity(3), 0, entries) as begun:
            begun.watch(lambda: grown)
            begun.step(10)
            assert drawer.content is not None, "whoever ends this process loses no more than the last seconds"
        there = Begun(table, KMember(), KAnonymity(3), 0, entries).grown
    assert there.taken.tolist() == list(range(10)) and there.sizes.tolist() == [4, 6]
    assert len(drawer.content) == module.DIGEST + 4 * (1 + 2 + 10)
