"""Records with a weight tell of many what the same records tell that are repeated, and of one what they always told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.tables import HIERARCHIES, frames, quasi_choices
from workbench.base.errors import Undefined
from workbench.data import weights
from workbench.data.table import Table
from workbench.measures import KLDivergence, KnowledgeGain, PrivacyLoss, ReidentificationRisk, UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.queries.populations import large_populations
from workbench.releases.foreign import foreign
from workbench.releases.partition import Bucketized, Partition

SENSITIVE = ["s", "s2"]
METHODS = [Mondrian(), Mondrian(publish="bucketized"), Mondrian(split="information_gain", target="person"), Keep()]


def weighed(frame, quasi, weights, **options):
    frame, shown = frame.assign(people=weights), {n: h for n, h in HIERARCHIES.items() if n in quasi}
    return Table.from_frame(frame, quasi, SENSITIVE, hierarchies=shown, weight="people", **options)


def repeated(frame, quasi, weights):
    frame, shown = frame.loc[frame.index.repeat(weights)], {n: h for n, h in HIERARCHIES.items() if n in quasi}
    return Table.from_frame(frame, quasi, SENSITIVE, hierarchies=shown)


def same(one, other):
    return one.shape == other.shape and bool((one == other).all())


@examples(60)
@given(frames(), quasi_choices, st.sampled_from(METHODS), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_what_is_told_of_many_is_that_of_repeated_records(frame, quasi, method, k, seed):
    times = np.random.default_rng(seed).geometric(0.3, len(frame))
    table, plain = weighed(frame, quasi, times), repeated(frame, quasi, times)
    release = method(table, None if method.baseline else KAnonymity(min(k, len(frame))))
    kind = Bucketized if release.classes.exact else Partition
    twin = kind(plain, plain.cells(release.others), release.group, others=release.others)
    assert same(weights.people(table), plain.cells().weight)
    here, beside = (large_populations(one, 0.1) for one in (table, plain))
    assert here.every == beside.every and same(here.runs, beside.runs) and same(here.support, beside.support)
    for name in SENSITIVE:
        assert same(here.truth[name], beside.truth[name])
        assert release.estimate(here, name) == pytest.approx(twin.estimate(here, name), rel=1e-12)
    assert release.estimate(here) == pytest.approx(twin.estimate(here), rel=1e-12)
    for measure in (UtilityLoss(0.1), UtilityLoss(0.1, "variation"), KLDivergence()):
        found, there = (value(measure, one) for one in (release, twin))
        assert found == there or found == pytest.approx(there, rel=1e-12, abs=1e-15)


def value(measure, release):
    try:
        return measure(release).value
    except Undefined as reason:
        return str(reason).replace("the people that the records stand for", "the records")


@examples(20)
@given(frames(), quasi_choices, st.sampled_from([*METHODS, Remove()]), st.integers(0, 2**32 - 1))
def test_what_is_told_of_one_is_that_of_the_records(frame, quasi, method, seed):
    times = np.random.default_rng(seed).choice([0.0, 0.5, 7.25], len(frame))
    times[0] = 1
    table = weighed(frame, quasi, times)
    release, plain = (method(one) for one in (table, table.with_roles(quasi, SENSITIVE).drop(["people"])))
    assert same(release.classes.sizes, plain.classes.sizes)
    for measure in (
        PrivacyLoss(), PrivacyLoss(adversary="covering classes"), KnowledgeGain(), ReidentificationRisk("average")
    ):  # fmt: skip
        assert measure(release).value == measure(plain).value
    assert "people" not in release.frame() and not any("people" in one for one in release.tables().values())


def test_records_of_no_weight_are_protected_and_told_nothing_by():
    frame = pd.DataFrame({"age": [1, 1, 2, 2, 3], "ill": list("xyxyz"), "people": [2, 4, 0, 0, 1]})
    table = Table.from_frame(frame, ["age"], "ill", weight="people")
    large = large_populations(table, 0.01)
    assert large.runs[:, 0, 0].tolist() == [0, 2] and large.support.tolist() == [6, 1]
    assert large.truth["ill"].tolist() == [[2, 4, 0], [0, 0, 1]]
    for kind in (Partition, Bucketized):
        release = kind(table, table.cells(), np.array([0, 0, 1, 1, 2]))
        assert release.estimate(large, "ill").tolist() == large.truth["ill"].tolist()
        assert release.classes.sizes.tolist() == [2, 2, 1] and UtilityLoss(0.01)(release).value == 0
    assert Remove("ill")(table).estimate(large, "ill")[0] == pytest.approx(6 * np.array([2, 4, 1]) / 7)


@pytest.mark.parametrize("publish", ["generalized", "bucketized"])
def test_a_relaxed_release_tells_the_weights_of_those_who_were_dealt_there(publish):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(0, 3, 60), "ill": rng.choice(list("xyz"), 60), "n": rng.random(60)})
    release = Mondrian(strict=False, publish=publish)(
        Table.from_frame(frame, ["age"], "ill", weight="n"), KAnonymity(4)
    )
    whole = np.array([[[0, 2]]])
    assert release.estimate(whole)[0, 0] == pytest.approx(frame["n"].sum())
    assert release.estimate(whole, "ill")[0] == pytest.approx(frame.groupby("ill")["n"].sum().to_numpy())
    told = pd.Series(frame["n"].to_numpy()).groupby(release.group_of_record).sum()
    assert release.people_of_classes()[:, 0] == pytest.approx(told.to_numpy())


def test_the_people_of_records_that_are_left_out_may_be_anywhere():
    frame = pd.DataFrame({"age": [1, 1, 2, 2, 3], "ill": list("xyxyx"), "n": [1.5, 2, 3, 4, 10]})
    table = Table.from_frame(frame, ["age"], "ill", weight="n")
    for kind in (Partition, Bucketized):
        release = kind(table, table.cells(), np.array([0, 0, 1, 1, -1]))
        assert release.suppressed == 1
        told = release.estimate(np.array([[[0, 0]], [[2, 2]]]), "ill")
        share = np.array([14.5, 6]) / 20.5 * 10 / 3
        assert told[0] == pytest.approx(np.array([1.5, 2]) + share) and told[1] == pytest.approx(share)


def test_both_engines_weigh_alike(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"age": rng.integers(0, 9, 300), "ill": rng.choice(list("xyz"), 300), "n": rng.random(300)})
    frame.to_csv(tmp_path / "people.csv", index=False)
    tables = [
        Table.read(tmp_path / "people.csv", ["age"], "ill", weight="n", engine=name) for name in ("memory", "duckdb")
    ]
    one, other = (UtilityLoss()(Mondrian()(table, KAnonymity(40))).value for table in tables)
    assert one == other != UtilityLoss()(Mondrian()(tables[0].with_roles(["age"], "ill"), KAnonymity(40))).value


def test_a_file_that_was_read_does_not_say_its_weights():
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "ill": list("xyxy"), "n": [1, 2, 3, 4]})
    table = Table.from_frame(frame, ["age"], "ill", weight="n")
    with pytest.raises(Undefined, match="the file does not contain the weights"):
        UtilityLoss()(foreign(Keep()(table).frame(), original=table))
