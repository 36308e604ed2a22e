"""Releases of other tools, compared with naive counts, and releases of the workbench read back."""

import csv
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from workbench import BadInput, Undefined
from workbench.data.hierarchies.builders import Groups
from workbench.data.records import edges_of_quasi
from workbench.data.table import Table
from workbench.disclosure.audit import audit_release
from workbench.disclosure.exposure import disclosure_table
from workbench.frontier.recipe import parse_model
from workbench.measures import (
    AverageClassSize,
    Discernibility,
    GeneralizationSteps,
    GeometricLoss,
    InformationLoss,
    KLDivergence,
    PrivacyLoss,
    UtilityLoss,
    default_measures,
)
from workbench.measures.privacy.achieved import MODELS, Achieved
from workbench.methods import FullDomain, Keep, Mondrian, Remove
from workbench.models import DistinctLDiversity, KAnonymity, ProbabilisticLDiversity, TCloseness
from workbench.queries.populations import large_populations
from workbench.releases.foreign import foreign

HERE = Path(__file__).parent / "foreign"
NINE = ("k_3", "k_5", "k_15", "l_2", "l_3", "l_4", "t_0.6", "t_0.45", "t_0.25")
ROLES = (["age", "zip", "work"], "disease")
WORK = Groups(({"Outdoors": ("Farm", "Fishing"), "Indoors": ("Shop", "Office", "Clinic")},))


@pytest.fixture(scope="module")
def original():
    return Table.read(HERE / "original.csv", *ROLES, ["name"], {"work": WORK}, types={"zip": "text"})


# --- another tool, counted by hand


def counted(name, prior=None):
    """Return k, distinct l, probabilistic l and t by naive counts."""
    with (HERE / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    classes = defaultdict(Counter)
    for row in rows:
        classes[row["age"], row["zip"], row["work"]][row["disease"]] += 1
    whole = prior or Counter(row["disease"] for row in rows)
    total, far = sum(whole.values()), []
    for inside in classes.values():
        size = sum(inside.values())
        far.append(sum(abs(inside[d] / size - n / total) for d, n in whole.items()) / 2)
    shares = [max(inside.values()) / sum(inside.values()) for inside in classes.values()]
    return {
        "records": len(rows),
        "classes": len(classes),
        "k": min(sum(inside.values()) for inside in classes.values()),
        "distinct l": min(len(inside) for inside in classes.values()),
        "l": 1 / max(shares),
        "t": max(far),
    }


def found(release):
    kept = [KAnonymity(1), DistinctLDiversity(1), ProbabilisticLDiversity(1), TCloseness(1)]
    k, distinct, l, t = (release.audit(model).achieved[0][1] for model in kept)
    counts = {"records": release.records, "classes": len(release.classes)}
    return {**counts, "k": k, "distinct l": distinct, "l": pytest.approx(l), "t": pytest.approx(t)}


@pytest.mark.parametrize("name", NINE)
def test_releases_of_other_tools_equal_a_naive_count(name, original):
    assert found(foreign(HERE / f"{name}.csv", *ROLES)) == counted(name)
    with (HERE / "original.csv").open(newline="") as file:
        prior = Counter(row["disease"] for row in csv.DictReader(file))
    assert found(foreign(HERE / f"{name}.csv", original=original)) == counted(name, prior)


@pytest.mark.parametrize("name", NINE)
def test_another_tool_satisfied_its_model(name):
    kind, strength = name.split("_")
    model = {"k": "k-anonymity", "l": "distinct l-diversity", "t": "t-closeness"}[kind]
    release = foreign(HERE / f"{name}.csv", *ROLES)
    assert release.audit(parse_model(f"{model}, {kind}={strength}")).holds
    assert not release.audit(parse_model(f"k-anonymity, k={release.classes.sizes.min() + 1}")).holds


@pytest.mark.parametrize("name", NINE)
def test_the_expected_counts_are_those_of_a_naive_sum(name, original):
    release, table = foreign(HERE / f"{name}.csv", original=original), original
    populations = large_populations(table, 0.1)
    told = release.estimate(populations, "disease")
    classes, (left, right) = release.classes, edges_of_quasi(table)
    prior = table.sensitive["disease"].prior
    for runs, counts in zip(populations.runs[::7], told[::7], strict=True):
        expected = np.zeros(len(prior))
        low = np.vstack([classes.low, np.zeros_like(classes.low[:1])])
        high = np.vstack([classes.high, [[table.columns[q].size - 1 for q in table.quasi]]])
        histograms = np.vstack([classes.histograms["disease"], release.suppressed * prior])
        for c, histogram in enumerate(histograms):
            share = 1.0
            for a, (first, last) in enumerate(runs):
                begin, end = left[a, low[c, a]], right[a, high[c, a]]
                share *= max(0.0, min(end, right[a, last]) - max(begin, left[a, first])) / (end - begin)
            expected += share * histogram
        assert counts == pytest.approx(expected)


def test_suppressed_records_have_the_prior(original):
    release = foreign(HERE / "k_5.csv", original=original)
    assert release.suppressed == 300 - 241 and any("59 of the original's 300" in note for note in release.notes)
    posterior = release.posterior("disease")
    assert posterior.sizes.sum() == 300 and posterior.sizes[-1] == 59
    assert (posterior.beliefs[-1] == original.sensitive["disease"].prior).all()
    sizes = release.classes.sizes
    assert AverageClassSize()(release).value == 241 / len(sizes)
    assert Discernibility()(release).value == (sizes**2).sum() + 59 * 300
    assert release.estimate(large_populations(original, 0.05)).sum() == pytest.approx(
        release.estimate(large_populations(original, 0.05), "disease").sum()
    )
    assert math.isfinite(KLDivergence()(release).value)
    assert InformationLoss()(release).value >= 59 / 300
    assert GeneralizationSteps()(release).value > 59 / 300


# --- our own releases, read back


# estimated from a sample of people; a file's records are in another order
ESTIMATED = {"R_single", "R_link", "R_infer"}


def same(release, read):
    assert read.records == release.table.records and read.suppressed == 0
    for one in (one for one in default_measures() if one.symbol not in ESTIMATED):
        for measure in [Achieved(model=name) for name in MODELS] if isinstance(one, Achieved) else [one]:
            try:
                value = measure(release).value
            except Undefined:
                with pytest.raises(Undefined):
                    measure(read)
                continue
            assert measure(read).value == pytest.approx(value, rel=1e-9, abs=1e-12), measure.key


RECIPES = [
    (Mondrian(), KAnonymity(3)),
    (Mondrian(), KAnonymity(8)),
    (Mondrian(strict=False), KAnonymity(5)),
    (Mondrian(), ProbabilisticLDiversity(1.3)),
    (Keep(), None),
    (Remove("age"), None),
    (Remove("disease"), None),
]


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=[f"{method} {model or ''}" for method, model in RECIPES])
@pytest.mark.parametrize("seed", range(4))
def test_a_release_read_back_has_the_same_figures(small, seed, recipe, tmp_path):
    table = small(seed)
    table = table.drop(table.neutral)
    release = recipe[0](table, recipe[1], 0)
    same(release, foreign(release.frame(), original=table))
    for name in ("release.csv", "release.parquet"):
        release.export(tmp_path / name)
        same(release, foreign(tmp_path / name, original=table))


def test_the_risk_from_neutral_columns_is_read_back(small, tmp_path):
    table = small(3)
    release = Mondrian()(table, KAnonymity(5))
    read = foreign(release.export(tmp_path / "release.csv", giveaways=True)[0], original=table)
    assert table.neutral and set(read.neutral) == set(release.neutral)
    assert (
        read.side_information_risk()[2:] == release.side_information_risk()[2:]
        and release.side_information_risk().unique > 0
    )


@examples(25)
@given(st.integers(0, 10_000), st.integers(2, 12), st.booleans())
def test_releases_of_random_people_have_the_same_figures(seed, k, missing):
    import random

    from tests.conftest import HIERARCHIES, people

    frame = people(random.Random(seed), missing)
    table = Table.from_frame(frame.drop(columns=["person", "wage"]), ["age", "work", "sex"], "disease", (), HIERARCHIES)
    release = Mondrian()(table, KAnonymity(k), 0)
    same(release, foreign(release.frame(), original=table))


def test_a_sensitive_column_at_a_level(small):
    table = small(1)
    table = table.drop(table.neutral).with_roles(["age", "work"], "disease", {"disease": 1})
    release = Mondrian()(table, KAnonymity(4), 0)
    same(release, foreign(release.frame(), original=table))


def test_adult_read_back(adult):
    release = Mondrian()(adult, KAnonymity(50), 0)
    read = foreign(release.frame(), original=adult)
    for measure in (PrivacyLoss(), UtilityLoss(), Achieved()):
        assert measure(read).value == pytest.approx(measure(release).value, rel=1e-9)


# --- suppressed records


STARS = pd.DataFrame(
    {
        "age": ["[20, 30)"] * 4 + ["[30, 40)"] * 4 + ["*"] * 2,
        "sex": ["F"] * 4 + ["*"] * 4 + ["**"] * 2,
        "disease": ["Flu", "Flu", "HIV", "Ulcer", "Flu", "Ulcer", "Ulcer", "HIV", "HIV", "HIV"],
    }
)
PEOPLE = pd.DataFrame(
    {"age": [20, 22, 25, 29, 30, 33, 35, 39, 51, 60], "sex": list("FFFFMMFMFM"), "disease": STARS["disease"]}
)


@pytest.mark.parametrize("with_original", [False, True])
def test_suppressed_records(with_original):
    table = Table.from_frame(PEOPLE, ["age", "sex"], "disease") if with_original else None
    roles = ((), None) if with_original else (["age", "sex"], "disease")
    kept = foreign(STARS, *roles, table)
    assert kept.starred == 2 and Achieved()(kept).value == 2
    assert (
        "2 of 10 records have every quasi-identifier suppressed: one class of the release, as published" in kept.notes
    )
    out = foreign(STARS, *roles, table, suppressed="out")
    assert out.starred == 2 and Achieved()(out).value == 4 and out.records == 8
    assert out.suppressed == (2 if with_original else 0)
    assert any("dropped from the audit" in note for note in out.notes)


@pytest.mark.parametrize("written", [None, "NA", "null", "", "*", "N/A"])
@pytest.mark.parametrize("with_original", [True, False])
def test_records_suppressed_in_any_way_can_be_dropped(tmp_path, written, with_original):
    table = Table.from_frame(PEOPLE, ["age", "sex"], "disease") if with_original else None
    roles = ((), None) if with_original else (["age", "sex"], "disease")
    frame = STARS.assign(age=[*STARS["age"][:8], written, "*"], sex=[*STARS["sex"][:8], written, written])
    frame.to_csv(tmp_path / "released.csv", index=False)
    for data in (frame, tmp_path / "released.csv"):
        out = foreign(data, *roles, table, suppressed="out")
        assert (out.starred, out.records) == (2, 8) and Achieved()(out).value == 4


def test_values_missing_in_the_original_are_not_suppressed():
    people = PEOPLE.assign(age=[None, *PEOPLE["age"][1:]], sex=[None, *PEOPLE["sex"][1:]])
    table = Table.from_frame(people, ["age", "sex"], "disease")
    released = people.assign(age=people["age"].map(lambda age: None if age != age else f"{age:g}"))
    assert foreign(released, original=table, suppressed="out").starred == 0


def test_everything_suppressed():
    release = foreign(STARS.assign(age="*", sex="*"), ["age", "sex"], "disease", suppressed="out")
    assert release.records == 10 and any("all records are indistinguishable" in note for note in release.notes)


def test_empty_values_are_suppressed_if_nothing_was_missing():
    table = Table.from_frame(PEOPLE, ["age", "sex"], "disease")
    release = foreign(STARS.assign(sex=[*"FFFF", *[None] * 6]), original=table)
    assert any(note.startswith("sex: 6 empty values are read as suppressed") for note in release.notes)
    a = table.quasi.index("sex")
    assert sorted(zip(release.classes.low[:, a].tolist(), release.classes.high[:, a].tolist(), strict=True)) == [
        (0, 0), (0, 1), (0, 1),
    ]  # fmt: skip


# --- what is said


def test_the_worst_classes_show_the_labels_of_the_file(original):
    for release in (foreign(HERE / "l_2.csv", *ROLES), foreign(HERE / "l_2.csv", original=original)):
        shown = disclosure_table(release)
        assert set(shown["work"]) == {"Indoors", "Outdoors"} and "[0, 20)" in set(shown["age"])
        assert audit_release(release)["worst"][0]["values"] == {"age": "[0, 20)", "zip": "1485*", "work": "Indoors"}


def test_sets_of_text_are_read_as_these_values():
    table = Table.from_frame(PEOPLE.assign(work=list("ABCDABCDAB")), ["work"], "disease")
    release = foreign(
        pd.DataFrame({"work": ["{A, C}"] * 5 + ["B;D"] * 5, "disease": PEOPLE["disease"]}), original=table
    )
    assert release.classes.spread(0).tolist() == [1, 1]  # two values each, whatever lies between them
    assert sorted(zip(release.classes.low[:, 0].tolist(), release.classes.high[:, 0].tolist(), strict=True)) == [
        (0, 2), (1, 3),
    ]  # fmt: skip


def test_implausible_labels_are_noted():
    table = Table.from_frame(PEOPLE, ["age", "sex"], "disease")
    odd = STARS.assign(age=["[20, 25)"] * 4 + ["[30, 40)"] * 4 + ["*"] * 2)
    assert any("some label has more records than its values" in note for note in foreign(odd, original=table).notes)
    odd = STARS.assign(disease="HIV")
    assert any("occurs more often than in the original" in note for note in foreign(odd, original=table).notes)


def test_averages_of_fractions_are_read_with_a_note():
    people = PEOPLE.assign(wage=[9.5, 10.25, 11, 20.75, 21.5, 22, 40.25, 41, 42.5, 60])
    table = Table.from_frame(people, ["wage"], "disease")
    means = np.repeat([people["wage"][i : i + 3].mean() for i in (0, 3, 6)] + [60], [3, 3, 3, 1])
    release = foreign(people.assign(wage=[f"{mean:.4f}" for mean in means]), original=table)
    assert any(note.startswith("wage: numbers are read as averages of the values") for note in release.notes)
    assert sorted(zip(release.classes.low[:, 0].tolist(), release.classes.high[:, 0].tolist(), strict=True)) == [
        (0, 2), (3, 5), (6, 8), (9, 9),
    ]  # fmt: skip


def test_intervals_of_pandas():
    frame = PEOPLE.assign(age=pd.cut(PEOPLE["age"], [0, 30, 60]))
    release = foreign(frame, original=Table.from_frame(PEOPLE, ["age", "sex"], "disease"))
    assert sorted(set(release.class_labels("age"))) == ["(0, 30]", "(30, 60]"]


def test_numbers_that_are_sensitive_stay_in_their_order():
    wages = [9, 10, 100, 9, 10, 100, 9, 9, 10, 100]
    text = PEOPLE.assign(wage=[str(wage) for wage in wages])
    release = foreign(text, ["sex"], "wage")
    assert release.table.sensitive["wage"].labels == ("9", "10", "100")


TABLE = Table.from_frame(PEOPLE, ["age", "sex"], "disease")


@pytest.mark.parametrize(
    "frame, words",
    [
        (STARS.assign(age="[70, 80)"), r"column 'age', record 1: the label matches no value of the original"),
        (STARS.assign(sex=[*"FFFF", *"MMMM", "{X}", "F"]), "column 'sex', record 9: the label matches no value"),
        (STARS.assign(disease="Infection"), "'disease', record 1: this is not a value"),
        (STARS.assign(disease=[*STARS["disease"][:6], *[None] * 4]), "record 7: this is not a value of the original"),
        (pd.concat([STARS, STARS]), "it has 20 records and the original 10"),
        (STARS[["disease"]], "the file has none of the quasi-identifiers age, sex"),
    ],
)  # fmt: skip
def test_files_that_do_not_match_the_original(frame, words):
    with pytest.raises(BadInput, match=words):
        foreign(frame, original=TABLE)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: foreign(STARS, ["ages"], "disease"), "did you mean 'age'"),
        (lambda: foreign(STARS, (), "disease"), "no quasi-identifier was chosen"),
        (lambda: foreign(STARS, ["age"], "disease", suppressed="never"), "not one of 'class', 'out'"),
        (lambda: foreign(STARS, ["age"], original=TABLE), "don't name quasi-identifiers"),
        (lambda: foreign(STARS, original=PEOPLE), "pass a Table"),
        (lambda: foreign("nowhere.csv", ["age"]), "nowhere.csv"),
    ],
)
def test_what_cannot_be_asked(call, words):
    with pytest.raises(BadInput, match=words):
        call()


def test_records_stay_in_their_file():
    release = foreign(STARS, ["age", "sex"], "disease")
    for ask in (release.frame, release.tables, lambda: release.export("never.csv")):
        with pytest.raises(Undefined):
            ask()
    assert not Path("never.csv").exists()


@pytest.mark.parametrize("levels", ["age=0, grp=1", "age=0, grp=0", "age=0, grp=2"])
def test_a_group_with_one_value_in_the_data_counts_its_leaves(tmp_path, levels):
    frame = pd.DataFrame({"age": [30, 40] * 20, "grp": list("acde") * 10})
    groups = Groups(({"AB": ["a", "b"], "CG": list("cdefg")},))
    table = Table.from_frame(frame, ["age", "grp"], [], hierarchies={"grp": groups})
    release = FullDomain(levels=levels)(table, None)
    release.export(tmp_path / "r.csv")
    found = GeometricLoss()(foreign(tmp_path / "r.csv", original=table)).value
    shares = {0: 0, 1: (2 / 7 / 4 + 5 / 7 * 3 / 4 - 1 / 7) / (6 / 7), 2: 1}
    assert found == pytest.approx((1 + shares[int(levels[-1])]) ** 0.5 - 1)
    assert found == pytest.approx(GeometricLoss()(release).value)


def test_a_star_for_a_single_value_is_everything():
    frame = pd.DataFrame({"age": [30, 40] * 20, "grp": "a"})
    groups = Groups(({"AB": ["a", "b"], "CG": list("cdefg")},))
    table = Table.from_frame(frame, ["age", "grp"], [], hierarchies={"grp": groups})
    found = GeometricLoss()(foreign(frame.assign(grp="*"), original=table))
    assert found.detail["per_attribute"] == pytest.approx({"age": 0, "grp": 1})


def test_classes_do_not_overlap_where_nothing_is_missing():
    release = foreign(PEOPLE, ["age"], "disease", missing_fits="everything")
    assert release.own_classes is release.classes and not any("overlap" in note for note in release.notes)
