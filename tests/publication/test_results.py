"""The results in a published folder."""

import math

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking.tables import people_with_values
from tests.planted import RARE_DISEASE, people
from workbench.data.table import Table
from workbench.models import DeltaDisclosure, DistinctLDiversity, KAnonymity, TCloseness
from workbench.publication import cost, statements
from workbench.publication.publish import publish
from workbench.publication.published_folder import Published
from workbench.publication.results import allows, promise


def test_the_scale_distinguishes_releases_although_a_rare_flag_is_sensitive(study, tmp_path):
    """The disclosure of its most common value has nearly no loss: relative to that, every release would have 100 %."""
    frame = people()
    frame["epileptic"] = np.arange(len(frame)) % 40 == 0
    thresholds = [0.1, 0.15, 0.2, 0.3]
    recipe = {"method": {"name": "mondrian"}, "model": {"name": "t-closeness", "t": thresholds, "distance": "js"}}
    both = study.with_(data={"given": "ill"}, sensitive=("disease", "epileptic"), recipes=(recipe,), smallest=5)
    read = Published(publish(both, tmp_path / "out", given=frame, warn=lambda said: None))
    losses = [abs(read.loss(index, read.privacy)) for index in read.efficient]
    said = [statements.scale(read, loss) for loss in losses]
    assert len(set(said)) == len(set(losses)) >= 3 and all("have disease" in one for one in said)
    rows = [read.exposures(index)[1][0]["share"] for index in read.efficient]
    assert min(rows) < 0.75 and len(set(rows)) >= 3, "the class tables differ too"


def test_infinite_losses_are_words_and_the_slider_has_a_last_stop(study, tmp_path):
    measures = [{"name": "largest quotient"}, {"name": "utility loss"}]
    common = people()[lambda frame: frame["disease"] != RARE_DISEASE]  # otherwise a class of every release lacks it
    asked = study.with_(data={"given": "p"}, measures=measures, axes=["A_quot", "U_loss"])
    read = Published(publish(asked, tmp_path / "out", given=common))
    assert read.privacy["endless"] and math.isfinite(read.privacy["high"])
    assert "inf" in {point["values"]["A_quot"] for point in read.points}
    last = read.choices(read.checked_cap(None))["recommended"]
    assert read.points[last]["values"]["A_quot"] == "inf" and statements.scale(read, None) == "no limit"


def test_a_minimum_applies_to_a_table_without_sensitive_columns(study, tmp_path):
    bare = study.with_(
        sensitive=(), identifiers=("name", "disease"), recipes=study.recipes[:1], axes=[],
        measures=[{"name": "achieved figure", "model": "k-anonymity"}, {"name": "discernibility"}],
    )  # fmt: skip
    read = Published(publish(bare, tmp_path / "out"))
    assert read.privacy["better"] == "higher"
    assert "fewer than 5" in statements.unsafe(read, read.efficient[-1])
    best = read.choices(read.privacy["high"])["recommended"]
    assert read.points[best]["values"]["k (k-anonymity)"] == read.privacy["high"]
    assert statements.learnt(read, best)["figure"] and cost.cost(read, best)["figure"]
    _, rows = read.exposures(read.efficient[-1])
    assert rows[0]["share"] == pytest.approx(1 / (rows[0]["people"] - 9), abs=1e-3)
    assert rows[-1]["share"] == 1.0 and rows[-1]["people"] is None


def test_promises_and_caveats_of_a_method_are_separate_from_those_of_the_model(study, tmp_path):
    recipe = {"method": {"name": "raked buckets", "rho": 5}, "model": {"name": "t-closeness", "t": 0.2}}
    noise = {"method": {"name": "randomized response", "keep": 0.5}}
    asked = study.with_(data={"given": "p"}, recipes=[recipe, noise], workloads={"mine": ["sex = 'M'"]})
    asked = asked.with_(intervals={"over": "seeds", "times": 2})
    read = Published(publish(asked, tmp_path / "out", given=people(), warn=lambda said: None))
    raked, responses = (next(one for one in read.points if one["recipe"].count(name)) for name in ("raked", "response"))
    assert raked["brief"].startswith("every group") and "rho" not in raked["title"]
    assert raked["also"].startswith("Rho = 5 (zero-concentrated") and "Sensitive values were exchanged" in raked["also"]
    assert "is kept with chance 0.5" in responses["brief"]
    for i, point in enumerate(read.points):
        found, drawn = point["opened"], point["drawn"]
        assert ("the guarantee of the noise does not cover these figures." in point["also"]) == drawn
        assert not (drawn and point["intervals"]), "they depend on the true values"
        if found is not None and drawn:
            assert found["beside"]["reason"].endswith("the guarantee of the noise does not cover them")
            assert "reason" in found["queries"] and read.populations(i) == []
            assert found["accuracy"]["worst"] is found["accuracy"]["example"] is None and found["accuracy"]["wrong"]
    assert any(point["drawn"] and point["opened"] is not None for point in read.points)


def test_the_page_warns_if_a_person_may_have_several_records(study, tmp_path):
    frame = people()
    frame["person"] = np.arange(len(frame)) // 2
    asked = study.with_(data={"given": "p"}, identifiers=("name", "person"), recipes=study.recipes[:1])
    notes = []
    read = Published(publish(asked, tmp_path / "out", given=frame, warn=notes.append))
    assert any("person has " in note and "count records, not people" in note for note in notes)
    promised = [point for point in read.points if not point["baseline"]]
    assert promised and all("the guarantee counts records, not people" in point["also"] for point in promised)
    once = Published(publish(study.with_(recipes=study.recipes[:1]), tmp_path / "once"))
    assert all("counts records" not in point["also"] for point in once.points)


@pytest.mark.slow
def test_the_report_of_a_method_about_a_release_replaces_its_general_statement(study, tmp_path):
    """No values were swapped in plain buckets that replace raked ones, so the page does not claim it."""
    recipe = {"method": {"name": "raked buckets"}, "model": {"name": "t-closeness", "t": 0.2, "distance": "js"}}
    asked = study.with_(data={"given": "p"}, recipes=(recipe,), sensitive=("illness",), identifiers=())
    read = Published(publish(asked, tmp_path / "out", given=people_with_values(139, 487, 21), warn=lambda said: None))
    point = next(one for one in read.points if "raked" in one["recipe"])
    assert point["opened"] is not None and "Plain buckets (Mondrian, median cuts) are published" in point["also"]
    assert "exchanged between records" not in point["also"]


# --- the promises of models in plain words with the numbers of the study


@pytest.fixture(scope="module")
def table() -> Table:
    frame = pd.DataFrame({"age": np.arange(600) % 50, "disease": np.repeat(["flu", "gout", "cold"], [300, 200, 100])})
    return Table.from_frame(frame, quasi=["age"], sensitive="disease")


def test_promises_with_a_common_beginning_are_merged(table):
    assert promise(KAnonymity(k=10), table, 10) == "every group has at least 10 people"
    both = promise(KAnonymity(k=10) & DistinctLDiversity(l=2), table, 10)
    assert both.startswith("every group has at least 10 people and 2 ") and both.count("every group") == 1
    assert promise(None, table, 10) == allows(None, table, 10) == ""


def test_a_distance_is_described_by_what_it_allows(table):
    model = TCloseness(t=0.1, distance="js")
    example = allows(model, table, 10)
    assert "have disease" in example and example in promise(model, table, 10)
    assert example not in promise(model, table, 10, examples=False)


def test_no_minimum_share_is_promised_for_a_value_that_may_be_missing_from_a_group(table):
    strict, lax = (promise(DeltaDisclosure(2.0, absent=absent), table, 10) for absent in ("breaks", "allowed"))
    example = " (a value that 10 % of everybody have, 1 % to 74 % of a group may have)"
    assert strict == f"in no group is a disease 7.39 times as common or as rare as usual{example}"
    assert lax == (
        "no disease that a group has is 7.39 times as common or as rare there as usual, but a disease may be missing "
        f"from a group{example.replace('1 % to', '1 %, if any, to')}"
    )


def test_articles_fit_the_following_name():
    frame = pd.DataFrame({"age": np.arange(600) % 50, "occupation": np.repeat(["clerk", "cook", "smith"], 200)})
    table = Table.from_frame(frame, quasi=["age"], sensitive="occupation")
    assert promise(DeltaDisclosure(2.0), table, 10).startswith("in no group is an occupation 7.39 times")
