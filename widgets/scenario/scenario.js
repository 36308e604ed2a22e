// A scenario: the good use and the bad use, each with miners, weights of people and an acceptable limit.

import { queryEditor } from "../base/query_editor.js";
import { field, h, keepingPlace, step, widget } from "../base/shared.js";

export default widget(({ model, el, send, on, trait }) => {
  const { element, body, chosen } = step("Scenario", { model, trait });
  el.classList.add("wb-scenario");
  el.append(element);
  const wrong = () => h("span", { class: "wb-wrong", role: "alert" });
  const select = changed => { const one = h("select", {}); one.addEventListener("change", () => changed(one.value)); return one; };
  const typed = (changed, attributes) => {
    const one = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", ...attributes });
    one.addEventListener("change", () => changed(one.value));
    return one;
  };

  // ---- controls of both uses
  function use(side, limitName) {
    const boxes = h("div", { class: "wb-boxes" }), sets = h("div", { class: "wb-row wb-sets" });
    const miners = h("fieldset", { "data-field": `${side}.miners` }, h("legend", {}, side === "good" ? "Miners of the researcher" : "Miners of the adversary"), sets, boxes, wrong());
    const editor = queryEditor({
      send: (kind, content) => send(kind, { ...content, side, field: `${side}.weights` }),
      on: (kind, call) => on(`${side}.${kind}`, call),
      tried: (text, ask) => send("try", { side, field: `${side}.weights`, text, ask }),
      kept: text => send("weigh", { side, field: `${side}.weights`, text }),
      label: side === "good" ? "Weights of the good use, one per line" : "Weights of the bad use, one per line", heading: "records", least: 1,
    });
    const weights = h("div", { class: "wb-weights", "data-field": `${side}.weights` }, h("span", { class: "wb-label" }, "Record weights"),
      editor.element, h("p", { class: "wb-note" }, "One condition per line, for example ", h("code", {}, "10: age >= 55"), ". Records that match no line count once, unless you add ", h("code", {}, "0: others"), "."), wrong());
    const limit = typed(text => send("limit", { side, field: `${side}.limit`, text }), { class: "wb-short" });
    const limitField = field(`${side}.limit`, limitName, limit);
    const tick = () => send("miners", { side, field: `${side}.miners`, names: [...boxes.querySelectorAll("input:checked")].map(one => one.value) });
    return {
      miners, weights, limitField,
      show({ miners: rows, sets: offered, weights: text, limit: share }) {
        sets.replaceChildren(...offered.map(one => h("button", { type: "button", class: "wb-small", "data-key": `${side}.set.${one.name}`,
          onclick: () => send("miners", { side, field: `${side}.miners`, set: one.name }) }, one.label)));
        boxes.replaceChildren(...rows.map(one => h("label", { title: one.about },
          h("input", { type: "checkbox", value: one.name, checked: one.on, "data-key": `${side}.miner.${one.name}`, onchange: tick }), one.name)));
        editor.show(text, side);
        if (document.activeElement !== limit) limit.value = share;
      },
    };
  }
  const good = use("good", "Largest acceptable decline (%)"), bad = use("bad", "Largest acceptable share of people (%)");

  const target = select(name => send("target", { field: "target", name }));
  const worth = select(name => send("worth", { field: "worth", name }));
  const tolerance = typed(text => send("tolerance", { field: "tolerance", text }), { class: "wb-short" });
  const toleranceField = field("tolerance", "Tolerance", tolerance);
  // ---- the costs of predictions: a row per true value, a column per predicted value
  const costs = h("div", { class: "wb-costs", "data-field": "cost", hidden: true });
  const costCell = ({ values, cells }, i, j) => h("td", {}, h("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "wb-cost",
    value: cells[i][j], "data-key": `cost.${i}.${j}`, "aria-label": `Cost where ${values[i]} is true and ${values[j]} is predicted`,
    onchange: event => send("cost", { field: "cost", true: values[i], predicted: values[j], text: event.target.value }) }));
  const costTable = given => h("table", { "aria-label": "Costs of predictions" },
    h("thead", {}, h("tr", {}, h("th", {}, "true"), given.values.map(value => h("th", { scope: "col" }, value)))),
    h("tbody", {}, given.values.map((value, i) => h("tr", {}, h("th", { scope: "row" }, value), given.values.map((_, j) => costCell(given, i, j))))));
  const showCosts = given => {
    costs.hidden = !given;
    if (!given) return;
    const note = given.note ?? "Rows are true values, columns are predicted ones. A prediction is worth 1 minus its cost. An empty field is the usual cost: 0 for a correct prediction, 1 for a wrong one.";
    costs.replaceChildren(h("p", { class: "wb-note" }, note), given.values ? costTable(given) : "", wrong());
  };
  const columns = h("div", { class: "wb-boxes" });
  const quasi = h("fieldset", { "data-field": "quasi" }, h("legend", {}, "Predicted columns"), columns, wrong());
  const improvement = typed(text => send("improvement", { field: "improvement", text }), { class: "wb-short" });
  const counted = select(name => send("counted", { field: "counted", name }));
  counted.append(h("option", { value: "worst" }, "the most successful miner"), h("option", { value: "average" }, "all miners on average"));
  const button = h("button", { type: "button", class: "wb-main-action", onclick: () => send("use", { field: "use" }) }, "Use as axes");
  const time = h("p", { class: "wb-note", role: "status" });
  const all = h("div", { hidden: true }, h("div", { class: "wb-uses" },
    h("section", { class: "wb-good", "aria-label": "Good use" }, h("h4", {}, "Good use: what researchers predict"), field("target", "Predicted column", target),
      field("worth", "Value of a prediction", worth), toleranceField, costs, good.miners, good.weights, good.limitField),
    h("section", { class: "wb-bad", "aria-label": "Bad use" }, h("h4", {}, "Bad use: what attackers learn about people"), quasi,
      field("improvement", "Closer than the published value by at least (%)", improvement, "0: any improvement; 100: exactly right"), bad.miners, field("counted", "Counted by", counted), bad.weights, bad.limitField)),
    time, h("div", { class: "wb-row", "data-field": "use" }, button, wrong()));
  const none = h("p", { class: "wb-note" }, "There are no quasi-identifiers yet: choose some in Roles.");
  body.append(h("p", { class: "wb-note" }, "A release's benefit and harm, both measured by what miners can predict from it."), none, all);

  on("scenario", given => keepingPlace(body, () => {
    all.hidden = !given.ready;
    none.hidden = given.ready;
    if (!given.ready) { chosen(""); return; }
    chosen(given.used ? "on the axes" : "not on the axes");
    const fill = (one, options, value) => {
      one.replaceChildren(...options.map(([name, label]) => h("option", { value: name }, label)));
      one.value = value;
    };
    fill(target, given.columns.map(name => [name, name]), given.target);
    fill(worth, given.worths.map(each => [each.name, each.label]), given.worth);
    showCosts(given.costs);
    toleranceField.hidden = given.worth !== "tolerance";
    if (document.activeElement !== tolerance) tolerance.value = given.tolerance;
    if (document.activeElement !== improvement) improvement.value = given.improvement;
    counted.value = given.counted;
    columns.replaceChildren(...given.quasi.map(one => h("label", {}, h("input", { type: "checkbox", value: one.name, checked: one.on, "data-key": `quasi.${one.name}`,
      onchange: () => send("quasi", { field: "quasi", names: [...columns.querySelectorAll("input:checked")].map(each => each.value) }) }), one.name)));
    good.show(given.good);
    bad.show(given.bad);
    button.disabled = given.used;
    button.textContent = given.used ? "These are the axes" : "Use as axes";
  }));
  on("time", ({ text }) => { time.textContent = text; });
});
