"""A thousand awkward text files, read here and by Python's csv: the same records, or a note about the difference."""

import csv
import io
import random
from decimal import Decimal, InvalidOperation

import numpy as np
import pyarrow as pa
import pytest

from tests.data.encoded import encode
from workbench.data.reading.opening import open_source

PIECES = [
    *"abé😀10.-E+x'|,;\t\" \r\n\f\v",
    "  ",
    "\u00a0",
    "\u2028",
    "\u2029",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x85",
    "\ufeff",
]
ENDS = ("\n", "\r\n", "\r")


def awkward(rng: random.Random) -> tuple[str, str]:
    """Generate a well-formed file and its delimiter, with quotes where necessary, or everywhere."""
    delimiter, end, always, width = rng.choice(",;\t|"), rng.choice(ENDS), rng.random() < 0.4, rng.randint(2, 4)

    def field() -> str:
        return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, 4)))

    def written(text: str) -> str:
        needed = always or any(sign in text for sign in (delimiter, '"', "\r", "\n"))
        return '"' + text.replace('"', '""') + '"' if needed else text

    names = [rng.choice(["{}", f"{field()}{{}}{field()}"]).format(f"{rng.choice('abc')}{i}") for i in range(width)]
    rows = [names, *([field() for _ in range(width)] for _ in range(rng.randint(1, 12)))]
    text = "".join(delimiter.join(map(written, row)) + end for row in rows)
    if rng.random() < 0.3:
        text = text.removesuffix(end)
    above = rng.choice(["", "", "", "", "\ufeff", end, f"\f{end}", f"\u2028{end}", f"\x1c{end}{end}"])
    return above + text, delimiter


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.exhaustive) for part in range(2, 10))])
def test_a_thousand_awkward_files_are_read_as_csv_reads_them(tmp_path, part):
    rng = random.Random(part)
    for number in range(100):
        text, delimiter = awkward(rng)
        path = tmp_path / f"{number}.csv"
        path.write_bytes(text.encode())
        rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)]
        names, *records = [row for row in rows if len(row) > 1]
        source = open_source(path)
        read = pa.Table.from_batches(source.batches(source.names))
        assert [list(record.values()) for record in read.to_pylist()] == records, text
        assert source.names == [name.strip(" ") for name in names], text
        said = "blanks around column names are removed" in source.notes
        assert said == (source.names != names), text
        source.close()


@pytest.mark.parametrize("sign", ["\f", "\v", "\u2028", "\u2029", "\x1c", "\x1d", "\x1e", "\x85"])
def test_line_ends_known_only_to_python_are_not_line_ends(tmp_path, sign):
    path = tmp_path / "people.csv"
    for header in (f"{sign}\na,b", f"{sign}a,b", f"a{sign},b", f"a{sign}c,b", f"a,b{sign}"):
        path.write_text(f"{header}\n1,x\n2,y{sign}z\n", encoding="utf-8", newline="")
        source = open_source(path)
        assert source.names == header.removeprefix(f"{sign}\n").split(",")
        assert [list(row.values()) for row in pa.Table.from_batches(source.batches(source.names)).to_pylist()] == [
            ["1", "x"],
            ["2", f"y{sign}z"],
        ]


@pytest.mark.parametrize("end", ENDS)
def test_any_line_end_may_be_quoted(tmp_path, end):
    path = tmp_path / "people.csv"
    path.write_bytes(f'"a\r\nx",b{end}"1\r2","3\n4"{end}{end}"5\r\n6",7{end}'.encode())
    source = open_source(path)
    read = pa.Table.from_batches(source.batches(source.names)).to_pydict()
    assert read == {"a\r\nx": ["1\r2", "5\r\n6"], "b": ["3\n4", "7"]}


def test_blanks_after_every_delimiter_are_removed_with_a_note(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('a, b, c\n1, x,  y\n2, "p, q",\n')
    source = open_source(path)
    read = pa.Table.from_batches(source.batches(source.names)).to_pydict()
    assert read == {"a": ["1", "2"], "b": ["x", "p, q"], "c": [" y", ""]}
    assert [note for note in source.notes if "a blank follows every delimiter" in note]
    path.write_text("a, b\n1, x\n2,x\n")
    source = open_source(path)
    assert pa.Table.from_batches(source.batches(["b"])).to_pydict() == {"b": [" x", "x"]}
    assert not [note for note in source.notes if "a blank follows every delimiter" in note]


KINDS = {  # values that a column may be of, and those that turn up among them
    "long integers": ["9007199254740993", "9007199254740992", "12345678901234567", "5", "0.5", "9007199254740993.0"],
    "exponents": ["1E10", "2E3", "2e3", "305", "12", "1.5", "1e-5"],
    "dotted thousands": ["1.234", "12.500", "999", "1.234.567", "0.5"],
    "commas": ["1,5", "1,234", "20", "12,500", "1,000,000"],
    "many digits": ["0.10000000000000000001", "0.1", "0.12345678901234567", "3", "0.12345678901234568"],
    "moments": ["2024-01-01T10:00", "2024-01-01T10:00+02:00", "2024-01-01T08:00Z", "2024-01-01", "2024-01-01 10:00:00"],
    "nanoseconds": ["2024-01-01T10:00:00.123456789", "2024-01-01T10:00:00.123456", "2024-01-01"],
    "blanks": ["a", " a", "a ", "a\u00a0", "b", "\u2003b", "a\u2028", " "],
    "numbers with blanks": [" 5", "5", "5\u00a0", "05", "7", "?", " ?"],
}


def means(label: str, text: str) -> bool:
    """Return whether a value equals its text, number (as a float) or date."""
    if label == text:
        return True
    try:
        near = len(text) < 20 and abs(Decimal(text.strip())) < 1 and float(label) == float(text)
        return near or Decimal(label) == Decimal(text.strip())
    except InvalidOperation:
        pass
    try:
        return np.datetime64(label) == np.datetime64(text.strip().removesuffix("Z"))
    except ValueError:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_each_value_equals_its_text_or_there_is_a_note(tmp_path, kind):
    rng = random.Random(kind)
    for _ in range(30):
        pool = rng.sample(KINDS[kind], rng.randint(1, len(KINDS[kind])))
        texts = [*pool, *(rng.choice(pool) for _ in range(5))]
        path = tmp_path / "people.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows([["x", "row"], *([t, i] for i, t in enumerate(texts))])
        source = open_source(path, delimiter=";")
        if all(text.strip() in ("", "?") for text in texts):
            continue
        column, codes = encode(source, ["x"])["x"]
        notes = [note for note in source.notes if note.startswith("x: ")]
        for text, code in zip(texts, codes, strict=True):
            missing = code == len(column.values)
            assert notes or (not missing and means(column.labels[code], text)), (texts, column.labels)
        source.close()
