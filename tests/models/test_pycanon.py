"""On the same classes, pycanon 1.3.6 agrees on six figures and deviates from the definition of four.

Its results were recorded by scripts/record_pycanon.py, which also makes the classes.
"""

import importlib.util
import json
from math import floor, inf
from pathlib import Path

import numpy as np
import pytest

from workbench.models import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveLDiversity,
    TCloseness,
)

ROOT = Path(__file__).resolve().parents[2]
RECORDED = json.loads((ROOT / "tests" / "records" / "pycanon.json").read_text())["partitions"]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("record_pycanon", ROOT / "scripts" / "record_pycanon.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=RECORDED)
def recorded(request, script):
    """The classes of a partition, with pycanon's results."""
    release = script.release_of(script.PARTITIONS[request.param])
    expected = RECORDED[request.param]
    assert script.digest(release) == expected["classes"], "other classes: run scripts/record_pycanon.py again"
    return release.classes, expected["answers"]


def test_the_record_is_of_the_partitions_that_the_script_names(script):
    asked = {name: {**partition} for name, partition in script.PARTITIONS.items()}
    assert asked == {
        name: {key: value for key, value in entry.items() if key not in ("classes", "answers")}
        for name, entry in RECORDED.items()
    }


@pytest.mark.slow
def test_k_alpha_and_distinct_l_agree(recorded):
    classes, answers = recorded
    assert KAnonymity().achieved(classes) == answers["k"]
    assert AlphaK(k=1).achieved(classes) == pytest.approx(answers["alpha"], abs=1e-12)
    assert DistinctLDiversity().achieved(classes) == answers["l"]


def test_t_agrees_equal_distances_for_text_and_ordered_ones_for_numbers(recorded):
    classes, answers = recorded
    kind = "ordered" if "hours_per_week" in classes.sensitive else "equal"
    assert TCloseness(distance=kind).achieved(classes) == pytest.approx(answers["t"], abs=1e-12)


def test_basic_beta_agrees(recorded):
    classes, answers = recorded
    assert BetaLikeness().achieved(classes) == pytest.approx(answers["beta"], abs=1e-9)


def test_enhanced_beta_agrees_where_there_is_one(recorded):
    """If a value gains more than -ln q no beta holds; pycanon then returns min(beta, largest -ln q)."""
    classes, answers = recorded
    ours, theirs = BetaLikeness(enhanced=True).achieved(classes), []
    for name, seen in classes.sensitive.items():
        gain = max(BetaLikeness().score_column(classes.histograms[name], seen))
        theirs.append(min(gain, max(-np.log(seen.prior))))
    assert answers["enhanced_beta"] == pytest.approx(max(theirs), abs=1e-9)
    if ours < inf:
        assert answers["enhanced_beta"] == pytest.approx(ours, abs=1e-9)
    else:
        assert not BetaLikeness(100, enhanced=True).audit(classes).holds


@pytest.mark.slow
def test_there_are_partitions_with_an_enhanced_beta_and_without(script):
    finite = [
        BetaLikeness(enhanced=True).achieved(script.release_of(p).classes) < inf for p in script.PARTITIONS.values()
    ]
    assert 3 <= sum(finite) <= len(finite) - 3


def test_pycanon_cuts_entropy_l_to_an_integer(recorded):
    classes, answers = recorded
    ours = EntropyLDiversity().achieved(classes)
    assert answers["entropy_l"] == floor(ours) or ours - answers["entropy_l"] == pytest.approx(1)


def test_pycanon_rounds_3_diverse_counts_2_2_2_down_to_2(script):
    classes = script.release_of(script.PARTITIONS["counts 2, 2, 2"]).classes
    assert EntropyLDiversity(3).audit(classes).holds
    assert RECORDED["counts 2, 2, 2"]["answers"]["entropy_l"] == 2


def test_pycanon_skips_absent_values_in_delta_disclosure(recorded):
    classes, answers = recorded
    assert DeltaDisclosure(absent="allowed").achieved(classes) == pytest.approx(answers["delta"], abs=1e-9)
    absent = any((counts == 0).any() for counts in classes.histograms.values())
    assert DeltaDisclosure().achieved(classes) == pytest.approx(inf if absent else answers["delta"])


def smallest_c(classes, l, descending):
    """Return the smallest integer c with r1 < c (rl + ... + rm) in every class; pycanon uses the rarest value as r1."""
    rows = [row for counts in classes.histograms.values() for row in counts.tolist()]
    ranked = [sorted((n for n in row if n), reverse=descending) for row in rows]
    return max(floor(r[0] / sum(r[l - 1 :]) + 1) for r in ranked)


def test_pycanon_sorts_counts_ascending_in_recursive_diversity_so_its_c_is_too_small(recorded):
    classes, answers = recorded
    c, l = answers["recursive_c"], answers["recursive_l"]
    assert l == answers["l"]
    if c is None:
        assert l == 1
        return
    assert c == smallest_c(classes, l, descending=False)
    defined = smallest_c(classes, l, descending=True)
    if defined <= 100:  # the largest c allowed
        assert RecursiveLDiversity(defined, l).audit(classes).holds
        assert defined == 1 or not RecursiveLDiversity(defined - 1, l).audit(classes).holds
    assert RecursiveLDiversity(c, l).audit(classes).holds == (c >= defined)


@pytest.mark.slow
def test_no_release_of_adult_satisfies_the_c_that_pycanon_reports(script):
    for name in ("adult, k=100", "adult, k=1000", "adult, t=0.2", "adult, hours a week"):
        answers, release = RECORDED[name]["answers"], script.release_of(script.PARTITIONS[name])
        assert answers["recursive_c"] == 1
        assert not release.audit(RecursiveLDiversity(1, answers["recursive_l"])).holds
