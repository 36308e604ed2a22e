"""Kernels are compiled with or without a writable cache; bits of words."""

import numba
import numpy as np
import pytest

from workbench.base.compiled import compiled, count_bits, lowest_bit


def test_each_process_compiles_kernels_without_a_writable_cache(monkeypatch):
    asked = []

    def njit(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled(abs) is abs
    assert asked == [{"nogil": True, "cache": True}, {"nogil": True}]


@compiled
def both(word):
    return count_bits(word), lowest_bit(word)


@pytest.mark.parametrize("word", [1, 2, 3, 2**63, 2**64 - 1, 0x8000_0000_0001_0000])
def test_bits_are_counted_and_the_lowest_is_found(word):
    assert both(np.uint64(word)) == (bin(word).count("1"), (word & -word).bit_length() - 1)
