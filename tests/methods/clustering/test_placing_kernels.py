"""The gain of protection by a record equals the difference of S-diversities; see also tests of `placing`."""

import numpy as np
import pytest

from workbench.methods.clustering.placing_kernels import find_gain


def test_gains_are_differences_of_s_diversity():
    rng = np.random.default_rng(1)
    pc, held = rng.random((1, 4, 4)), [0, 0, 3, 1]
    pc = np.maximum(pc, pc.transpose(0, 2, 1))
    pc[0, range(4), range(4)] = 1
    near = pc[:, :, held].sum(axis=2)[None]
    pairs, size, gain = np.array([[pc[0][np.ix_(held, held)].sum()]]), np.array([4]), np.zeros((1, 4, 1), np.int64)
    find_gain(0, np.array([2.0**30]), gain, (near, pairs), size)
    for v in range(4):
        after = pc[0][np.ix_([*held, v], [*held, v])].sum() / 25
        before = pairs[0, 0] / 16
        assert gain[0, v, 0] / 2**30 == pytest.approx(5 * after - 4 * before, abs=1e-7)
