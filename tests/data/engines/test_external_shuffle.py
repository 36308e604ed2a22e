"""All rows come back from the files of a shuffle, in any order with the same probability."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from workbench.data.engines import external_shuffle
from workbench.data.engines.external_shuffle import ExternalShuffle


@pytest.mark.parametrize("pile", [2, 10, 10_000])
def test_all_rows_are_returned_with_their_types_and_the_folder_is_emptied(tmp_path, monkeypatch, pile):
    monkeypatch.setattr(external_shuffle, "PILE", pile)
    codes, classes = np.arange(-300, 300).astype(np.int16), np.arange(600).astype(np.int32) * 100_000
    with ExternalShuffle(tmp_path, 2000) as dealt:
        for start in range(0, 600, 70):
            dealt.add([codes[start : start + 70], classes[start : start + 70]])
        found = list(dealt.shuffled())
        again = list(dealt.shuffled())
    assert list(tmp_path.iterdir()) == []
    one, other = ([np.concatenate(column) for column in zip(*rows, strict=True)] for rows in (found, again))
    assert [column.dtype for column in one] == [np.int16, np.int32]
    assert (one[1] == (one[0].astype(np.int32) + 300) * 100_000).all()
    assert sorted(one[0]) == sorted(other[0]) == codes.tolist()
    assert one[0].tolist() != other[0].tolist() != codes.tolist()


@pytest.mark.parametrize("pile", [1, 2, 3])
def test_every_order_of_three_rows_is_as_frequent(tmp_path, monkeypatch, pile):
    monkeypatch.setattr(external_shuffle, "PILE", pile)
    times, seen = 600, Counter()
    for _ in range(times):
        with ExternalShuffle(tmp_path, 3) as dealt:
            dealt.add([np.array([0, 1])])
            dealt.add([np.array([2])])
            seen[tuple(np.concatenate([rows for (rows,) in dealt.shuffled()]).tolist())] += 1
    expected = times / 6
    assert sum((seen[order] - expected) ** 2 / expected for order in permutations(range(3))) < 40  # by chance 1e-7
