"""Codes become words, digits numbers, blanks missing; other values are refused without a quotation."""

import gzip
import shutil
from pathlib import Path

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.data.public_files import numbers, present, read_contributions, read_visits, spelled, stripped
from workbench.data.table import Table


def test_blanks_are_missing():
    assert list(stripped(pd.Series([" a ", "  ", ""])).fillna("none")) == ["a", "none", "none"]


def test_codes_are_replaced_by_words_and_unknown_ones_refused():
    column = pd.Series(["1", " 2", ""])
    assert list(spelled(column, {"1": "one", "2": "two"}, "f", "x").fillna("none")) == ["one", "two", "none"]
    with pytest.raises(BadInput, match="f, line 2: x is an unknown code; add its meaning to codes"):
        spelled(column, {"1": "one"}, "f", "x")


def test_digits_are_integers_if_all_values_are():
    assert list(numbers(pd.Series(["07", " 8"]), "f", "x")) == [7, 8]
    assert numbers(pd.Series(["7", ""]), "f", "x").isna().tolist() == [False, True]
    assert list(numbers(pd.Series(["7.5", "8"]), "f", "x")) == [7.5, 8]
    for wrong in ("seven", "inf", "nan"):
        with pytest.raises(BadInput, match="f, line 1: x is not a number"):
            numbers(pd.Series([wrong]), "f", "x")


def test_a_compressed_file_is_refused_with_advice(tmp_path):
    packed = tmp_path / "indiv08.zip"
    packed.touch()
    with pytest.raises(BadInput, match="unpack it, and use the text file in it"):
        present(packed)
    with pytest.raises(BadInput, match="not an existing file"):
        present(tmp_path)


# Contributions in the format of the Federal Election Commission.

REAL = Path(__file__).parents[3] / "shared" / "data" / "donations-2008.csv.gz"
LINE = 'C00000001|N|M4|P2008|28930|15|IND|DOE, JANE|TOWN|TX|752061234|PIER "ONE|CLERK|03142008|250||A1|33|||40101'
MORE = "C00000002|A|M4|P2008|28931|15|ORG||CITY|NJ|08844|||03152008|-1000.50||A2|33|X|note|40102"


@pytest.fixture
def itcont(tmp_path) -> Path:
    path = tmp_path / "itcont.txt"
    path.write_text("\n".join([LINE, MORE, LINE.replace("PIER", "JOS\xc9"), ""]), "latin-1")
    return path


def test_columns_are_named_and_codes_spelled_out(itcont):
    frame = read_contributions(itcont)
    assert list(frame) == ["state", "zip", "employer", "occupation", "entity", "amount"]
    assert list(frame.zip) == ["75206", "08844", "75206"] and list(frame.state) == ["TX", "NJ", "TX"]
    assert list(frame.entity) == ["individual", "organization", "individual"]
    assert list(frame.amount) == [250, -1000.5, 250]
    assert frame.employer[0] == 'PIER "ONE' and frame.employer[2] == 'JOS\xc9 "ONE' and pd.isna(frame.employer[1])
    table = Table.read(frame, quasi=["state", "zip", "employer"], sensitive="entity")
    assert table.records == 3 and table.columns["zip"].kind == "text" and table.columns["amount"].kind == "number"


def test_donations_survive_a_round_trip(tmp_path):
    written = datasets.generate_donations(3_000, 1)
    bare = ["C1", "N", "M4", "P2008", "1", "15", "IND", "", "TOWN"]
    rows = zip(*(written[name].astype(str) for name in ("state", "zip", "employer")), written.amount, strict=True)
    lines = ["|".join([*bare, s, f"{z}1234", e, "", "", str(a), *[""] * 6]) for s, z, e, a in rows]
    (tmp_path / "itcont.txt").write_text("\n".join(lines))
    read = read_contributions(tmp_path / "itcont.txt")
    assert all(list(read[name]) == list(written[name]) for name in ("state", "zip", "employer", "amount"))


def test_the_party_is_that_of_the_committee(itcont, tmp_path):
    committees = tmp_path / "cm.txt"
    fields = [""] * 15
    fields[0], fields[1], fields[10] = "C00000001", "A PARTY", "DEM"
    committees.write_text("|".join(fields) + "\n")
    frame = read_contributions(itcont, committees)
    assert frame.party[0] == "DEM" and pd.isna(frame.party[1]) and list(frame)[-1] == "party"
    committees.write_text("C1|x\n")
    with pytest.raises(BadInput, match=r"cm.txt: line 1 has 2 fields; in this format each line has 15 fields"):
        read_contributions(itcont, committees)


def test_further_columns_are_read_at_given_positions(itcont):
    frame = read_contributions(
        itcont, places={"date": 14, "amendment": 2, "entity": 6}, codes={"entity": {"15": "gift"}}
    )
    assert list(frame.date)[:2] == ["03142008", "03152008"] and list(frame.amendment)[:2] == ["new", "amendment"]
    assert set(frame.entity) == {"gift"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            [LINE, "C1|N|secret"],
            "line 2 has 3 fields; in this format each line has 21 fields, separated by vertical bars",
        ),
        (["state,zip", "secret,75206"], "line 1 has 1 fields; in this format"),
        ([], "it cannot be read as lines of text; in this format each line"),
        ([LINE, LINE.replace("|IND|", "|secret|")], r"line 2: field 7 \(entity\) is an unknown code"),
        ([LINE, LINE.replace("|250|", "|secret|")], r"line 2: field 15 \(amount\) is not a number"),
        ([LINE.replace("|250|", "|inf|")], r"line 1: field 15 \(amount\) is not a number"),
    ],
)
def test_a_file_of_another_form_is_refused_in_one_sentence(tmp_path, lines, said):
    path = tmp_path / "itcont.txt"
    path.write_text("\n".join(lines))
    with pytest.raises(BadInput, match=said) as refused:
        read_contributions(path)
    assert "secret" not in str(refused.value) and refused.value.__context__ is None


def test_invalid_fields_and_files_are_reported(itcont, tmp_path):
    with pytest.raises(BadInput, match="there is no field 22 in this format; use a number from 1 to 21"):
        read_contributions(itcont, places={"date": 22})
    with pytest.raises(BadInput, match="not an existing file"):
        read_contributions(tmp_path / "none.txt")


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/donations-2008.csv.gz")
def test_the_bundled_donations_have_another_format():
    with pytest.raises(BadInput, match=r"line 1 has 1 fields; in this format each line has 21 fields"):
        read_contributions(REAL)


# Visits in the fixed-width format of the ambulatory care survey of 1973.

SURVEY_RECORDS_REAL = Path(__file__).parents[3] / "shared" / "data" / "namcs-2011.csv.gz"


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


def test_survey_records_further_columns_are_read_at_given_positions(tape):
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
def test_survey_records_a_file_of_another_form_is_refused_in_one_sentence(tmp_path, text, said):
    path = tmp_path / "tape"
    path.write_text(text)
    with pytest.raises(BadInput, match=said) as refused:
        read_visits(path)
    assert "secr" not in str(refused.value)


def test_invalid_positions_are_reported(tape):
    with pytest.raises(BadInput, match="race: specify the first and the last position"):
        read_visits(tape, {"race": (0, 1)})


@pytest.mark.skipif(not SURVEY_RECORDS_REAL.exists(), reason="needs ../shared/data/namcs-2011.csv.gz")
def test_the_bundled_survey_has_another_format(tmp_path):
    path = tmp_path / "namcs.csv"
    with gzip.open(SURVEY_RECORDS_REAL) as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    with pytest.raises(BadInput, match=r"check the format of the file"):
        read_visits(path)
