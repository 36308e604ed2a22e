"""The bundled tables and their hierarchies exist."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.base.errors import BadInput
from workbench.data import datasets
from workbench.data.records import fingerprint


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
