"""Bits of words."""

import numpy as np
import pytest

from workbench.base.bits import count_bits, lowest_bit
from workbench.base.compiled import compiled


@compiled
def both(word):
    return count_bits(word), lowest_bit(word)


@pytest.mark.parametrize("word", [1, 2, 3, 2**63, 2**64 - 1, 0x8000_0000_0001_0000])
def test_bits_are_counted_and_the_lowest_is_found(word):
    assert both(np.uint64(word)) == (bin(word).count("1"), (word & -word).bit_length() - 1)
