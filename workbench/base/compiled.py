"""Compilation of kernels, and bit operations in them, one processor instruction each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic


def compiled(function: Callable) -> Callable:
    """Compile a function when it is first called; without a writable cache, once in each process."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no writable folder for its cache
        return numba.njit(nogil=True)(function)


@intrinsic
def count_bits(context: Any, word: Any) -> Any:
    """Return the number of set bits of a 64-bit word."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.int64(types.uint64), code


@intrinsic
def lowest_bit(context: Any, word: Any) -> Any:
    """Return the position of the lowest set bit of a 64-bit word, which must not be 0."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), code
