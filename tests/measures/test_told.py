"""Every measure says how its figure may be told, and what is not declared is hidden."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench import BadInput
from workbench.base.errors import Undefined
from workbench.base.variants import catalog
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import Measure, Measured, PrivacyLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.publication.reasons import reason
from workbench.publication.selection import NOT_TOLD, TOO_FEW, refuse_untold_axes, told

CATALOG = catalog("workbench.measures", Measure)


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 300), "sex": rng.choice(list("FM"), 300)})
    frame["ill"] = np.where(rng.random(300) < frame["age"] / 120, "yes", "no")
    return Table.from_frame(frame, quasi=["age", "sex"], sensitive="ill")


@dataclass(frozen=True)
class People(Measure):
    """As somebody writes it who knows nothing of thresholds."""

    name, symbol, side, unit = "people alone", "N1", "privacy", "people"

    def measure(self, release):
        alone = int((release.classes.sizes == 1).sum())
        return Measured(float(alone), f"There are {alone} people alone.")


@pytest.mark.parametrize("name", CATALOG)
def test_a_measure_declares_how_its_figure_may_be_told(name, table):
    kind = CATALOG[name]
    assert kind.told != "not at all" or kind.publish is not Measure.publish
    for release in (Keep()(table), Remove()(table), Mondrian()(table, KAnonymity(7))):
        measure = kind()
        try:
            found = measure(release)
        except Undefined:
            continue
        value, sentence = measure.publish(Measured(found.value, ""), release, 10)
        assert sentence.endswith(".") and sentence != found.sentence
        if value is None:  # as it may not of few people
            assert "not told" in sentence and kind.publish is not Measure.publish
            continue
        assert value is not None and (np.isinf(value) or value == pytest.approx(float(f"{value:.4g}"), rel=1e-12))
        if measure.symbol not in ("A_acc", "R_id") and len(release.classes) > 1:
            flatters = value > found.value + 1e-9 if measure.better == "higher" else value < found.value - 1e-9
            assert not flatters, release


def test_where_everybody_is_in_one_class_nothing_is_learnt(table):
    for distance in ("js", "variation"):
        measure = CATALOG["privacy loss"](distance)
        value, _ = measure.publish(measure(Remove()(table)), Remove()(table), 10)
        assert value == 0


def test_what_is_not_declared_is_hidden(table):
    release = Keep()(table)
    found = People()(release)
    assert People().publish(found, release, 10) == (None, "People alone: not told.")
    swept = sweep(table, [Recipe(Mondrian(), KAnonymity(3))], [People(), CATALOG["utility loss"]()])
    shown = told(swept, table, 10)
    assert all("N1" not in point.values and point.reasons["N1"] == NOT_TOLD for point in shown.measured)
    with pytest.raises(BadInput, match=r'N1 cannot be published.*told = "as an average".*docs/adding.md'):
        refuse_untold_axes(shown)


def test_an_axis_that_would_show_few_people_is_refused_with_what_to_do(table):
    named = table.with_workloads({"few": ["age > 30", "sex = 'F'"]})
    measures = [CATALOG["re-identification risk"](), CATALOG["query error"]("few"), CATALOG["utility loss"]()]
    shown = told(sweep(named, [Recipe(Mondrian(), KAnonymity(5))], measures), named, 10)
    assert all(point.reasons[measures[1].key] == TOO_FEW for point in shown.measured)
    with pytest.raises(
        BadInput, match=r"query error cannot be published.*few people; name another measure in the axes"
    ) as why:
        refuse_untold_axes(shown.on("R_id", measures[1].key))
    assert reason(str(why.value), named, "hidden") == str(why.value), "who asks for a report reads it too"


def test_an_interval_is_told_of_averages_alone_wider_and_coarser_than_it_is(table):
    release, found = Mondrian()(table, KAnonymity(7)), (0.01234, 0.09876)
    for kind in CATALOG.values():
        told_ends = kind().publish_interval(found, release, 1)
        assert (told_ends is None) == (kind.told != "as an average"), kind
        if told_ends is not None:
            assert told_ends == (0.012, 0.099) or kind.side == "privacy"
            low, high = kind().publish_interval(found, release, 10)
            assert low <= found[0] and high >= found[1] and high - low > np.ptp(told_ends) - 1e-12


def test_what_a_recipe_promises_is_told(table):
    measures = [CATALOG["privacy loss"](), CATALOG["re-identification risk"](), CATALOG["utility loss"]()]
    recipes = [Recipe(Mondrian(), KAnonymity(5)), Recipe(Mondrian(), TCloseness(0.05, distance="js"))]
    five, close, *_ = told(sweep(table, recipes, measures), table, 10).measured
    assert five.values["R_id"] <= 0.2 and close.values["P_loss"] <= 0.05


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=3, max_size=6), st.integers(0, 2**32 - 1), st.sampled_from([1, 10]))
def test_no_class_that_keeps_to_a_share_loses_more_than_is_promised(totals, seed, smallest):
    """Of classes in which no value has more than 1/l, drawn at random and at the corners of what 1/l allows."""
    frame = pd.DataFrame({"q": 0, "s": np.repeat(list("abcdef")[: len(totals)], totals)})
    table = Table.from_frame(frame, quasi=["q"], sensitive="s")
    model, release = ProbabilisticLDiversity(2.0), Remove()(table)
    bound = PrivacyLoss().promised(release, model, smallest)
    rng, prior = np.random.default_rng(seed), table.sensitive["s"].prior
    drawn = rng.dirichlet(np.full(len(totals), 0.3), 400)
    corners = [(one + other) / 2 for one, other in itertools.combinations(np.eye(len(totals)), 2)]
    drawn = [*drawn[drawn.max(axis=1) <= 0.5], *corners]
    middle = [(one + prior) / 2 for one in drawn]
    losses = [
        sum(a * np.log(a / m) / 2 for a, m in zip(one, mean, strict=True) if a > 0)
        + sum(a * np.log(a / m) / 2 for a, m in zip(prior, mean, strict=True) if a > 0)
        for one, mean in zip(drawn, middle, strict=True)
    ]
    assert max(losses) <= bound + 1e-9
    assert bound < np.log(2) if smallest == 1 else bound <= np.log(2) + 1e-4  # of few people nothing may be known
    assert PrivacyLoss().promised(release, KAnonymity(5), smallest) is None
