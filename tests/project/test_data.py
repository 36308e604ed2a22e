"""What data/ holds is what its README and the papers say."""

import csv
import gzip
import hashlib
from collections import Counter
from pathlib import Path

import pytest

from workbench.base.errors import BadInput
from workbench.data.datasets import ADULT_HIERARCHIES, DATA, adult
from workbench.queries.populations import large_populations

TEXT_COLUMNS = [name for name, given in ADULT_HIERARCHIES.items() if isinstance(given, str)]
GROUPS = {  # PUBLISHED.md, "Conventions behind U_loss": these and nothing more
    "workclass": ["Federal-gov Local-gov State-gov", "Self-emp-inc Self-emp-not-inc"],
    "education": [
        "Preschool 1st-4th 5th-6th 7th-8th",
        "9th 10th 11th 12th HS-grad",
        "Some-college Assoc-voc Assoc-acdm",
        "Masters Prof-school Doctorate",
    ],
    "marital_status": ["Married-civ-spouse Married-AF-spouse", "Divorced Separated Married-spouse-absent Widowed"],
    "race": [],
    "sex": [],
}


@pytest.fixture(scope="module")
def records() -> list[dict[str, str]]:
    with gzip.open(DATA / "adult.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


def hierarchy(column: str) -> list[list[str]]:
    return list(csv.reader((DATA / "hierarchies" / f"{column}.csv").read_text().splitlines(), delimiter=";"))


def test_the_file_is_the_one_the_script_builds_and_the_readme_names():
    found = hashlib.sha256(gzip.decompress((DATA / "adult.csv.gz").read_bytes())).hexdigest()
    assert found in (DATA / "README.md").read_text()


def test_records_and_missing_values(records):
    assert len(records) == 48_842
    assert sum(all(record.values()) for record in records) == 45_222
    assert Counter(name for record in records for name, value in record.items() if not value) == {
        "workclass": 2_799,
        "occupation": 2_809,
        "native_country": 857,
    }


def test_columns_and_labels(records):
    assert list(records[0]) == list(ADULT_HIERARCHIES)
    assert Counter(record["salary"] for record in records) == {"<=50K": 37_155, ">50K": 11_687}


def test_occupations_are_distributed_as_in_the_paper(records):
    counts = Counter(record["occupation"] for record in records if all(record.values()))
    assert len(counts) == 14
    assert counts["Priv-house-serv"] == 232


@pytest.mark.parametrize("column", TEXT_COLUMNS)
def test_a_hierarchy_has_exactly_the_values_of_its_column(column, records):
    header, *rows = hierarchy(column)
    assert header[0] == "leaf" and all(len(row) == len(header) for row in rows)
    leaves = [row[0] for row in rows]
    assert sorted(leaves) == sorted({record[column] for record in records} - {""})


def test_every_file_of_hierarchies_is_used():
    assert sorted(path.stem for path in Path(DATA / "hierarchies").iterdir()) == sorted(TEXT_COLUMNS)


@pytest.mark.parametrize("column", GROUPS)
def test_conventions_behind_the_published_figures(column):
    header, *rows = hierarchy(column)
    assert len(header) == (2 if GROUPS[column] else 1)
    members: dict[str, list[str]] = {}
    for row in rows:
        members.setdefault(row[-1], []).append(row[0])
    assert [" ".join(leaves) for leaves in members.values() if len(leaves) > 1] == GROUPS[column]


def test_education_num_counts_in_the_order_of_education(records):
    order = [row[0] for row in hierarchy("education")[1:]]
    assert all(order[int(record["education_num"]) - 1] == record["education"] for record in records)


@pytest.mark.parametrize(("drop_missing", "size"), [(True, 45_222), (False, 48_842)])
def test_adult_loads_with_all_its_columns(drop_missing, size):
    table = adult(drop_missing=drop_missing)
    assert len(table.frame) == size
    assert list(table.frame.columns) == list(ADULT_HIERARCHIES)


def test_the_conventions_give_the_large_populations_of_the_published_figures():
    assert len(large_populations(adult(), 0.05).support) == 1_050


@pytest.mark.parametrize("sensitive", [None, "salary", ["occupation", "salary"]])
def test_adult_takes_none_one_or_several_sensitive_columns(sensitive):
    assert len(adult(["age", "sex"], sensitive).frame) == 45_222


def test_adult_names_the_columns_it_has_when_one_is_unknown():
    with pytest.raises(BadInput, match=r"no column 'marital-status'.*did you mean 'marital_status'"):
        adult(quasi=["age", "marital-status"])
