// Methods, models, parameter ranges and measures: generated from the catalog that Python sends.

import { count, debounced, field, figures, fresh, h, keepingPlace, step, widget } from "../base/shared.js";

const AXIS = { privacy: "across", utility: "upwards" };
const SIDE = { privacy: ["Privacy", "how much an attacker may learn"], utility: ["Utility", "how much accuracy is lost"] };

/** A strip of dots: the values in the range of their parameter. */
function dots(given, { low, high, log, name }) {
  const values = given.filter(value => value !== null);
  const at = log ? Math.log : Number;
  const span = at(high) - at(low) || 1;
  const x = value => 1 + 98 * Math.min(1, Math.max(0, (at(Math.max(value, low)) - at(low)) / span));
  const label = values.length === 0 ? `${name} = none` : values.length === 1 ? `${name} = ${figures(values[0])}`
    : `${values.length} values of ${name}, ${figures(values[0])} to ${figures(values.at(-1))}`;
  return h("svg:svg", { class: "wb-dots", width: "100%", height: 8, role: "img", "aria-label": label },
    h("svg:title", {}, `${label}, of ${figures(low)} to ${figures(high)}${log ? ", logarithmic" : ""}`),
    h("svg:line", { x1: "1%", x2: "99%", y1: 4, y2: 4 }),
    values.slice(0, 200).map(value => h("svg:circle", { cx: `${x(value).toFixed(1)}%`, cy: 4, r: 2.5 })));
}

/** The fields of a variant; `where` identifies the variant in messages. */
function fieldsOf(chosen, prefix, where, send) {
  return chosen.fields.map(one => {
    const key = `${prefix}.${one.name}`, message = { field: key, ...where, name: one.name };
    return FIELDS[one.type](one, key, message, send);
  });
}

const FIELDS = { numbers: numbersField, columns: columnsField, choice: choiceField, column: choiceField };

/** The label of a field; both names for two weights that share one number. */
const wordsOf = one => one.between?.join(" … ") ?? one.name;

function numbersField(one, key, message, send) {
  const input = h("input", { type: "text", id: fresh("values"), "data-key": key, autocomplete: "off", spellcheck: "false",
    "aria-label": `${one.name}: ${one.help}`, title: "10, 20, 50 or 5..100 step 5 or 2..512 x2" });
  input.value = input.defaultValue = one.text;
  if (one.text.length > 24) input.title = one.text;
  const ask = debounced(() => send("try", { ...message, text: input.value }), 250);
  input.addEventListener("input", () => { delete input.dataset.sent; ask(); });
  input.addEventListener("change", () => { input.dataset.sent = "yes"; send("values", { ...message, text: input.value }); });
  const picture = h("span", { class: "wb-picture" }, dots(one.values, one));
  const element = h("div", { class: "wb-param", "data-field": key },
    h("label", { for: input.id, title: one.help }, wordsOf(one)), input, picture, h("span", { class: "wb-wrong", role: "alert" }));
  element.picture = values => picture.replaceChildren(dots(values, one));
  return element;
}

function columnsField(one, key, message, send) {
  const input = h("input", { type: "text", id: fresh("columns"), "data-key": key, autocomplete: "off", spellcheck: "false",
    placeholder: "none", "aria-label": `${one.name}: ${one.help}`, title: `${one.listed ?? "column names, separated by commas; several choices are separated by semicolons"}: ${one.options.join(", ")}` });
  input.value = input.defaultValue = one.text;
  input.addEventListener("input", () => { delete input.dataset.sent; });
  input.addEventListener("change", () => { input.dataset.sent = "yes"; send("values", { ...message, text: input.value }); });
  return h("div", { class: "wb-param", "data-field": key },
    h("label", { for: input.id, title: one.help }, one.name), input, h("span", { class: "wb-wrong", role: "alert" }));
}

function choiceField(one, key, message, send) {
  const pressed = new Set(one.chosen);
  const chips = one.options.map((text, place) => h("button", {
    type: "button", class: "wb-chip", "data-key": `${key}.${place}`, "aria-pressed": String(pressed.has(place)),
    onclick: () => {
      const places = one.options.map((_, i) => i).filter(i => pressed.has(i) !== (i === place));
      send("choices", { ...message, places });
    },
  }, text));
  const group = h("div", { class: "wb-chips", role: "group", "aria-label": `${one.name}: ${one.help}` }, chips);
  const shown = one.options.length > 6
    ? h("details", { class: "wb-many", "data-key": `${key}.many` },
        h("summary", {}, one.chosen.map(i => one.options[i]).join(", ")), group)
    : group;
  return h("div", { class: "wb-param", "data-field": key },
    h("span", { class: "wb-param-name", title: one.help }, one.name), shown, h("span", { class: "wb-wrong", role: "alert" }));
}

function rowOf(row, key, shown, send, actions = [], lead = null) {
  const [first, ...joined] = row.parts;
  const id = fresh("switch");
  const name = first?.name ?? "no model";
  const box = h("input", { type: "checkbox", id, checked: row.on, "data-key": `${key}.on`,
    onchange: event => send("switch", { field: key, row: key, on: event.target.checked }) });
  return h("div", { class: `wb-choice${row.on ? " wb-on" : ""}`, "data-field": key },
    h("div", { class: "wb-choice-head" }, box, h("label", { for: id, title: row.note || (first?.about ?? "the method as it is") }, lead, name),
      row.on ? shown : null, row.on ? actions : null),
    h("span", { class: "wb-wrong", role: "alert" }),
    row.on && first ? fieldsOf(first, `${key}.0`, { row: key, part: 0 }, send) : null,
    row.on ? joined.map((part, i) => h("div", { class: "wb-joined" },
      h("div", { class: "wb-choice-head" }, h("span", { class: "wb-and" }, "and"), h("span", { title: part.about }, part.name),
        h("button", { type: "button", class: "wb-quiet wb-small", "aria-label": `remove ${part.name}`, "data-key": `${key}.${i + 1}.out`,
          onclick: () => send("part", { field: key, row: key, part: i + 1 }) }, "×")),
      fieldsOf(part, `${key}.${i + 1}`, { row: key, part: i + 1 }, send))) : null);
}

function modelRow(row, g, r, group, models, send) {
  const key = `row.${g}.${r}`, has = new Set(row.parts.map(part => part.name));
  const often = group.rows.filter(other => other.parts[0]?.name === row.parts[0]?.name).length > 1;
  const actions = row.parts.length === 0 ? [] : [
    h("select", { class: "wb-small", "data-key": `${key}.join`, "aria-label": `join another model to ${row.parts[0].name}`,
      onchange: event => event.target.value && send("join", { field: key, row: key, model: event.target.value }) },
      h("option", { value: "" }, "and…"),
      models.filter(model => !has.has(model.name)).map(model => h("option", { value: model.name, title: model.about }, model.name))),
    h("button", { type: "button", class: "wb-quiet wb-small", "data-key": `${key}.again`, title: "another row with this model, to join it with others",
      "aria-label": `another ${row.parts[0].name}`, onclick: () => send("again", { field: key, row: key }) }, "+"),
    often ? h("button", { type: "button", class: "wb-quiet wb-small", "data-key": `${key}.remove`, "aria-label": `remove this ${row.parts[0].name}`,
      onclick: () => send("remove", { field: key, row: key }) }, "×") : null,
  ];
  const shown = h("span", { class: "wb-count", title: "releases" }, `${count(row.count)}`);
  return rowOf(row, key, shown, send, actions);
}

function groupOf(group, g, { methods, models, groups }, send) {
  const select = h("select", { "data-key": `method.${g}`, "aria-label": "method", id: fresh("method"),
    onchange: event => send("method", { field: `group.${g}`, group: g, name: event.target.value }) },
    methods.map(name => h("option", { value: name, selected: name === group.method.name }, name)));
  return h("section", { class: "wb-group", "data-field": `group.${g}` },
    h("div", { class: "wb-choice-head" }, h("label", { for: select.id, class: "wb-head" }, "Method"), select,
      groups.length > 1 ? h("button", { type: "button", class: "wb-quiet wb-small", "data-key": `method.${g}.out`, "aria-label": `remove ${group.method.name}`,
        onclick: () => send("without", { field: `group.${g}`, group: g }) }, "×") : null),
    h("span", { class: "wb-wrong", role: "alert" }),
    h("p", { class: "wb-note" }, group.method.about),
    h("details", { class: "wb-options", "data-key": `method.${g}.options` },
      h("summary", {}, "options: ", optionsInWords(group.method)),
      fieldsOf(group.method, `method.${g}`, { group: g }, send)),
    h("h4", {}, "Models and their parameters"),
    group.rows.map((row, r) => modelRow(row, g, r, group, models, send)));
}

const optionsInWords = chosen => chosen.fields.map(one =>
  `${wordsOf(one)} ${one.chosen === undefined ? one.text || "none" : one.chosen.map(i => one.options[i]).join(" or ")}`).join(", ");

export default widget(({ model, el, send, on, trait, mark, at }) => {
  const { element, body, chosen } = step("Methods and measures", { model, trait });
  el.classList.add("wb-recipes");
  el.append(element);
  const models = h("div"), measures = h("div", { "data-field": "measures" });
  const total = h("div", { class: "wb-total", role: "status" });
  const seed = h("input", { type: "text", inputmode: "numeric", class: "wb-seed", "data-key": "seed",
    onchange: () => send("seed", { field: "seed", text: seed.value }) });
  const selects = {};
  body.append(models, total, measures, field("seed", "Random seed of the search (never used for publication)", seed));

  function drawMeasures(draft) {
    measures.replaceChildren(h("span", { class: "wb-wrong", role: "alert" }), ...["privacy", "utility"].map(side => {
      selects[side] = h("select", { class: "wb-small", id: fresh("axis"), "data-key": `axis.${side}`,
        onchange: event => send("axis", { field: `axis.${side}`, side, key: event.target.value }) },
        draft.axes[side].map(one => h("option", { value: one.key, title: one.name }, one.key)));
      return h("section", { class: "wb-group" },
        h("div", { class: "wb-choice-head", "data-field": `axis.${side}` }, h("h4", { title: SIDE[side][1] }, SIDE[side][0]),
          h("label", { for: selects[side].id, class: "wb-axis" }, AXIS[side]), selects[side]),
        draft.measures.map((row, i) => row.side !== side ? null
          : rowOf(row, `measure.${i}`, null, send, [], h("span", { class: "wb-symbol" }, row.symbol))));
    }));
    showAxes();
  }

  function showAxes() {
    ["privacy", "utility"].forEach((side, i) => { if (selects[side]) selects[side].value = model.get("axes")[i] ?? ""; });
    sayChosen();
  }

  let last = null;
  const sayChosen = () => chosen(last ? [last.summary, model.get("axes").join(" and ")].filter(Boolean).join("; ") : "");

  on("draft", draft => keepingPlace(body, () => {
    last = draft;
    models.replaceChildren(...draft.groups.map((group, g) => groupOf(group, g, draft, send)),
      h("button", { type: "button", class: "wb-quiet wb-small", "data-key": "method.more",
        onclick: () => send("method", { name: draft.methods[0] }) }, "+ another method"));
    const many = draft.count > draft.most;
    total.classList.toggle("wb-wrong", many);
    total.replaceChildren(h("b", {}, draft.summary),
      many ? `: more than ${count(draft.most)}; use fewer values` : ", and two baselines");
    drawMeasures(draft);
    markRows();
    const fields = draft.groups.flatMap((group, g) => [[`method.${g}`, group.method],
      ...group.rows.flatMap((row, r) => row.parts.map((part, p) => [`row.${g}.${r}.${p}`, part]))]);
    fields.push(...draft.measures.map((row, i) => [`measure.${i}.0`, row.parts[0]]));
    for (const [key, part] of fields) for (const one of part.fields) if (one.problem) explain(`${key}.${one.name}`, one.problem);
  }));
  const markRows = () => { for (const [name, text] of Object.entries(last?.problems ?? {})) explain(name, text); };
  /** Show an error, and unfold the options that contain it. */
  function explain(name, text) {
    mark(name, text);
    at(name)?.closest("details.wb-options")?.setAttribute("open", "");
  }
  // a valid message does not remove errors of the draft
  on("fine", ({ field: name }) => { mark(name, ""); mark("", ""); markRows(); });
  on("tried", ({ field: name, values }) => {
    if (values.length) at(name)?.picture?.(values);
  });
  trait("seed", value => { seed.value = value; });
  trait("axes", showAxes);
});
