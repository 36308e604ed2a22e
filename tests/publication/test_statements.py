"""What is said of a published release."""

import math

import numpy as np
import pandas as pd
import pytest

from tests.planted import planted
from tests.publication.published import carried, study_release
from workbench.base.small_counts import coarse
from workbench.measures import UtilityLoss
from workbench.publication import statements
from workbench.publication.publish import publish
from workbench.publication.reader import Published


def test_the_guesses_are_those_that_the_released_file_allows(whole):
    """Counted from the file itself: in each group, whoever guesses the commonest value is right so often."""
    read = whole
    for index in carried(read):
        file, *_ = read.files(index)
        released = pd.read_csv(file, dtype=str)
        groups = released.groupby(["age", "town", "sex"])["disease"]
        right = groups.agg(lambda values: values.value_counts().iloc[0]).sum() / len(released)
        attack = read.opened(index)["attack"]
        assert attack["right"] == pytest.approx(coarse(right * 600, 10) / 600, abs=1e-4)
        assert attack["right"] == pytest.approx(right, abs=0.01)
        chance = released["disease"].value_counts(normalize=True).iloc[0]
        assert attack["chance"] == pytest.approx(coarse(chance * 600, 10) / 600, abs=1e-4)
        assert attack["commonest"] == released["disease"].value_counts().index[0]
        sample = read.opened(index)["accuracy"]["sample"]
        assert (sample is not None) == ("About large groups it is" in statements.cost(read, index)["sentence"])
        assert sample is None or 0 < sample <= 1
        right = f"{math.ceil(round(1000 * attack['right'], 9))}"
        assert f"right for {right} people in 1,000" in statements.guesses(read, index)
        card = statements.learnt(read, index)
        assert card["figure"] == f"{right} in 1,000" or read.points[index]["against"]
        assert attack["commonest"] not in card["figure"] + card["unit"], "they stand in the index of a batch, too"
        assert attack["commonest"] in card["sentence"]
        assert "age, town and sex" in statements.attackers(read, index)[0][0]
        assert read.opened(index)["classes"] == groups.ngroups


def test_nine_in_ten_large_groups_are_reported_within_the_range(tmp_path):
    """Large are those of which a share is told in twentieths at least, so that none is of few people."""
    study = planted(tmp_path, smallest=2)
    read, table = Published(publish(study, tmp_path / "out", releases=False)), study.table(study.read())
    for index in read.efficient:
        said = read.opened(index)["accuracy"]["example"]
        detail = UtilityLoss()(study_release(read, index, table)).detail
        fine = detail["support"] >= 20 * read.smallest
        assert said["support"] == max(0.05, 0.07) and fine.any()
        told, truth = detail["told"][fine].ravel(), detail["truth"][fine].ravel()
        near = (truth >= said["low"] - 1e-9) & (truth <= said["high"] + 1e-9)
        assert near.sum() >= 20
        assert (np.abs(told - truth)[near] <= said["off"] + 1e-9).mean() >= 0.9
        assert f"{100 * said['low']:g} to {100 * said['high']:g} %" in statements.example(read, index)
        assert f"off by up to {100 * said['off']:.0f} percentage point" in statements.example(read, index)
        assert statements.example(read, index).startswith(f"A true {100 * said['about']:g} % may appear as ")
