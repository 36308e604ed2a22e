"""The maximum share within a distance, compared with random distributions."""

import numpy as np
import pandas as pd
import pytest

from workbench.data.sensitive import Sensitive
from workbench.data.table import Table
from workbench.models import DistinctLDiversity, KAnonymity, TCloseness
from workbench.models.distribution_distances import distance
from workbench.publication.results import promise
from workbench.releases.scale import scale

JOBS = Sensitive(
    "job", ("clerk", "guard", "nurse", "smith"), np.array([4000, 3000, 2000, 1000]), (np.array([0, 0, 1, 1]),)
)
FLAG = Sensitive("epilepsy", ("no", "yes"), np.array([9800, 200]))


@pytest.mark.parametrize("kind", ["js", "variation", "ordered", "hierarchical"])
def test_no_mix_within_a_distance_has_more_of_the_value_and_some_have_as_much(kind):
    found = scale([JOBS], kind, 1)
    assert (found.column, found.value, found.share) == ("job", "clerk", 0.4)
    drawn = np.random.default_rng(3)
    mixes = np.vstack(
        [drawn.dirichlet(np.ones(4), 20_000), [[p, *((1 - p) * JOBS.prior[1:] / 0.6)] for p in np.linspace(0, 1, 200)]]
    )
    far = distance(kind, mixes, JOBS.prior, JOBS.levels)
    for limit in (0.01, 0.05, 0.1, 0.2, 0.3):
        most = mixes[far <= limit, 0].max()
        assert most <= found.max_share(limit) + 1e-9
        assert kind not in ("js", "variation") or most >= found.max_share(limit) - 0.03, "the maximum is attainable"


@pytest.mark.parametrize("kind", ["js", "variation", "ordered", "hierarchical"])
@pytest.mark.parametrize("far", [0.0, 1e-10])
def test_a_group_like_everybody_has_the_value_as_often(kind, far):
    """The example for a distance of 0 was 0 %, although 40 % of everybody have the value."""
    assert 0.4 <= scale([JOBS], kind, 1).max_share(far) <= 0.41


def test_the_example_is_of_the_column_that_is_hardest_to_disclose():
    """The flag is rare, so certainty of its absence has nearly no loss."""
    assert scale([FLAG, JOBS], "js", 10).column == "job"
    assert scale([], "js", 10) is None


def test_rare_values_are_not_examples():
    each = Sensitive("name", tuple("abcdefgh"), np.full(8, 9))
    assert scale([each], "js", 10) is None and scale([each], "js", 1).value == "a"


def test_the_prior_share_is_rounded_to_the_threshold():
    """For 3,991 to 4,009 clerks among 10,000 people, 3,990, 4,000 or 4,010 are published."""
    others = [JOBS.totals + np.array([n, -n, 0, 0]) for n in range(-9, 10)]
    found = {scale([Sensitive("job", JOBS.labels, totals)], "js", 10).share for totals in others}
    assert found <= {0.399, 0.4, 0.401}


def test_a_guarantee_of_closeness_has_an_example():
    frame = {"age": list(range(100)), "job": ["clerk"] * 60 + ["guard"] * 40}
    table = Table.from_frame(pd.DataFrame(frame), quasi=["age"], sensitive="job")
    said = promise(TCloseness(0.2), table, 1)
    assert said == (
        "every group's mix of job is within 0.2 of that of everybody (variation distance): for example, at most 60 % "
        "of a group have job “guard” (of everybody: 40 %)"
    )
    assert "even all of a group may have job “guard”" in promise(TCloseness(0.6), table, 10)
    both = KAnonymity(5) & DistinctLDiversity(2)
    assert promise(both, table, 10) == "every group has at least 5 people and 2 different values of job"
