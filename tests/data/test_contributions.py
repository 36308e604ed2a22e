"""Contributions in the format of the Federal Election Commission."""

from pathlib import Path

import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data import donations
from workbench.data.contributions import read_contributions
from workbench.data.table import Table

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
    written = donations.generate(3_000, 1)
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
