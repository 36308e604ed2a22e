"""Compilation of kernels: without the GIL, and cached on disk if possible."""

from __future__ import annotations

from collections.abc import Callable

import numba


def compiled(function: Callable) -> Callable:
    """Compile a function when it is first called; without a writable cache, once in each process."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no writable folder for its cache
        return numba.njit(nogil=True)(function)
