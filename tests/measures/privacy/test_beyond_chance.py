"""The risk beyond chance: its interval compared with Wilson's and with a search of the likelihood, and its coverage."""

from math import log, sqrt

import numpy as np
import pytest

from workbench.measures.privacy.beyond_chance import beyond_chance

Z = 1.959963984540054


def pairs(both, attack_alone, control_alone, neither):
    """Return the successes of given numbers of people of each kind."""
    counts = [both, attack_alone, control_alone, neither]
    return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)


def wilson(found, of):
    share, spread = found / of, Z * sqrt(found * (of - found) / of**3 + Z**2 / of**2 / 4)
    return [(share + side * spread + Z**2 / of / 2) / (1 + Z**2 / of) for side in (-1, 1)]


@pytest.mark.parametrize(("gain", "neither"), [(200, 500), (30, 900), (999, 1), (700, 0), (0, 400)])
def test_if_no_record_protects_anybody_the_interval_is_wilsons(gain, neither):
    found = beyond_chance(*pairs(300, gain, 0, neither))
    assert found.risk == pytest.approx(gain / (gain + neither)) and found.failing == gain + neither
    assert [found.low, found.high] == pytest.approx(wilson(gain, gain + neither), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("cells", [(20, 60, 15, 45), (5, 90, 3, 40), (30, 30, 28, 50)])
def test_the_ends_are_just_rejected_by_the_score_test(cells):
    """The likelihood is searched on a grid: for each ratio the most likely shares."""
    _, gain, harm, neither = cells
    found, n = beyond_chance(*pairs(*cells)), sum(cells)

    def score(ratio):
        best = None
        for lost in np.arange(1, 2000) / 2000:  # share of people on whom only the attack fails
            for left in np.arange(1, 1000) / 1000:
                gained = (lost + left * (1 - ratio)) / ratio
                rest = 1 - lost - left - gained
                if gained > 0 and rest > 0:
                    likely = harm * log(lost) + gain * log(gained) + neither * log(left) + cells[0] * log(rest)
                    best = max(best or (likely, 0, 0), (likely, lost, gained))
        _, lost, gained = best
        return (harm + neither - ratio * (gain + neither)) / n / sqrt(ratio * (lost + gained) / n)

    assert score(1 - found.high) == pytest.approx(Z, abs=0.02)
    if found.low > 0:
        assert score(1 - found.low) == pytest.approx(-Z, abs=0.02)


def test_the_ends_of_the_scale():
    everybody, nobody = np.ones(50), np.zeros(50)
    assert beyond_chance(everybody, nobody)[:3] == (1, 0, 1) and beyond_chance(everybody, nobody).high == 1
    assert beyond_chance(nobody, everybody)[:5] == (0, 1, 0, 0, 0)
    assert beyond_chance(nobody, nobody).risk == beyond_chance(nobody, nobody).low == 0
    assert beyond_chance(everybody, everybody)[2:5] == (0, 0, 1)  # the control always succeeds
    worse = beyond_chance(*pairs(10, 5, 40, 45))
    assert (worse.risk, worse.low) == (0, 0) and worse.high < 0.05


SHARES = [(0.3, 0.2, 0, 0.5), (0, 0.5, 0.1, 0.4), (0.2, 0.1, 0.08, 0.62), (0.1, 0.03, 0, 0.87), (0.05, 0.9, 0.01, 0.04)]


def covered(rng, draw, risk, times):
    return sum(one.low <= risk <= one.high for one in (beyond_chance(*draw(rng)) for _ in range(times))) / times


@pytest.mark.slow
@pytest.mark.parametrize("shares", SHARES)
@pytest.mark.parametrize("times", [100, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_the_interval_covers_the_truth(shares, times):
    risk = 1 - (shares[2] + shares[3]) / (shares[1] + shares[3])
    found = covered(np.random.default_rng(1), lambda rng: pairs(*rng.multinomial(400, shares)), risk, times)
    assert (0.93 if times == 1000 else 0.88) <= found <= (0.97 if times == 1000 else 1)


@pytest.mark.parametrize("times", [100, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_probabilities_vary_less_than_successes_and_narrow_the_interval(times):
    def draw(rng):
        attack = rng.choice([0.1, 0.3, 0.5, 1], 400, p=[0.4, 0.3, 0.2, 0.1])
        return attack, attack * rng.choice([0.2, 0.9], 400)

    attack = 0.04 + 0.09 + 0.1 + 0.1
    risk = 1 - (1 - attack) / (1 - attack * 0.55)
    found = covered(np.random.default_rng(2), draw, risk, times)
    assert (0.93 if times == 1000 else 0.88) <= found <= (0.97 if times == 1000 else 1)
    chances = draw(np.random.default_rng(3))
    luck = np.random.default_rng(4).random(400)
    narrow, wide = beyond_chance(*chances), beyond_chance(luck < chances[0], luck < chances[1])
    assert narrow.high - narrow.low < 0.8 * (wide.high - wide.low)


def test_people_shown_identically_count_as_one_if_all_succeed_or_fail_together():
    once, twice = pairs(20, 60, 15, 45), pairs(40, 120, 30, 90)
    found = beyond_chance(*twice, np.repeat(np.arange(140), 2))
    assert found[:3] == beyond_chance(*once)[:3]
    assert found[3:5] == pytest.approx(beyond_chance(*once)[3:5], abs=2e-3)
    apart = beyond_chance(*twice, np.arange(280))
    assert apart.low > found.low and apart.high < found.high and apart == beyond_chance(*twice)


def test_people_who_share_a_part_vary_together():
    """Pairs that fail together because they share a half count as one person, for either half."""
    attack = np.repeat([1, 0, 1, 1, 0, 1, 0, 1] * 5, 2).astype(float)
    control, pair, alone = np.zeros(80), np.repeat(np.arange(40), 2), np.arange(80)
    by_pair, by_person = beyond_chance(attack, control, pair), beyond_chance(attack, control, alone)
    for halves in ((pair, alone), (alone, pair)):
        found = beyond_chance(attack, control, np.stack([alone, *halves], axis=1))
        assert found[:5] == pytest.approx(by_pair[:5]) and found.low < by_person.low
    assert beyond_chance(attack, control, np.stack([pair, pair, pair], axis=1)) == by_pair
    coarse = np.zeros(80, int)  # everybody shares both halves, but nobody everything: never narrower than without
    assert beyond_chance(attack, control, np.stack([alone, coarse, coarse], axis=1)) == by_person
