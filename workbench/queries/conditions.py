"""Packed conditions of many queries: one bit for each code of a column, in words of 64 bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from workbench.base.query_kernels import words


class Conditions(NamedTuple):
    """`at[q, c]` is where in `bits` the condition of query q on `columns[c]` begins; -1 if there is none."""

    columns: tuple[str, ...]
    bits: np.ndarray
    at: np.ndarray

    @classmethod
    def empty(cls, sizes: Mapping[str, int], conditioned: np.ndarray) -> Conditions:
        """Return conditions that nothing meets yet; `conditioned` (queries x columns) marks which exist."""
        length = np.where(conditioned, [words(size) for size in sizes.values()], 0)
        at = np.where(conditioned, np.cumsum(length).reshape(length.shape) - length, -1)
        return cls(tuple(sizes), np.zeros(int(length.sum()), np.uint64), at.astype(np.int64))

    @classmethod
    def packed(cls, queries: Iterable[Mapping[str, np.ndarray]]) -> Conditions:
        """Pack boolean arrays over codes; identical ones are stored once."""
        listed = [*queries]
        columns = tuple(dict.fromkeys(name for one in listed for name in one))
        places, pieces, length = dict[tuple[str, bytes], int](), list[np.ndarray](), 0
        at = np.full((len(listed), len(columns)), -1, np.int64)
        for q, one in enumerate(listed):
            for name, codes in one.items():
                piece = pack(codes)
                key = (name, piece.tobytes())
                if key not in places:
                    places[key] = length
                    pieces.append(piece)
                    length += len(piece)
                at[q, columns.index(name)] = places[key]
        return cls(columns, np.concatenate(pieces) if pieces else np.zeros(0, np.uint64), at)

    def met(self, q: int, column: int, size: int) -> np.ndarray:
        """Return which codes of a column meet the condition of one query."""
        begin = self.at[q, column]
        return unpack(self.bits[begin : begin + words(size)], size)


def pack(codes: np.ndarray) -> np.ndarray:
    """Pack a boolean array, or rows of them, into words."""
    room = words(codes.shape[-1]) * 64
    wide = np.zeros((*codes.shape[:-1], room), bool)
    wide[..., : codes.shape[-1]] = codes
    return np.packbits(wide, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def unpack(packed: np.ndarray, size: int) -> np.ndarray:
    """Unpack words, or rows of them, into a boolean array over codes."""
    octets = np.ascontiguousarray(packed.astype("<u8")).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=size, bitorder="little").astype(bool)
