import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import table
from workbench.base.errors import Unsatisfiable
from workbench.data.hierarchies.builders import Intervals
from workbench.data.table import Table
from workbench.frontier.search import search
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import RakedBuckets
from workbench.methods.raking.atoms import Atoms
from workbench.methods.raking.buckets import buckets
from workbench.models import KAnonymity, TCloseness
from workbench.models.distances import jensen_shannon


def test_buckets_have_a_seat_for_every_record_within_the_model_and_as_large_as_it_asks():
    data, model = table(4, ("illness", "wage")), TCloseness(0.03, distance="js") & KAnonymity(90)
    atoms = Atoms.of(data, 0.05)
    group, seats = buckets(data, model, atoms, most=12, smallest=20, seed=0)
    sizes = np.bincount(group, atoms.records)
    assert 1 < len(sizes) <= 12 and sizes.min() >= 90
    for name, counts in seats.items():
        assert counts.sum(axis=1).tolist() == sizes.tolist()
        assert counts.sum(axis=0).tolist() == data.sensitive[name].totals.tolist()
        assert jensen_shannon(counts / sizes[:, None], data.sensitive[name].prior).max() <= 0.03


def test_where_no_large_population_tells_people_apart_that_is_said():
    frame = pd.DataFrame({"age": range(300), "ill": ["flu", "gout", "none"] * 100})
    bare = Table.from_frame(frame, ["age"], "ill")
    with pytest.raises(
        Unsatisfiable, match="none but everybody: give a quasi-identifier a hierarchy, or lower design_"
    ):
        RakedBuckets()(bare, TCloseness(0.1))
    assert len(RakedBuckets(design_support=1 / 300)(bare, TCloseness(0.4)).classes) > 1
    grouped = Table.from_frame(frame, ["age"], "ill", hierarchies={"age": Intervals(widths=(50,))})
    assert RakedBuckets()(grouped, TCloseness(0.1)).audit(TCloseness(0.1)).holds
    alike = Table.from_frame(frame.assign(age=1), ["age"], "ill")
    assert len(RakedBuckets()(alike, TCloseness(0.1)).classes) == 1


def test_a_search_says_why_what_it_seeks_has_no_value():
    frame = pd.DataFrame({"age": range(300), "ill": ["flu", "gout", "none"] * 100})
    found = search(
        Table.from_frame(frame, ["age"], "ill"), [PrivacyLoss(), UtilityLoss()], {"P_loss": 0.05}, "20 evaluations"
    )
    given_up = [note for note in found.notes if "given up" in note]
    assert given_up and all("lower min_support" in note or "lower design_support" in note for note in given_up)
