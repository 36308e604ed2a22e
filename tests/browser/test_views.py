"""Views without a kernel, several on one page: what two of a part share, and what one leaves behind when it is gone."""

import numpy as np
import pytest

from tests.base.test_figures import BESIDE, CASES, SHARES, UNFLATTERED
from tests.widgets.release.stand import Stand as ReleaseStand
from widgets.base.part import Part, script
from widgets.dashboard import dashboard
from widgets.data import data
from widgets.disclosure import disclosure
from widgets.frontier import frontier
from widgets.hierarchies import editor
from widgets.preview import preview
from widgets.query_errors import query_errors
from widgets.recipes import recipes
from widgets.release import release
from widgets.roles import roles
from widgets.topbar import topbar
from widgets.workloads import workloads
from workbench.base.figures import figures_next_to, format_number, format_percent, format_whole_percent
from workbench.base.jsonable import jsonable
from workbench.frontier.recipe import Recipe
from workbench.methods import Mondrian
from workbench.models import KAnonymity, TCloseness

PARTS = {
    "data": data.DataPicker,
    "roles": roles.RolePicker,
    "hierarchies": editor.HierarchyEditor,
    "recipes": recipes.RecipePicker,
    "frontier": frontier.FrontierChart,
    "query_errors": query_errors.QueryErrors,
    "release": release.ReleaseCard,
    "disclosure": disclosure.DisclosureTable,
    "preview": preview.ReleasePreview,
    "dashboard": dashboard.Dashboard,
    "topbar": topbar.TopBar,
    "workloads": workloads.WorkloadPicker,
}

# a page with models that no kernel stands behind, and with a count of all that goes on by itself
HARNESS = """
window.live = { timers: new Set(), frames: new Set(), observers: new Set(), elsewhere: 0 };
for (const [start, stop, kept] of [["setTimeout", "clearTimeout", live.timers],
    ["setInterval", "clearInterval", live.timers], ["requestAnimationFrame", "cancelAnimationFrame", live.frames]]) {
  const [begin, end] = [window[start].bind(window), window[stop].bind(window)];
  window[start] = (call, ...more) => {
    const id = begin((...given) => { if (start !== "setInterval") kept.delete(id); call(...given); }, ...more);
    kept.add(id);
    return id;
  };
  window[stop] = id => { kept.delete(id); end(id); };
}
window.ResizeObserver = class extends ResizeObserver {
  observe(...given) { live.observers.add(this); super.observe(...given); }
  disconnect() { live.observers.delete(this); super.disconnect(); }
};
for (const target of [window, document, document.documentElement]) {
  const [add, remove] = [target.addEventListener.bind(target), target.removeEventListener.bind(target)];
  target.addEventListener = (...given) => { live.elsewhere++; add(...given); };
  target.removeEventListener = (...given) => { live.elsewhere--; remove(...given); };
}
window.Model = class {
  constructor(state) { this.state = state; this.listeners = []; this.sent = []; }
  get(name) { return this.state[name]; }
  set(name, value) {
    if (JSON.stringify(this.state[name]) === JSON.stringify(value)) return;
    this.state[name] = value;
    this.fire(`change:${name}`);
  }
  save_changes() {}
  on(name, call) { this.listeners.push([name, call]); }
  off(name, call) { this.listeners = this.listeners.filter(one => one[0] !== name || one[1] !== call); }
  fire(name, ...given) { for (const [one, call] of [...this.listeners]) if (one === name) call(...given); }
  send(content) { this.sent.push(content); }
  tell(content, buffers = []) { this.fire("msg:custom", content, buffers); }
};
window.wait = ms => new Promise(done => setTimeout(done, ms));
window.load = async code => (await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))).default;
/** A model of a part with its module, as anywidget makes them: one module a model, however many views. */
window.part = async (name, more = {}) => {
  const model = new Model({ ...structuredClone(PARTS[name].state), ...more }), module = await load(PARTS[name].code);
  return { model, show() {
    const el = document.body.appendChild(document.createElement("div")), end = module.render({ model, el });
    return { el, step: el.querySelector("details"), end() { end(); el.remove(); } };
  } };
};
"""


@pytest.fixture
def page(on_stage):
    page = on_stage().page
    page.goto("about:blank")
    page.add_script_tag(content=HARNESS)
    parts = {name: {"code": part._esm, "state": _synced(part)} for name, part in PARTS.items()}
    page.evaluate("parts => { window.PARTS = parts; }", parts)
    return page


def _synced(part):
    """Return the initial state of a view."""
    classes = [one for one in part.__mro__ if issubclass(one, Part)]
    traits = {name: trait for one in classes for name, trait in one.class_own_traits(sync=True).items()}
    return {name: jsonable(trait.default()) for name, trait in traits.items() if not name.startswith("_")}


def test_numbers_are_read_as_in_python(page):
    code = script("base/shared") + "\nexport default figures;"
    said = page.evaluate(
        "async ([code, values]) => { const figures = await load(code); return values.map(value => figures(value)); }",
        [code, jsonable([value for value, _ in CASES])],
    )
    assert said == [expected for _, expected in CASES]


def test_shares_and_numbers_beside_a_limit_are_as_in_python(page):
    code, rng = (
        script("base/shared") + "\nexport default [perCent, aboutPerCent, figuresNextTo];",
        np.random.default_rng(5),
    )
    shares = (
        [share for share, *_ in SHARES] + rng.uniform(0, 1, 2000).tolist() + (rng.integers(0, 401, 400) / 400).tolist()
    )
    limits = 10 ** rng.uniform(-3, 3, 1000)
    pairs = [pair[:2] for pair in BESIDE] + [
        (float(limit * (1 + off)), float(limit)) for limit in limits for off in (0, 1e-4, 1e-7, -0.3)
    ]
    said = page.evaluate(
        """async ([code, shares, pairs]) => {
          const [precise, about, beside] = await load(code);
          return [shares.map(precise), shares.map(about), pairs.map(pair => beside(...pair))];
        }""",
        [code, jsonable(shares), jsonable(pairs)],
    )
    assert said == [
        [format_percent(share) for share in shares],
        [format_whole_percent(share) for share in shares],
        [figures_next_to(*pair) for pair in pairs],
    ]


def test_numbers_flatter_as_little_as_in_python(page):
    code, rng = script("base/shared") + "\nexport default figures;", np.random.default_rng(4)
    drawn = (10 ** rng.uniform(-9, 9, 3000) * rng.choice([-1, 1], 3000)).tolist()
    asked = [(value, better) for value, better, _ in UNFLATTERED] + [
        (value, better) for value in drawn for better in ("", "lower", "higher")
    ]
    said = page.evaluate(
        "async ([code, asked]) => { const figures = await load(code); return asked.map(one => figures(...one)); }",
        [code, jsonable(asked)],
    )
    assert said == [format_number(*one) for one in asked]


STEPS = """async () => {
  const shown = {}, both = {};
  for (const group of ["one", "two"]) {
    for (const name of ["data", "roles", "recipes"]) {
      const one = await part(name, { group, unfolded: name === "roles" });
      shown[`${group} ${name}`] = one;
      both[`${group} ${name}`] = [one.show(), one.show()];
    }
  }
  const those = fit => Object.keys(both).filter(name => fit(...both[name].map(view => view.step.open), name));
  const open = () => those((a, b) => a && b);
  const apart = () => those((a, b, name) => a !== b || a !== shown[name].model.get("unfolded"));
  const said = [];
  const then = async act => { act(); await wait(150); said.push([open(), apart()]); };
  const click = (name, view) => () => both[name][view].el.querySelector("summary").click();
  await then(() => {});
  await then(click("one data", 1));
  await then(click("two recipes", 0));
  await then(click("one data", 0));
  await then(() => shown["one roles"].model.set("unfolded", true));
  await then(click("one recipes", 1));
  return said;
}"""


def test_one_step_of_a_group_is_open_in_all_views_of_it(page):
    """Two workbenches on one page, each shown twice."""
    assert page.evaluate(STEPS) == [
        [["one roles", "two roles"], []],
        [["one data", "two roles"], []],
        [["one data", "two recipes"], []],
        [["two recipes"], []],
        [["one roles", "two recipes"], []],
        [["one recipes", "two recipes"], []],
    ]


NAMES = """async () => {
  const state = { kind: "state", data: { bundled: "adult" }, paths: true, most: 1e8, given: false };
  const views = [];
  for (const name of Object.keys(PARTS)) for (let i = 0; i < 2; i++) {
    const one = await part(name);
    views.push(one.show(), one.show());
    if (name === "data") one.model.tell(state);
  }
  const ids = [...document.querySelectorAll("[id]")].map(one => one.id);
  const radios = views.map(view => [...view.el.querySelectorAll("input[type=radio]")]);
  const chosen = radios.slice(0, 4).map(all => all.filter(one => one.checked).length);
  return { ids, chosen, groups: radios.flatMap(all => [...new Set(all.map(one => one.name))]) };
}"""


def test_nothing_on_a_page_is_called_like_anything_else(page):
    """Each part twice, each of them in two views."""
    found = page.evaluate(NAMES)
    assert len(found["ids"]) > 40
    assert len(set(found["ids"])) == len(found["ids"])
    assert found["chosen"] == [1, 1, 1, 1]
    assert len(set(found["groups"])) == len(found["groups"]) >= 4


GONE = """async name => {
  const one = await part(name), before = counted();
  for (let i = 0; i < 3; i++) {
    const view = one.show();
    await wait(20);
    view.end();
  }
  await wait(1000);
  const sent = one.model.sent.length;
  await wait(200);
  return [one.model.listeners.length, one.model.sent.length - sent, before, counted()];
  function counted() {
    const { timers, frames, observers, elsewhere } = live;
    return [timers.size, frames.size, observers.size, elsewhere, window.workbenchCharts?.waiting.length ?? 0];
  }
}"""


@pytest.mark.parametrize("name", PARTS)
def test_a_view_that_is_gone_leaves_nothing(page, name):
    listeners, sent, before, after = page.evaluate(GONE, name)
    assert (listeners, sent) == (0, 0)
    assert after == before


def test_a_chart_that_comes_after_one_that_is_gone_asks_again(page):
    """The library was asked for, and went to nobody."""
    asked = page.evaluate("""async () => {
      const one = await part("frontier"), two = await part("frontier");
      one.show().end();
      two.show();
      return [one, two].map(({ model }) => model.sent.filter(({ kind }) => kind === "library").length);
    }""")
    assert asked == [1, 1]


ANSWERS = """async () => {
  const one = await part("preview"), both = [one.show(), one.show()], saved = [];
  const tell = (kind, content, buffers) => one.model.tell({ kind, ...content }, buffers);
  const status = () => both.map(view => view.el.querySelector(".wb-note[role=status]").textContent);
  HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
  tell("state", { preview: true, release: true, study: true, chart: true, code: true, audit: "" });
  both[1].el.querySelector("[aria-label^='The study as YAML']").click();
  const { from: to } = one.model.sent.at(-1);
  tell("working", { what: "yaml", asker: to });
  const working = status();
  tell("file", { to, name: "a.yaml", type: "text/yaml", place: 0, pieces: 1 }, [new DataView(new ArrayBuffer(3))]);
  const columns = [{ name: "age", role: "quasi", original: ["1"], released: ["1"] }];
  tell("preview", { to, columns, sizes: [1], of: 9 });
  const tables = both.map(view => view.el.querySelectorAll("table").length);
  return { saved, working, status: status(), tables, views: one.model.sent.map(({ from }) => from) };
}"""


def test_a_file_and_records_come_to_the_view_that_asked(page):
    found = page.evaluate(ANSWERS)
    assert found["saved"] == ["a.yaml"]
    assert found["working"] == ["", "Creating the file…"]
    assert found["status"] == ["", "a.yaml was downloaded."]
    assert found["tables"] == [0, 1]
    first, second, asker = found["views"]
    assert first != second == asker


CARD = """async ([controls, more]) => {
  const { model, show } = await part("release"), { el } = show();
  const point = { kind: "point", ask: null, waits: true, expected: "", asked: "k", reason: "", values: {}, recipe: "" };
  const asked = () => model.sent.filter(({ ask }) => ask).map(({ ask, value, place }) => [ask, value ?? place]);
  window.card = { el, asked };
  window.controls = ask => model.tell({ ...controls, ask });
  window.others = ask => model.tell({ ...more, ask });
  window.point = async (ask, values) => {
    model.tell({ ...point, ask, values });
    await wait(80); // it is drawn with the next frame
  };
  controls.ask = null;
  model.tell(controls);
}"""


@pytest.fixture
def card(page, small):
    """Show a card with controls at k = 10 or k = 20; `window.controls` and `others` send them again."""
    told = []
    for recipe in (Recipe(Mondrian(), KAnonymity(10)), Recipe(Mondrian(), KAnonymity(20) & TCloseness(0.5))):
        one = ReleaseStand(small(0), recipe=recipe)
        told.append(jsonable(one.last("controls")))
    page.evaluate(CARD, told)
    return page


@pytest.mark.parametrize("again", ["controls", "others"])
def test_a_slider_that_is_moved_goes_on_from_there_when_controls_come_once_more(card, again):
    """Messages from before the move are outdated, and so are their positions of the sliders."""
    card.locator("input[type=range]").first.focus()
    card.keyboard.press("ArrowRight")
    card.evaluate(f"async () => {{ {again}(null); await point(null, {{ '0.k': 10 }}); }}")
    assert card.evaluate("document.activeElement.type") == "range"
    card.keyboard.press("ArrowRight")
    card.evaluate("async () => { await point(1, { '0.k': 11 }); }")
    assert card.evaluate("card.asked()") == [[1, 11], [2, 12]]
    card.evaluate("async () => { await point(2, { '0.k': 12 }); await point(2, { '0.k': 30 }); }")  # from elsewhere
    card.keyboard.press("ArrowLeft")
    assert card.evaluate("card.asked().at(-1)") == [3, 29]


def test_a_thumb_that_is_held_stays_under_the_hand(card):
    box = card.locator("input[type=range]").first.bounding_box()
    x, y = box["x"], box["y"] + box["height"] / 2
    card.mouse.move(x + 8, y)
    card.mouse.down()
    card.mouse.move(x + box["width"] / 2, y)
    held = card.evaluate("Number(card.el.querySelector('input[type=range]').value)")
    card.evaluate("async () => { controls(1); await point(1, { '0.k': 10 }); controls(1); }")
    assert card.evaluate("Number(card.el.querySelector('input[type=range]').value)") == held
    card.mouse.move(x + box["width"] - 8, y)
    assert card.evaluate("Number(card.el.querySelector('input[type=range]').value)") > held
    card.mouse.up()


@pytest.mark.parametrize("again", ["controls", "others"])
def test_a_number_that_is_half_typed_stays_when_controls_come_once_more(card, again):
    card.get_by_label("k, typed").focus()
    card.keyboard.press("Control+a")
    card.keyboard.type("2")
    card.evaluate(f"async () => {{ {again}(null); await point(null, {{ '0.k': 10 }}); }}")
    card.keyboard.type("5")
    card.keyboard.press("Enter")
    assert card.evaluate("card.asked()") == [[1, "25"]]


def test_of_each_slider_the_newest_place_is_asked_for(card):
    """One question at a time: also of the slider that was moved before another."""
    card.evaluate("others(null)")
    for name in ("k", "k", "t", "t"):
        card.get_by_label(name, exact=True).press("ArrowRight")
    for ask in (1, 2):
        card.evaluate("async ask => { await point(ask, {}); }", ask)
    assert card.evaluate("card.asked()") == [[1, 21], [2, 22], [3, 0.51]]


def test_a_choice_is_a_question_as_the_sliders_are(card):
    card.locator("summary").click()
    publish = card.get_by_label("publish")
    publish.select_option("bucketized")
    card.evaluate("async () => { controls(null); await point(null, {}); }")
    assert publish.evaluate("one => one.selectedOptions[0].textContent") == "bucketized"
    assert card.evaluate("card.asked()") == [[1, 1]]
    card.evaluate("controls(1)")  # Python says that it stands otherwise
    assert publish.evaluate("one => one.selectedOptions[0].textContent") == "generalized"


BETWEEN = """async () => {
  const { model, show } = await part("roles"), { el, step } = show();
  const one = (words, strength) => ({ words, why: words, text: "67", strength });
  const rows = [[null, one("a predicts b", 0.2)], [one("b predicts a", 0.4), null]];
  const told = { kind: "between", names: ["a", "b"], commonest: ["50", "60"], rows, described: [] };
  model.tell(told);
  step.open = el.querySelector("[data-field=between]").open = true;
  el.querySelectorAll("[data-field=between] td[data-key]")[1].focus();
  model.tell({ ...told });
  return [document.activeElement.dataset.key, el.querySelector(".wb-dependency-why b").textContent];
}"""


def test_the_focus_stays_in_a_matrix_that_is_redrawn(page):
    assert page.evaluate(BETWEEN) == ['["b","a"]', "b predicts a"]
