// The workloads of the study: a list of names, and the queries of one, which are written, random, or from a log.

import { queryEditor } from "../base/query_editor.js";
import { field, h, keepingPlace, step, throttled, widget } from "../base/shared.js";

export default widget(({ model, el, send, on, trait }) => {
  const { element, body, chosen } = step("Workloads", { model, trait });
  el.classList.add("wb-workloads");
  el.append(element);
  let state = { rows: [], chosen: "", of: "" }, asks = 0;
  const names = h("div", { class: "wb-names", role: "group", "aria-label": "Workloads" });
  const log = h("input", { type: "file", class: "wb-hush", tabindex: -1, "aria-label": "A log of queries", accept: ".txt,.sql,.log" });
  log.addEventListener("change", async () => {
    const [file] = log.files;
    log.value = "";
    if (file) send("load", { field: "load", name: file.name }, [await file.arrayBuffer()]);
  });
  const button = (text, title, onclick) => h("button", { type: "button", class: "wb-small", title, onclick }, text);
  const more = h("div", { class: "wb-row", "data-field": "load" },
    button("+ Written", "Queries that you write", () => send("add", { field: "load", what: "written" })),
    button("+ At random", "Counts with random conditions", () => send("add", { field: "load", what: "random" })),
    button("Load a log…", "A file with one query per line, or with SELECT statements", () => log.click()), log,
    h("span", { class: "wb-wrong", role: "alert" }));

  const name = h("input", { type: "text", autocomplete: "off", spellcheck: "false",
    onchange: () => send("rename", { field: "name", name: state.chosen, to: name.value }) });
  const remove = button("Delete", "Undo restores it", () => send("remove", { field: "name", name: state.chosen }));
  const own = h("div", { class: "wb-own" }, field("name", "Name", name), remove);

  const editor = queryEditor({
    send, on,
    tried: (text, ask) => send("try", { field: "queries", text, ask }),
    kept: text => send("keep", { field: "queries", name: state.chosen, text }),
  });
  const written = h("div", {}, editor.element, h("div", { "data-field": "queries" }, h("span", { class: "wb-wrong", role: "alert" })));

  // ---- random queries
  const number = (key, label, help, attributes) => {
    const input = h("input", { type: "number", ...attributes, onchange: () => draw(true) });
    return [input, field(`random-${key}`, label, input, help)];
  };
  const range = attributes => h("input", { type: "range", ...attributes, oninput: event => { ranged(event.target); soon(); }, onchange: () => draw(true) });
  const dimension = range({ min: 0, step: 1 }), selectivity = range({ min: 0, step: 1 });
  const [much, muchField] = number("selectivity", "selectivity, sel", "the share of all combinations of values that satisfies a query", { min: 0, max: 1, step: "any" });
  const [many, manyField] = number("count", "queries", "how many are drawn", { min: 1, max: 10000, step: 1 });
  const [seed, seedField] = number("seed", "seed", "the same seed draws the same queries", { min: 0, step: 1 });
  const shown = h("output");
  const dimensionField = field("random-dimension", "quasi-identifiers with a condition, qd", dimension);
  dimensionField.querySelector("label").append(" ", shown);
  selectivity.setAttribute("aria-label", "selectivity");
  much.before(selectivity);
  const drawnAt = h("div", { class: "wb-drawn", "data-field": "random" },
    dimensionField, muchField, h("div", { class: "wb-pair" }, manyField, seedField), h("span", { class: "wb-wrong", role: "alert" }));
  const words = h("p", { class: "wb-note", role: "status" }), head = h("p", { class: "wb-note" });
  const rows = h("tbody"), notes = h("ul", { class: "wb-mistakes", "aria-label": "Unusable queries" });
  const examples = h("div", {}, words, h("div", { class: "wb-scroll", tabindex: 0, role: "region", "aria-label": "queries and true answers" },
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Query"), h("th", { scope: "col", class: "wb-number" }, "True answer"))), rows)));

  function ranged(slider) {
    shown.textContent = dimension.value;
    if (slider === selectivity) much.value = state.stops[Number(selectivity.value)];
  }
  function draw(keep) {
    send("draw", { field: "random", name: state.chosen, dimension: Number(dimension.value), selectivity: Number(much.value),
      count: Number(many.value), seed: Number(seed.value), keep, ask: ++asks });
  }
  const soon = throttled(() => draw(false), 120);

  const none = h("p", { class: "wb-note" });
  const one = h("div", { hidden: true }, own, written, drawnAt, head, examples);
  const hint = h("p", { class: "wb-note" }, "To measure the error of a release's answers, tick “query error” in Methods and measures and choose its workloads there; each is a separate axis.");
  body.append(h("p", { class: "wb-note" }, "Queries that users of the data need. They are saved in the study, and quote values of the data."),
    names, more, none, h("div", { "data-field": "workload" }, one, h("span", { class: "wb-wrong", role: "alert" })), notes, hint);

  on("workloads", given => keepingPlace(body, () => {
    const another = given.chosen !== state.chosen || given.of !== state.of;
    state = given;
    chosen(given.rows.map(row => row.name).join(", "));
    names.replaceChildren(...given.rows.map(row => h("button", { type: "button", class: "wb-name", "data-key": `name.${row.name}`, title: row.about,
      "aria-pressed": String(row.name === given.chosen), onclick: () => send("choose", { field: "workload", name: row.name }) },
    h("b", {}, row.name), h("span", {}, row.about))));
    for (const each of more.querySelectorAll("button")) each.disabled = !given.ready;
    none.hidden = given.rows.length > 0;
    none.textContent = given.ready ? "No workloads yet. The only choice is “random”: 1,000 random queries." : "There are no quasi-identifiers yet: choose some in Roles.";
    one.hidden = !given.of;
    written.hidden = given.of !== "written";
    drawnAt.hidden = given.of !== "random";
    examples.hidden = head.hidden = given.of === "written";
    const put = (input, value) => { if (another || document.activeElement !== input) input.value = value; }; // not while it is being edited
    put(name, given.chosen);
    remove.setAttribute("aria-label", `delete the workload ${given.chosen}`);
    notes.replaceChildren(...given.unusable.map(text => h("li", {}, text)));
    if (given.of === "written") editor.show(given.text, given.chosen);
    head.textContent = given.of === "file" ? `Read from ${given.file}, a file named in the study.` : given.of === "random" ? "Some of them:" : "";
    if (another) { words.textContent = ""; rows.replaceChildren(); }
    if (given.of !== "random") return;
    const { settings } = given;
    dimensionField.hidden = !given.slides.includes("dimension");
    muchField.hidden = !given.slides.includes("selectivity");
    dimension.max = given.most;
    put(dimension, settings.dimension);
    selectivity.max = given.stops.length - 1;
    const near = stop => Math.abs(Math.log(stop / settings.selectivity));
    put(selectivity, given.stops.reduce((best, stop, i) => near(stop) < near(given.stops[best]) ? i : best, 0));
    shown.textContent = dimension.value;
    for (const [input, value] of [[much, settings.selectivity], [many, settings.count], [seed, settings.seed]]) put(input, value);
  }));
  on("examples", ({ ask, rows: found, text, notes: unused }) => {
    if (ask && ask !== asks) return;
    words.textContent = text;
    rows.replaceChildren(...found.map(([query, answer]) => h("tr", {},
      h("td", { title: query }, h("div", { class: "wb-query" }, query)), h("td", { class: "wb-number" }, answer))));
    notes.replaceChildren(...[...state.unusable, ...unused].map(line => h("li", {}, line)));
  });
});
