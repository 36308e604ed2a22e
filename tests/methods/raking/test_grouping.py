import numpy as np
import pytest

from workbench.methods.raking.buckets import Clusters

PRIOR = np.array([0.6, 0.3, 0.1])


def group_atoms(beliefs, prior, records, most, smallest, seed):
    return Clusters.from_beliefs(beliefs, prior, records, most, seed).merged(smallest)


@pytest.fixture
def beliefs():
    rng = np.random.default_rng(0)
    centres = np.array([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    return np.concatenate([rng.dirichlet(300 * centre, 50) for centre in centres])


def test_atoms_with_similar_beliefs_share_a_bucket(beliefs):
    group = group_atoms(beliefs, PRIOR, np.full(150, 10), most=3, smallest=40, seed=1)
    assert [len(set(group[start : start + 50])) for start in (0, 50, 100)] == [1, 1, 1]
    assert len(set(group)) == 3


def test_no_bucket_is_below_the_minimum_size_unless_it_is_the_only_one(beliefs):
    records = np.random.default_rng(1).integers(1, 9, 150)
    for smallest in (1, 25, 100, 10_000):
        group = group_atoms(beliefs, PRIOR, records, most=60, smallest=smallest, seed=0)
        sizes = np.bincount(group, records)
        assert sizes.min() >= min(smallest, records.sum()) and sizes.sum() == records.sum()
        assert set(group) == set(range(len(sizes)))


def test_a_small_bucket_is_merged_with_the_nearest(beliefs):
    records = np.full(150, 10)
    records[100:] = 1  # those of the third kind are 50 people
    group = group_atoms(beliefs, PRIOR, records, most=3, smallest=60, seed=1)
    chi = [(((beliefs[100:].mean(axis=0) - beliefs[at : at + 50].mean(axis=0)) ** 2) / PRIOR).sum() for at in (0, 50)]
    assert set(group[100:]) == set(group[0:50] if chi[0] < chi[1] else group[50:100])


def test_equal_beliefs_give_one_bucket():
    assert set(group_atoms(np.repeat(PRIOR[None], 20, axis=0), PRIOR, np.full(20, 5), 200, 1, 0)) == {0}


def test_each_kind_is_a_bucket_if_there_are_fewer_kinds_than_buckets(beliefs):
    kinds = np.repeat(beliefs[::10], 3, axis=0)
    for seed in (0, 1):
        group = group_atoms(kinds, PRIOR, np.ones(len(kinds)), 200, 1, seed)
        assert [len(set(group[i : i + 3])) for i in range(0, len(group), 3)] == [1] * (len(kinds) // 3)
        assert len(set(group)) == len(np.unique(np.round(kinds, 9), axis=0))
