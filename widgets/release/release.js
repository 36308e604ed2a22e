// The release card: requests carry the newest values, one request in flight at a time.

import { afterFrame, debounced, figures, fresh, h, keepingPlace, widget } from "../base/shared.js";

const STEPS = 1000;  // of a slider
const REQUEST_INTERVAL = 40;  // ms between requests
const PATIENCE = 5000;  // ms until an answer counts as lost

/** Create a queue of requests: one at a time, the newest of each field, so that the point follows the slider. */
function requestQueue(send) {
  const waiting = new Map();
  let flying = 0, serial = 0, sent = 0, timer = null;
  const unanswered = () => flying && performance.now() - sent < PATIENCE;
  const pump = () => {
    timer = null;
    const now = performance.now();
    if (!waiting.size) return;
    if (unanswered()) { timer = setTimeout(pump, PATIENCE - (now - sent)); return; }
    if (now - sent < REQUEST_INTERVAL) { timer = setTimeout(pump, REQUEST_INTERVAL - (now - sent)); return; }
    flying = ++serial; sent = now;
    const [kind, content] = waiting.values().next().value;
    waiting.delete(content.field);
    send(kind, { ...content, ask: flying });
  };
  return {
    ask(kind, content) { waiting.set(content.field, [kind, content]); if (!flying || timer === null) pump(); },
    answered(number) {
      if (number !== flying) return;
      flying = 0;
      clearTimeout(timer);
      pump();
    },
    busy: () => Boolean(waiting.size || unanswered()),
    stop: () => clearTimeout(timer),
  };
}

/** Convert between the position of a slider and its value. */
function scaleOf({ low, high, step, log, whole }) {
  const round = value => {
    const near = whole || !log ? Math.round(value / step) * step : Number(value.toPrecision(3));
    return Number(Math.min(high, Math.max(low, near)).toPrecision(10));
  };
  const ratio = Math.log(high / low);
  return {
    value: place => round(log ? low * Math.exp(ratio * place / STEPS) : low + (high - low) * place / STEPS),
    place: value => STEPS * (log ? Math.log(Math.max(value, low) / low) / ratio : (value - low) / (high - low)),
    next: (value, up) => {
      const by = log ? Math.max(step, value * 0.05) : Math.max(step, whole ? 1 : (high - low) / 200);
      return round(value + (up ? by : -by));
    },
  };
}

/** The structure of the controls without their values; elements of an unchanged structure are kept. */
const VALUES = new Set(["values", "chosen", "text", "count", "problem", "low", "high", "step", "log"]);
const structureOf = parts => JSON.stringify(parts, (name, value) => (VALUES.has(name) ? undefined : value));

function slider(one, part, asker, before) {
  const key = `${part}.${one.name}`, id = fresh("slider"), message = { field: key, part, name: one.name };
  const range = h("input", { type: "range", min: 0, max: STEPS, step: "any", id, "data-key": key, "aria-describedby": `${id}-help` });
  const typed = h("input", { type: "text", inputmode: "decimal", "data-key": `${key}.typed`, "aria-label": `${one.name}, typed`, class: "wb-typed" });
  let scale, held = false, current = before?.current?.();
  const showText = value => {
    current = value;
    range.setAttribute("aria-valuetext", `${one.name} = ${value === null ? "none" : figures(value)}`);
    if (document.activeElement !== typed) typed.value = typed.defaultValue = value ?? "none";
  };
  const show = value => { range.value = value === null ? 0 : scale.place(value); showText(value); };
  range.addEventListener("input", () => {
    const value = scale.value(Number(range.value));
    showText(value);
    asker.ask("move", { ...message, value });
  });
  range.addEventListener("pointerdown", () => { held = true; });
  for (const over of ["pointerup", "pointercancel", "change", "blur"]) range.addEventListener(over, () => { held = false; });
  range.addEventListener("keydown", event => {
    const up = ["ArrowRight", "ArrowUp"].includes(event.key), down = ["ArrowLeft", "ArrowDown"].includes(event.key);
    if (!up && !down) return;
    event.preventDefault();
    const value = scale.next(current, up);
    show(value);
    asker.ask("move", { ...message, value });
  });
  typed.addEventListener("input", () => { delete typed.dataset.sent; });
  typed.addEventListener("change", () => {
    const value = Number(typed.value);
    if (typed.value.trim() && Number.isFinite(value)) show(value);
    typed.dataset.sent = "yes";
    asker.ask("move", { ...message, value: typed.value });
  });
  const element = h("div", { class: "wb-slide", "data-field": key },
    h("label", { for: id, title: one.help }, one.between ? "weights" : one.name), range, typed,
    one.between ? h("span", { class: "wb-between", "aria-hidden": "true" }, one.between.map(end => h("span", {}, end))) : null,
    h("span", { class: "wb-hush", id: `${id}-help` }, one.help), h("span", { class: "wb-wrong", role: "alert" }));
  element.current = () => current;
  element.follow = value => { if (!held) show(value); };
  element.update = now => {
    scale = scaleOf({ ...now, whole: now.step === 1 && Number.isInteger(now.values[0]) });
    element.follow(current !== undefined && asker.busy() ? current : now.values[0]);
  };
  element.update(one);
  return element;
}

function choice(one, part, asker) {
  const id = fresh("choice"), key = `${part}.${one.name}`;
  const select = h("select", { id, "data-key": key,
    onchange: () => asker.ask("pick", { field: key, part, name: one.name, place: Number(select.value) }) },
    one.options.map((text, place) => h("option", { value: place, selected: place === one.chosen[0] }, text)));
  const element = h("div", { class: "wb-slide", "data-field": key },
    h("label", { for: id, title: one.help }, one.name), select, h("span", { class: "wb-wrong", role: "alert" }));
  element.update = ({ chosen: [place] }) => { if (!asker.busy()) select.value = place; };
  return element;
}

function columns(one, part, asker) {
  const id = fresh("columns"), key = `${part}.${one.name}`;
  const input = h("input", { type: "text", id, "data-key": key, placeholder: "none", autocomplete: "off", spellcheck: "false",
    title: `${one.listed ?? "column names, separated by commas"}: ${one.options.join(", ")}`,
    onchange: () => asker.ask("columns", { field: key, part, name: one.name, text: input.value }) });
  const element = h("div", { class: "wb-slide", "data-field": key },
    h("label", { for: id, title: one.help }, one.name), input, h("span", { class: "wb-wrong", role: "alert" }));
  element.update = ({ text }) => { if (!asker.busy() && document.activeElement !== input) input.value = text; };
  element.update(one);
  return element;
}

const FIELDS = { numbers: slider, columns, choice, column: choice };

/** A block that grows with its content but never shrinks, so that elements below it do not jump. */
function steadyBlock(watch, tag, attributes, ...children) {
  const element = h(tag, attributes, ...children);
  let width = 0, least = 0;
  element.sized = box => {
    if (box.inlineSize !== width) {
      width = box.inlineSize;
      element.style.minHeight = "";
      least = element.offsetHeight;
    } else if (box.blockSize <= least) return;
    least = Math.max(least, box.blockSize);
    element.style.minHeight = `${least}px`;
  };
  watch.observe(element, { box: "border-box" });
  element.setContent = (...content) => element.replaceChildren(...content);
  return element;
}

const SIDES = { privacy: "Privacy loss", utility: "Utility loss" };

function figuresOf(rows) {
  return h("table", { class: "wb-figures" },
    h("caption", { class: "wb-hush" }, "The measures of this release"),
    h("thead", {}, h("tr", {}, h("th", {}, "Measure"), h("th", { class: "wb-number" }, "Value"), h("th", {}, "Better"))),
    h("tbody", {}, rows.map((row, i) => h("tr", { class: `${row.axis ? "wb-drawn" : ""}${i && row.side !== rows[i - 1].side ? " wb-other-side" : ""}` },
      h("td", { title: [row.name, row.sentence].filter(Boolean).join(": ") }, h("b", {}, row.key), h("small", {}, row.name),
        h("div", { class: "wb-unit" }, row.unit)),
      h("td", { class: "wb-number", title: row.reason || null }, figures(row.value) + row.interval),
      h("td", { class: "wb-better", title: `${row.better} is better` }, row.better === "lower" ? "↓ lower" : "↑ higher")))));
}

export default widget(({ el, send, on, at, mark }) => {
  el.classList.add("wb-release");
  const asker = requestQueue(send);
  const watch = new ResizeObserver(entries => { for (const { target, borderBoxSize: [box] } of entries) /** @type {any} */ (target).sized(box); });
  const steady = (...given) => steadyBlock(watch, ...given);
  const hold = h("button", { type: "button", onclick: () => send("hold", { field: "asked" }), title: "add this release's recipe to the study" }, "Keep this point");
  const name = steady("p", { class: "wb-recipe-name", "aria-live": "polite" });
  const made = steady("p", { class: "wb-note" });
  const promise = steady("p", { class: "wb-release-promise" });
  const far = h("span"), doing = steady("div", { class: "wb-doing", role: "status" });
  const stop = h("button", { type: "button", class: "wb-small", onclick: () => { stop.disabled = true; send("stop", { field: "asked" }); } }, "Cancel");
  const model = h("select", { id: fresh("model"), onchange: () => model.value && send("model", { field: "asked", name: model.value }) });
  const controls = h("div");
  const reason = steady("div", { class: "wb-reason", role: "status" });
  const sentences = Object.fromEntries(Object.keys(SIDES).map(side => [side, steady("p", {})]));
  const verdict = steady("p", { class: "wb-verdict" });
  const pooled = steady("p", { class: "wb-note wb-pooled" });
  const neutral = steady("p", { class: "wb-release-neutral" });
  const place = steady("p", { class: "wb-place" });
  const table = h("div", { class: "wb-measured" });
  const alternatives = steady("div", { class: "wb-beside" });
  const change = steady("p", { class: "wb-change" });
  const good = h("div", { hidden: true }, verdict,
    ...Object.entries(SIDES).map(([side, title]) => h("section", { class: `wb-side-text wb-${side}` }, h("h4", {}, title), sentences[side], side === "privacy" ? pooled : null)),
    promise, neutral, table, place, h("h4", {}, "Alternatives on the frontier"), alternatives, change);
  el.append(h("div", { class: "wb-sheet" },
    h("div", { class: "wb-row wb-release-head" }, h("h3", {}, "This release"), hold), name, made, doing,
    h("div", { class: "wb-slide", "data-field": "asked" }, h("label", { for: model.id }, "model"), model, h("span", { class: "wb-wrong", role: "alert" })),
    controls, reason, good));

  const rest = debounced(() => { if (!asker.busy()) send("rest"); }, 350);

  let drawn = null;
  on("controls", ({ ask, parts, models, model: chosen, ready }) => {
    asker.answered(ask);
    model.replaceChildren(h("option", { value: "", disabled: Boolean(chosen) }, ready ? "choose a model" : "choose data and roles first"),
      ...models.map(one => h("option", { value: one.name, title: one.about }, one.name)));
    model.value = chosen;
    model.disabled = !ready;
    const shape = structureOf(parts);
    if (shape === drawn) { // the user may be holding one of them
      for (const { part, fields } of parts) for (const one of fields) {
        if (!asker.busy()) mark(`${part}.${one.name}`, "");
        at(`${part}.${one.name}`).update(one);
      }
      return;
    }
    drawn = shape;
    const before = new Map([...controls.querySelectorAll("[data-field]")].map(one => [one.dataset.field, one]));
    const draw = (part, which = () => true) => part.fields.filter(which).map(one => FIELDS[one.type](one, part.part, asker, before.get(`${part.part}.${one.name}`)));
    const main = one => one.type === "numbers" && !one.optional;
    const method = part => [draw(part, main), ...(part.fields.every(main) ? []
      : [h("details", { class: "wb-how", "data-key": "how" }, h("summary", { "data-key": "how.summary" }, "method: ", part.name), draw(part, one => !main(one)))])];
    keepingPlace(controls, () => controls.replaceChildren(...parts.flatMap((part, i) => part.part === "method" ? method(part).flat()
      : [i > 0 ? h("div", { class: "wb-and-model" }, "and ", h("b", {}, part.name)) : null, ...draw(part)].filter(Boolean))));
  });

  const showProgress = text => {
    if (!text) { doing.setContent(); stop.disabled = false; return; }
    far.textContent = text;
    if (!stop.isConnected) doing.setContent(far, " ", stop);
  };
  on("doing", ({ text }) => showProgress(text));
  on("pooled", ({ text }) => pooled.setContent(text));

  on("point", point => {
    asker.answered(point.ask);
    draw(point);
  });

  const draw = afterFrame(point => {
    if (!asker.busy()) {
      for (const one of controls.querySelectorAll("[data-field]")) if (one.dataset.field in point.values) one.follow?.(point.values[one.dataset.field]);
    }
    showProgress(point.doing);
    if (!point.waits) good.hidden = !point.recipe; // the previous release stays, dimmed
    good.classList.toggle("wb-stale", point.waits || Boolean(point.reason));
    good.inert = point.waits;
    hold.disabled = !point.recipe || point.waits || point.kept || point.baseline || Boolean(point.reason);
    hold.textContent = point.kept ? "In the study" : "Keep this point";
    name.setContent(point.reason || point.waits ? point.asked : point.model || "No release is chosen yet");
    made.setContent(point.expected ? `Computing. The hollow mark on the chart is an estimate (${point.expected}).`
      : point.waits ? "The release is being computed again for the current data, roles and hierarchies." : point.stopped || (point.reason ? "" : [point.method, point.chosen, point.classes].filter(Boolean).join("; ")));
    reason.setContent(...(point.reason ? [h("b", {}, "No such release. "), point.reason,
      point.recipe ? h("div", { class: "wb-note" }, `Shown below: ${point.recipe}, the last valid release.`) : ""] : []));
    if (!point.recipe || point.waits) return;
    for (const side of Object.keys(SIDES)) sentences[side].setContent(point.sentences[side] || "No such measure was chosen.");
    verdict.setContent(...(point.verdict ? [h("b", {}, point.verdict.split(":")[0]), point.verdict.slice(point.verdict.indexOf(":"))] : []));
    promise.setContent(...(point.guarantee ? [h("b", {}, "Guarantee of the method: "), `${point.guarantee}. `] : []),
      ...(point.caution ? [h("b", {}, "Tell recipients: "), `${point.caution}. `] : []),
      ...point.notices.map(notice => `Note: ${notice}. `));
    neutral.setContent(point.neutral && `Neutral columns are published unchanged. ${point.neutral}`);
    table.replaceChildren(figuresOf(point.figures));
    place.setContent(point.place);
    alternatives.setContent(...(point.alternatives.length ? point.alternatives.map((one, i) => h("button", { type: "button",
      onclick: () => send("select", { field: "asked", place: i, recipe: one.recipe }) },
      h("span", {}, h("b", {}, one.recipe.replace(/ \(([^()]*)\)$/, "")), ` ${one.why}`), h("small", {}, one.difference)))
      : [h("p", { class: "wb-note" }, "There is no other efficient point yet.")]));
    change.setContent(h("span", { class: "wb-note" }, ""));
    pooled.setContent();
    rest();
  });

  on("change", ({ text, take }) => change.setContent(text, " ",
    take ? h("button", { type: "button", class: "wb-quiet", onclick: () => send("take", { field: "asked", take }), "aria-label": `apply: ${take}` }, "apply") : ""));
  on("answered", ({ ask }) => asker.answered(ask));
  return () => { watch.disconnect(); asker.stop(); };
});
