"""The published number of people with a certain value; if there are none, the confidence of the best guess."""

import numpy as np
import pandas as pd
import pytest

from workbench import Undefined
from workbench.data.table import Table
from workbench.data.wording import PLAIN
from workbench.methods import Mondrian
from workbench.models import AlphaK, DistinctLDiversity, KAnonymity
from workbench.publication.certainty import certain_of, describe_certainty, values_of

DISEASES = ["flu", "gout", "cold"]


def table_of(disease, sensitive="disease") -> Table:
    frame = pd.DataFrame({"age": np.repeat(np.arange(10), 60), "disease": disease})
    return Table.from_frame(frame, quasi=["age"], sensitive=sensitive)


def test_a_group_with_a_single_value_is_counted():
    """Sixty people of one age all have gout; all others have mixed diseases."""
    disease = np.array([DISEASES[i % 3] for i in range(600)], dtype=object)
    disease[:60] = "gout"
    table = table_of(disease)
    found = describe_certainty(Mondrian()(table, KAnonymity(k=60)), 10)
    assert found["figure"] == "About 60 people" and found["unit"] == "whose disease is certain"
    assert found["certain"] == "the disease of about 60 of about 600 people" and found["sentence"] == ""


def test_the_surest_guess_is_published_if_no_value_is_certain():
    table = table_of([DISEASES[i % 3] for i in range(600)])
    found = describe_certainty(Mondrian()(table, DistinctLDiversity(l=3)), 10)
    assert found["figure"] == "" and found["certain"] == "nobody’s disease"
    assert (
        found["sentence"].startswith("Nobody’s disease is certain")
        and "The surest guess because of the release: " in found["sentence"]
    )


def test_certainty_is_undefined_without_sensitive_columns():
    table = table_of([DISEASES[i % 3] for i in range(600)], sensitive=())
    with pytest.raises(Undefined, match="no column of the study is sensitive"):
        describe_certainty(Mondrian()(table, KAnonymity(k=60)), 10)


def test_small_counts_and_many_columns_are_published_coarsely():
    assert certain_of(table_of(DISEASES * 200), 3, 10) == "the disease of fewer than 15 of about 600 people"


def test_certainty_from_several_files_exceeds_that_by_subtraction():
    """Regression: a page stated 480 people for four files, and a linear program found 520 by one column."""
    table = table_of(DISEASES * 200)
    said = {count: certain_of(table, count, 10, by_subtraction=True) for count in (0, 3, 480)}
    assert said[480] == "the disease of at least about 480 of about 600 people"
    assert said[3] == "the disease of at least 1 of about 600 people"
    assert said[0] == "nobody’s disease, as far as subtracting groups shows"
    assert values_of(["a", "b"], PLAIN) == "a or b"
    assert values_of(["a", "b", "c"], PLAIN) == "sensitive value (of any of 3 columns)"


def test_the_surest_guess_is_not_a_value_that_nearly_everyone_has():
    """96 % of every group have no asthma, so the surest guess is about the disease, which is mixed."""
    frame = pd.DataFrame({"age": np.repeat(np.arange(10), 60), "asthma": (["no"] * 29 + ["yes"]) * 20})
    table = Table.from_frame(
        frame.assign(disease=[DISEASES[i % 3] for i in range(600)]), quasi=["age"], sensitive=["asthma", "disease"]
    )
    said = describe_certainty(Mondrian()(table, KAnonymity(k=60)), 10)["sentence"]
    assert "asthma no" not in said and "The surest guess because of the release: disease" in said

    assert "Values that over 80 % of everybody have anyway are ignored." in said


def test_the_guess_with_the_finest_published_share_wins_a_tie():
    """The model allows 94 % of a group: nearly reached among 600 people, and among 60 in steps of a quarter."""
    disease = np.array([DISEASES[i % 3] for i in range(1260)], dtype=object)
    disease[:48], disease[660:1221], disease[1221:] = "gout", "gout", "flu"
    frame = pd.DataFrame({"age": np.repeat([1, 2, 3], [60, 600, 600]), "disease": disease})
    table, model = Table.from_frame(frame, quasi=["age"], sensitive="disease"), AlphaK(0.94, 60)
    release = Mondrian()(table, model)
    assert len(release.classes) == 3
    assert "disease “gout”, right for 94 % of a group" in describe_certainty(release, 10, model)["sentence"]


def test_the_share_of_right_guesses_is_at_most_what_the_model_allows():
    """Regression: the sentence stated over three quarters, the card at most 80 % of any group."""
    table, model = table_of(["gout"] * 46 + ["flu", "cold"] * 277), AlphaK(0.8, 60)
    assert "right for 75–80 % of a group" in describe_certainty(Mondrian()(table, model), 10, model)["sentence"]
