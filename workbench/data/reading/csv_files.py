"""Delimited text files: how one is written (encoding, delimiter, quotes, header), and a scan of every byte of it."""

from __future__ import annotations

import codecs
import csv
import io
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workbench.base.compiled import compiled
from workbench.base.errors import BadInput, Fix
from workbench.data.reading.formats import BLOCK, blocks, opened, raw_blocks

SAMPLE = 1 << 18
DELIMITERS = ",;\t|"
MOSTLY = 0.9  # minimum share of rows with as many fields as the first
MARKS = (  # longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
PRINTED = bytes([*b"\t\n\v\f\r\x1b", *range(32, 256)])


@dataclass(frozen=True)
class Dialect:
    """The properties needed to read a file field by field."""

    delimiter: str
    quote: str
    names: list[str]
    above: int  # blank rows at the beginning
    header: bool  # whether the first row has the names
    stripped: bool  # whether names had blanks around them


def opened_text(path: Path, encoding: str) -> io.TextIOWrapper:
    """Open a file as text without its byte order mark; line ends are not changed."""
    return io.TextIOWrapper(opened(path), encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")


def find_encoding(path: Path, given: str | None = None) -> tuple[str, list[str]]:
    """Return an encoding that can read the whole file, and notes about it."""
    with closing(raw_blocks(path)) as found:
        head = next(found, b"")[:4]
    if not head:
        raise BadInput(f"{path}: the file is empty; choose one with records")
    marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
    encoding = _codec_name(given, path) if given else marked or "utf-8"
    line = first_unreadable(path, encoding)
    if line is None:
        return encoding, [f"encoding {encoding}"]
    if given or marked:
        raise BadInput(
            f"{path}, line {line}: not valid {encoding}; set its encoding, for example {Fix.ENCODING('cp1252')}"
        )
    first_unreadable(path, "latin-1", guessed=True)
    return "latin-1", [
        f"encoding latin-1: line {line} is not valid utf-8; if letters look wrong, set {Fix.ENCODING} (often 'cp1252')"
    ]


def _codec_name(encoding: str, path: Path) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        pass
    raise BadInput(f"{path}: encoding {encoding!r} is unknown; try 'utf-8', 'utf-16', 'latin-1' or 'cp1252'")


def first_unreadable(path: Path, encoding: str, guessed: bool = False) -> int | None:
    """Return the line of the first byte that this encoding cannot read. Raise BadInput if the file is not text."""
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    for block in blocks(path):
        pending = decoder.getstate()[0]
        try:
            text = decoder.decode(block)
        except UnicodeDecodeError as error:
            return line + (pending + block)[: error.start].count(b"\n")
        except UnicodeError:  # UTF-16 or UTF-32 with unknown byte order
            return line
        if "\0" in text or (guessed and block.translate(None, PRINTED)):
            raise BadInput(
                f"{path}: not a text file; if it is Parquet use {Fix.FORMAT('parquet')}, "
                f"if it is UTF-16 without a byte order mark use {Fix.ENCODING('utf-16-le')}"
            )
        line += text.count("\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return line
    return None


def to_utf8(path: Path, encoding: str, target: Path, most_bytes: int | None = None) -> Path:
    """Copy the text to UTF-8; the default limit is half of the free disk space."""
    left = shutil.disk_usage(target.parent).free // 2 if most_bytes is None else most_bytes
    with opened_text(path, encoding) as source, target.open("wb") as copy:
        while block := source.read(BLOCK).encode():
            left -= len(block)
            if left < 0:
                raise BadInput(
                    f"{path}: not enough space for a copy in UTF-8 on the disk of {target.parent.parent}; "
                    f"choose another folder with {Fix.TEMP_DIRECTORY}"
                )
            copy.write(block)
    return target


def find_dialect(
    path: Path,
    encoding: str,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool = True,
    where: str = "",
) -> Dialect:
    """Detect delimiter, quote and column names from the beginning of the file.

    `where` is the name in messages, if the file is a copy.
    """
    where = where or str(path)
    for what, given in (("delimiter", delimiter), ("quote", quote)):
        if given is not None and (len(given) != 1 or not given.isascii()) and (what, given) != ("quote", ""):
            raise BadInput(f"{where}: {Fix(what)(given)} must be one ASCII character")
    with opened_text(path, encoding) as file:
        sample = file.read(SAMPLE)
    if len(sample) == SAMPLE and "\n" in sample:
        sample = sample[: sample.rindex("\n") + 1]
    if not sample.strip():
        raise BadInput(f"{where}: the file is empty; choose one with records")
    if re.match(r"\s*(\[\s*)?\{\s*\"", sample):
        raise BadInput(f"{where}: this is JSON, not delimited text; use {Fix.FORMAT('json')} or {Fix.FORMAT('ndjson')}")
    candidates = [delimiter] if delimiter else list(DELIMITERS)
    given, delimiter = delimiter, max(candidates, key=lambda d: _likelihood(sample, d, quote))
    if given is None and _fit(sample, delimiter, quote)[1] == 1:
        _refuse_spaces(sample, where, quote)
    quote = find_quote(sample, delimiter) if quote is None else quote
    above, first = next((i, row) for i, row in enumerate(parsed(sample, delimiter, quote)) if row)
    names = [name.strip(" ") if header else "" for name in first]
    as_written = next(row for row in parsed(sample, delimiter, quote, blanks=True) if row)
    stripped = any(name != name.strip(" ") and name.strip(" ") in names for name in as_written)
    return Dialect(delimiter, quote, _unique(names, where), above, header, header and stripped)


def _refuse_spaces(sample: str, where: str, quote: str | None) -> None:
    """Raise BadInput for text in one column whose lines all have as many words as the first."""
    lines = [line.strip(" ") for line in sample.splitlines() if line.strip(' "')]
    if len(lines) < 2 or _fit("\n".join(re.sub(" +", " ", line) for line in lines), " ", quote) < (MOSTLY, 2):
        return
    single = f"or use {Fix.DELIMITER(',')} if each line is one field"
    if any("  " in line for line in lines):
        raise BadInput(f"{where}: the columns seem to be aligned by spaces; separate them by commas, {single}")
    raise BadInput(f"{where}: the fields seem to be separated by spaces; use {Fix.DELIMITER(' ')}, {single}")


def parsed(text: str, delimiter: str, quote: str, blanks: bool = False) -> Iterator[list[str]]:
    """Yield the rows of a text, as far as they can be parsed; a blank line is an empty row."""
    reader = csv.reader(
        io.StringIO(text, newline=""),  # str.splitlines would also split at form feeds, U+2028 and the like
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        skipinitialspace=not blanks,
    )
    try:
        for row in reader:
            yield row if len(row) > 1 or any(field.strip() for field in row) else []
    except csv.Error:
        return


def _fit(sample: str, delimiter: str, quote: str | None) -> tuple[float, int]:
    """Return the share of rows with as many fields as the first, then that number of fields."""
    quote = find_quote(sample, delimiter) if quote is None else quote
    counts = [len(row) for row in parsed(sample, delimiter, quote) if row]
    if not counts or counts[0] == 1:
        return 0.0, 1
    return sum(count == counts[0] for count in counts) / len(counts), counts[0]


def _likelihood(sample: str, delimiter: str, quote: str | None) -> tuple[float, int, int]:
    """Return a sort key: the share of rows that fit, then few quotes within fields, then many fields.

    A wrong delimiter splits quoted fields, so their quotes become part of the values.
    """
    share, fields = _fit(sample, delimiter, quote)
    own = find_quote(sample, delimiter) if quote is None else quote
    within = sum(field.count(own) for row in parsed(sample, delimiter, own) for field in row) if own else 0
    return share, -within, fields


def find_quote(sample: str, delimiter: str) -> str:
    """Return the double quote, or the single quote if no field begins with a double quote, and single quotes are needed
    to split the rows, or enclose every field of the header. Otherwise, single quotes are part of the values.
    """
    start, end = rf"(?:^|{re.escape(delimiter)}) *", rf" *(?:{re.escape(delimiter)}|\r?$)"
    if re.search(start + '"', sample, re.M) or not re.search(rf"{start}'(?:[^']|'')*'{end}", sample, re.M):
        return '"'
    header = next((row for row in parsed(sample, delimiter, "") if row), [])
    enclosed = all(re.fullmatch(r" *'(?:[^']|'')*' *", name) for name in header)
    return max("'\"" if enclosed else "\"'", key=lambda quote: _fit(sample, delimiter, quote))


def _unique(names: list[str], where: str) -> list[str]:
    """Return the names, with `column 3` for an empty one. Raise BadInput for duplicates."""
    names = [name or f"column {position}" for position, name in enumerate(names, 1)]
    refuse_duplicates(names, where)
    return names


def refuse_duplicates(names: list[str], where: str) -> None:
    """Raise BadInput if two columns have the same name."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, 1):
        places.setdefault(name, []).append(place)
    twice = next((found for found in places.values() if len(found) > 1), None)
    if twice:
        raise BadInput(
            f"{where}: columns {' and '.join(map(str, twice))} have the same name; rename all but one, "
            f"or use {Fix.HEADER(False)} if the first line of the file is a record"
        )


# Scan every byte of a delimited file: count records, find ragged lines and unclosed quotes.
#
# DuckDB 2.0 is not sufficient: its parallel reader silently drops ragged lines at the boundaries of its buffers, and
# its sequential reader drops a last record with an unclosed quote.

# Positions in a record: FIELD follows a delimiter, BLANK is in blanks there, AFTER is in blanks after a closing quote.
BEGIN, FIELD, BLANK, PLAIN, QUOTED, CLOSED, AFTER = range(7)
WHERE, DELIMITER_COUNT, LINE, START, ROWS, RECORDS, RETURN, PROBLEM, SPACED, TIGHT, CR, CRLF = range(12)  # in the state
RAGGED, MISPLACED, OPEN = 1, 2, 3


@compiled
def _scan(block: np.ndarray, state: np.ndarray, delimiter: int, quote: int, skip: int, fields: int) -> None:
    """Advance the state over a block of bytes; stop at the first problem."""
    where, delimiters, returned = state[WHERE], state[DELIMITER_COUNT], state[RETURN]
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
                    state[PROBLEM], state[DELIMITER_COUNT] = RAGGED, delimiters
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
    state[WHERE], state[DELIMITER_COUNT], state[RETURN] = where, delimiters, returned


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
            f"{line}: {state[DELIMITER_COUNT] + 1} fields where there should be {fields}; "
            f"correct the line, or set {Fix.DELIMITER} and {Fix.QUOTE} if the detected ones are wrong: {dialect}"
        )
    what = "a quote is not closed" if state[PROBLEM] == OPEN else "text follows a closing quote"
    return BadInput(f"{line}: {what}; correct the line, or set {Fix.QUOTE} if the detected one is wrong: {dialect}")
