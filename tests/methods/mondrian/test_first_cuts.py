"""Where cells do not fit into memory: the classes of Mondrian, in its order, and all figures, as in memory."""

import numpy as np
import pytest

from tests.releases.parted import MODELS, pair
from workbench.base.errors import TooMany, Undefined, Unsatisfiable
from workbench.disclosure.table import disclosure_table
from workbench.frontier.grid import variants
from workbench.frontier.recipe import Recipe
from workbench.frontier.sweep import sweep
from workbench.measures import (
    AverageClassSize,
    Discernibility,
    GroupProtection,
    InformationLoss,
    LargestQuotient,
    NumberOfClasses,
    PrivacyLoss,
    ReidentificationRisk,
    UtilityLoss,
)
from workbench.methods import FullDomain, Keep, Mondrian
from workbench.methods.mondrian import first_cuts
from workbench.models import KAnonymity
from workbench.releases.in_parts import InParts

MEASURES = [
    PrivacyLoss(), PrivacyLoss("hierarchical"), InformationLoss(), ReidentificationRisk(), NumberOfClasses(),
    AverageClassSize(), Discernibility(), GroupProtection(), LargestQuotient(),
]  # fmt: skip


def made(work, *given):
    try:
        return work(*given)
    except (Unsatisfiable, Undefined) as error:
        return str(error)


def figures(release):
    found = {}
    for measure in MEASURES:
        try:
            one = measure(release)
            found[measure.key] = one.value, one.sentence, one.interval
        except Undefined as error:
            found[measure.key] = str(error)
    return found


def large(release):
    return UtilityLoss(0.15)(release).value


def assert_same_classes(memory, parts):
    assert isinstance(parts, InParts) and repr(parts).partition(" of ")[2] == repr(memory).partition(" of ")[2]
    for array in ("sizes", "low", "high"):
        one, other = getattr(memory.classes, array), getattr(parts.classes, array)
        assert one.dtype == other.dtype and np.array_equal(one, other)
    assert list(memory.classes.histograms) == list(parts.classes.histograms)
    for name, histogram in memory.classes.histograms.items():
        assert np.array_equal(histogram, parts.classes.histograms[name])


def test_every_model_of_the_catalog_is_tried():
    tried = {type(part) for model in MODELS if model for part in model.parts}
    assert tried == set(variants("model").values())


@pytest.mark.parametrize("times", [15, pytest.param(300, marks=pytest.mark.exhaustive)])
def test_classes_and_figures_are_those_of_memory(monkeypatch, times):
    kept = 0
    for seed in range(times):
        memory, other = pair(seed)
        model = MODELS[seed % len(MODELS)]
        for publish in ("generalized", "bucketized"):
            monkeypatch.setattr(first_cuts, "PART", [1, 6, 25][seed % 3])
            method = Mondrian(publish=publish, median=["lower", "even"][seed // 2 % 2])
            one, parts = (made(method, table, model) for table in (memory, other))
            if isinstance(one, str):
                assert parts == one
                continue
            kept += 1
            assert_same_classes(one, parts)
            found, expected = figures(parts), figures(one)
            if publish == "bucketized":  # its groups are all combinations of quasi-identifiers
                assert "do not fit into memory" in found.pop("R_id")
                del expected["R_id"]
            assert found == expected
            assert str(one.audit(KAnonymity(3))) == str(parts.audit(KAnonymity(3)))
            assert disclosure_table(one).equals(disclosure_table(parts))
            losses = [made(large, release) for release in (one, parts)]
            if publish == "bucketized":  # as many sums, in another order
                losses[1] = pytest.approx(losses[1], abs=1e-12)
            assert losses[0] == losses[1]
    assert kept > 1.2 * times


@pytest.fixture
def counted(monkeypatch):
    """How often records were counted by the first cuts."""
    asked, original = [], first_cuts.FirstCuts._tallies

    def tallies(self, nodes, names):
        asked.append(names)
        return original(self, nodes, names)

    monkeypatch.setattr(first_cuts.FirstCuts, "_tallies", tallies)
    return asked


def test_recipes_that_agree_share_their_first_cuts(monkeypatch, counted):
    monkeypatch.setattr(first_cuts, "PART", 10)
    memory, other = pair(4)
    asked = []
    for k in (2, 3, 4, 5, 4):
        assert_same_classes(Mondrian()(memory, KAnonymity(k)), Mondrian()(other, KAnonymity(k)))
        asked.append(len(counted))
        counted.clear()
    assert asked[0] > 3 and sum(asked[1:]) <= 2 and asked[-1] == 0


def test_a_sweep_says_of_the_baseline_why_it_is_not_there(monkeypatch):
    monkeypatch.setattr(first_cuts, "PART", 20)
    memory, other = pair(7)
    recipes = [Recipe(Mondrian(), KAnonymity(k)) for k in (2, 4, 8)]
    expected, found = (sweep(table, recipes, [PrivacyLoss(), UtilityLoss(0.2)]) for table in (memory, other))
    keep, remove = found.measured[-2:]
    assert [point.values for point in found.measured] == [
        *(point.values for point in expected.measured[:3]),
        {},
        remove.values,
    ]
    assert remove.values == expected.measured[-1].values
    assert (
        all("do not fit into memory; only mondrian" in why for why in keep.reasons.values()) and len(keep.reasons) == 2
    )
    assert found.efficient["recipe"].tolist() == expected.efficient["recipe"].tolist()


@pytest.mark.parametrize(
    "method",
    [
        Mondrian(suppress=0.1),
        Mondrian(recode="levels"),
        Mondrian(split="most_repeated"),
        FullDomain(),
        Keep(),
    ],
)
def test_what_needs_all_cells_is_refused_in_a_sentence(method):
    _, table = pair(3)
    with pytest.raises(TooMany, match="do not fit into memory; only mondrian") as caught:
        method(table, KAnonymity(2))
    assert "\n" not in str(caught.value) and not any(value in str(caught.value) for value in ("w1", "s0", "yes"))


def test_it_is_said_which_of_three_sizes_it_is():
    memory, other = pair(3)
    assert "in memory" in repr(memory.engine)
    assert "more than the" in repr(other.engine) and "part by part" in repr(other.engine)
    fits = other.with_roles(other.quasi[:1], "n")
    assert "at most 46 combinations" in repr(fits.engine) and "fit into memory" in repr(fits.engine)
