"""Generated donations have the sizes of Srivastava & Weis's table, and the skew and dependencies of a real file."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.data import donations

PRINTED = 164_649
REAL = Path(__file__).parents[3] / "shared" / "data" / "donations-2008.csv.gz"


def generated(seed: int) -> pd.DataFrame:
    return donations.generate(277_274, seed)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return generated(0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_combinations_are_as_many_as_printed_within_two_per_cent(seed):
    found = generated(seed)[["state", "zip", "employer"]].drop_duplicates()
    assert abs(len(found) / PRINTED - 1) < 0.02


def test_each_zip_is_in_one_state_and_zips_follow_states(frame):
    assert (frame.groupby("zip").state.nunique() == 1).all()
    assert frame.zip.str.fullmatch(r"\d{5}").all()
    blocks = frame.sort_values("zip").state
    assert (blocks != blocks.shift()).sum() == frame.state.nunique() == len(donations.STATES)


def test_the_names_of_employers_are_different():
    names = donations._country(np.random.default_rng(0)).names
    assert len(set(names)) == len(names) == donations.EMPLOYERS + len(donations.OCCUPATIONS)


def test_a_seed_gives_the_same_population_for_any_number_of_donations(frame):
    assert generated(0).equals(frame)
    fewer = donations.generate(5_000, 0)
    state_of = frame.drop_duplicates("zip").set_index("zip").state
    both = fewer[fewer.zip.isin(state_of.index)]
    assert len(both) > 4_900 and (both.state == both.zip.map(state_of)).all()
    assert not donations.generate(5_000, 1).equals(fewer)


def shares_in_one_state(frame: pd.DataFrame, employers: pd.Index) -> dict[str, float]:
    """Return, for employers of some sizes, the share of records in the employer's commonest state."""
    counts = frame[frame.employer.isin(employers)].groupby(["employer", "state"]).size()
    found = counts.groupby("employer").agg(["sum", "max"])
    sizes = pd.cut(found["sum"], [3, 10, 50, 300], labels=["small", "middle", "large"])
    sums = found.groupby(sizes, observed=True).sum()
    return (sums["max"] / sums["sum"]).to_dict()


def skew(frame: pd.DataFrame, column: str) -> np.ndarray:
    """Return the number of records of the 10th, 100th, 1,000th and 5,000th commonest value, per 277,274 records."""
    return frame[column].value_counts().to_numpy()[[9, 99, 999, 4999]] * 277_274 / len(frame)


def entropy(frame: pd.DataFrame, columns: list[str]) -> float:
    share = frame.groupby(columns).size().to_numpy() / len(frame)
    return float(-(share * np.log2(share)).sum())


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/donations-2008.csv.gz")
def test_generated_donations_are_skewed_and_dependent_like_real_ones(frame):
    with gzip.open(REAL, "rt") as file:
        real = pd.read_csv(file, dtype=str, keep_default_na=False)
    occupations = real.employer.value_counts().index[:7]  # the seven words used instead of an employer
    of_real = real.employer.value_counts().index.difference(occupations)
    of_frame = frame.employer.value_counts().index.difference(list(donations.OCCUPATIONS))
    here, there = shares_in_one_state(frame, of_frame), shares_in_one_state(real, of_real)
    assert here.keys() == there.keys() and all(abs(here[size] - there[size]) < 0.06 for size in here)
    assert 0.5 < (skew(frame, "zip") / skew(real, "zip")).min() < (skew(frame, "zip") / skew(real, "zip")).max() < 2
    assert abs(frame.zip.nunique() / real.zip.nunique() - 1) < 0.05
    assert abs(entropy(frame, ["state"]) - entropy(real, ["state"])) < 0.3
    assert abs(entropy(frame, ["zip"]) - entropy(real, ["zip"])) < 0.3


@pytest.mark.skipif(not REAL.exists(), reason="needs ../shared/data/donations-2008.csv.gz")
def test_no_employer_of_the_real_file_is_copied(frame):
    with gzip.open(REAL, "rt") as file:
        real = pd.read_csv(file, dtype=str, keep_default_na=False)
    common = set(frame.employer) & set(real.employer)
    assert len(common) < 10  # words such as RETIRED
