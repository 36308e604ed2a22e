"""Words in column names."""

import pytest

from workbench.data.lexicon import has_word, words_in


def test_words_in_names():
    assert has_word("patientAge", ("age",)) and has_word("age_group", ("age",)) and not has_word("agency", ("age",))
    assert has_word("ricearea", ("*area",)) and not has_word("areas_of_rice_fields", ("*field",))
    assert has_word("ICD10", ("icd",)) and has_word("diagnosis", ("diagnos*",)) and not has_word("salt", ("salary",))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("caseid", ["case", "id"]),
        ("idNum", ["id", "num"]),
        ("household_weights", ["household", "weights"]),
        ("meducation", ["education"]),
        ("yearacc", ["year"]),
        ("yearsmarried", ["years", "married"]),
        ("paid", ["paid"]),
        ("covid", ["covid"]),
        ("average", ["average"]),
        ("village", ["village"]),
        ("learning", ["learning"]),
    ],
)
def test_compounds_of_known_words_are_split_and_other_words_are_not(name, words):
    assert words_in(name) == words
