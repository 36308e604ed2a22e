"""Scan every byte of a delimited file: count records, find ragged lines and unclosed quotes.

DuckDB 2.0 is not sufficient: its parallel reader silently drops ragged lines at the boundaries of its buffers, and its
sequential reader drops a last record with an unclosed quote.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.errors import BadInput, Fix

# Positions in a record: FIELD follows a delimiter, BLANK is in blanks there, AFTER is in blanks after a closing quote.
BEGIN, FIELD, BLANK, PLAIN, QUOTED, CLOSED, AFTER = range(7)
WHERE, DELIMITERS, LINE, START, ROWS, RECORDS, RETURN, PROBLEM, SPACED, TIGHT, CR, CRLF = range(12)  # in the state
RAGGED, MISPLACED, OPEN = 1, 2, 3


@compiled
def _scan(block: np.ndarray, state: np.ndarray, delimiter: int, quote: int, skip: int, fields: int) -> None:
    """Advance the state over a block of bytes; stop at the first problem."""
    where, delimiters, returned = state[WHERE], state[DELIMITERS], state[RETURN]
    for byte in block:
        code = np.int64(byte)
        ends = code == 10 or code == 13
        if returned:
            if where == BEGIN:
                state[CRLF if code == 10 else CR] += 1
            if code == 10:
                returned = 0
                continue
        returned = code == 13
        state[LINE] += ends
        if where == QUOTED:
            if code == quote:
                where = CLOSED
        elif where == CLOSED and code == quote:
            where = QUOTED
        elif code == delimiter:
            delimiters += 1
            where = FIELD
        elif ends:
            state[ROWS] += 1
            if state[ROWS] > skip and (where != BEGIN or fields == 1):
                if delimiters + 1 != fields:
                    state[PROBLEM], state[DELIMITERS] = RAGGED, delimiters
                    return
                state[RECORDS] += 1
            where, delimiters, state[START] = BEGIN, 0, state[LINE]
        elif where in (CLOSED, AFTER):
            if code != 32:
                state[PROBLEM] = MISPLACED
                return
            where = AFTER
        elif where != PLAIN:
            if where == FIELD:
                state[SPACED if code == 32 else TIGHT] += 1
            where = BLANK if code == 32 else QUOTED if code == quote else PLAIN
    state[WHERE], state[DELIMITERS], state[RETURN] = where, delimiters, returned


@dataclass(frozen=True)
class Scanned:
    """Properties that only a scan of the whole file reveals."""

    records: int
    end: str  # line ending; DuckDB 2.0 would use the first one, even in a quoted name
    spaced: bool  # whether a blank follows each delimiter that precedes a value


def scanned(blocks: Iterable[bytes], delimiter: str, quote: str, skip: int, fields: int, where: str) -> Scanned:
    """Scan the records after `skip` rows. Raise BadInput with the line of a record that is not well formed."""
    state = np.zeros(12, dtype=np.int64)
    state[LINE] = state[START] = 1
    rules = ord(delimiter), ord(quote) if quote else -1, skip, fields
    last = b""
    for block in blocks:
        _scan(np.frombuffer(block, dtype=np.uint8), state, *rules)
        last = block[-1:] or last
        if state[PROBLEM]:
            break
    if state[WHERE] == QUOTED:
        state[PROBLEM] = OPEN
    elif not state[PROBLEM] and last not in (b"\n", b"\r"):
        _scan(np.frombuffer(b"\n", dtype=np.uint8), state, *rules)
    elif last == b"\r":
        state[CR] += 1
    if state[PROBLEM]:
        raise _bad(state, f"{where}, line {state[START]}", f"delimiter {delimiter!r}, quote {quote!r}", fields)
    if state[CRLF] and state[CR]:
        raise BadInput(f"{where}: mixed line endings, CR and CR LF; write the file again with one of them")
    end = "\r" if state[CR] else "\r\n" if state[CRLF] else "\n"
    return Scanned(int(state[RECORDS]), end, bool(state[SPACED] and not state[TIGHT]))


def _bad(state: np.ndarray, line: str, dialect: str, fields: int) -> BadInput:
    if state[PROBLEM] == RAGGED:
        return BadInput(
            f"{line}: {state[DELIMITERS] + 1} fields where there should be {fields}; "
            f"correct the line, or give {Fix.DELIMITER} and {Fix.QUOTE} if the detected ones are wrong: {dialect}"
        )
    what = "a quote is not closed" if state[PROBLEM] == OPEN else "text follows a closing quote"
    return BadInput(f"{line}: {what}; correct the line, or give {Fix.QUOTE} if the detected one is wrong: {dialect}")
