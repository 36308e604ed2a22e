"""Offered and recommended releases."""

import numpy as np

from workbench.frontier.sweep import sweep
from workbench.publication import statements
from workbench.publication.offer import PublishedStudy
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.selection import redact_points
from workbench.releases.published_classes import Scale


def test_the_recommended_release_is_that_of_the_frontier(read, study, table):
    frontier = redact_points(sweep(table, study.candidates(), study.measured()), table, 10).on(*study.axes)
    own = [point.recipe for point in frontier.measured if not point.recipe.baseline]
    safe = {str(recipe) for recipe in own if is_safe(recipe.release(table))}
    for cap in np.linspace(read.privacy["low"], read.privacy["high"], 7):
        within = [
            point for point in frontier.measured if str(point.recipe) in safe and point.values["P_loss"] <= cap + 1e-12
        ]
        best = min(within, key=lambda point: (point.values["U_loss"], point.values["P_loss"]))
        assert read.points[read.choices(float(cap))["recommended"]]["recipe"] == str(best.recipe)
    assert len(safe) < len(own)
    choices = read.choices(read.privacy["high"])
    assert read.points[choices["useful"]]["against"]  # more accurate but not safe
    assert choices["safer"] in read.efficient
    assert read.points[choices["simplest"]]["recipe"].startswith("k-anonymity")
    assert read.choices(read.privacy["low"])["safer"] is None


def is_safe(release) -> bool:
    """Return whether no value is certain and no group has fewer than five people, by a naive count."""
    frame = release.frame()
    groups = frame.groupby(list(release.table.quasi), observed=True, dropna=False)["disease"]
    return bool((groups.nunique() > 1).all() and (groups.size() >= 5).all())


def test_no_release_with_certain_values_is_recommended_under_any_limit(study, tmp_path):
    """With k = 2 most groups have a single value, so the page opens with a warning and recommends nothing."""
    small = study.with_(recipes=({"method": {"name": "mondrian"}, "model": {"name": "k-anonymity", "k": [2, 3]}},))
    read = Published(publish(small, tmp_path / "out", warn=lambda said: None))
    cap = read.results["cap"]
    assert read.safe == [] and read.choices(cap)["recommended"] is None
    advice = "No release of this study is safe enough to be recommended: request {}, or publish fewer columns."
    assert statements.none_safe(read, cap) == advice.format("larger groups or stronger models")
    noisy = PublishedStudy({**read.results, "points": [{**point, "drawn": True} for point in read.points]})
    assert statements.none_safe(noisy, cap) == advice.format("more noise")
    assert "disease of" in statements.unsafe(read, read.opens(cap)) and cap is None
    assert read.results["carried"] == [] and not list(read.folder.rglob("*.csv"))
    assert statements.learnt(read, read.opens(cap))["unit"] == "whose disease is certain"


def test_the_page_opens_at_a_release_without_full_disclosure_if_no_limit_is_set(read, study):
    assert study.caps == read.results["caps"] == {} and read.results["cap"] is None
    shown = read.opens(None)
    assert Scale(**read.privacy["scale"]).max_share(read.loss(shown, read.privacy)) < 1 and shown in read.safe
    assert "Nobody’s disease is certain" in statements.learnt(read, shown)["sentence"]
