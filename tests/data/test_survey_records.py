"""Visits in the fixed-width format of the ambulatory care survey of 1973."""

import gzip
import shutil
from pathlib import Path

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data.survey_records import read_visits
from workbench.data.table import Table

REAL = Path(__file__).parents[3] / "shared" / "data" / "namcs-2011.csv.gz"


def record(visit="0673", birth="0600", sex="1", race="1", diagnosis="Y105", weight="0000019129") -> str:
    return f"{visit}{birth}{sex}{race}".ljust(38) + diagnosis.ljust(32) + weight


@pytest.fixture
def tape(tmp_path) -> Path:
    path = tmp_path / "namcs73"
    path.write_text(
        "\r\n".join([record(), record("0174", "1273", "2", "2", "7287"), record(birth="9998", diagnosis="    ")])
    )
    return path


def test_columns_are_named_and_years_have_their_century(tape):
    frame = read_visits(tape)
    assert list(frame) == ["visit_month", "visit_year", "birth_month", "birth_year", "sex", "diagnosis", "weight"]
    assert list(frame.birth_year) == [1900, 1973, 1898] and list(frame.visit_year) == [1973, 1974, 1973]
    assert list(frame.sex) == ["female", "male", "female"] and list(frame.weight) == [19129] * 3
    assert frame.birth_month[0] == 6 and pd.isna(frame.birth_month[2]) and pd.isna(frame.diagnosis[2])
    table = Table.read(frame, quasi=["birth_month", "birth_year", "sex"], sensitive="diagnosis", weight="weight")
    assert table.records == 3 and table.weight == "weight" and table.columns["birth_month"].missing == 1


def test_further_columns_are_read_at_given_positions(tape):
    frame = read_visits(tape, {"race": (10, 10)}, {"race": {"1": "white", "2": "other"}})
    assert list(frame.race) == ["white", "other", "white"]
    assert read_visits(tape, {"diagnosis": (39, 41)}).diagnosis[0] == "Y10"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty, but the positions need 80 characters per line"),
        (record() + "\nsecret", "line 2 is shorter, but the positions need 80 characters per line"),
        (record() + "\n" + record(sex="8"), r"line 2: positions 9 to 9 \(sex\) is an unknown code"),
        (
            record(birth="secr"),
            r"line 1: positions 5 to 6 \(birth_month\) is not a number; check the format of the file",
        ),
    ],
)
def test_a_file_of_another_form_is_refused_in_one_sentence(tmp_path, text, said):
    path = tmp_path / "tape"
    path.write_text(text)
    with pytest.raises(BadInput, match=said) as refused:
        read_visits(path)
    assert "secr" not in str(refused.value)


def test_invalid_positions_are_reported(tape):
    with pytest.raises(BadInput, match="race: give the first and the last position"):
        read_visits(tape, {"race": (0, 1)})


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/namcs-2011.csv.gz")
def test_the_bundled_survey_has_another_format(tmp_path):
    path = tmp_path / "namcs.csv"
    with gzip.open(REAL) as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    with pytest.raises(BadInput, match=r"check the format of the file"):
        read_visits(path)
