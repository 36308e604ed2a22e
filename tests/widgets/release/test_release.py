"""This release: sliders move recipe, release and point together; what cannot be had is explained."""

import asyncio
import threading
import time

import pytest

import widgets.release.release as module
from tests.widgets.release.stand import MEASURES, Stand
from workbench.base.figures import format_number
from workbench.base.progress import checkpoint
from workbench.base.variants import catalog
from workbench.disclosure.several_releases import describe_joint_budget
from workbench.frontier.recipe import Recipe
from workbench.frontier.store import Store
from workbench.frontier.sweep import point_of, sweep
from workbench.measures import PrivacyLoss, UtilityLoss
from workbench.methods import Keep, Mondrian, RandomizedResponse, ThresholdClustering
from workbench.models import BetaLikeness, KAnonymity, Model, ProbabilisticLDiversity, TCloseness


def test_a_recipe_is_made_and_measured(stand, table):
    card = stand.card
    assert card.release.classes.sizes.min() >= 5
    assert card.point == point_of(card.recipe, card.release, MEASURES)
    point = stand.last("point")
    assert point["model"] == "k-anonymity, k = 5"
    assert point["classes"].startswith(f"{table.records} records in ")
    assert point["sentences"]["privacy"] == card.point.sentences["P_loss"]
    utility = point["sentences"]["utility"]  # and the random sample that is as accurate
    assert (
        utility.startswith(card.point.sentences["U_loss"]) and "% of the records (18), unchanged. That is " in utility
    )
    assert utility.endswith(" of the loss of publishing no quasi-identifiers.")
    assert [(row["key"], row["better"]) for row in point["figures"]] == [("P_loss", "lower"), ("U_loss", "lower")]
    assert all(row["unit"] for row in point["figures"])


def test_recipe_release_and_point_are_set_together(stand):
    seen = []
    card = stand.card
    card.observe(lambda _: seen.append((card.recipe, card.point.recipe, card.release)), ["recipe", "release", "point"])
    stand.move("k", 8)
    assert len(seen) == 3
    assert {(a, b) for a, b, _ in seen} == {(Recipe(Mondrian(), KAnonymity(8)),) * 2}
    assert {id(release) for _, _, release in seen} == {id(card.release)}
    assert card.release.classes.sizes.min() >= 8


def test_the_answer_says_which_question_it_answers(stand):
    stand.move("k", 7, ask=12)
    assert stand.last("point")["ask"] == 12
    assert stand.last("controls") is None  # controls in use are not redrawn
    stand.move("k", "seven", ask=13)
    assert stand.last("answered")["ask"] == 13


@pytest.mark.parametrize("value", ["", "ten", "2.5", 0, -1, 10**9, "5, 6", None, [1]])
def test_numbers_that_cannot_be_are_refused_at_the_field(stand, value):
    before = stand.card.point
    stand.move("k", value)
    assert stand.last("problem")["field"] == "0.k"
    assert "Internal error" not in stand.last("problem")["text"]
    assert stand.card.point is before


def test_what_cannot_be_had_is_explained_and_the_last_good_stays(table):
    stand = Stand(table, MEASURES, Recipe(Mondrian(), ProbabilisticLDiversity(2)))
    good = stand.card.recipe, stand.card.release, stand.card.point
    stand.move("l", 5)
    point = stand.last("point")
    assert "no release of this table can satisfy" in point["reason"]
    assert (point["asked"], point["recipe"]) == (str(Recipe(Mondrian(), ProbabilisticLDiversity(5))), str(good[0]))
    assert (stand.card.recipe, stand.card.release, stand.card.point) == good
    stand.send("hello")
    assert stand.last("point")["reason"]
    assert stand.last("controls")["parts"][0]["fields"][0]["values"] == [5.0]  # the slider stays where the hand left it
    stand.move("l", 1.5)
    assert stand.last("point")["reason"] == ""


def test_a_recipe_from_outside_that_cannot_be_had_goes_back(stand):
    good = stand.card.recipe
    stand.card.recipe = Recipe(Mondrian(), ProbabilisticLDiversity(5))
    assert stand.card.recipe == good
    assert stand.last("point")["reason"]


def test_every_model_has_controls_from_its_declaration(table):
    for name, kind in catalog("workbench.models", Model).items():
        stand = Stand(table)
        stand.send("model", field="asked", name=name)
        (part, method) = stand.last("controls")["parts"]
        assert [field["name"] for field in part["fields"]] == list(kind.parameters())
        assert method["part"] == "method"
        for field in part["fields"]:
            if field["type"] == "numbers":
                assert field["low"] <= field["values"][0] <= field["high"]


def test_joined_models_have_sliders_each(table):
    stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(3) & TCloseness(0.5)))
    stand.move("t", 0.6, part=1)
    stand.move("k", 4, part=0)
    assert stand.card.recipe == Recipe(Mondrian(), KAnonymity(4) & TCloseness(0.6))
    stand.send("pick", field="1.distance", part=1, name="distance", place=3)
    assert stand.card.recipe.model == KAnonymity(4) & TCloseness(0.6, distance="js")
    stand.send("pick", field="method.publish", part="method", name="publish", place=1)
    assert stand.card.recipe.method == Mondrian(publish="bucketized")


def test_the_weights_of_a_clustering_are_one_slider(table):
    stand = Stand(table, MEASURES, Recipe(ThresholdClustering(delta=0.6), KAnonymity(3)))
    fields = {one["name"]: one for one in stand.last("controls")["parts"][-1]["fields"]}
    assert "utility" not in fields and not fields["protection"]["optional"] and fields["delta"]["optional"]
    stand.move("protection", 0.2, part="method")
    assert stand.card.recipe.method == ThresholdClustering(utility=0.8, protection=0.2, delta=0.6)
    assert stand.last("point")["values"] == {
        "0.k": 3, "method.protection": 0.2, "method.r": 0.5, "method.delta": 0.6, "method.size": None,
        "method.part_delta": None, "method.near": None,
    }  # fmt: skip
    stand.move("r", 0.7, part="method")
    assert stand.card.recipe.method.r == 0.7


def test_a_slider_without_an_upper_end_grows_with_what_is_typed(table):
    stand = Stand(table, MEASURES, Recipe(Mondrian(), BetaLikeness(2)))
    stand.move("beta", "100")
    field = stand.last("controls")["parts"][0]["fields"][0]
    assert field["high"] == 200


def test_options_that_go_together_only_are_refused_at_the_field(stand):
    stand.send("pick", field="method.split", part="method", name="split", place=1)
    assert "needs a target" in stand.last("problem")["text"]


def test_options_that_go_together_only_are_taken_when_both_are_there(stand):
    stand.send("hello")
    split = option(stand, "split")
    stand.send("pick", field="method.split", part="method", name="split", place=split["options"].index("order"))
    assert "needs an order of columns; choose one" in stand.last("problem")["text"]
    assert stand.card.recipe.method == Mondrian()
    stand.send("columns", field="method.order", part="method", name="order", text="work, nope")
    assert "'nope' is not a column" in stand.last("problem")["text"]
    stand.send("columns", field="method.order", part="method", name="order", text="work; age")
    assert "2 values, but a release has one" in stand.last("problem")["text"]
    stand.send("columns", field="method.order", part="method", name="order", text="work, age")
    assert stand.card.recipe.method == Mondrian("order", order=("work", "age"))
    assert option(stand, "order")["text"] == "work, age"


def test_a_workload_is_chosen_where_the_split_is(stand):
    stand.send("hello")
    places = {
        name: option(stand, name)["options"].index(one) for name, one in (("split", "workload"), ("workload", "random"))
    }
    for name, place in places.items():
        stand.send("pick", field=f"method.{name}", part="method", name=name, place=place)
        assert (stand.card.recipe.method.split == "workload") == (name == "workload")
    assert stand.card.recipe.method == Mondrian("workload", workload="random")


def option(stand, name):
    """A field of the method, as it was drawn last."""
    return next(one for one in stand.last("controls")["parts"][-1]["fields"] if one["name"] == name)


def test_a_beaten_point_says_what_beats_it_and_alternatives_can_be_chosen(stand, frontier):
    stand.send("hello")
    point = stand.last("point")
    assert point["place"] == frontier.explain(stand.card.point)
    assert 1 <= len(point["alternatives"]) <= 3
    wanted = point["alternatives"][0]["recipe"]
    stand.send("select", field="asked", place=0, recipe="of an older picture")
    assert "no longer exists" in stand.last("problem")["text"]
    stand.send("select", field="asked", place=0, recipe=wanted)
    assert str(stand.card.recipe) == wanted
    stand.send("select", field="asked", place=7)
    assert stand.last("problem") is not None


def test_a_point_is_kept_for_the_study(stand):
    heard = []
    stand.card.observe(lambda event: heard.append(list(event.new)), "kept")
    stand.move("k", 6)
    stand.send("hold", field="asked")
    assert heard == [[Recipe(Mondrian(), KAnonymity(6))]]
    stand.send("hold", field="asked")  # it may have been taken out of the study since
    assert heard[-1] == heard[0]


def test_points_of_the_study_are_not_kept_twice(stand):
    assert stand.card.recipe in [point.recipe for point in stand.card.frontier.measured]
    stand.send("hello")
    assert stand.last("point")["kept"]


def test_another_table_makes_the_release_anew(stand, small):
    before = stand.card.release
    stand.card.table = small(2)
    assert stand.card.release is not before
    assert stand.card.release.table is small(2)
    stand.card.table = None
    assert (stand.card.release, stand.card.point) == (None, None)


def test_a_release_of_another_table_is_not_the_last_good(small):
    stand = Stand(small(0), MEASURES, Recipe(Mondrian(), ProbabilisticLDiversity(2)))
    few = small(0)
    stand.card.table = few.with_roles(few.quasi, ())
    assert (stand.card.release, stand.card.point) == (None, None)
    assert "needs a sensitive column" in stand.last("point")["reason"]


def test_measures_may_come_from_a_study(table):
    stand = Stand(table, [{"name": "privacy loss"}, {"name": "utility loss", "min_support": 0.1}])
    assert [one.key for one in stand.card.measures] == ["P_loss", "U_loss(min_support=0.1)"]
    stand.send("model", field="asked", name="k-anonymity")
    assert set(stand.card.point.values) == {"P_loss", "U_loss(min_support=0.1)"}


def test_what_is_undefined_says_why(table):
    stand = Stand(table, [PrivacyLoss(), UtilityLoss(min_support=1.0)], Recipe(Mondrian(), KAnonymity(3)))
    stand.send("hello")
    row = stand.last("point")["figures"][1]
    assert row["value"] is None
    assert "lower min_support" in row["reason"]
    assert "undefined" in stand.last("point")["sentences"]["utility"]


def test_baselines_have_no_sliders_and_are_not_kept(table, frontier):
    stand = Stand(table, MEASURES, Recipe(Keep()), frontier=frontier)
    stand.send("hello")
    assert stand.last("point")["baseline"]
    assert [part["fields"] for part in stand.last("controls")["parts"]] == [[]]
    assert stand.last("point")["place"].startswith("A baseline")
    stand.send("rest")
    assert "mistake" not in str(stand.sent)


def test_it_stands_alone_and_waits_for_a_table():
    stand = Stand(None, None)
    stand.send("model", field="asked", name="k-anonymity")
    assert "no table yet" in stand.last("problem")["text"]
    stand.send("move", field="0.k", part=0, name="k", value=3)
    assert stand.last("point") is None


def test_messages_of_an_older_page_do_no_harm(stand):
    for message in (
        {"kind": "move", "part": 5, "name": "k", "value": 3},
        {"kind": "move", "part": "x", "name": "k", "value": 3},
        {"kind": "move", "part": 0, "name": "nonsense", "value": 3},
        {"kind": "pick", "part": 0, "name": "k", "place": 0},
        {"kind": "pick", "part": "method", "name": "publish", "place": 99},
        {"kind": "model", "name": "nonsense"},
        {"kind": "select", "place": "x"},
    ):
        stand.sent.clear()
        stand.card._receive(None, {"field": "f", **message}, [])
        assert "Internal error" not in stand.last("problem")["text"]


def test_in_a_loop_the_newest_question_wins_and_the_kernel_stays_free(table):
    async def main():
        stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)))
        for _ in range(200):
            await asyncio.sleep(0.01)
            if stand.card.point is not None:
                break
        for k in range(6, 16):
            stand.move("k", k, ask=k)
        assert stand.card.point.recipe.model == KAnonymity(5)  # nothing was computed in the kernel's thread
        for _ in range(200):
            await asyncio.sleep(0.01)
            if stand.card.point.recipe.model == KAnonymity(15):
                return
        raise AssertionError("the newest did not arrive")

    asyncio.run(main())


def test_no_record_and_no_sentence_is_in_a_trait(stand):
    state = {name: value for name, value in stand.card.get_state().items() if name not in ("_esm", "_css")}
    assert not any(word in str(state) for word in ("Farm", "Ulcer", "lose", "k-anonymity"))


def test_each_ask_to_keep_a_point_is_about_that_point_alone(stand):
    heard = []
    stand.card.observe(lambda event: heard.append(event.new), "kept")
    for k in (6, 7):
        stand.move("k", k)
        stand.send("hold", field="asked")
    assert heard == [[Recipe(Mondrian(), KAnonymity(k))] for k in (6, 7)]


def test_a_release_that_is_still_made_does_not_come_when_its_table_is_gone(table):
    async def play():
        stand = Stand(table, recipe=Recipe(Mondrian(), KAnonymity(5)))
        stand.card.table = None
        await asyncio.sleep(0.3)
        return stand.card.release, stand.card.point, stand.last("point")["values"]

    release, point, _ = asyncio.run(play())
    assert release is None and point is None


def test_the_point_is_there_before_anything_is_said_of_its_release(table, frontier, monkeypatch):
    words = threading.Event()

    def describe(release):  # without a release there is nothing to look for
        return "of a kind" if release is not None and words.wait(30) else ""

    monkeypatch.setattr(module.facts, "neutral", describe)

    async def main():
        stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)), frontier=frontier)
        card = stand.card
        await until(lambda: card.point is not None)
        stand.send("hello")
        card.frontier = None  # none of this looks for words in the kernel's thread
        assert card.making and card.release.classes.sizes.min() >= 5 and stand.last("point") is None
        card._expect(card.requested, 0, "k")
        assert card.expected is None
        words.set()
        await until(lambda: not card.making)
        assert (stand.last("point")["recipe"], stand.last("point")["neutral"]) == (str(card.recipe), "of a kind")

    asyncio.run(main())


@pytest.fixture
def slowly(monkeypatch):
    """Measuring takes as long as a release of many records does."""

    def slow(*arguments):
        time.sleep(0.4)
        return point_of(*arguments)

    return lambda: monkeypatch.setattr(module, "point_of", slow)


async def until(true):
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline, "it does not come"
        await asyncio.sleep(0.01)


def test_a_slow_release_is_shown_where_it_is_expected_until_it_is_there(table, frontier, slowly):
    """Dimmed, never kept, and the newest question is answered although an older one is still being worked on."""

    async def main():
        stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)), frontier=frontier)
        card = stand.card
        await until(lambda: card.point is not None)
        slowly()
        before = card.release
        for ask, k in ((1, 7), (2, 14)):
            stand.move("k", k, ask=ask)
            await until(lambda: stand.last("point"))
            told = stand.last("point")
            assert told["waits"] and told["ask"] == ask and told["expected"].startswith("between k = ")
            assert told["asked"] == f"k-anonymity, k = {k} (mondrian)"
            assert card.expected.point.recipe.model == KAnonymity(k)
            assert card.release is before and card.point.recipe.model == KAnonymity(5)  # exact, and all that can leave
        stand.send("hold", field="asked")
        assert card.kept == []
        stand.sent.clear()
        await until(lambda: card.expected is None and not card.making)
        assert card.point.recipe.model == KAnonymity(14) and card.release is not before
        assert not stand.last("point")["waits"] and stand.last("point")["expected"] == ""

    asyncio.run(main())


def test_a_quick_release_is_shown_at_once_and_nothing_is_guessed(table, frontier):
    async def main():
        stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)), frontier=frontier)
        await until(lambda: stand.card.point is not None)
        stand.move("k", 7, ask=1)
        await until(lambda: stand.card.point.recipe.model == KAnonymity(7))
        await asyncio.sleep(2 * module.PROMPT)
        assert stand.card.expected is None and not any(one.get("expected") for one in stand.sent)

    asyncio.run(main())


def test_a_point_says_which_question_was_heard_last(stand, frontier):
    """A view can thus check whether its sliders are up to date, whatever caused the message."""
    stand.move("k", 7, ask=12)
    stand.sent.clear()
    stand.card.frontier = frontier
    stand.card.show()
    assert [(one["kind"], one["ask"]) for one in stand.sent] == [("controls", 12), ("point", 12)]
    assert stand.last("point")["values"]["0.k"] == 7
    stand.send("pick", field="method.split", part="method", name="split", place=1, ask=13)  # refused
    assert stand.last("answered")["ask"] == 13


def test_controls_that_were_told_already_are_not_told_again_with_the_point(table):
    async def main():
        stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)))  # says hello while it is made
        await until(lambda: not stand.card.making)
        assert stand.last("point")["recipe"]
        assert [one["kind"] for one in stand.sent].count("controls") == 1

    asyncio.run(main())


def test_other_controls_come_although_a_slider_was_moved_meanwhile(table):
    async def main():
        stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)))
        await until(lambda: stand.last("point")["recipe"])
        stand.card.recipe = Recipe(Mondrian(), KAnonymity(6) & TCloseness(0.9))
        stand.move("k", 7)
        await until(lambda: stand.last("controls"))
        assert [part["name"] for part in stand.last("controls")["parts"]] == ["k-anonymity", "t-closeness", "mondrian"]

    asyncio.run(main())


def test_what_a_clustering_chose_and_what_pooling_its_classes_tells(table):
    stand = Stand(table, MEASURES, Recipe(ThresholdClustering(), KAnonymity(3)))
    stand.send("hello")
    found = stand.card.recipe.method.chosen(table, KAnonymity(3))
    assert stand.last("point")["chosen"] == f"delta = {format_number(found.delta)}, chosen by sampling"
    assert stand.last("pooled") is None  # never under the hand
    stand.send("rest")
    release = stand.card.release
    pooled, own = (PrivacyLoss(adversary=one)(release).value for one in ("covering classes", "own class"))
    text = stand.last("pooled")["text"]
    assert text.startswith("Classes overlap.") and f"knows the class has P_loss {format_number(own)};" in text
    assert text.endswith(f"has {format_number(pooled)}.")
    stand.move("delta", 0.6, part="method")
    assert stand.last("point")["chosen"] == ""
    stand.card.recipe = Recipe(Mondrian(), KAnonymity(3))
    stand.send("rest")
    assert stand.last("pooled") is None


def test_a_long_release_says_how_far_it_is_and_can_be_cancelled(table, monkeypatch):
    def slow(method, table, model, seed):
        for records in range(10_000):
            checkpoint(f"clustering: {records:,} of 10,000 records")
            time.sleep(0.01)

    async def main():
        stand = Stand(table, MEASURES, Recipe(Mondrian(), KAnonymity(5)))
        await until(lambda: stand.card.point is not None)
        good = stand.card.recipe, stand.card.release, stand.card.point
        stand.card.recipe = Recipe(ThresholdClustering(delta=0.6), KAnonymity(5))
        await until(lambda: (stand.last("doing") or {}).get("text", "").startswith("clustering: "))
        began = time.monotonic()
        stand.send("stop", field="asked")
        assert (stand.card.recipe, stand.card.release, stand.card.point) == good and not stand.card.making
        point = stand.last("point")
        assert point["stopped"].startswith("Cancelled at clustering: ") and point["doing"] == ""
        stand.move("k", 4, part=0)
        await until(lambda: stand.last("point"))
        assert stand.card.recipe == Recipe(Mondrian(), KAnonymity(4))  # so the thread has let go
        assert time.monotonic() - began < 2
        assert stand.last("point")["stopped"] == ""

    monkeypatch.setattr(ThresholdClustering, "release", slow)
    asyncio.run(main())


def test_what_is_drawn_at_random_is_kept_and_the_card_says_what_it_promises(stand, tmp_path):
    store = Store(tmp_path / "points")
    stand.card.keeps = lambda: store
    stand.card.recipe = Recipe(RandomizedResponse(0.5))
    point = stand.last("point")
    assert point["model"] == "randomized response" and point["classes"].endswith("without classes")
    assert point["guarantee"] == stand.card.release.about.guarantee and "not protected: age" in point["guarantee"]
    assert len(list((tmp_path / "points").glob("*.drawn"))) == 1


def test_of_several_releases_with_noise_the_card_adds_up_the_epsilons_when_the_hand_rests(stand, table):
    both = [Recipe(RandomizedResponse(keep, others="uniform")) for keep in (0.2, 0.5)]
    stand.card.frontier = sweep(table, both[:1], MEASURES, baselines=False)
    stand.card.recipe = both[0]
    stand.send("rest")
    assert stand.last("pooled") is None
    stand.card.recipe = both[1]
    stand.send("rest")
    assert stand.last("pooled")["text"] == describe_joint_budget(
        table, [recipe.method for recipe in both], "releases of this study"
    )
    assert "both releases of this study together have epsilon " in stand.last("pooled")["text"]
