"""The disclosure table without a browser: what it sends, what it answers, and what it never keeps in its state."""

import asyncio
import json
import time

import numpy as np
import pandas as pd
import pytest

from tests.releases.toys import Perturb
from widgets.disclosure import disclosure as module
from widgets.disclosure.disclosure import BARS, DisclosureTable, bars
from workbench import BadInput, Table, disclosure_table
from workbench.data.sensitive import Sensitive
from workbench.methods import Keep, Mondrian, Remove
from workbench.models import DeltaDisclosure, KAnonymity, TCloseness

MODEL = KAnonymity(3) & TCloseness(0.6)


def listening(*given, **traits):
    """A table, and what it has sent since a view said hello, drawn at once."""
    part = DisclosureTable(*given, **traits)
    part.sent = []

    def send(content, buffers=None):
        part.sent.append((content, buffers))
        if content["kind"] in ("classes", "nothing"):
            part._receive(None, {"kind": "drawn", "turn": content["turn"]}, [])

    part.send = send
    part._receive(None, {"kind": "hello"}, [])
    return part


def last(part, kind):
    return next(content for content, _ in reversed(part.sent) if content["kind"] == kind)


def columns(part):
    """The columns as the view unpacks them."""
    content, buffers = next(pair for pair in reversed(part.sent) if pair[0]["kind"] == "classes")
    return {name: np.frombuffer(buffer, kind) for (name, kind), buffer in zip(content["columns"], buffers, strict=True)}


def ask(part, kind, *buffers, **content):
    part._receive(None, {"kind": kind, **content}, list(buffers))


@pytest.fixture
def release(small):
    return Mondrian()(small(0), MODEL)


def test_the_view_gets_what_the_engine_says(release):
    part = listening(release, MODEL)
    content, found, engine = last(part, "classes"), columns(part), disclosure_table(release, model=MODEL).sort_index()
    assert content["classes"] == len(engine) and content["records"] == release.table.records
    assert (found["size"] == engine["size"]).all() and (found["loss"] == engine["loss"]).all()
    for a, name in enumerate(release.table.quasi):
        labels = np.array(content["quasi"][a]["labels"])
        assert content["quasi"][a]["name"] == name and (labels[found[f"quasi {a}"]] == engine[name]).all()
    worst = [content["loss"]["worst"][v] for v in found["worst"]]
    assert [one["label"] for one in worst] == engine["worst value"].tolist()
    assert [one["prior"] for one in worst] == pytest.approx(engine["prior"])
    assert found["posterior"] == pytest.approx(engine["posterior"])
    counts = found["counts"].reshape(len(engine), -1)
    for v, label in enumerate(content["loss"]["bars"]):
        assert (counts[:, v] == engine[f"disease: {label}"]).all()
    limits = [content["limits"][p]["name"] for p in found["part"]]
    assert all(limit in said for limit, said in zip(limits, engine["nearest limit"], strict=True))
    assert found["used"] == pytest.approx(engine["limit used"])
    at_risk = engine["records at risk"].sum()
    assert found["size"][found["loss"] >= content["loss"]["possible"]].sum() == at_risk
    json.dumps(content, allow_nan=False)


def test_released_values_sort_as_the_data_do(small):
    part = listening(Mondrian()(small(0), KAnonymity(2)))
    labels = last(part, "classes")["quasi"][0]["labels"]
    lows = [int(label.strip("[]").split("-")[0]) for label in labels]
    assert lows == sorted(lows) and len(set(labels)) == len(labels)


def test_without_a_model_the_achieved_figures_are_said(release):
    content = last(listening(release), "classes")
    assert not content["asked"] and content["limits"] == []
    k = next(one for one in content["achieved"] if one["name"] == "k-anonymity")
    assert k["value"] == release.classes.sizes.min()
    assert len(content["achieved"]) > 5


def test_no_label_and_no_count_is_kept_in_the_state(release):
    part = listening(release, MODEL)
    ask(part, "why", row=0, turn=part._turn, active=True)
    state = part.get_state()
    assert set(state) >= {"sensitive", "at_risk", "selected"} and not {"release", "model"} & set(state)
    kept = json.dumps({name: value for name, value in state.items() if name not in ("_esm", "_css")})
    assert not any(label in kept for label in release.table.sensitive["disease"].labels)


def test_why_is_answered_for_the_release_on_view_alone(release):
    part = listening(release, MODEL)
    ask(part, "why", row=1, turn=part._turn)
    assert last(part, "why")["row"] == 1 and " people " in last(part, "why")["text"]
    sent = len(part.sent)
    ask(part, "why", row=1, turn=part._turn - 1)
    assert len(part.sent) == sent
    ask(part, "why", row=999, turn=part._turn)
    assert "no such class" in last(part, "problem")["text"]


@pytest.mark.parametrize("value", ["much", True, -1, float("nan"), float("inf"), [1]])
def test_a_threshold_that_is_none_leaves_the_last_good_one(release, value):
    part = listening(release)
    ask(part, "threshold", field="at_risk", value=0.25)
    assert part.at_risk == 0.25 and last(part, "fine")["field"] == "at_risk"
    ask(part, "threshold", field="at_risk", value=value)
    assert part.at_risk == 0.25 and last(part, "problem")["field"] == "at_risk"
    ask(part, "threshold", field="at_risk", value=None)
    assert part.at_risk is None


def test_selecting_sets_the_trait_and_a_stale_choice_does_not(release):
    part = listening(release)
    ask(part, "select", np.array([2, 0], "<u4").tobytes(), field="selected", turn=part._turn)
    assert part.selected == [2, 0]
    ask(part, "select", np.array([1], "<u4").tobytes(), field="selected", turn=part._turn - 1)
    assert part.selected == [2, 0]
    ask(part, "select", np.array([999], "<u4").tobytes(), field="selected", turn=part._turn)
    assert part.selected == [2, 0] and last(part, "problem")["field"] == "selected"


def test_classes_with_the_same_released_values_stay_selected(small):
    table = small(0)
    fine, coarse = Mondrian()(table, KAnonymity(2)), Mondrian()(table, KAnonymity(3))

    def runs(release, row):
        return (*release.classes.low[row], *release.classes.high[row])

    of_coarse = {runs(coarse, row): row for row in range(len(coarse.classes))}
    part = listening(fine)
    part.selected = list(range(len(fine.classes)))
    ask(part, "why", row=0, turn=part._turn, active=True)
    part.release = coarse
    same = [of_coarse[key] for row in range(len(fine.classes)) if (key := runs(fine, row)) in of_coarse]
    assert same and part.selected == same
    assert last(part, "classes")["selected"] == same
    assert last(part, "classes")["active"] == of_coarse.get(runs(fine, 0), -1)
    part.release = Mondrian(publish="bucketized")(table, KAnonymity(3))
    assert part.selected == [] and "why" not in last(part, "classes")


def test_several_sensitive_columns():
    frame = pd.DataFrame({"age": [1, 1, 2, 2] * 3, "ill": list("aabc") * 3, "pay": list("xyyy") * 3})
    table = Table.from_frame(frame, ["age"], ["ill", "pay"])
    part = listening(Mondrian()(table, KAnonymity(2)))
    assert last(part, "classes")["sensitive"] == "ill" and last(part, "classes")["choices"] == ["ill", "pay"]
    ask(part, "sensitive", field="sensitive", value="pay")
    assert part.sensitive == "pay" and last(part, "classes")["loss"]["bars"] == ["x", "y"]
    ask(part, "sensitive", field="sensitive", value="wage")
    assert (
        part.sensitive == "pay"
        and "'wage' is not a sensitive column; choose from ill, pay" in last(part, "problem")["text"]
    )
    part.release = Mondrian()(Table.from_frame(frame[["age", "ill"]], ["age"], "ill"), KAnonymity(2))
    assert part.sensitive == "" and last(part, "classes")["sensitive"] == "ill"


def test_what_there_is_nothing_to_say_of_is_said(small):
    part = listening()
    assert "No release is chosen yet" in last(part, "nothing")["text"]
    part.release = Perturb()(small(0))
    assert "so it has no classes" in last(part, "nothing")["text"]
    part.release = Mondrian()(Table.from_frame(small(0).frame, ["age", "sex"]), KAnonymity(3))
    content = last(part, "classes")
    assert content["loss"] is None and "no column is declared sensitive" in content["note"]
    assert "text" in content["shares"]
    assert set(columns(part)) == {"size", "quasi 0", "quasi 1"}
    part.release = Remove("disease")(small(0))
    assert "does not publish 'disease'" in last(part, "classes")["note"]
    part.model = MODEL
    assert [one["name"] for one in last(part, "classes")["limits"]] == ["k-anonymity"]
    part.release = None
    assert last(part, "nothing")
    assert not any(content["kind"] == "problem" for content, _ in part.sent)


def test_an_infinite_score_is_sent_as_such(small):
    model = KAnonymity(1) & DeltaDisclosure(2.0)
    part = listening(Keep()(small(0)), model)
    assert np.isinf(columns(part)["used"]).any() and np.isinf(columns(part)["score"]).any()
    assert columns(part)["broken"].any()
    json.dumps(last(part, "classes"), allow_nan=False)


def test_what_is_no_release_is_refused(small):
    with pytest.raises(BadInput, match="a Table is not a release"):
        DisclosureTable(small(0))
    with pytest.raises(BadInput, match="'k' is not a model"):
        DisclosureTable(None, "k")
    with pytest.raises(BadInput, match="'wage' is not a sensitive column"):
        listening(Keep()(small(0))).sensitive = "wage"


def test_many_values_share_bars_of_about_the_same_weight():
    totals = np.array([500, *[1] * 300, 200])
    seen = Sensitive("ill", tuple(map(str, range(len(totals)))), totals)
    first, names = bars(seen)
    assert len(first) == len(names) <= BARS and first[0] == 0 and (np.diff(first) > 0).all()
    assert names[0] == "0" and " to " in names[1]
    few = Sensitive("ill", ("a", "b"), np.array([1, 2]))
    assert bars(few)[1] == ["a", "b"]


def test_of_releases_that_come_fast_the_last_one_is_shown(small, monkeypatch):
    """While a slider moves the chart comes first: the table follows when the hand rests, and once, with the model."""
    monkeypatch.setattr(module, "PAUSE", 0.05)
    releases = [Mondrian()(small(0), KAnonymity(k)) for k in range(2, 12)]
    looked, build_view = [], module.build_view

    def slow(release, *rest):
        looked.append(release)
        time.sleep(0.03)
        return build_view(release, *rest)

    monkeypatch.setattr(module, "build_view", slow)

    async def go():
        part = DisclosureTable(releases[0])
        sent = []
        part.send = lambda content, buffers=None: sent.append(content)
        part._receive(None, {"kind": "hello"}, [])
        while part._computing:
            await asyncio.sleep(0.01)
        for k, release in enumerate(releases, 2):
            part.model, part.release = KAnonymity(k), release
            await asyncio.sleep(0.005)
        while part._computing:
            await asyncio.sleep(0.01)
        drawn = [content for content in sent if content["kind"] == "classes"]
        assert len(drawn) == 1  # the view has not drawn it yet
        part._receive(None, {"kind": "drawn", "turn": drawn[0]["turn"]}, [])
        drawn = [content for content in sent if content["kind"] == "classes"]
        assert len(drawn) == 2 and drawn[-1]["classes"] == len(releases[-1].classes)
        assert not [content for content in sent if content["kind"] in ("problem", "nothing")]

    asyncio.run(go())
    assert looked == [releases[0], releases[-1]]


def test_a_view_that_never_says_what_it_drew_gets_the_next_release_anyway(small, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    first, second = (Mondrian()(small(0), KAnonymity(k)) for k in (2, 5))

    async def go():
        part, sent = DisclosureTable(first), []
        part.send = lambda content, buffers=None: sent.append(content["kind"])
        part._receive(None, {"kind": "hello"}, [])
        for _ in range(200):
            await asyncio.sleep(0.01)
            if sent.count("classes") == 1 and part.release is first:
                part.release = second
            if sent.count("classes") == 2:
                break
        await asyncio.sleep(0.2)
        return sent.count("classes")

    assert asyncio.run(go()) == 2


def test_while_another_release_is_being_made_the_table_is_dimmed(small):
    first, second = (Mondrian()(small(0), KAnonymity(k)) for k in (2, 5))

    async def go():
        part, sent = DisclosureTable(first), []
        part.send = lambda content, buffers=None: sent.append(
            (content["kind"], content.get("on", content.get("stale")))
        )
        part._receive(None, {"kind": "hello"}, [])

        async def settled():
            while part.computing:
                await asyncio.sleep(0.01)
            part._receive(None, {"kind": "drawn", "turn": part._turn}, [])

        await settled()
        assert [one for one in sent if one[0] == "classes"] == [("classes", False)]
        part.pending = True
        assert sent[-1] == ("stale", True)
        part._receive(None, {"kind": "hello"}, [])
        assert sent[-1] == ("classes", True), "a view that comes meanwhile sees that too"
        part.pending = False  # it cannot be had: the old one stays
        await settled()
        assert ("stale", False) in sent[-2:]
        part.pending = True
        part.release, part.pending = second, False
        await settled()
        assert [on for kind, on in sent if kind == "stale"] == [True, False, True]
        assert [one for one in sent if one[0] == "classes"][-1] == ("classes", False)

    asyncio.run(go())
