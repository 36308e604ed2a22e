"""Every byte of a delimited file looked at once: its records counted, ragged lines and open quotes found.

DuckDB 2.0 alone is not enough: read in parallel it drops ragged lines at the seams of its buffers, read in order it
drops a last record with an open quote, and says nothing either way.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from workbench.compiled import compiled
from workbench.errors import BadInput

BEGIN, FIELD, PLAIN, QUOTED, CLOSED, AFTER = range(6)  # where in a record; AFTER: blanks behind a closing quote
WHERE, DELIMITERS, LINE, START, ROWS, RECORDS, RETURN, PROBLEM = range(8)  # places in the state
RAGGED, MISPLACED, OPEN = 1, 2, 3


@compiled
def _scan(block: np.ndarray, state: np.ndarray, delimiter: int, quote: int, skip: int, fields: int) -> None:
    """Move the state over a block of bytes; stop at the first problem."""
    where, delimiters, returned = state[WHERE], state[DELIMITERS], state[RETURN]
    for byte in block:
        code = np.int64(byte)
        ends = code == 10 or code == 13
        if returned and code == 10:
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
        elif code == quote and where != PLAIN:
            where = QUOTED
        elif code != 32 or where == BEGIN:
            where = PLAIN
    state[WHERE], state[DELIMITERS], state[RETURN] = where, delimiters, returned


def count_records(blocks: Iterable[bytes], delimiter: str, quote: str, skip: int, fields: int, where: str) -> int:
    """The number of records after `skip` rows; BadInput with the line where one is not well formed."""
    state = np.zeros(8, dtype=np.int64)
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
    if state[PROBLEM]:
        raise _bad(state, f"{where}, line {state[START]}", f"delimiter {delimiter!r}, quote {quote!r}", fields)
    return int(state[RECORDS])


def _bad(state: np.ndarray, line: str, dialect: str, fields: int) -> BadInput:
    if state[PROBLEM] == RAGGED:
        return BadInput(
            f"{line}: {state[DELIMITERS] + 1} fields where there should be {fields}; "
            f"mend the line, or give delimiter= and quote= if these are wrong: {dialect}"
        )
    what = "a quote is not closed" if state[PROBLEM] == OPEN else "text follows a closing quote"
    return BadInput(f"{line}: {what}; mend the line, or give quote= if this is wrong: {dialect}")
