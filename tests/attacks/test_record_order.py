"""A published release cannot be put back in order.

The attacker has the code, the seed, every parameter and the convention by which the input was sorted; for some tests
even the randomness of numpy and of the standard library. What he recovers is held against chance.
"""

import random
from math import sqrt

import numpy as np
import pandas as pd
import pytest

from workbench.data.table import Table
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import KAnonymity, ProbabilisticLDiversity

RECORDS, SEED = 400, 11
MATCHES = 12  # of 400 places one is right by chance; over all tries of a test, more than 12 once in a million runs
METHODS = {
    "generalized": Mondrian(),
    "relaxed": Mondrian(strict=False),
    "bucketized": Mondrian(publish="bucketized"),
    "keep": Keep(),
    "remove": Remove(),
}


def population(records=RECORDS, seed=0):
    """Sorted by every column, as exported files are; `person` is neutral and tells the attacker who is who."""
    rng = np.random.default_rng(seed)
    age = np.sort(rng.integers(0, 20, records))
    frame = pd.DataFrame({"age": age, "town": rng.integers(0, 5, records), "s": rng.integers(0, 6, records)})
    frame["s"] = frame["s"].map("s{}".format)
    return frame.sort_values(list(frame), ignore_index=True).assign(person=range(records))


def released(frame, method, seed=SEED):
    table = Table.from_frame(frame, quasi=["age", "town"], sensitive="s")
    return method(table, KAnonymity(10) if isinstance(method, Mondrian) else None, seed)


def exported(release, folder):
    """What is in the first file: a row a record."""
    return pd.read_parquet(release.export(folder / "out.parquet", giveaways=True)[0])


def orders(records, seeds):
    """Every way that code with a known seed might have shuffled so many things."""
    for seed in seeds:
        yield np.random.default_rng(seed).permutation(records)
        yield np.random.RandomState(seed).permutation(records)
        yield pd.Series(range(records)).sample(frac=1, random_state=seed).to_numpy()
        standard = list(range(records))
        random.Random(seed).shuffle(standard)
        yield np.array(standard)


def most_places_right(person, seeds=(*range(40), SEED)):
    """The attack: undo each shuffle in both directions; how many records come to stand where they stood?"""
    place = np.arange(len(person))
    tries = [place, *(undone for order in orders(len(person), seeds) for undone in (order, np.argsort(order)))]
    return max(int((person[undone] == place).sum()) for undone in tries)


@pytest.mark.parametrize("seed", [0, 17, SEED])
def test_the_attack_undoes_a_shuffle_whose_seed_is_known(seed):
    person = np.random.default_rng(seed).permutation(RECORDS)
    assert most_places_right(person) == RECORDS


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_order_of_a_file_cannot_be_undone(tmp_path, method):
    release = released(population(), method)
    for _ in range(3):
        person = exported(release, tmp_path)["person"].to_numpy()
        assert sorted(person) == list(range(RECORDS))
        assert most_places_right(person) <= MATCHES


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_order_of_a_file_does_not_follow_the_input(tmp_path, method):
    for frame in (population(), population().iloc[::-1]):
        person = exported(released(frame, method), tmp_path)["person"].to_numpy()
        for column in (person, frame.set_index("person").loc[person, "s"].str[1:].astype(int)):
            assert abs(np.corrcoef(column, np.arange(RECORDS))[0, 1]) < 5 / sqrt(RECORDS)


@pytest.mark.parametrize("method", [METHODS["generalized"], METHODS["bucketized"]], ids=str)
def test_wherever_a_record_stood_it_may_come_to_stand_anywhere(method):
    records, exports = 12, 300
    for frame in (population(records), population(records).sample(frac=1, random_state=0)):
        release = released(frame, method)
        landed = np.zeros((records, records))
        for _ in range(exports):
            file = next(iter(release.tables().values()))
            landed[file["person"], np.arange(records)] += 1
        expected = exports / records
        chi_square, freedom = ((landed - expected) ** 2 / expected).sum(), (records - 1) ** 2
        assert abs(chi_square - freedom) < 6 * sqrt(2 * freedom)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_two_exports_differ_in_order_and_in_nothing_else(tmp_path, method):
    release = released(population(), method)
    one, two = (exported(release, tmp_path) for _ in range(2))
    assert not one["person"].equals(two["person"])
    if "class" in one:  # the classes are numbered anew each time: what counts is who is together
        one, two = (t.assign(**{"class": t.groupby("class")["person"].transform("min")}) for t in (one, two))
    one, two = (t.sort_values("person", ignore_index=True) for t in (one, two))
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_an_attacker_who_sets_the_seeds_of_the_libraries_changes_nothing(tmp_path, method):
    release, person = released(population(), method), []
    for _ in range(2):
        np.random.seed(SEED)
        random.seed(SEED)
        person.append(exported(release, tmp_path)["person"].to_numpy())
    assert (person[0] == person[1]).sum() <= MATCHES


def buckets(seed=0, records=RECORDS):
    """A bucketized release, each person's true value, and the share of right guesses inside a class by chance."""
    release = released(population(records, seed), METHODS["bucketized"])
    counts = release.classes.histograms["s"]
    truth = population(records, seed).set_index("person")["s"]
    return release, truth, (counts**2 / release.classes.sizes[:, None]).sum() / records


def bound(chance, records=RECORDS):
    """Six standard deviations: hundreds of tries, and the class is all that is known."""
    return chance + 6 * sqrt(chance * (1 - chance) / records)


def guessed(records, values, orders):
    """The attack on a class's values: they and its records in published order, in every order that a seed may give."""
    mine = {number: group.repeat(values.loc[group.index, "count"]) for number, group in values.groupby("class")["s"]}
    for order in orders:
        rows = records.iloc[order]
        for sign in (1, -1):
            yield pd.concat(
                [pd.Series(mine[number].to_numpy()[::sign], group["person"]) for number, group in rows.groupby("class")]
            )


def best_share(guesses, truth):
    return max((guess == truth.loc[guess.index]).mean() for guess in guesses)


def replays(count, seeds=range(12)):
    yield np.arange(count)
    for order in orders(count, (*seeds, SEED)):
        yield order
        yield np.argsort(order)


def test_the_attack_undoes_a_bucket_whose_values_were_left_in_order():
    _, truth, chance = buckets()
    people = population().assign(**{"class": lambda t: t["age"] // 4})
    values = people[["class", "s"]].assign(count=1)  # dealt in the order of the records
    people = people.iloc[np.random.default_rng(3).permutation(RECORDS)]
    assert best_share(guessed(people, values, replays(RECORDS)), truth) == 1
    assert bound(chance) < 0.7


def test_values_inside_a_bucket_cannot_be_dealt_back():
    release, truth, chance = buckets()
    tables = release.tables()
    assert best_share(guessed(tables["records"], tables["s"], replays(RECORDS)), truth) < bound(chance)
    by_input = tables["records"].sort_values("person")
    assert best_share(guessed(by_input, tables["s"], replays(RECORDS)), truth) < bound(chance)


def test_values_that_are_dealt_for_a_reader_are_dealt_by_chance():
    release, truth, chance = buckets()
    for _ in range(5):
        dealt = release.frame().set_index("person")["s"]
        assert best_share([dealt], truth) < bound(chance)


def test_the_number_of_a_class_says_nothing_about_where_it_lies():
    release, _, _ = buckets(records=2000)
    for _ in range(3):
        number = release.tables()["records"].groupby("class")["age"].mean()
        assert len(number) > 80
        assert abs(np.corrcoef(number.index, number)[0, 1]) < 5 / sqrt(len(number))


def test_counts_stand_in_no_order():
    release, _, _ = buckets(records=2000)
    tables = release.tables()
    counted, age = tables["s"], tables["records"].groupby("class")["age"].mean()
    columns = {"class": counted["class"], "age": counted["class"].map(age), "s": counted["s"].str[1:].astype(int)}
    for name, column in columns.items():
        assert abs(np.corrcoef(column, np.arange(len(counted)))[0, 1]) < 5 / sqrt(len(counted)), name
    neighbours = (counted["class"].diff() == 0).sum()  # six rows a class, hundreds in all
    assert neighbours < 30 < len(counted) / 10


MANY = 3000


def dealt_through():
    """Every quasi-identifier value has many records, so that relaxed Mondrian deals most of them at a median."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": rng.integers(0, 6, MANY), "town": rng.integers(0, 5, MANY)})
    frame["s"] = [f"s{value}" for value in rng.integers(0, 8, MANY)]
    return frame.assign(person=range(MANY))


def replayed_ranks(published, table):
    """The attack on relaxed Mondrian: run it with the known seed on a table that has the published quasi-identifiers.

    Sizes alone steer k-anonymity, so if the seed alone steered the deal, the classes would come out as published, and
    with them which ranks, among all records of one age and town sorted by value, each class got.
    """
    release = Mondrian(strict=False, publish="bucketized")(table, KAnonymity(25), SEED)
    cell, _ = release.parts
    entries = pd.DataFrame({"age": release.cells.quasi[0][cell], "town": release.cells.quasi[1][cell]})
    entries["class"] = release.group
    entries = entries.iloc[np.argsort(cell, kind="stable")]
    entries["rank"] = entries.groupby(["age", "town"]).cumcount()

    def profile(group):
        return tuple(sorted(zip(group["age"], group["town"], strict=True)))

    known = {profile(group): number for number, group in published.groupby("class")}
    found = {number: known.get(profile(group)) for number, group in entries.groupby("class")}
    entries["class"] = entries["class"].map(found)
    return entries.dropna().groupby(["age", "town", "class"])["rank"].mean()


def recovered(release, truth, table):
    """How far the replayed ranks agree with the true values of the people in each class, age and town."""
    published = release.tables()["records"]
    value = truth.loc[published["person"]].str[1:].astype(int).to_numpy()
    true = published.assign(value=value).groupby(["age", "town", "class"])["value"].mean()
    guess = replayed_ranks(published, table)
    both = pd.concat([true, guess], axis=1, join="inner").dropna()
    return both.corr().iloc[0, 1] if len(both) > 2 else 0.0, len(both)


def test_the_deal_of_relaxed_mondrian_cannot_be_replayed_from_the_seed():
    frame = dealt_through()
    truth = frame.set_index("person")["s"]
    table = Table.from_frame(frame, quasi=["age", "town"], sensitive="s")
    release = Mondrian(strict=False, publish="bucketized")(table, KAnonymity(25), SEED)
    guess = frame.assign(s=frame["s"].sample(frac=1, random_state=0).to_numpy())  # the attacker lacks the values
    agreed, pairs = recovered(release, truth, Table.from_frame(guess, quasi=["age", "town"], sensitive="s"))
    assert abs(agreed) < 6 / sqrt(max(pairs, 1))
    agreed, pairs = recovered(release, truth, table)  # who has the table itself can: the attack is a good one
    assert agreed > 6 / sqrt(pairs) and pairs > 100


def test_the_model_has_no_part_in_the_order(tmp_path):
    table = Table.from_frame(population(), quasi=["age", "town"], sensitive="s")
    release = Mondrian()(table, KAnonymity(5) & ProbabilisticLDiversity(2), SEED)
    assert most_places_right(exported(release, tmp_path)["person"].to_numpy()) <= MATCHES
