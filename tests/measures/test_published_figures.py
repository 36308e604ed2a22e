"""Every measure declares how its figure may be published, and undeclared figures are hidden."""

import itertools
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench import BadInput
from workbench.base.errors import Undefined
from workbench.base.variants import catalog
from workbench.data.table import Table
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import Measure, Measured, PrivacyLoss, Publication
from workbench.measures.utility.utility_loss import UtilityLoss
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.publication.publishable_reasons import publishable_reason
from workbench.publication.selection import NOT_PUBLISHED, TOO_FEW, redact_points, refuse_unpublished_axes
from workbench.redaction.controlled_rounding import round_to_step
from workbench.releases.published_classes import disclosure_costs

CATALOG = catalog("workbench.measures", Measure)


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 300), "sex": rng.choice(list("FM"), 300)})
    frame["ill"] = np.where(rng.random(300) < frame["age"] / 120, "yes", "no")
    return Table.from_frame(frame, quasi=["age", "sex"], sensitive="ill")


@dataclass(frozen=True)
class People(Measure):
    """A measure written without thresholds in mind."""

    name, symbol, side, unit = "people alone", "N1", "privacy", "people"

    def measure(self, release):
        alone = int((release.classes.sizes == 1).sum())
        return Measured(float(alone), f"There are {alone} people alone.")


@pytest.mark.parametrize("name", CATALOG)
def test_a_measure_declares_how_its_figure_is_published(name, table):
    kind = CATALOG[name]
    assert kind.published_as is not Publication.HIDDEN or kind.publish is not Measure.publish
    for release in (Keep()(table), Remove()(table), Mondrian()(table, KAnonymity(7))):
        measure = kind()
        try:
            found = measure(release)
        except Undefined:
            continue
        value, sentence = measure.publish(Measured(found.value, ""), release, 10)
        assert sentence.endswith(".") and sentence != found.sentence
        if value is None:  # not allowed, because of few people
            assert "not published" in sentence and kind.publish is not Measure.publish
            continue
        assert value is not None and (np.isinf(value) or value == pytest.approx(float(f"{value:.4g}"), rel=1e-12))
        if measure.symbol not in ("A_acc", "R_id") and len(release.classes) > 1:
            flatters = value > found.value + 1e-9 if measure.better == "higher" else value < found.value - 1e-9
            assert not flatters, release


def test_nothing_is_learned_if_everybody_is_in_one_class(table):
    for distance in ("js", "variation"):
        measure = CATALOG["privacy loss"](distance)
        value, _ = measure.publish(measure(Remove()(table)), Remove()(table), 10)
        assert value == 0


def test_undeclared_figures_are_hidden(table):
    release = Keep()(table)
    found = People()(release)
    assert People().publish(found, release, 10) == (None, "People alone: not published.")
    swept = sweep(table, [Recipe(Mondrian(), KAnonymity(3))], [People(), CATALOG["utility loss"]()])
    shown = redact_points(swept, table, 10)
    assert all("N1" not in point.values and point.reasons["N1"] == NOT_PUBLISHED for point in shown.measured)
    with pytest.raises(BadInput, match=r"N1 cannot be published.*published_as = Publication\.AVERAGE.*docs/adding.md"):
        refuse_unpublished_axes(shown)


def test_an_axis_that_would_reveal_few_people_is_refused_with_advice(table):
    named = table.with_settings(workloads={"few": ["age > 30", "sex = 'F'"]})
    measures = [CATALOG["re-identification risk"](), CATALOG["query error"]("few"), CATALOG["utility loss"]()]
    shown = redact_points(sweep(named, [Recipe(Mondrian(), KAnonymity(5))], measures), named, 10)
    assert all(point.reasons[measures[1].key] == TOO_FEW for point in shown.measured)
    with pytest.raises(
        BadInput, match=r"query error cannot be published.*few people; name another measure in the axes"
    ) as why:
        refuse_unpublished_axes(shown.on("R_id", measures[1].key))
    assert publishable_reason(str(why.value), named, "hidden") == str(why.value), "who asks for a report reads it too"


def test_only_intervals_of_averages_are_published_and_wider(table):
    release, found = Mondrian()(table, KAnonymity(7)), (0.01234, 0.09876)
    for kind in CATALOG.values():
        told_ends = kind().publish_interval(found, release, 1)
        assert (told_ends is None) == (kind.published_as is not Publication.AVERAGE), kind
        if told_ends is not None:
            assert told_ends == (0.012, 0.099) or kind.side == "privacy"
            low, high = kind().publish_interval(found, release, 5)
            assert low <= found[0] and high >= found[1] and high - low > np.ptp(told_ends) - 1e-12


def test_the_utility_loss_of_a_small_table_is_published_in_quarters_of_a_disclosure(table):
    measure, release = UtilityLoss(), Mondrian()(table, KAnonymity(7))
    _, dearest = disclosure_costs(table.sensitive.values(), "js", 10)
    quarters = [round_to_step(part * dearest / 4, 1e-4) for part in range(1, 5)]
    for loss, expected in ((0.0, 0), (1e-6, 0), (0.9 * quarters[0], 0), (quarters[0] + 0.001, 1), (quarters[2], 2)):
        value, sentence = measure.publish(Measured(loss, ""), release, 10)
        assert value == quarters[expected] and value >= loss
        assert "at most" in sentence and "so few people" in sentence
    assert measure.publish_interval((0.01, 0.1), release, 10) is None
    value, sentence = measure.publish(Measured(0.0, ""), release, 5)
    assert value == 0 and "at most" not in sentence, "300 people are 60 times 5"


def test_what_a_recipe_guarantees_is_published(table):
    measures = [CATALOG["privacy loss"](), CATALOG["re-identification risk"](), CATALOG["utility loss"]()]
    recipes = [Recipe(Mondrian(), KAnonymity(5)), Recipe(Mondrian(), TCloseness(0.05, distance="js"))]
    five, close, *_ = redact_points(sweep(table, recipes, measures), table, 10).measured
    assert five.values["R_id"] <= 0.2 and close.values["P_loss"] <= 0.05


@examples(60)
@given(st.lists(st.integers(1, 400), min_size=3, max_size=6), st.integers(0, 2**32 - 1), st.sampled_from([1, 10]))
def test_no_class_within_the_share_loses_more_than_guaranteed(totals, seed, smallest):
    """Classes in which no value has more than 1/l, random ones and the corners of what 1/l allows."""
    frame = pd.DataFrame({"q": 0, "s": np.repeat(list("abcdef")[: len(totals)], totals)})
    table = Table.from_frame(frame, quasi=["q"], sensitive="s")
    model, release = ProbabilisticLDiversity(2.0), Remove()(table)
    bound = PrivacyLoss().guaranteed_bound(release, model, smallest)
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
    assert bound < np.log(2) if smallest == 1 else bound <= np.log(2) + 1e-4  # with few people nothing may be known
    assert PrivacyLoss().guaranteed_bound(release, KAnonymity(5), smallest) is None
