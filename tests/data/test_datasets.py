"""The bundled tables and their hierarchies exist."""

import gzip
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.data.datasets import numbers, present, read_contributions, read_visits, spelled, stripped
from workbench.data.records import fingerprint
from workbench.data.table import Table


def test_every_bundled_hierarchy_fits_its_column(adult):
    for name in set(datasets.ADULT_HIERARCHIES) & set(adult.quasi):
        column = adult.columns[name]
        made = datasets.hierarchy("adult", name)(replace(column, hierarchy=None))
        assert column.hierarchy.spec() == made.spec()


def test_an_unknown_dataset_is_reported():
    assert datasets.path("adult").is_file()
    with pytest.raises(BadInput):
        datasets.path("nonsense")
    with pytest.raises(BadInput):
        datasets.hierarchy("adult", "nonsense")


@pytest.mark.parametrize("generated", [datasets.donations, datasets.ambulatory])
def test_generated_tables_are_marked_as_such(generated):
    table = generated(n=400, seed=3)
    assert table.records == 400 and "generated" in table.notes[-1] and "enerated" in generated.__doc__
    assert fingerprint(table) == fingerprint(generated(n=400, seed=3)) != fingerprint(generated(n=400, seed=4))


def test_generated_tables_have_the_roles_of_the_paper():
    gifts, visits = datasets.donations(n=400), datasets.ambulatory(n=400)
    assert gifts.quasi == ("state", "zip", "employer") and gifts.neutral == ("amount",)
    assert tuple(gifts.sensitive) == ("party",)
    assert visits.quasi == ("birth_month", "birth_year", "sex", "race", "region")
    assert tuple(visits.sensitive) == ("symptom", "diagnosis", "x_rayed", "therapy", "family_planning")
    assert gifts.columns["zip"].kind == "text" and gifts.columns["amount"].kind == "number"


def test_the_number_of_records_must_be_an_integer():
    for wrong in ({"n": 0}, {"seed": -1}):
        with pytest.raises(BadInput, match="n must be at least 1 and seed at least 0"):
            datasets.donations(**wrong)


# Generated visits have the sizes of Srivastava & Weis's health table, and plausible dependencies.

QUASI = ["birth_month", "birth_year", "sex", "race", "region"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return datasets.generate_visits(29_102, 0)


@pytest.mark.parametrize("seed", range(5))
def test_the_combinations_are_as_many_as_printed_within_two_per_cent(seed):
    found = datasets.generate_visits(29_102, seed)[QUASI].drop_duplicates()
    assert abs(len(found) / 9_678 - 1) < 0.02


def test_the_columns_are_those_of_the_slides(frame):
    assert list(frame) == [*QUASI, "symptom", "diagnosis", "x_rayed", "therapy", "family_planning"]
    assert set(frame.birth_month) == set(range(1, 13)) and frame.birth_year.between(1878, 1973).all()
    assert (set(frame.sex), set(frame.race)) == ({"M", "F"}, {"W", "O"})
    assert set(frame.region) == {"NC", "NE", "S", "W"}


def test_a_diagnosis_depends_on_the_symptom_and_both_are_skewed(frame):
    pairs = frame.groupby(["symptom", "diagnosis"]).size()
    guessed = pairs.groupby("symptom").max().sum() / len(frame)
    blindly = frame.diagnosis.value_counts().iloc[0] / len(frame)
    assert guessed > 0.2 > 3 * blindly / 2
    assert frame.diagnosis.value_counts().quantile(0.5) < len(frame) / frame.diagnosis.nunique() / 2


def test_family_planning_is_for_women_of_an_age(frame):
    share = (frame.family_planning == "yes").groupby([frame.sex, frame.birth_year.between(1930, 1958)]).mean()
    assert share["F", True] > 20 * share["M"].max()


def test_x_rays_depend_on_the_diagnosis(frame):
    share = (frame.x_rayed == "yes").groupby(frame.diagnosis).mean()[frame.diagnosis.value_counts() > 50]
    assert share.max() > 0.4 and share.min() < 0.02


def test_a_seed_gives_the_same_visits(frame):
    assert datasets.generate_visits(29_102, 0).equals(frame)
    assert not datasets.generate_visits(29_102, 1).equals(frame)


# Generated donations have the sizes of Srivastava & Weis's table, and the skew and dependencies of a real file.

PRINTED = 164_649
REAL = Path(__file__).parents[3] / "shared" / "data" / "donations-2008.csv.gz"


def generated(seed: int) -> pd.DataFrame:
    return datasets.generate_donations(277_274, seed)


@pytest.fixture(scope="module")
def donations_frame() -> pd.DataFrame:
    return generated(0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_donations_the_combinations_are_as_many_as_printed_within_two_per_cent(seed):
    found = generated(seed)[["state", "zip", "employer"]].drop_duplicates()
    assert abs(len(found) / PRINTED - 1) < 0.02


def test_each_zip_is_in_one_state_and_zips_follow_states(donations_frame):
    assert (donations_frame.groupby("zip").state.nunique() == 1).all()
    assert donations_frame.zip.str.fullmatch(r"\d{5}").all()
    blocks = donations_frame.sort_values("zip").state
    assert (blocks != blocks.shift()).sum() == donations_frame.state.nunique() == len(datasets.STATES)


def test_the_names_of_employers_are_different():
    names = datasets._country(np.random.default_rng(0)).names
    assert len(set(names)) == len(names) == datasets.EMPLOYERS + len(datasets.OCCUPATIONS)


def test_a_seed_gives_the_same_population_for_any_number_of_donations(donations_frame):
    assert generated(0).equals(donations_frame)
    fewer = datasets.generate_donations(5_000, 0)
    state_of = donations_frame.drop_duplicates("zip").set_index("zip").state
    both = fewer[fewer.zip.isin(state_of.index)]
    assert len(both) > 4_900 and (both.state == both.zip.map(state_of)).all()
    assert not datasets.generate_donations(5_000, 1).equals(fewer)


def shares_in_one_state(donations_frame: pd.DataFrame, employers: pd.Index) -> dict[str, float]:
    """Return, for employers of some sizes, the share of records in the employer's commonest state."""
    counts = donations_frame[donations_frame.employer.isin(employers)].groupby(["employer", "state"]).size()
    found = counts.groupby("employer").agg(["sum", "max"])
    sizes = pd.cut(found["sum"], [3, 10, 50, 300], labels=["small", "middle", "large"])
    sums = found.groupby(sizes, observed=True).sum()
    return (sums["max"] / sums["sum"]).to_dict()


def skew(donations_frame: pd.DataFrame, column: str) -> np.ndarray:
    """Return the number of records of the 10th, 100th, 1,000th and 5,000th commonest value, per 277,274 records."""
    return donations_frame[column].value_counts().to_numpy()[[9, 99, 999, 4999]] * 277_274 / len(donations_frame)


def entropy(donations_frame: pd.DataFrame, columns: list[str]) -> float:
    share = donations_frame.groupby(columns).size().to_numpy() / len(donations_frame)
    return float(-(share * np.log2(share)).sum())


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/donations-2008.csv.gz")
def test_generated_donations_are_skewed_and_dependent_like_real_ones(donations_frame):
    with gzip.open(REAL, "rt") as file:
        real = pd.read_csv(file, dtype=str, keep_default_na=False)
    occupations = real.employer.value_counts().index[:7]  # the seven words used instead of an employer
    of_real = real.employer.value_counts().index.difference(occupations)
    of_frame = donations_frame.employer.value_counts().index.difference(list(datasets.OCCUPATIONS))
    here, there = shares_in_one_state(donations_frame, of_frame), shares_in_one_state(real, of_real)
    assert here.keys() == there.keys() and all(abs(here[size] - there[size]) < 0.06 for size in here)
    assert (
        0.5
        < (skew(donations_frame, "zip") / skew(real, "zip")).min()
        < (skew(donations_frame, "zip") / skew(real, "zip")).max()
        < 2
    )
    assert abs(donations_frame.zip.nunique() / real.zip.nunique() - 1) < 0.05
    assert abs(entropy(donations_frame, ["state"]) - entropy(real, ["state"])) < 0.3
    assert abs(entropy(donations_frame, ["zip"]) - entropy(real, ["zip"])) < 0.3


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/donations-2008.csv.gz")
def test_no_employer_of_the_real_file_is_copied(donations_frame):
    with gzip.open(REAL, "rt") as file:
        real = pd.read_csv(file, dtype=str, keep_default_na=False)
    common = set(donations_frame.employer) & set(real.employer)
    assert len(common) < 10  # words such as RETIRED


# Codes become words, digits numbers, blanks missing; other values are refused without a quotation.


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
