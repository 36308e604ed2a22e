"""Generated visits to doctors, in the shape of the survey table of Srivastava & Weis (2005). No record is real.

Their table is the US National Ambulatory Medical Care Survey of 1973: 29,102 visits, 9,678 combinations of month and
year of birth, sex, race and region. Ages, sexes and the skew of diagnoses are those of the survey of 2011.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

NOTE = "These visits are generated: no record is real, and symptoms and diagnoses are numbers without a meaning."
YEAR = 1973
# number of visits by age, interpolated between AGES
AGES = (0, 1, 5, 15, 25, 35, 45, 55, 65, 75, 85, 96)
VISITS = (5.5, 3.3, 1.5, 1.7, 1.9, 1.6, 1.7, 1.8, 1.7, 1.2, 0.45, 0.01)
FEMALE = 0.6
OTHER = 0.075
REGIONS = {"NC": 0.28, "NE": 0.24, "S": 0.3, "W": 0.18}
SYMPTOMS = 190
DIAGNOSES = 700
SKEW = 0.95  # the exponent of Zipf's law, as measured for diagnoses
TYPICAL = 0.6  # share of visits whose diagnosis is one of the six that are typical of the symptom


def generate(n: int, seed: int) -> pd.DataFrame:
    """Generate `n` visits: month and year of birth, sex, race, region, symptom, diagnosis and three yes/no columns."""
    world, draw = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    age = _drawn(np.interp(np.arange(96), AGES, VISITS), n, draw)
    female = draw.random(n) < np.where((age > 15) & (age < 45), FEMALE + 0.1, FEMALE - 0.05)
    region = _drawn(np.array(list(REGIONS.values())), n, draw)
    other = draw.random(n) < OTHER * np.array([0.9, 0.8, 1.5, 0.6])[region] * np.where(age > 60, 0.7, 1.1)
    symptom, diagnosis = _illness(age, female, world, draw)
    fertile = female & (age > 14) & (age < 46)
    yes = np.array(["no", "yes"], dtype=object)
    return pd.DataFrame(
        {
            "birth_month": draw.integers(1, 13, n),
            "birth_year": YEAR - age,
            "sex": np.array(["M", "F"], dtype=object)[female.astype(int)],
            "race": np.array(["W", "O"], dtype=object)[other.astype(int)],
            "region": np.array(list(REGIONS), dtype=object)[region],
            "symptom": np.array([f"S{one:03d}" for one in range(SYMPTOMS)], dtype=object)[symptom],
            "diagnosis": np.array([f"D{one:03d}" for one in range(DIAGNOSES)], dtype=object)[diagnosis],
            "x_rayed": yes[(draw.random(n) < world.beta(0.2, 1.5, DIAGNOSES)[diagnosis]).astype(int)],
            "therapy": yes[(draw.random(n) < world.beta(0.15, 1.5, DIAGNOSES)[diagnosis]).astype(int)],
            "family_planning": yes[(draw.random(n) < np.where(fertile, 0.06, 0.001)).astype(int)],
        }
    )


def _drawn(weight: np.ndarray, n: int, draw: np.random.Generator) -> np.ndarray:
    return draw.choice(len(weight), n, p=weight / weight.sum())


def _illness(
    age: np.ndarray, female: np.ndarray, world: np.random.Generator, draw: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw symptoms by age group and sex; diagnoses by symptom, or by age group and sex as well."""
    group = 2 * np.searchsorted((15, 45, 65), age, side="right") + female
    symptom, diagnosis = np.empty(len(age), int), np.empty(len(age), int)
    for one in range(8):
        these = np.flatnonzero(group == one)
        for found, size in ((symptom, SYMPTOMS), (diagnosis, DIAGNOSES)):
            weight = (np.arange(size) + 1) ** -SKEW * np.exp(world.normal(0, 1, size))
            found[these] = _drawn(weight, len(these), draw)
    few = world.integers(0, DIAGNOSES, (SYMPTOMS, 6))
    typical = draw.random(len(age)) < TYPICAL
    pick = np.minimum(draw.geometric(0.4, len(age)) - 1, few.shape[1] - 1)
    return symptom, np.where(typical, few[symptom, pick], diagnosis)
