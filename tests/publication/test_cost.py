"""The cost of a release in words, including the rounded number of suppressed records."""

import numpy as np
import pandas as pd
import pytest

from workbench.publication import cost
from workbench.publication.offer import PublishedStudy
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.studies.study import Study


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    place, rng = tmp_path_factory.mktemp("cost"), np.random.default_rng(5)
    ages = np.minimum(20 + rng.geometric(0.08, 900), 90)  # a few are old
    frame = pd.DataFrame({"age": ages, "sex": rng.choice(list("fm"), 900)})
    frame["ill"] = np.where(rng.random(900) < frame["age"] / 90, "gout", "flu")
    frame.to_csv(place / "people.csv", index=False)
    method = {"name": "full-domain", "suppress": 0.2}
    study = Study(
        name="cost",
        data={"path": "people.csv"},
        quasi=("age", "sex"),
        sensitive=("ill",),
        hierarchies={"age": {"builder": "intervals", "widths": [3, 6, 12]}},
        recipes=({"method": method, "model": {"name": "k-anonymity", "k": 60}},
                 {"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": 40}}),
        measures=({"name": "privacy loss"}, {"name": "utility loss"}),
        axes=("P_loss", "U_loss"),
        folder=str(place),
    )  # fmt: skip
    frontier = {str(one): one.release(study.table(study.read())) for one in study.candidates()}
    return Published(publish(study, place / "out", warn=lambda text: None)), frontier


def test_the_number_of_suppressed_records_is_rounded_to_the_threshold(read):
    published, releases = read
    told = 0
    for index, point in enumerate(published.points):
        if point["opened"] is None:
            continue
        gone = releases[point["recipe"]].suppressed if point["recipe"] in releases else 0
        said = cost.left_out(published, index)
        assert bool(said) == bool(gone) and said in cost.cost(published, index)["sentence"]
        if gone:
            told += 1
            assert str(gone) not in said.split() and ("about" in said.lower() or "fewer than 15" in said.lower())
    assert told


@pytest.mark.parametrize(
    ("off", "said"), [(0.01, "up to 1 percentage point in"), (0.014, "up to 2 percentage points in")]
)
def test_small_errors_are_stated_in_plain_numbers(read, off, said):
    published, _ = read
    index, points = published.efficient[0], [dict(point) for point in published.points]
    accuracy = dict(published.opened(index)["accuracy"])
    example = {"about": 0.5, "low": 0.45, "high": 0.55, "off": off, "support": 0.05}
    accuracy |= {"wrong": 0.004, "most": 0.004, "counted": False, "example": example}
    points[index]["opened"] = {**published.opened(index), "accuracy": accuracy}
    study = PublishedStudy({**published.results, "points": points})
    card = cost.cost(study, index)
    assert card["figure"] == "Under 1 %" and card["unit"].endswith("; in the worst group under 1 %")
    assert said in cost.example(study, index)


def test_the_cost_is_relative_to_removing_all_quasi_identifiers(read):
    """Compare the published figures with those of publishing no quasi-identifiers."""
    seen, _ = read
    removed = next(float(one["values"]["U_loss"]) for one in seen.points if one["recipe"] == "remove")
    for i in seen.efficient:
        share = round(100 * min(float(seen.points[i]["values"]["U_loss"]) / removed, 1.0))
        said = f"Up to about {share} % of the cost of publishing no quasi-identifiers."
        assert said in cost.cost(seen, i)["sentence"] and cost.yardstick(seen, i) == said
    points = [
        {**one, "values": {**one["values"], "U_loss": 1e-6 if i == seen.efficient[0] else 1.0}}
        for i, one in enumerate(seen.points)
    ]
    tiny = PublishedStudy({**seen.results, "points": points})
    assert cost.yardstick(tiny, seen.efficient[0]).startswith("Under 1 % of the cost")
    none = PublishedStudy({**seen.results, "points": [one for one in seen.points if one["recipe"] != "remove"]})
    assert cost.yardstick(none, seen.efficient[0]) == ""
