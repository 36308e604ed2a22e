"""Published losses of classes are never below the true loss, and identical for equal published counts."""

from dataclasses import replace

import numpy as np
import pytest

from workbench.base.small_counts import round_to_step
from workbench.data.sensitive import Sensitive
from workbench.models.classes import Classes
from workbench.models.distribution_distances import Bounds, distance, max_distance
from workbench.redaction.controlled_rounding import Rounding
from workbench.releases.published_classes import FINEST, disclosure_costs, redact_classes

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
