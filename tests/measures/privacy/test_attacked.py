"""Attacks on people by a release: the original, releases of others, noise, sets, files; and what intervals cover."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import pytest

from tests.releases.toys import Cluster, Perturb, Perturbed
from workbench.base.errors import BadInput, Undefined
from workbench.data.table import Table
from workbench.measures import AttributeInference, Linkability, SinglingOut
from workbench.measures.privacy.attacked import NOBODY, Attacked
from workbench.measures.privacy.beyond_chance import beyond_chance
from workbench.methods import Keep, Laplace, Mondrian, Remove
from workbench.models import KAnonymity
from workbench.releases.foreign import foreign
from workbench.releases.shown import Shown

ATTACKS = [SinglingOut, Linkability, AttributeInference]
every_attack = pytest.mark.parametrize("attack", ATTACKS)


def people(count, seed=0):
    """The old live in few places and have ulcers: correlated and skewed."""
    rng = np.random.default_rng(seed)
    age = np.round(rng.gamma(9, 5, count)).clip(18, 90).astype(int)
    town = np.array([f"t{n:02d}" for n in range(30)])[np.minimum(rng.geometric(0.12, count) - 1 + (age > 50) * 3, 29)]
    work = rng.choice(list("abcdefgh"), count, p=[0.3, 0.2, 0.15, 0.12, 0.1, 0.06, 0.04, 0.03])
    ill = np.where(rng.random(count) < age / 100, rng.choice(["ulcer", "gout"], count), rng.choice(list("xyz"), count))
    return pd.DataFrame({"age": age, "town": town, "work": work, "sex": rng.choice(list("FFM"), count), "ill": ill})


def table_of(data):
    return Table.from_frame(data.reset_index(drop=True), ["age", "town", "work", "sex"], "ill")


@cache
def table(count, seed=0):
    return table_of(people(count, seed))


@pytest.fixture(scope="module")
def strangers():
    """Two tables of different people with the same values, the second no larger."""
    data = people(4000, 5)
    ours, theirs = data[:2000], data[2000:]
    for name in data.columns:
        theirs = theirs[theirs[name].isin(set(ours[name]))]
    return table_of(ours), table_of(theirs)


@every_attack
def test_the_risk_of_the_original_itself_is_1(attack):
    """Everybody is unique, on each half of the quasi-identifiers too, and far from anybody like them."""
    rng = np.random.default_rng(0)
    columns = {name: [f"{name}{n}" for n in rng.permutation(300)] for name in "abcd"}
    unique = Table.from_frame(pd.DataFrame({**columns, "s": np.arange(300) % 150}), list("abcd"), "s")
    measured = attack()(Keep()(unique))
    assert measured.value == 1 and measured.interval[1] == 1 and 0.98 < measured.interval[0] < 1
    removed = attack()(Remove()(unique))
    assert removed.value == 0 == removed.interval[0] and removed.interval[1] < 0.03


RELEASES = {"kept": (Keep(), None), "5": (Mondrian(), KAnonymity(5)), "20": (Mondrian(), KAnonymity(20))}


@every_attack
@pytest.mark.parametrize("kind", RELEASES)
def test_the_risk_of_a_release_of_other_people_is_about_0(attack, kind, strangers):
    """A file that is read beside an original which it was not made of."""
    ours, theirs = strangers
    method, model = RELEASES[kind]
    measured = attack(attacks=3000)(foreign(method(theirs, model).frame(), original=ours))
    assert measured.value < 0.05 and measured.interval[0] < 0.02


@every_attack
@pytest.mark.parametrize("kind", RELEASES)
def test_the_control_group_is_like_people_who_were_held_out(attack, kind, strangers):
    """The release of some people, attacked for others: what the control of taking out records stands for."""
    ours, theirs = strangers
    method, model = RELEASES[kind]
    release = method(theirs, model)
    control = attack(attacks=3000)(release).detail["control"]
    held_out = attack(attacks=3000)(foreign(release.frame(), original=ours)).detail["attack"]
    assert control <= held_out + 0.035
    if attack is not SinglingOut or kind == "kept":  # of who is in a class, what it shows fits the others, too
        assert control == pytest.approx(held_out, abs=0.035)


def test_people_are_placed_where_a_file_shows_them(strangers):
    """In a region that holds them, no more in one than it shows where another has room; else unchanged."""
    ours, theirs = strangers
    release = Mondrian()(theirs, KAnonymity(6))
    seen = Attacked.by(foreign(release.frame(), original=ours))
    assert Attacked.by(release) is Attacked.by(release) is not seen
    codes = np.stack([ours.codes[name] for name in seen.axes], axis=1)
    regions, shown = seen.shows[: len(seen.counts[0])][seen.counts[0] > 0], seen.shows[seen.rows_of(seen.people)]
    low, high = (
        np.stack([getattr(axis, end)[of] for axis, of in zip(seen.axes.values(), shown.T, strict=True)], axis=1)
        for end in ("low", "high")
    )
    assert ((low <= codes) & (codes <= high)).all()
    for person, one in enumerate(shown.tolist()):
        held = [all(a.holding(x)[c] for a, x, c in zip(seen.axes.values(), of, codes[person], strict=True))
                for of in regions.tolist()]  # fmt: skip
        assert any(held) == (one in regions.tolist())


@every_attack
def test_a_file_is_attacked_like_the_release_that_it_was_written_from(attack):
    release = Mondrian()(table(900), KAnonymity(3))
    file = foreign(release.frame(), original=table(900))
    here, there = attack(attacks=900)(release), attack(attacks=900)(file)
    assert there.value == pytest.approx(here.value, abs=0.02)
    alone = foreign(release.frame(), list(table(900).quasi), "ill")
    with pytest.raises(Undefined, match="not in the file alone; give the original"):
        attack()(alone)


@every_attack
def test_less_is_learnt_the_more_noise_there_is(attack):
    kept = [attack(attacks=600)(noisy(scale)).value for scale in (0.0, 0.3, 3.0, 100_000.0)]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] > 0.9 and kept[1] > 0.7 and kept[3] < 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Noisy(Perturbed):
    """Numbers with noise, as a method of noise publishes them."""

    scale: float = 0.0

    def _shown(self, name, seed):
        values = self.table.frame[name].to_numpy(float)
        noise = np.random.default_rng(self.table.names.index(name)).laplace(0, 1, len(values))
        return Shown(self.table.columns[name], numbers=values + self.scale * noise)


def noisy(scale):
    rng = np.random.default_rng(8)
    data = pd.DataFrame({name: rng.permutation(6000)[:600] * 5 for name in "abcd"})
    data["s"] = rng.permutation(np.arange(600) % 300)
    return Noisy(Table.from_frame(data, list("abcd"), "s"), 1.0, {}, scale=scale)


def test_a_value_that_was_changed_at_random_is_no_longer_inferred():
    kept = [AttributeInference()(Perturb(keep)(table(900), seed=1)).value for keep in (0.95, 0.5, 0.0)]
    assert kept[0] > kept[1] + 0.1 and kept[1] > kept[2] and kept[2] < 0.06
    assert SinglingOut()(Perturb(0.0)(table(900), seed=1)).value == SinglingOut()(Keep()(table(900))).value


@every_attack
def test_classes_that_show_sets_are_attacked(attack):
    release = Cluster(6)(table(900), None, 0)
    assert release.classes.sets and 0 <= attack()(release).value < attack()(Keep()(table(900))).value


def test_buckets_single_out_as_their_records_do_and_tell_what_the_bucket_has():
    release = Mondrian(publish="bucketized")(table(900), KAnonymity(20))
    assert SinglingOut()(release).value == SinglingOut()(Keep()(table(900))).value
    assert AttributeInference()(release).value < AttributeInference()(Keep()(table(900))).value / 2


def test_records_that_are_left_out_are_not_attacked():
    release = Keep()(table(300)).without(np.arange(20))
    seen = Attacked.by(release)
    assert len(seen.people) == table(300).records - release.left_out
    assert set(np.flatnonzero(seen.own == NOBODY)) == set(range(300)) - set(seen.people.tolist())
    assert (seen.drawn(10, 0) == seen.drawn(10, 0)).all() and len(seen.drawn(10**6, 0)) == len(seen.people)


def test_what_cannot_be_attacked_is_said():
    with pytest.raises(BadInput, match="attacks = 0 must be at least 1"):
        Linkability(0)
    one = Table.from_frame(pd.DataFrame({"q": list("aab"), "s": list("xyz")}), ["q"], "s")
    with pytest.raises(Undefined, match="one quasi-identifier; what is known of a person has two halves"):
        Linkability()(Keep()(one))


@every_attack
def test_what_is_published_tells_no_few_people(attack):
    few, many = Keep()(table(30)), Keep()(table(3000))
    assert attack().publish(attack()(few), few, 10)[0] is None
    value, sentence = attack().publish(attack()(many), many, 10)
    assert attack()(many).value <= value <= 1 and sentence.endswith(".") and not any(c.isdigit() for c in sentence)


def numbers(count, seed=0):
    """Who is known by numbers: of each two, many people are alone with theirs."""
    rng = np.random.default_rng(seed)
    age = rng.gamma(9, 5, count).clip(18, 90).round()
    data = {"age": age, "pay": rng.gamma(2, 400, count).round(-1) + age, "zip": rng.geometric(0.01, count)}
    ill = np.where(rng.random(count) < age / 150, "ulcer", rng.choice(list("vwxyz"), count))
    return pd.DataFrame({**data, "height": rng.normal(170, 12, count).round(), "ill": ill})


def known_by_numbers(data):
    return Table.from_frame(data, ["age", "pay", "zip", "height"], "ill")


@cache
def of_everybody(attack, kind):
    """What attacks on each of 6,000 people give."""
    method, model = RELEASES[kind]
    release = method(known_by_numbers(numbers(6000)) if attack is Linkability else table(6000), model)
    return attack(attacks=6000).tried(release, *(["ill"] if attack is AttributeInference else []))


@every_attack
@pytest.mark.parametrize("kind", ["kept", pytest.param("5", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("times", [150, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_the_interval_covers_the_risk_of_all(attack, kind, times):
    """200 people are attacked, drawn at random, again and again."""
    everybody = of_everybody(attack, kind)
    risk, rng, covered = beyond_chance(*everybody).risk, np.random.default_rng(0), 0
    for _ in range(times):
        drawn = rng.choice(6000, 200, replace=False)
        found = beyond_chance(*(one[drawn] for one in everybody))
        covered += found.low - 1e-9 <= risk <= found.high + 1e-9
    print(attack.__name__, kind, times, round(risk, 4), covered / times)
    assert covered / times >= (0.93 if times == 1000 else 0.88)
    if times == 1000 and risk > 0.01:  # a risk near 0 is covered more often: one end of the interval is 0
        assert covered / times <= 0.97


@every_attack
@pytest.mark.exhaustive
def test_the_interval_covers_the_risk_of_the_population(attack):
    """Of 1,000 tables of 300 other people each, all attacked: the truth is that of very many. Chances depend on who
    else is in a table: on those who are shown alike, in linkability also on those alike in one half."""
    drawn = (
        known_by_numbers(numbers(300, s)) if attack is Linkability else table_of(people(300, s)) for s in range(1000)
    )
    found = [attack()(Keep()(one)) for one in drawn]
    attacked, control = (np.mean([one.detail[side] for one in found]) for side in ("attack", "control"))
    risk = 1 - (1 - attacked) / (1 - control)
    covered = np.mean([one.interval[0] <= risk <= one.interval[1] for one in found])
    print(attack.__name__, round(risk, 4), covered)
    assert 0.93 <= covered <= 0.97


@every_attack
def test_a_release_with_laplace_noise_is_attacked_by_its_numbers(attack):
    """The noise is drawn anew each time: with a budget of 100 it is small, with one of .01 there is nothing else."""
    columns = ("age", "pay", "zip", "height")
    bounds = "age: 18..90, pay: 0..4000, zip: 1..800, height: 120..220"
    little, much = (Laplace(epsilon, columns, bounds)(known_by_numbers(numbers(300))) for epsilon in (100.0, 0.01))
    assert attack()(much).value < 0.1
    assert attack()(little).value > (0.2 if attack is AttributeInference else attack()(much).value - 0.05)
