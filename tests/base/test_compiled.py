"""Kernels are compiled with or without a writable cache."""

import numba

from workbench.base import compiled


def test_each_process_compiles_kernels_without_a_writable_cache(monkeypatch):
    asked = []

    def njit(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled.compiled(abs) is abs
    assert asked == [{"nogil": True, "cache": True}, {"nogil": True}]
