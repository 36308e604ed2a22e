"""Kernels are compiled where their cache can be written, and where it cannot."""

import numba

from workbench.base import compiled


def test_where_no_cache_can_be_written_each_process_compiles_anew(monkeypatch):
    asked = []

    def njit(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("no locator available")
        return lambda function: function

    monkeypatch.setattr(numba, "njit", njit)
    assert compiled.compiled(abs) is abs
    assert asked == [{"nogil": True, "cache": True}, {"nogil": True}]
