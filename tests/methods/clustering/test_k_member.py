"""k-member clustering as a method: its properties and what it publishes."""

import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.methods.clustering import promises
from tests.methods.tables import frames, quasi_choices, random_frame, table_of
from workbench import Table
from workbench.base.errors import BadInput, Unsatisfiable
from workbench.base.progress import Cancelled, cancellable
from workbench.measures import GeometricLoss, GroupProtection, GroupUtility
from workbench.methods import KMember, Mondrian
from workbench.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, KMap, TCloseness

METHODS = [KMember(), KMember("protection", r=1.0), KMember(publish="bucketized")]


@examples(40)
@given(frames(least=12, most=60), quasi_choices, st.integers(1, 12), st.sampled_from(METHODS), st.integers(0, 9))
def test_every_cluster_has_k_records_and_satisfies_the_model(frame, quasi, k, method, seed):
    table = table_of(frame, quasi, ("s", "s2"))
    promises.check(method, table, KAnonymity(k), k, seed)
    promises.check(method, table, KAnonymity(min(k, 4)) & DistinctLDiversity(2), min(k, 4), seed)


@examples(15)
@given(frames(least=20, most=60), st.sampled_from([0.1, 0.3]), st.sampled_from(METHODS))
def test_every_cluster_satisfies_a_model_that_growth_may_violate(frame, t, method):
    table = table_of(frame, ["whole", "plain"])
    promises.check(method, table, KAnonymity(3) & TCloseness(t), 3, 0)
    promises.check(method, table, EntropyLDiversity(1.5), 1, 0)


def test_a_model_of_the_population_is_checked_on_published_regions():
    frame = random_frame(1, 80)
    table = table_of(frame, ["whole", "plain"]).with_settings(population=frame[["whole", "plain"]])
    release = KMember()(table, KMap(6))
    assert release.audit(KMap(6)).holds and len(release.classes) > 3


def test_text_without_a_hierarchy_is_published_as_the_set_of_its_values():
    rows = {"city": ["Athens", "Munich", "Zurich", "Munich"] * 4, "age": [20, 80, 20, 80] * 4, "s": list("xy") * 8}
    release = KMember()(Table.from_frame(pd.DataFrame(rows), ["city", "age"], "s"), KAnonymity(8))
    assert release.frame()["city"].value_counts().to_dict() == {"{Athens, Zurich}": 8, "Munich": 8}


def test_without_a_model_every_record_is_a_cluster(small):
    assert GroupUtility(floor="subtracted")(KMember()(small(0))).value == 0


def test_the_loss_is_below_that_of_mondrian_and_protection_costs_utility():
    table, model = table_of(random_frame(5, 400, values=6), ["whole", "word", "real"]), KAnonymity(5)
    mondrian, utility, protection = (m(table, model) for m in (Mondrian(), KMember(), KMember("protection", r=1.0)))
    assert GroupUtility()(utility).value < GroupUtility()(mondrian).value < GroupUtility()(protection).value
    assert GeometricLoss()(utility).value < GeometricLoss()(mondrian).value
    told = [GroupProtection(r=1.0)(release).value for release in (protection, mondrian, utility)]
    assert told[0] < min(told[1:])


def test_important_columns_are_published_more_exactly():
    frame = random_frame(3, 200)
    plain = table_of(frame, ["whole", "real"])
    each = [KMember()(table, KAnonymity(5)) for table in (plain, plain.with_settings(importance={"real": 20}))]
    widths = [np.mean(GroupUtility("records")(release).detail["per_attribute"]["real"]) for release in each]
    assert widths[1] < 0.7 * widths[0]


def test_progress_is_reported_and_invalid_settings_are_refused(tmp_path):
    table = table_of(random_frame(2, 300), ["whole", "real"])
    stop, said = threading.Event(), []

    def report_progress(words):
        said.append(words)
        stop.set()

    with cancellable(stop, report_progress), pytest.raises(Cancelled):
        KMember()(table, KAnonymity(5))
    assert said[0].startswith("clustering: ")
    with pytest.raises(Unsatisfiable, match="fewer than k"):
        KMember()(table, KAnonymity(301))
    random_frame(2, 300).to_parquet(tmp_path / "t.parquet")
    elsewhere = Table.read(tmp_path / "t.parquet", quasi=["whole", "real"], sensitive="s", engine="duckdb")
    with pytest.raises(BadInput, match="records one by one"):
        KMember()(elsewhere, KAnonymity(5))
