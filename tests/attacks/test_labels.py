"""The ends of the ranges in a released file are no values of few records.

The attacker reads the files by her own pattern and counts in the original with pandas.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from workbench.data import datasets
from workbench.measures import InformationLoss, UtilityLoss
from workbench.methods import KMember, Mondrian
from workbench.models import KAnonymity
from workbench.studies.study import Study

SHARED = Path(__file__).parents[3] / "shared" / "data" / "donations-2008.csv.gz"
THRESHOLD = 10
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
RANGE = re.compile(
    rf"[\[(]({NUMBER})(?:-|\.\.)({NUMBER})[\])]|(?:under|up to|over) ({NUMBER})|({NUMBER}) and over|\*|\[\.\.\]"
)


def ends(labels):
    """Return every number at an end of a range; other labels are values or nodes."""
    found = set()
    for label in labels:
        shown = RANGE.fullmatch(label.removesuffix(" or missing"))
        found |= {float(number) for number in shown.groups() if number} if shown else set()
    return found


def rare(printed, original, is_round=lambda number: False):
    """Return the printed numbers that occur in one to nine records."""
    often = original.dropna().value_counts()
    return {n for n in printed if 0 < often.get(n, 0) < THRESHOLD and not is_round(n)}


def released(study, frame, tmp_path, method="mondrian", k=10):
    recipe = {"method": {"name": method}, "model": {"name": "k-anonymity", "k": k}}
    study = study.with_(data={"given": "frame"}, recipes=(recipe,))
    release = study.candidates()[0].release(study.table(study.read(frame)))
    files = release.export(tmp_path / "out.csv", giveaways=True)
    return pd.read_csv(files[0], dtype=str), [pd.read_csv(one, dtype=str) for one in files[1:] if one.suffix == ".csv"]


def skewed(records=4000, seed=0):
    draw = np.random.default_rng(seed)
    rank = draw.beta(1, 4, records)
    return pd.DataFrame(
        {
            "income": np.round(np.exp(8 + 3 * rank + draw.normal(0, 0.7, records)), 2),
            "age": (18 + 70 * rank + draw.integers(0, 5, records)).astype(int),
            "visits": draw.geometric(0.2, records),
            "illness": np.where(draw.random(records) < rank, "rare", draw.choice(["a", "b", "c"], records)),
        }
    )


TABLES = {
    "generated donations": (
        lambda: datasets.generate_donations(20_000, 0),
        ("state", "zip", "amount"),
        "party",
        "amount",
    ),
    "generated visits": (
        lambda: datasets.generate_visits(8_000, 0),
        ("birth_year", "sex", "region"),
        "symptom",
        "birth_year",
    ),
    "skewed": (skewed, ("income", "age", "visits"), "illness", "income"),
}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mondrian", "k-member"])
@pytest.mark.parametrize("name", TABLES)
def test_no_end_of_a_range_is_the_value_of_few_records(name, method, tmp_path):
    make, quasi, sensitive, _ = TABLES[name]
    frame = make()[[*quasi, sensitive]]
    frame = frame.head(1500) if method == "k-member" else frame
    shown, _ = released(Study(quasi=quasi, sensitive=(sensitive,)), frame, tmp_path, method, k=5)
    for column in (one for one in quasi if pd.api.types.is_numeric_dtype(frame[one])):
        printed = ends(shown[column].unique())
        assert printed or set(shown[column]) <= {*map(str, frame[column])}, "ranges are printed"
        assert rare(printed, frame[column], lambda number: number % 5 == 0) == set()


@pytest.mark.parametrize("name", TABLES)
def test_no_end_in_the_codebook_is_the_value_of_few_records(name, tmp_path):
    make, quasi, sensitive, number = TABLES[name]
    frame = make()[[*quasi, sensitive]]
    _, books = released(Study(quasi=quasi, sensitive=(sensitive,)), frame, tmp_path)
    book = books[0].query("column == @number")
    bounds = pd.concat([book["from"], book["to"]]).dropna().str.lstrip("<>").astype(float)
    assert len(bounds) and rare(set(bounds), frame[number], lambda one: one % 5 == 0) == set()


@pytest.mark.slow
def test_quantile_intervals_begin_at_values_of_many_records(tmp_path):
    frame = datasets.generate_donations(20_000, 0)[["amount", "state", "party"]]
    hierarchies = {"amount": {"builder": "intervals", "quantiles": [40, 10, 4]}}
    study = Study(quasi=("amount", "state"), sensitive=("party",), hierarchies=hierarchies, regions={"amount": "nodes"})
    shown, _ = released(study, frame, tmp_path)
    printed = ends(shown["amount"].unique())
    assert len(printed) > 5 and rare(printed, frame["amount"], lambda number: number % 5 == 0) == set()
    exact, _ = released(study.with_(regions={"amount": "exact"}), frame, tmp_path)
    assert rare(ends(exact["amount"].unique()), frame["amount"]), "exact ends are values of few records"


@pytest.mark.skipif(not SHARED.is_file(), reason="the real donations are not part of the project")
def test_real_donations(tmp_path):
    frame = pd.read_csv(SHARED, dtype={"zip": str}).sample(40_000, random_state=0)
    study = Study(
        quasi=("state", "zip", "amount"),
        sensitive=("party",),
        hierarchies={"zip": {"builder": "prefixes", "keep": [3, 2]}},
    )
    frame = frame[["state", "zip", "amount", "party"]]
    shown, _ = released(study, frame, tmp_path)
    assert rare(ends(shown["amount"].unique()), frame["amount"]) == set()
    assert any(label.endswith("**") for label in shown["zip"])
    exact, _ = released(study.with_(regions={"amount": "exact", "zip": "exact"}), frame, tmp_path)
    assert len(rare(ends(exact["amount"].unique()), frame["amount"])) > 50, "exact ends are values of few records"


@pytest.mark.slow
@pytest.mark.parametrize("method", [Mondrian(), KMember()], ids=str)
def test_safe_ends_cost_little_utility(method):
    adult = datasets.adult()
    if isinstance(method, KMember):
        adult = adult.sample(2000)
    exact = {name: "exact" for name in adult.quasi}
    safe = {name: "ranges" if name == "age" else "exact" for name in adult.quasi}
    losses = {}
    for name, regions in (("exact", exact), ("safe", safe)):
        release = method(adult.with_settings(regions=regions), KAnonymity(10))
        losses[name] = UtilityLoss()(release).value, InformationLoss()(release).value
    assert losses["safe"] == pytest.approx(losses["exact"], rel=0.1)
