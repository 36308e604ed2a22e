"""Attacks with a release: the original, releases of other people, noise, sets, files; and the coverage of intervals."""

from dataclasses import dataclass
from functools import cache
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from tests.methods.raking import tables as raking
from tests.releases.toys import Cluster, Perturb, Perturbed
from workbench.base.errors import BadInput, Undefined
from workbench.data.hierarchies.builders import Columns, Intervals
from workbench.data.table import Table
from workbench.measures import AttributeInference, Linkability, SinglingOut
from workbench.measures.privacy.attacked_release import NOBODY, PARTS, AttackedRelease, Axis, beyond_chance
from workbench.methods import Keep, Laplace, Mondrian, RakedBuckets, Remove
from workbench.models import KAnonymity, TCloseness
from workbench.releases.foreign import foreign
from workbench.releases.shown import Shown, in_regions

ATTACKS = [SinglingOut, Linkability, AttributeInference]
every_attack = pytest.mark.parametrize("attack", ATTACKS)


def people(count, seed=0):
    """Old people live in few places and have ulcers: correlated and skewed."""
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
    """Everybody is unique, also on each half of the quasi-identifiers, and far from anybody similar."""
    rng = np.random.default_rng(0)
    columns = {name: [f"{name}{n}" for n in rng.permutation(300)] for name in "abcd"}
    unique = Table.from_frame(pd.DataFrame({**columns, "s": np.arange(300) % 150}), list("abcd"), "s")
    measured = attack()(Keep()(unique))
    assert measured.value == 1 and measured.interval[1] == 1 and 0.98 < measured.interval[0] < 1
    removed = attack()(Remove()(unique))
    assert removed.value == 0 == removed.interval[0] and removed.interval[1] < 0.03


RELEASES = {"kept": (Keep(), None), "5": (Mondrian(), KAnonymity(5)), "20": (Mondrian(), KAnonymity(20))}


@pytest.mark.slow
@every_attack
@pytest.mark.parametrize("kind", RELEASES)
def test_the_risk_of_a_release_of_other_people_is_about_0(attack, kind, strangers):
    """A file read with an original that it was not made from."""
    ours, theirs = strangers
    method, model = RELEASES[kind]
    measured = attack(attacks=3000)(foreign(method(theirs, model).frame(), original=ours))
    assert measured.value < 0.05 and measured.interval[0] < 0.02


@pytest.mark.slow
@every_attack
@pytest.mark.parametrize("kind", RELEASES)
def test_the_control_equals_people_who_were_held_out(attack, kind, strangers):
    """The release of some people attacks others: the situation that removing records imitates."""
    ours, theirs = strangers
    method, model = RELEASES[kind]
    release = method(theirs, model)
    control = attack(attacks=3000)(release).detail["control"]
    held_out = attack(attacks=3000)(foreign(release.frame(), original=ours)).detail["attack"]
    assert control <= held_out + 0.035
    if attack is not SinglingOut or kind == "kept":  # what a class shows fits other people, too
        assert control == pytest.approx(held_out, abs=0.035)


@pytest.mark.slow
def test_people_are_placed_in_regions_of_the_file(strangers):
    """Each person is placed in a containing region with space, if there is one."""
    ours, theirs = strangers
    release = Mondrian()(theirs, KAnonymity(6))
    view = AttackedRelease.from_release(foreign(release.frame(), original=ours))
    assert AttackedRelease.from_release(release) is AttackedRelease.from_release(release) is not view
    codes = np.stack([ours.codes[name] for name in view.axes], axis=1)
    regions, shown = view.shows[: len(view.counts[0])][view.counts[0] > 0], view.shows[view.rows_of(view.people)]
    low, high = (
        np.stack([getattr(axis, end)[of] for axis, of in zip(view.axes.values(), shown.T, strict=True)], axis=1)
        for end in ("low", "high")
    )
    assert ((low <= codes) & (codes <= high)).all()
    for person, one in enumerate(shown.tolist()):
        held = [all(a.matching_codes(x)[c] for a, x, c in zip(view.axes.values(), of, codes[person], strict=True))
                for of in regions.tolist()]  # fmt: skip
        assert any(held) == (one in regions.tolist())


@every_attack
def test_a_file_is_attacked_like_the_release_that_it_was_written_from(attack):
    release = Mondrian()(table(900), KAnonymity(3))
    file = foreign(release.frame(), original=table(900))
    here, there = attack(attacks=900)(release), attack(attacks=900)(file)
    assert there.value == pytest.approx(here.value, abs=0.02)
    alone = foreign(release.frame(), list(table(900).quasi), "ill")
    with pytest.raises(Undefined, match="pass its original"):
        attack()(alone)


@every_attack
def test_more_noise_reveals_less(attack):
    kept = [attack(attacks=600)(noisy(scale)).value for scale in (0.0, 0.3, 3.0, 100_000.0)]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] > 0.9 and kept[1] > 0.7 and kept[3] < 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Noisy(Perturbed):
    """Return numbers with noise, as a noise method publishes them."""

    scale: float = 0.0

    def shown(self, name, seed=0):
        values = self.table.frame[name].to_numpy(float)
        noise = np.random.default_rng(self.table.names.index(name)).laplace(0, 1, len(values))
        return Shown(self.table.columns[name], numbers=values + self.scale * noise)


def noisy(scale):
    rng = np.random.default_rng(8)
    data = pd.DataFrame({name: rng.permutation(6000)[:600] * 5 for name in "abcd"})
    data["s"] = rng.permutation(np.arange(600) % 300)
    return Noisy(Table.from_frame(data, list("abcd"), "s"), 1.0, {}, scale=scale)


def test_a_randomly_changed_value_is_no_longer_inferred():
    kept = [AttributeInference()(Perturb(keep)(table(900), seed=1)).value for keep in (0.95, 0.5, 0.0)]
    assert kept[0] > kept[1] + 0.1 and kept[1] > kept[2] and kept[2] < 0.06
    assert SinglingOut()(Perturb(0.0)(table(900), seed=1)).value == SinglingOut()(Keep()(table(900))).value


@every_attack
def test_classes_that_show_sets_are_attacked(attack):
    release = Cluster(6)(table(900), None, 0)
    assert release.classes.sets and 0 <= attack()(release).value < attack()(Keep()(table(900))).value


def test_buckets_single_out_like_their_records_and_reveal_the_values_of_the_bucket():
    release = Mondrian(publish="bucketized")(table(900), KAnonymity(20))
    assert SinglingOut()(release).value == SinglingOut()(Keep()(table(900))).value
    assert AttributeInference()(release).value < AttributeInference()(Keep()(table(900))).value / 2


@pytest.mark.slow
@pytest.mark.parametrize("records", [400, 1300])
@pytest.mark.parametrize(
    "method", [RakedBuckets(), RakedBuckets(files="flat"), RakedBuckets(publish="dealt"), Mondrian()], ids=str
)
def test_the_order_of_records_does_not_matter(method, records):
    """Also for a sample of 1,000."""
    data = raking.people(3, records)
    orders = [np.arange(records), np.arange(records)[::-1], np.random.default_rng(0).permutation(records)]
    hierarchies = {"age": Intervals(widths=(10, 20)), "town": Columns([*raking.TOWNS.items()])}
    found = []
    for order in orders:
        given = Table.from_frame(
            data.iloc[order].reset_index(drop=True), ["age", "town", "sex"], "illness", hierarchies=hierarchies
        )
        found.append(AttributeInference()(method(given, TCloseness(0.3, distance="js"))).value)
    assert found == pytest.approx([found[0]] * 3, abs=1e-12)


def test_suppressed_records_are_not_attacked():
    release = Keep()(table(300)).without(np.arange(20))
    view = AttackedRelease.from_release(release)
    assert len(view.people) == table(300).records - release.suppressed
    assert set(np.flatnonzero(view.own == NOBODY)) == set(range(300)) - set(view.people.tolist())
    assert (view.sample_people(10, 0) == view.sample_people(10, 0)).all() and len(view.sample_people(10**6, 0)) == len(
        view.people
    )


def test_tables_that_cannot_be_attacked_are_reported():
    with pytest.raises(BadInput, match="attacks = 0 must be at least 1"):
        Linkability(0)
    one = Table.from_frame(pd.DataFrame({"q": list("aab"), "s": list("xyz")}), ["q"], "s")
    with pytest.raises(Undefined, match="needs at least two quasi-identifiers"):
        Linkability()(Keep()(one))


@every_attack
def test_published_risks_reveal_no_few_people(attack):
    few, many = Keep()(table(30)), Keep()(table(3000))
    assert attack().publish(attack()(few), few, 10)[0] is None
    value, sentence = attack().publish(attack()(many), many, 10)
    assert attack()(many).value <= value <= 1 and sentence.endswith(".") and not any(c.isdigit() for c in sentence)


def numbers(count, seed=0):
    """People are identified by numbers: for each pair of numbers, many people are the only ones with theirs."""
    rng = np.random.default_rng(seed)
    age = rng.gamma(9, 5, count).clip(18, 90).round()
    data = {"age": age, "pay": rng.gamma(2, 400, count).round(-1) + age, "zip": rng.geometric(0.01, count)}
    ill = np.where(rng.random(count) < age / 150, "ulcer", rng.choice(list("vwxyz"), count))
    return pd.DataFrame({**data, "height": rng.normal(170, 12, count).round(), "ill": ill})


def known_by_numbers(data):
    return Table.from_frame(data, ["age", "pay", "zip", "height"], "ill")


@cache
def of_everybody(attack, kind):
    """Return the results of attacks on each of 6,000 people."""
    method, model = RELEASES[kind]
    release = method(known_by_numbers(numbers(6000)) if attack is Linkability else table(6000), model)
    return attack(attacks=6000).attack_results(release, *(["ill"] if attack is AttributeInference else []))


@pytest.mark.slow
@every_attack
@pytest.mark.parametrize("kind", ["kept", pytest.param("5", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("times", [150, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_the_interval_covers_the_risk_of_everybody(attack, kind, times):
    """Repeatedly attack 200 random people."""
    everybody = of_everybody(attack, kind)
    risk, rng, covered = beyond_chance(*everybody).risk, np.random.default_rng(0), 0
    for _ in range(times):
        drawn = rng.choice(6000, 200, replace=False)
        found = beyond_chance(*(one[drawn] for one in everybody))
        covered += found.low - 1e-9 <= risk <= found.high + 1e-9
    print(attack.__name__, kind, times, round(risk, 4), covered / times)
    assert covered / times >= (0.93 if times == 1000 else 0.88)
    if times == 1000 and risk > 0.01:  # a risk near 0 is covered more often, since one end of the interval is 0
        assert covered / times <= 0.97


@every_attack
@pytest.mark.exhaustive
def test_the_interval_covers_the_risk_of_the_population(attack):
    """Attack everybody in 1,000 tables of 300 people: the truth is that of a very large table. Success depends on the
    other people in a table: on those shown identically, and for linkability on those identical in one half."""
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
    """Each release draws new noise: little with a budget of 100, almost only noise with .01."""
    columns = ("age", "pay", "zip", "height")
    bounds = "age: 18..90, pay: 0..4000, zip: 1..800, height: 120..220"
    little, much = (Laplace(epsilon, columns, bounds)(known_by_numbers(numbers(300))) for epsilon in (100.0, 0.01))
    assert attack()(much).value < 0.1
    assert attack()(little).value > (0.2 if attack is AttributeInference else attack()(much).value - 0.05)


# The risk beyond chance: its interval compared with Wilson's and with a search of the likelihood, and its coverage.

Z = 1.959963984540054


def pairs(both, attack_alone, control_alone, neither):
    """Return the successes of given numbers of people of each kind."""
    counts = [both, attack_alone, control_alone, neither]
    return np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)


def wilson(found, of):
    share, spread = found / of, Z * sqrt(found * (of - found) / of**3 + Z**2 / of**2 / 4)
    return [(share + side * spread + Z**2 / of / 2) / (1 + Z**2 / of) for side in (-1, 1)]


@pytest.mark.parametrize(("gain", "neither"), [(200, 500), (30, 900), (999, 1), (700, 0), (0, 400)])
def test_if_no_record_protects_anybody_the_interval_is_wilsons(gain, neither):
    found = beyond_chance(*pairs(300, gain, 0, neither))
    assert found.risk == pytest.approx(gain / (gain + neither)) and found.failing == gain + neither
    assert [found.low, found.high] == pytest.approx(wilson(gain, gain + neither), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("cells", [(20, 60, 15, 45), (5, 90, 3, 40), (30, 30, 28, 50)])
def test_the_ends_are_just_rejected_by_the_score_test(cells):
    """The likelihood is searched on a grid: for each ratio the most likely shares."""
    _, gain, harm, neither = cells
    found, n = beyond_chance(*pairs(*cells)), sum(cells)

    def score(ratio):
        best = None
        for lost in np.arange(1, 2000) / 2000:  # share of people on whom only the attack fails
            for left in np.arange(1, 1000) / 1000:
                gained = (lost + left * (1 - ratio)) / ratio
                rest = 1 - lost - left - gained
                if gained > 0 and rest > 0:
                    likely = harm * log(lost) + gain * log(gained) + neither * log(left) + cells[0] * log(rest)
                    best = max(best or (likely, 0, 0), (likely, lost, gained))
        _, lost, gained = best
        return (harm + neither - ratio * (gain + neither)) / n / sqrt(ratio * (lost + gained) / n)

    assert score(1 - found.high) == pytest.approx(Z, abs=0.02)
    if found.low > 0:
        assert score(1 - found.low) == pytest.approx(-Z, abs=0.02)


def test_the_ends_of_the_scale():
    everybody, nobody = np.ones(50), np.zeros(50)
    assert beyond_chance(everybody, nobody)[:3] == (1, 0, 1) and beyond_chance(everybody, nobody).high == 1
    assert beyond_chance(nobody, everybody)[:5] == (0, 1, 0, 0, 0)
    assert beyond_chance(nobody, nobody).risk == beyond_chance(nobody, nobody).low == 0
    assert beyond_chance(everybody, everybody)[2:5] == (0, 0, 1)  # the control always succeeds
    worse = beyond_chance(*pairs(10, 5, 40, 45))
    assert (worse.risk, worse.low) == (0, 0) and worse.high < 0.05


SHARES = [(0.3, 0.2, 0, 0.5), (0, 0.5, 0.1, 0.4), (0.2, 0.1, 0.08, 0.62), (0.1, 0.03, 0, 0.87), (0.05, 0.9, 0.01, 0.04)]


def covered(rng, draw, risk, times):
    return sum(one.low <= risk <= one.high for one in (beyond_chance(*draw(rng)) for _ in range(times))) / times


@pytest.mark.slow
@pytest.mark.parametrize("shares", SHARES)
@pytest.mark.parametrize("times", [100, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_the_interval_covers_the_truth(shares, times):
    risk = 1 - (shares[2] + shares[3]) / (shares[1] + shares[3])
    found = covered(np.random.default_rng(1), lambda rng: pairs(*rng.multinomial(400, shares)), risk, times)
    assert (0.93 if times == 1000 else 0.88) <= found <= (0.97 if times == 1000 else 1)


@pytest.mark.parametrize("times", [100, pytest.param(1000, marks=pytest.mark.exhaustive)])
def test_probabilities_vary_less_than_successes_and_narrow_the_interval(times):
    def draw(rng):
        attack = rng.choice([0.1, 0.3, 0.5, 1], 400, p=[0.4, 0.3, 0.2, 0.1])
        return attack, attack * rng.choice([0.2, 0.9], 400)

    attack = 0.04 + 0.09 + 0.1 + 0.1
    risk = 1 - (1 - attack) / (1 - attack * 0.55)
    found = covered(np.random.default_rng(2), draw, risk, times)
    assert (0.93 if times == 1000 else 0.88) <= found <= (0.97 if times == 1000 else 1)
    chances = draw(np.random.default_rng(3))
    luck = np.random.default_rng(4).random(400)
    narrow, wide = beyond_chance(*chances), beyond_chance(luck < chances[0], luck < chances[1])
    assert narrow.high - narrow.low < 0.8 * (wide.high - wide.low)


def test_people_shown_identically_count_as_one_if_all_succeed_or_fail_together():
    once, twice = pairs(20, 60, 15, 45), pairs(40, 120, 30, 90)
    found = beyond_chance(*twice, np.repeat(np.arange(140), 2))
    assert found[:3] == beyond_chance(*once)[:3]
    assert found[3:5] == pytest.approx(beyond_chance(*once)[3:5], abs=2e-3)
    apart = beyond_chance(*twice, np.arange(280))
    assert apart.low > found.low and apart.high < found.high and apart == beyond_chance(*twice)


def test_people_who_share_a_part_vary_together():
    """Pairs that fail together because they share a half count as one person, for either half."""
    attack = np.repeat([1, 0, 1, 1, 0, 1, 0, 1] * 5, 2).astype(float)
    control, pair, alone = np.zeros(80), np.repeat(np.arange(40), 2), np.arange(80)
    by_pair, by_person = beyond_chance(attack, control, pair), beyond_chance(attack, control, alone)
    for halves in ((pair, alone), (alone, pair)):
        found = beyond_chance(attack, control, np.stack([alone, *halves], axis=1))
        assert found[:5] == pytest.approx(by_pair[:5]) and found.low < by_person.low
    assert beyond_chance(attack, control, np.stack([pair, pair, pair], axis=1)) == by_pair
    coarse = np.zeros(80, int)  # everybody shares both halves, but nobody everything: never narrower than without
    assert beyond_chance(attack, control, np.stack([alone, coarse, coarse], axis=1)) == by_person


# Distances of published things from a value: containing, other, noisy, missing.

FRAME = pd.DataFrame({"age": [20, 30, 50, 60, None], "work": [*"abcd", None]}).astype({"age": "Int64"})
COLUMNS = Table.without_roles(FRAME).columns
RUNS = np.array([[0, 1], [2, 2], [0, 4]], np.int32)


def shares(axis, code):
    return (axis.distances_from(code) / PARTS).round(4).tolist()


def test_the_distance_of_a_number_from_a_run_is_the_gap():
    axis, number = Axis.from_shown(in_regions(COLUMNS["age"], *RUNS.T, None, np.array([0, 1, 2, 1])))
    assert [shares(axis, 0)[i] for i in number] == [0, round(30 / 41, 4), 0, round(30 / 41, 4)]
    assert shares(axis, 4)[number[0]] == round(31 / 41, 4)  # missing is one step beyond the last
    assert axis.matching_codes(int(number[0])).tolist() == [True, True, False, False, False]


def test_text_is_contained_or_not_also_in_sets():
    held = np.array([[1, 0, 1, 0, 0], [0, 1, 0, 0, 1]], bool)
    ends = np.array([[0, 2], [1, 4]], np.int32)
    axis, number = Axis.from_shown(in_regions(COLUMNS["work"], *ends.T, held, np.array([0, 1])))
    assert [shares(axis, code)[number[0]] for code in range(5)] == [0, 1, 0, 1, 1]
    ages, number = Axis.from_shown(in_regions(COLUMNS["age"], *ends.T, held, np.array([0, 1])))
    assert shares(ages, 1)[number[0]] == round(10 / 41, 4)
    assert ages.matching_codes(int(number[1])).tolist() == [False, True, False, False, True]


def test_noisy_numbers_are_read_as_the_nearest_value_and_missing_fits_only_missing():
    axis, number = Axis.from_shown(Shown(COLUMNS["age"], numbers=np.array([-7.0, 24.9, 25.1, 99.0, np.nan])))
    assert axis.nearest[number].tolist() == [0, 0, 1, 3, 4]
    assert shares(axis, 1) == [round(37 / 40, 4), round(5.1 / 40, 4), round(4.9 / 40, 4), 1, 1]
    assert shares(axis, 4) == [1, 1, 1, 1, 0]
    complete = Table.without_roles(FRAME.dropna()).columns["age"]
    axis, _ = Axis.from_shown(Shown(complete, numbers=np.array([np.nan, 20.0])))
    assert [axis.matching_codes(i).sum() for i in range(2)] == [1, 0]  # nobody has no value


def test_single_codes_follow_the_things_of_a_file():
    axis, _ = Axis.from_shown(in_regions(COLUMNS["work"], *RUNS.T, None, np.array([0, 1, 2])))
    wider = axis.with_codes()
    assert len(wider) == len(axis) + 5
    assert wider.distances_from(3)[len(axis) :].tolist() == [PARTS, PARTS, PARTS, 0, PARTS]


@pytest.mark.parametrize("values", [[7, 7], ["x", "x"]])
def test_a_column_of_one_value_is_close_to_everything(values):
    axis, _ = Axis.from_shown(Shown(Table.without_roles(pd.DataFrame({"q": values})).columns["q"], np.array([0, 0])))
    assert axis.distances_from(0).tolist() == [0]
