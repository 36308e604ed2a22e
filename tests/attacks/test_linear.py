"""Counts below the threshold have at least as many feasible values as the threshold, given all pages of a batch."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tests.attacks.linear import Attacker, Page, page_of
from tests.attacks.past_attacks import published_folder, read_results
from workbench.data.published import rounded_by
from workbench.publication.results import _summary
from workbench.redaction.controlled_rounding import Rounding
from workbench.studies.study import Study

AWKWARD = (4, 5, 9, 104, 105, 109, 14, 15, 1)


def make_study(threshold: int, sensitive: list[str], dropped: list[str], quasi: str = "age") -> Study:
    return Study.from_dict(
        {
            "study": "Wards", "data": {"given": "wards"}, "smallest": threshold,
            "roles": {"quasi": [quasi], "sensitive": sensitive, "dropped": dropped},
            "recipes": [{"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [threshold]}}],
            "measures": [{"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.2}],
        }
    )  # fmt: skip


def make_people(wards: dict[str, tuple[int, ...]]) -> pd.DataFrame:
    """Return the records of wards with given counts of each illness."""
    rows = [(w, f"ill {v}", i % 5) for w, counts in wards.items() for v, n in enumerate(counts) for i in range(n)]
    return pd.DataFrame(rows, columns=["ward", "ill", "age"])


def restrict_to_ward(study: Study, ward: str) -> Study:
    return study.with_(data={**study.data, "only": {"ward": ward}})


WARDS = {"C": (104, 104, 104, 104, 9), "D": (150, 150, 150, 150, 105)}


def round_to_nearest(count: int, threshold: int) -> int:
    return max(threshold * ((2 * count + threshold) // (2 * threshold)), threshold)


def test_independently_rounded_counts_are_recovered():
    """Check the attack itself on pages of an earlier version, where each number is rounded to its nearest multiple."""
    values = {"ill": [f"ill {v}" for v in range(5)]}
    attacker = Attacker(values, ["C", "D"], 10)
    columns = {ward: dict(zip(values["ill"], counts, strict=True)) for ward, counts in WARDS.items()}
    columns[""] = {value: columns["C"][value] + columns["D"][value] for value in values["ill"]}
    for part, counts in columns.items():
        attacker.bound(attacker.row(part, "ill", values["ill"]), round_to_nearest(sum(counts.values()), 10), 5, 4)
        for value, count in counts.items():
            if count >= 15:
                attacker.bound(attacker.row(part, "ill", [value]), round_to_nearest(count, 10), 5, 4)
    assert attacker.feasible_range(attacker.row("C", "ill", ["ill 4"])) == (9, 9)


def test_a_masked_count_has_ten_feasible_values_given_a_batch_and_its_whole():
    """Read the published pages of wards C and D and of both together."""
    study, frame = make_study(10, ["ill"], ["ward"]), make_people(WARDS)
    attacker = Attacker({"ill": [f"ill {v}" for v in range(5)]}, ["C", "D"], 10)
    for part in ("", "C", "D"):
        with published_folder(restrict_to_ward(study, part) if part else study, frame) as place:
            found = read_results(place)
            page = page_of(part, found)
            attacker.read(Page(part, page.records, {"ill": page.columns["ill"]}))
            (shown,) = found["table"]["sensitive"]
            assert page.records == sum(page.columns["ill"].values()) + round(shown["others"] * page.records)
    low, high = attacker.feasible_range(attacker.row("C", "ill", ["ill 4"]))
    assert low <= 9 <= high and high - low + 1 >= 10


@pytest.mark.parametrize("exact", [(203, 103, 1), (204, 104, 4), (205, 105, 5), (209, 109, 9), (105, 95, 3, 2)])
def test_the_counts_of_a_page_add_up_and_have_many_solutions(exact):
    """Rounded independently at threshold 5, 305 = 205 + 105 + 5 had the single solution 203 + 103 + 1."""
    labels = [f"v{i}" for i in range(len(exact))]
    for secret in range(20):
        rounding = Rounding(bytes([secret] * 32))
        published = rounding.counts("ill", labels, np.array(exact), 5)
        assert published.sum() == rounding.total(sum(exact), 5) == round_to_nearest(sum(exact), 5)
        attacker = Attacker({"ill": labels}, [], 5)
        attacker.read(Page("", int(published.sum()), {"ill": dict(zip(labels, published.tolist(), strict=True))}))
        for label, count in zip(labels, exact, strict=True):
            low, high = attacker.feasible_range(attacker.row("", "ill", [label]))
            assert low <= count <= high and high - low + 1 >= 5


# --- many small studies


def random_wards(rng: np.random.Generator, awkward: bool) -> pd.DataFrame:
    """Return a few wards with a few values of two columns, with random counts or counts next to rounding boundaries."""
    wards, rows = int(rng.integers(2, 5)), []
    values = int(rng.integers(2, 6))
    for w in range(wards):
        counts = rng.choice(AWKWARD, values) if awkward else rng.geometric(rng.choice([0.02, 0.1, 0.3]), values)
        while counts.sum() < 40:
            counts[int(rng.integers(values))] += int(rng.choice([20, 64, 95, 100]))
        for v, n in enumerate(counts):
            rows += [(f"ward {w}", f"ill {v}", i % 7, "yes" if rng.random() < 0.05 else "no") for i in range(n)]
    return pd.DataFrame(rows, columns=["ward", "ill", "age", "insured"])


def recover_counts(seed: int, awkward: bool) -> list[tuple[object, ...]]:
    """Return the counts below the threshold that have too few feasible values given a batch and its whole."""
    rng = np.random.default_rng([seed, awkward])
    frame, threshold = random_wards(rng, awkward), int(rng.choice([5, 10]))
    columns = ["ill", "insured"][: int(rng.integers(1, 3))]
    study = make_study(threshold, columns, ["ward"] + [one for one in ("insured",) if one not in columns])
    base, parts = study.read(frame), sorted(frame["ward"].unique())
    values = {column: sorted(frame[column].unique()) for column in columns}
    attacker, secret = Attacker(values, parts, threshold), rng.bytes(32)
    for part in ("", *parts):
        try:
            table = rounded_by((restrict_to_ward(study, part) if part else study).table(base), secret)
        except ValueError:  # a ward in which all have one value has no report
            continue
        attacker.read(page_of(part, {"table": _summary(table, threshold), "points": []}))
    found = []
    truth = {key: int(n) for column in columns for key, n in frame.groupby(["ward", column]).size().items()}
    targets = [(part, column, [value]) for part in ("", *parts) for column in columns for value in values[column]]
    targets += [("", column, list(pair)) for column in columns for pair in combinations(values[column], 2)]
    for part, column, chosen in targets:
        exact = sum(truth.get((one, value), 0) for one in (parts if part == "" else [part]) for value in chosen)
        if not 0 < exact < threshold:
            continue
        low, high = attacker.feasible_range(attacker.row(part, column, chosen))
        assert low <= exact <= high, "the true count is feasible"
        if high - low + 1 < threshold:
            found.append((part, column, chosen, exact, low, high))
    return found


SEEDS = [pytest.param(i, marks=[] if i < 15 else pytest.mark.exhaustive) for i in range(500)]


@pytest.mark.parametrize("awkward", [False, True], ids=["random", "awkward"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_small_count_of_a_batch_has_fewer_possible_values_than_the_threshold(seed, awkward):
    found = recover_counts(seed, awkward)
    assert not found, json.dumps(found)
