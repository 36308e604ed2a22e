"""Bits of words in compiled code: one instruction of the processor each."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def ones(context: Any, word: Any) -> Any:
    """How many bits of a word of 64 are set."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.int64(types.uint64), code


@intrinsic
def lowest(context: Any, word: Any) -> Any:
    """The place of the lowest bit that is set in a word of 64; some are."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.cttz(given[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), code
