"""The probability that a row belongs to a person, compared with a naive sum and by simulation."""

from itertools import product

import numpy as np
import pytest

from workbench.base.errors import Undefined
from workbench.releases import likely_rows
from workbench.releases.likely_rows import beliefs
from workbench.releases.responses import Categorical, Drawn

CHANCES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])


def naive(target, released, shares):
    """Return the probability of each row to be the target's, summed over all assignments of the other people."""
    found = []
    for mine in range(len(released)):
        total = 0.0
        for others in product(range(3), repeat=len(released) - 1):
            people = [*others[:mine], target, *others[mine:]]
            known = np.prod([shares[one] for one in others])
            total += known * np.prod([CHANCES[t, r] for t, r in zip(people, released, strict=True)])
        found.append(total)
    return np.array(found) / sum(found)


@pytest.mark.parametrize("released", [[0, 1, 2, 0], [2, 2, 1, 1], [0, 0, 0, 0]])
def test_posteriors_equal_a_naive_sum(released):
    true = np.array([0, 0, 1, 2])
    shares = np.bincount(true, minlength=3) / 4
    drawn = {"x": Drawn.from_released(Categorical(CHANCES), np.array(released))}
    told = np.eye(4)  # what a row tells is its number: beliefs are then about rows
    found = beliefs(np.zeros(4, int), true, {"x": true}, drawn, told, np.arange(4))
    for person in range(3):
        assert found[person] == pytest.approx(naive(person, released, shares))


def test_two_changed_columns_and_groups_that_agree_in_others():
    rng = np.random.default_rng(3)
    alike = np.array([0, 0, 0, 1, 1, 2])
    x, y = rng.integers(0, 3, 6), rng.integers(0, 3, 6)
    person = np.unique(np.stack([alike, x, y]), axis=1, return_inverse=True)[1].ravel()
    drawn = {n: Drawn.from_released(Categorical(CHANCES), rng.integers(0, 3, 6)) for n in "xy"}
    found = beliefs(alike, person, {"x": x, "y": y}, drawn, np.eye(6), np.arange(6))
    for i in range(6):
        rows = np.flatnonzero(alike == alike[i])
        chance = {}
        for j in rows:
            likely = [CHANCES[x[k], drawn["x"].released[j]] * CHANCES[y[k], drawn["y"].released[j]] for k in (i, *rows)]
            chance[j] = likely[0] / np.mean(likely[1:])
        expected = np.array([chance.get(j, 0.0) for j in range(6)])
        assert found[person[i]] == pytest.approx(expected / expected.sum())


def test_beliefs_are_calibrated():
    """Guess every person's row in a large table, whose shares are nearly those of its distribution."""
    rng, shares, hits, said, people = np.random.default_rng(8), np.array([0.5, 0.3, 0.2]), 0.0, 0.0, 0
    for _ in range(60):
        true = rng.choice(3, 60, p=shares)
        released = np.array([rng.choice(3, p=CHANCES[t]) for t in true])
        drawn = {"x": Drawn.from_released(Categorical(CHANCES), released)}
        secret = (released + rng.integers(0, 2, 60)) % 3  # each row's posterior follows its released value
        found = beliefs(np.zeros(60, int), true, {"x": true}, drawn, np.eye(3), secret)
        hits += (found[true].argmax(axis=1) == secret).sum()
        said, people = said + found[true].max(axis=1).sum(), people + 60
    assert hits / people == pytest.approx(said / people, abs=5.5 * 0.5 / np.sqrt(people))


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(likely_rows, "MAX_PAIRS", 10)
    drawn = {"x": Drawn.from_released(Categorical(CHANCES), np.zeros(4, int))}
    with pytest.raises(Undefined, match="too many rows may belong to each person"):
        beliefs(np.zeros(4, int), np.arange(4), {"x": np.zeros(4, int)}, drawn, np.eye(4), np.arange(4))
