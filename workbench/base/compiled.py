"""How kernels are compiled: without the GIL, and cached on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable

import numba


def compiled(function: Callable) -> Callable:
    """Compile when first called; where no folder can be written, each process compiles anew."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # numba found no writable place for its cache
        return numba.njit(nogil=True)(function)
