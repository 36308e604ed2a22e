"""How a delimited text file is written: its encoding, delimiter, quotes and header. Types are not guessed here."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import shutil
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from workbench.base.errors import BadInput

SAMPLE = 1 << 18
BLOCK = 1 << 22
DELIMITERS = ",;\t|"
MARKS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
PRINTED = bytes([*b"\t\n\v\f\r\x1b", *range(32, 256)])


@dataclass(frozen=True)
class Dialect:
    """What has to be known to read a file field by field."""

    delimiter: str
    quote: str
    names: list[str]
    above: int  # blank rows before anything else
    header: bool  # whether names come before the first record
    stripped: bool  # whether names had blanks around them


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked when its name ends in .gz."""
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]


def blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, some at a time, without a byte order mark of UTF-8."""
    first = True
    for block in raw_blocks(path):
        yield block.removeprefix(codecs.BOM_UTF8) if first else block
        first = False


def raw_blocks(path: Path) -> Generator[bytes]:
    """The bytes of a file, some at a time, as they are."""
    broken = False
    try:
        with opened(path) as file:
            while block := file.read(BLOCK):
                yield block
    except (OSError, EOFError, zlib.error):
        broken = True
    if broken:
        raise BadInput(f"{path}: the file is damaged or cut off; get it again")


def refuse_larger(path: Path, most: int, stop: Callable[[], bool] = lambda: False) -> None:
    """Raise BadInput when a packed file holds more bytes than this; `stop` is asked whether nobody wants to know."""
    total = 0
    for block in blocks(path):
        total += len(block)
        if total > most:
            allowed = f"the {most / 1e6:,.1f} MB allowed"
            raise BadInput(f"{path}: unpacked it has more than {allowed}; leave out columns that are not needed")
        if stop():
            return


def opened_text(path: Path, encoding: str) -> io.TextIOWrapper:
    """The text of a file without its byte order mark, line ends as they are."""
    return io.TextIOWrapper(opened(path), encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")


def find_encoding(path: Path, given: str | None = None) -> tuple[str, list[str]]:
    """The encoding that the whole file can be read in, and what to say about it."""
    with closing(raw_blocks(path)) as found:
        head = next(found, b"")[:4]
    if not head:
        raise BadInput(f"{path}: the file is empty; name one with records")
    marked = next((name for mark, name in MARKS if head.startswith(mark)), None)
    encoding = _known(given, path) if given else marked or "utf-8"
    line = first_unreadable(path, encoding)
    if line is None:
        return encoding, [f"encoding {encoding}"]
    if given or marked:
        raise BadInput(
            f"{path}, line {line}: not valid {encoding}; "
            "give the encoding it was written in, for example encoding='cp1252'"
        )
    first_unreadable(path, "latin-1", guessed=True)
    return "latin-1", [
        f"encoding latin-1: line {line} is not valid utf-8; where letters look wrong, give encoding= (often 'cp1252')"
    ]


def _known(encoding: str, path: Path) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        pass
    raise BadInput(f"{path}: encoding {encoding!r} is not known; try 'utf-8', 'utf-16', 'latin-1' or 'cp1252'")


def first_unreadable(path: Path, encoding: str, guessed: bool = False) -> int | None:
    """The line of the first byte that this encoding cannot read; BadInput when the file is no text at all."""
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    for block in blocks(path):
        pending = decoder.getstate()[0]
        try:
            text = decoder.decode(block)
        except UnicodeDecodeError as error:
            return line + (pending + block)[: error.start].count(b"\n")
        except UnicodeError:  # UTF-16 or UTF-32 whose byte order nothing says
            return line
        if "\0" in text or (guessed and block.translate(None, PRINTED)):
            raise BadInput(
                f"{path}: not a text file; if it is Parquet say format='parquet', "
                "if it is UTF-16 without a byte order mark say encoding='utf-16-le'"
            )
        line += text.count("\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return line
    return None


def to_utf8(path: Path, encoding: str, target: Path, most_bytes: int | None = None) -> Path:
    """A copy of the text in UTF-8, for readers that know nothing else; by default half of the free disk at most."""
    left = shutil.disk_usage(target.parent).free // 2 if most_bytes is None else most_bytes
    with opened_text(path, encoding) as source, target.open("wb") as copy:
        while block := source.read(BLOCK).encode():
            left -= len(block)
            if left < 0:
                raise BadInput(
                    f"{path}: a copy in UTF-8 does not fit on the disk of {target.parent.parent}; write the file in "
                    "UTF-8, or name another folder with temp_directory="
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
    """Delimiter and quote from the beginning of the file, and the column names from its header; `where` is what
    messages call it, if it is a copy."""
    where = where or str(path)
    for what, given in (("delimiter", delimiter), ("quote", quote)):
        if given is not None and (len(given) != 1 or not given.isascii()) and (what, given) != ("quote", ""):
            raise BadInput(f"{where}: {what}={given!r} must be one character of ASCII")
    with opened_text(path, encoding) as file:
        sample = file.read(SAMPLE)
    if len(sample) == SAMPLE and "\n" in sample:
        sample = sample[: sample.rindex("\n") + 1]
    if not sample.strip():
        raise BadInput(f"{where}: the file is empty; name one with records")
    if re.match(r"\s*(\[\s*)?\{\s*\"", sample):
        raise BadInput(f"{where}: this is JSON, not delimited text; say format='json', or format='ndjson'")
    candidates = [delimiter] if delimiter else list(DELIMITERS)
    delimiter = max(candidates, key=lambda d: _fit(sample, d, quote))
    quote = find_quote(sample, delimiter) if quote is None else quote
    above, first = next((i, row) for i, row in enumerate(parsed(sample, delimiter, quote)) if row)
    names = [name.strip(" ") if header else "" for name in first]
    as_written = next(row for row in parsed(sample, delimiter, quote, blanks=True) if row)
    stripped = any(name != name.strip(" ") and name.strip(" ") in names for name in as_written)
    return Dialect(delimiter, quote, _unique(names, where), above, header, header and stripped)


def parsed(text: str, delimiter: str, quote: str, blanks: bool = False) -> Iterator[list[str]]:
    """The rows of a text, as far as they can be told apart; a blank line is an empty row."""
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
    """The share of rows with as many fields as the first, then how many that is."""
    quote = find_quote(sample, delimiter) if quote is None else quote
    counts = [len(row) for row in parsed(sample, delimiter, quote) if row]
    if not counts or counts[0] == 1:
        return 0.0, 1
    return sum(count == counts[0] for count in counts) / len(counts), counts[0]


def find_quote(sample: str, delimiter: str) -> str:
    """The double quote, unless none opens a field, single quotes enclose some and rows fit as well with them.

    Apostrophes in different lines enclose something only where rows fit better so.
    """
    start, end = rf"(?:^|{re.escape(delimiter)}) *", rf" *(?:{re.escape(delimiter)}|\r?$)"
    if re.search(start + '"', sample, re.M) or not re.search(rf"{start}'(?:[^']|'')*'{end}", sample, re.M):
        return '"'
    in_a_line = re.search(rf"{start}'(?:[^'\r\n]|'')*'{end}", sample, re.M)
    return max("'\"" if in_a_line else "\"'", key=lambda quote: _fit(sample, delimiter, quote))


def _unique(names: list[str], where: str) -> list[str]:
    """The names, `column 3` where there is none; BadInput when one stands twice."""
    names = [name or f"column {position}" for position, name in enumerate(names, 1)]
    refuse_duplicates(names, where)
    return names


def refuse_duplicates(names: list[str], where: str) -> None:
    """Raise BadInput when two columns share a name."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, 1):
        places.setdefault(name, []).append(place)
    twice = next((found for found in places.values() if len(found) > 1), None)
    if twice:
        raise BadInput(
            f"{where}: columns {' and '.join(map(str, twice))} have the same name; rename all but one, "
            "or say header=False if the first line of a file is a record"
        )
