"""Published losses of classes are never below the true loss, and identical for equal published counts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness
from workbench.models.classes import Classes
from workbench.models.distribution_distances import Bounds, distance, max_distance
from workbench.publication.results import promise
from workbench.redaction.controlled_rounding import Rounding, round_to_step
from workbench.releases.published_classes import FINEST, disclosure_costs, redact_classes, scale

CLASSES, MANY, FEW = 40, 10_000, 10
# values of the sensitive column, how unevenly they are spread, the largest class
KINDS = {
    "two values": (2, 1.0, 3000),
    "a few": (5, 1.0, 3000),
    "many": (40, 0.3, 3000),
    "equally common": (9, 1e6, 3000),
    "nearly all the same": (6, 0.05, 3000),
    "a small table": (4, 1.0, 90),
}
DISTANCES = ("js", "variation", "ordered", "hierarchical")


def random_classes(kind: str, rng: np.random.Generator) -> Classes:
    values, uneven, largest = KINDS[kind]
    base = rng.dirichlet(np.full(values, uneven)) + 1e-4
    sizes = np.exp(rng.uniform(np.log(2), np.log(largest), 4 if largest < 100 else CLASSES)).astype(int)
    shares = [rng.dirichlet(base * np.exp(rng.uniform(-1, 6)) + 1e-3) for _ in sizes]
    counts = np.array([rng.multinomial(size, share) for size, share in zip(sizes, shares, strict=True)])
    counts = counts[:, counts.any(axis=0)]
    count = counts.shape[1]
    levels = (np.arange(count) // 2, np.arange(count) // 4)
    seen = Sensitive("ill", tuple(map(str, range(count))), counts.sum(axis=0), levels)
    return Classes(counts.sum(axis=1), {"ill": counts}, {"ill": seen})


@pytest.mark.slow
@pytest.mark.parametrize("kind", DISTANCES)
def test_no_published_loss_is_below_the_true_loss(kind):
    rng, looked_at = np.random.default_rng(1), 0
    while looked_at < MANY:
        classes = random_classes(list(KINDS)[looked_at % len(KINDS)], rng)
        seen = classes.sensitive["ill"]
        exact = distance(kind, classes.distributions("ill"), seen.prior, seen.levels)
        found = redact_classes(classes, kind, FEW)
        full, dearest = disclosure_costs([seen], kind, FEW)
        said = [min(round_to_step(float(loss), full / FINEST), dearest) for loss in found.loss]
        assert (np.array(said) >= exact - 1e-9).all() and (found.loss >= exact - 1e-9).all()
        rows = np.arange(len(classes))
        usual = seen.prior[found.value]
        moved = (classes.distributions("ill")[rows, found.value] - usual) / np.maximum(1 - usual, 1e-9)
        low, high = np.array([found.certainty_gain(row) for row in rows]).T
        assert (low <= np.maximum(moved, 0) + 1e-9).all() and (high >= moved - 1e-9).all() and (low <= high).all()
        assert distance(kind, np.eye(len(seen)), seen.prior, seen.levels).max() <= dearest + 1e-9
        looked_at += len(classes)


@pytest.mark.parametrize("kind", DISTANCES)
def test_equal_published_counts_have_equal_losses(kind):
    def published_loss(few: int, of: int) -> float:
        counts = np.array([[few, of - few], [800 - few, 900 + few]])
        seen = Sensitive("ill", ("yes", "no"), counts.sum(axis=0), (np.arange(2),))
        return redact_classes(Classes(counts.sum(axis=1), {"ill": counts}, {"ill": seen}), kind, FEW).loss[0]

    for of in (90, 330, 1323):
        assert len({published_loss(few, of) for few in range(FEW)}) == 1


@pytest.mark.parametrize("kind", DISTANCES)
def test_the_maximum_distance_within_bounds_is_exact_for_equal_bounds_and_else_an_upper_bound(kind):
    rng = np.random.default_rng(2)
    for count in (2, 3, 8):
        levels = (np.arange(count) // 2, np.arange(count) // 4)
        p, q = rng.dirichlet(np.ones(count), 50), rng.dirichlet(np.ones(count))
        exact = distance(kind, p, q, levels)
        assert max_distance(kind, Bounds(p, p), Bounds(q, q), levels) == pytest.approx(exact, abs=1e-9)
        wide = [Bounds(one * 0.8, np.minimum(one * 1.3 + 0.02, 1)) for one in (p, q)]
        most, tried = max_distance(kind, *wide, levels), 0
        for _ in range(300):
            others = [between(one, rng) for one in wide]
            inside = [((one >= b.low) & (one <= b.high)).all(axis=-1) for one, b in zip(others, wide, strict=True)]
            both = inside[0] & inside[1]
            assert (distance(kind, others[0], others[1], levels) <= most + 1e-9)[both].all()
            tried += int(both.sum())
        assert tried > 100


def between(bounds: Bounds, rng: np.random.Generator) -> np.ndarray:
    """Return random distributions within bounds."""
    drawn = rng.uniform(bounds.low, bounds.high)
    return drawn / drawn.sum(axis=-1, keepdims=True)


def test_a_share_next_to_one_per_cent_is_not_called_less():
    """26 of 2,571 are 1.01 %, but the published count of 20 is less than 1 %."""
    counts = np.array([[20, 480], [6, 2065]])
    seen = Sensitive("ill", ("gout", "flu"), counts.sum(axis=0), harmful=("gout",))
    ways = (replace(seen, rounding=Rounding(bytes([secret]))) for secret in range(50))
    down = next(way for way in ways if way.published(FEW)[0] == 20)
    found = redact_classes(Classes(counts.sum(axis=1), {"ill": counts}, {"ill": down}), "js", FEW)
    assert down.prior[0] > 0.01 and found.belief_sentence(0).endswith("of everybody, about 1 % do.")


def test_a_range_that_includes_the_prior_is_described():
    """23 of 90 are fewer than the 30 % of everybody, though as a range they may be half."""
    counts = np.array([[23, 67], [2977, 6933]])
    seen = Sensitive("hosp", ("no", "yes"), counts.sum(axis=0))
    found = redact_classes(Classes(counts.sum(axis=1), {"hosp": counts}, {"hosp": seen}), "js", FEW)
    assert found.certainty_gain(0)[0] == 0 and found.belief_sentence(0).startswith("25–50 % of them")
    card = found.headline(0, ": age 53")
    assert card["sentence"].endswith("published as a range, which includes that of everybody: age 53.")
    assert card["unit"].startswith("of a group that may be the worst have hosp “no”")


# The maximum share within a distance, compared with random distributions.

JOBS = Sensitive(
    "job", ("clerk", "guard", "nurse", "smith"), np.array([4000, 3000, 2000, 1000]), (np.array([0, 0, 1, 1]),)
)
FLAG = Sensitive("epilepsy", ("no", "yes"), np.array([9800, 200]))


@pytest.mark.parametrize("kind", ["js", "variation", "ordered", "hierarchical"])
def test_no_mix_within_a_distance_has_more_of_the_value_and_some_have_as_much(kind):
    found = scale([JOBS], kind, 1)
    assert (found.column, found.value, found.share) == ("job", "clerk", 0.4)
    drawn = np.random.default_rng(3)
    mixes = np.vstack(
        [drawn.dirichlet(np.ones(4), 20_000), [[p, *((1 - p) * JOBS.prior[1:] / 0.6)] for p in np.linspace(0, 1, 200)]]
    )
    far = distance(kind, mixes, JOBS.prior, JOBS.levels)
    for limit in (0.01, 0.05, 0.1, 0.2, 0.3):
        most = mixes[far <= limit, 0].max()
        assert most <= found.max_share(limit) + 1e-9
        assert kind not in ("js", "variation") or most >= found.max_share(limit) - 0.03, "the maximum is attainable"


@pytest.mark.parametrize("kind", ["js", "variation", "ordered", "hierarchical"])
@pytest.mark.parametrize("far", [0.0, 1e-10])
def test_a_group_like_everybody_has_the_value_as_often(kind, far):
    """The example for a distance of 0 was 0 %, although 40 % of everybody have the value."""
    assert 0.4 <= scale([JOBS], kind, 1).max_share(far) <= 0.41


def test_the_example_is_of_the_column_that_is_hardest_to_disclose():
    """The flag is rare, so certainty of its absence has nearly no loss."""
    assert scale([FLAG, JOBS], "js", 10).column == "job"
    assert scale([], "js", 10) is None


def test_rare_values_are_not_examples():
    each = Sensitive("name", tuple("abcdefgh"), np.full(8, 9))
    assert scale([each], "js", 10) is None and scale([each], "js", 1).value == "a"


def test_the_prior_share_is_rounded_to_the_threshold():
    """For 3,991 to 4,009 clerks among 10,000 people, 3,990, 4,000 or 4,010 are published."""
    others = [JOBS.totals + np.array([n, -n, 0, 0]) for n in range(-9, 10)]
    found = {scale([Sensitive("job", JOBS.labels, totals)], "js", 10).share for totals in others}
    assert found <= {0.399, 0.4, 0.401}


def test_a_guarantee_of_closeness_has_an_example():
    frame = {"age": list(range(100)), "job": ["clerk"] * 60 + ["guard"] * 40}
    table = Table.from_frame(pd.DataFrame(frame), quasi=["age"], sensitive="job")
    said = promise(TCloseness(0.2), table, 1)
    assert said == (
        "every group's mix of job is within 0.2 of that of everybody (variation distance): for example, at most 60 % "
        "of a group have job “guard” (of everybody: 40 %)"
    )
    assert "even all of a group may have job “guard”" in promise(TCloseness(0.6), table, 10)
    both = KAnonymity(5) & DistinctLDiversity(2)
    assert promise(both, table, 10) == "every group has at least 5 people and 2 different values of job"
