"""The equally accurate random sample: compared with simulated samples, and its published form."""

import math

import numpy as np
import pandas as pd
import pytest

from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table
from workbench.measures import UtilityLoss
from workbench.measures.utility.random_sample import SampleCurve, describe_sample, published_share, sample_curve
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.queries.populations import large_populations

RECORDS, SAMPLES = 700, 30


def people(records=RECORDS, seed=3):
    """Skewed and correlated: values depend on age, and most people have the same one."""
    rng = np.random.default_rng(seed)
    age = np.minimum(18 + rng.gamma(2, 9, records).astype(int), 80)
    work = rng.choice(["a", "b", "c"], records, p=[0.7, 0.2, 0.1])
    ill = np.minimum(rng.poisson(0.2 + (age - 18) / 25), 4)
    return pd.DataFrame({"age": age, "work": work, "ill": np.array(list("vwxyz"))[ill]})


@pytest.fixture(scope="module")
def frame():
    return people()


@pytest.fixture(scope="module")
def table(frame):
    return Table.from_frame(frame, ["age", "work"], "ill", hierarchies={"age": Intervals(widths=(10, 20))})


def naive_populations(frame, least):
    """Return the people of each large population: conditions on age, at any level, and on work."""
    spans = [(a, a) for a in range(18, 81)] + [(w * i, w * i + w - 1) for w in (10, 20) for i in range(9)]
    found = {}
    for span in (None, *spans):
        for work in (None, *sorted(set(frame.work))):
            inside = np.ones(len(frame), bool)
            if span:
                inside &= frame.age.between(*span).to_numpy()
            if work:
                inside &= (frame.work == work).to_numpy()
            values = frozenset(frame.age[frame.age.between(*span)]) if span else None
            if inside.sum() >= least and (span or work):
                found[values, work] = inside
    return list(found.values())


def naive_loss(frame, populations, picked, kind):
    """Return the mean distance of the sample's distribution from the truth, over large populations."""
    ill = frame.ill.to_numpy()
    found = []
    for inside in populations:
        among = ill[inside & picked] if (inside & picked).any() else ill
        p, q = ([float((some == v).mean()) for v in "vwxyz"] for some in (ill[inside], among))
        found.append(naive_distance(p, q, kind))
    return np.mean(found)


def naive_distance(p, q, kind):
    if kind == "variation":
        return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return sum(a * math.log(a / m) / 2 for one in (p, q) for a, m in zip(one, middle, strict=True) if a)


@pytest.mark.parametrize("kind", ["js", "variation"])
def test_a_sample_of_that_size_has_the_same_loss(frame, table, kind):
    """The share computed for the mean loss of simulated simple random samples is their size."""
    measure, rng = UtilityLoss(distance=kind), np.random.default_rng(5)
    populations = naive_populations(frame, math.ceil(0.05 * RECORDS))
    assert len(populations) == len(large_populations(table))
    for size in (70, 300, 560):
        losses = []
        for _ in range(SAMPLES):
            picked = np.zeros(RECORDS, bool)
            picked[rng.choice(RECORDS, size, replace=False)] = True
            losses.append(naive_loss(frame, populations, picked, kind))
        off = 4 * np.std(losses, ddof=1) / math.sqrt(len(losses))
        curve = sample_curve(table, measure)
        expected = np.interp(math.log(size / (RECORDS - size)), np.log(curve.odds), np.log(curve.losses))
        assert math.exp(expected) == pytest.approx(np.mean(losses), abs=off + 0.01 * np.mean(losses))
        low, high = (curve.share(np.mean(losses) + side * off) for side in (1, -1))
        assert low - 0.01 < size / RECORDS < high + 0.01


def test_a_smaller_loss_needs_a_larger_sample(table):
    curve = sample_curve(table, UtilityLoss())
    losses = [UtilityLoss()(release).value for release in (Keep()(table), Mondrian()(table, KAnonymity(5)))]
    shares = [curve.share(loss) for loss in (*losses, UtilityLoss()(Remove()(table)).value, 0.69)]
    assert shares == sorted(shares, reverse=True) and shares[0] == 1.0
    assert curve.share(curve.losses[-9]) == pytest.approx(curve.odds[-9] / (1 + curve.odds[-9]))
    assert 0.99 < curve.share(1e-9) < 1


def test_the_curve_is_computed_once(table, monkeypatch):
    first = sample_curve(table, UtilityLoss())
    monkeypatch.setattr("workbench.measures.utility.random_sample._compute_curve", None)
    assert sample_curve(table, UtilityLoss()) is first


def test_in_words(table):
    measure = UtilityLoss()
    assert describe_sample(table, measure, 0) == "About large populations it is as accurate as the original records."
    assert "as accurate as a random 99." in describe_sample(table, measure, 1e-5)
    assert describe_sample(table, measure, 0.69).endswith("less accurate than any random sample of the records.")


def test_the_published_share_is_never_too_good(table):
    measure = UtilityLoss()
    curve = sample_curve(table, measure)
    for loss in np.geomspace(1e-4, 0.05, 20):
        told = published_share(table, measure, float(loss), 10)
        assert told is None or told <= curve.share(loss) * 1.02  # the simulation error of the curve
    assert published_share(table, measure, 0.0, 10) == 1.0
    assert published_share(table, measure, None, 10) is None
    assert published_share(table, measure, 0.6, 10) is None  # where the curve is not a power
    assert published_share(table, measure, 0.01, 20) is None  # a table of few people


def test_the_published_share_uses_one_coarse_figure_of_the_table():
    """Tables that differ in a few people publish the same shares, for any number of releases."""
    frame = people(900)
    other = frame.copy()
    other.loc[:3, "ill"] = "v"
    shares = []
    for one in (frame, other):
        table = Table.from_frame(one, ["age", "work"], "ill", hierarchies={"age": Intervals(widths=(10, 20))})
        shares.append([published_share(table, UtilityLoss(), loss, 10) for loss in np.geomspace(1e-3, 0.03, 50)])
    assert shares[0] == shares[1]


def test_the_scale_is_below_the_curve():
    odds = np.geomspace(0.001, 99, 24)
    curve = SampleCurve(odds, np.minimum(0.3, 0.01 / odds), 1.0)
    scale, limit = curve.scale()
    assert scale == pytest.approx(0.01) and limit == pytest.approx(0.075)
    assert curve.share(0.01) == pytest.approx(0.5, rel=0.01)
