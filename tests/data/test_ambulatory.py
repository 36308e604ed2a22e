"""Generated visits have the sizes of Srivastava & Weis's health table, and plausible dependencies."""

import pandas as pd
import pytest

from workbench.data import ambulatory

QUASI = ["birth_month", "birth_year", "sex", "race", "region"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return ambulatory.generate(29_102, 0)


@pytest.mark.parametrize("seed", range(5))
def test_the_combinations_are_as_many_as_printed_within_two_per_cent(seed):
    found = ambulatory.generate(29_102, seed)[QUASI].drop_duplicates()
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
    assert ambulatory.generate(29_102, 0).equals(frame)
    assert not ambulatory.generate(29_102, 1).equals(frame)
