// The forms of the hierarchy editor: typed texts are sent to Python, which parses them.

import { count, field, fresh, h } from "../base/shared.js";
import { cutChart, hueOf, linesOf, numbersIn, tidy } from "./cuts.js";

/**
 * Redraw and keep the focus: if the focused element is gone, focus its replacement by `data-key`, or `home()`.
 */
export function keepingFocus(root, draw, home) {
  const usable = one => one?.isConnected && !one.disabled && one.checkVisibility();
  const focused = () => root.getRootNode().activeElement, active = focused();
  const held = root.contains(active);
  draw();
  if (!held || (root.contains(focused()) && usable(focused()))) return;
  const key = active.dataset.key, again = key && root.querySelector(`[data-key="${CSS.escape(key)}"]`);
  (usable(again) ? again : home())?.focus({ preventScroll: true });
}

/** A choice as joined buttons; options are [value, text, title]. */
export function segments(label, options, chosen, call) {
  const name = fresh("segments");
  return h("div", { class: "wb-hier-segs", role: "radiogroup", "aria-label": label }, options.map(([value, text, title]) =>
    h("label", { class: "wb-hier-seg", title }, h("input", { type: "radio", name, value, checked: value === chosen, "data-key": `${label} ${value}`, onchange: () => call(value) }),
      h("span", {}, text))));
}

/** A place for errors of the whole form. */
const wrongHere = () => h("span", { class: "wb-wrong", role: "alert" });

/** Intervals: a row per level, typed or drawn; typed() is called during changes, meant() at the end. */
export function intervalForm({ typed, meant }) {
  let form = null, last = null;
  const chart = cutChart({
    moved: (row, text) => { form[form.by][row] = text; inputs()[row].value = text; typed(); },
    settled: () => meant(),
  });
  const ways = h("div"), rows = h("div", { class: "wb-hier-rows" }), more = h("div", { class: "wb-row" });
  const origin = h("input", { type: "text", inputmode: "decimal", class: "wb-hier-short", oninput: () => { form.origin = origin.value; change(); },
    onchange: () => meant() });
  const start = field("origin", "starting at", origin, "Lower end of the first interval");
  start.classList.add("wb-hier-inline");
  const [bottom, top] = [
    end("bottom", "one group below", "Bottom coding: all smaller values are one group on every level"),
    end("top", "one group from", "Top coding: this value and all larger ones are one group on every level")];
  const ends = h("div", { class: "wb-row wb-hier-ends" }, bottom.element, top.element);
  const element = h("div", { "data-field": "intervals" }, wrongHere(), ways, chart.element, rows, more, ends);
  const inputs = () => [...rows.querySelectorAll("input")];
  const WAYS = [["widths", "Widths", "Intervals of equal width"], ["cuts", "Cut points", "Intervals between chosen points"],
    ["quantiles", "Equally filled", "The same number of records in each group"]];
  const WANTED = { widths: ["width", "10"], cuts: ["cut points", "18, 30, 65"], quantiles: ["number of groups", "4"] };

  /** The field for a group at one end, the same on every level. */
  function end(name, label, help) {
    const input = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "wb-hier-short", placeholder: "none",
      oninput: () => { form[name] = input.value; change(); }, onchange: () => meant() });
    const element = field(name, label, input, help);
    element.classList.add("wb-hier-inline");
    return { element, input };
  }

  function change() { chart.paint(last?.histogram, form, last?.about); ranks(); typed(); }

  const build = () => keepingFocus(element, rebuild, () => inputs().at(-1));
  function rebuild() {
    ways.replaceChildren(segments("Intervals by", WAYS, form.by, by => {
      form.by = by;
      build();
      if (form[by].some(Boolean)) { change(); meant(); } else chart.paint(last?.histogram, form, last?.about);  // nothing is typed yet
    }));
    const [what, such] = WANTED[form.by];
    rows.replaceChildren(...form[form.by].map((text, i) => h("div", { class: "wb-hier-row", "data-field": `${form.by}-${i}` },
      h("span", { class: "wb-hier-rank", style: `--hue: ${hueOf(i)}` }, i + 1),
      h("input", { type: "text", value: text, placeholder: `${what}, such as ${such}`, "aria-label": `Level ${i + 1}, ${what}`, inputmode: "decimal",
        autocomplete: "off",
        oninput: event => { form[form.by][i] = event.target.value; change(); }, onchange: () => meant(),
        onkeydown: event => { if (event.key === "Enter") { event.preventDefault(); meant(); } } }),
      h("span", { class: "wb-note wb-hier-makes" }),
      h("button", { class: "wb-quiet", "aria-label": `Remove level ${i + 1}`, "data-key": `remove ${i}`, title: "Remove this level", disabled: form[form.by].length < 2,
        onclick: () => { form[form.by].splice(i, 1); build(); change(); meant(); } }, "×"))));
    more.replaceChildren(
      h("button", { onclick: () => { form[form.by].push(""); build(); inputs().at(-1).focus(); } }, "+ level"),
      form.by !== "cuts" && h("button", { class: "wb-quiet", title: "Convert these lines to cut points, which can be moved one by one", onclick: asCuts },
        "to cut points") || "",
      form.by === "widths" ? start : "");
    makes();
  }

  /** Convert the lines of every row to cut points. */
  function asCuts() {
    if (!last?.histogram) return;
    const { low, high } = last.histogram, nth = form[form.by].map((text, i) =>
      linesOf(form, text, low, high, last.about?.rows?.[i]?.lines) ?? []);
    const cuts = nth.map(lines => lines.map(line => tidy(line.at)).join(", ")).filter(Boolean);
    if (!cuts.length) return;
    form.cuts = [...new Set(cuts)];
    form.by = "cuts";
    build();
    change();
    meant();
  }

  function makes() {
    [...rows.querySelectorAll(".wb-hier-makes")].forEach((place, i) => {
      const groups = last?.about?.rows?.[i]?.groups;
      place.textContent = groups ? `${count(groups)} ${groups === 1 ? "group" : "groups"}` : "";
    });
    ranks();
  }

  /** Number the levels by width, independent of the order of the rows. */
  function ranks() {
    const sizes = form[form.by].map(text => numbersIn(text)[0]), way = form.by === "quantiles" ? -1 : 1;
    const order = form.by === "cuts" ? null : sizes.map((n, i) => [n, i]).sort((a, b) => way * (a[0] - b[0])).map(([, i]) => i);
    [...rows.querySelectorAll(".wb-hier-rank")].forEach((place, i) => { place.textContent = (order ? order.indexOf(i) : i) + 1; });
  }

  return {
    element,
    fill(given) {
      const now = JSON.stringify(given);
      if (form && JSON.stringify(form) === now) return;
      const focused = inputs().indexOf(rows.getRootNode().activeElement);
      form = JSON.parse(now);
      origin.value = form.origin;
      bottom.input.value = form.bottom;
      top.input.value = form.top;
      build();
      if (focused >= 0) inputs()[focused]?.focus();
    },
    about(content) { last = content; chart.paint(content.histogram, form, content.about); makes(); },
    read: () => structuredClone(form),
    home: () => inputs()[0],
    end: chart.end,
  };
}

export function prefixForm({ typed, meant }) {
  const enter = event => { if (event.key === "Enter") { event.preventDefault(); meant(); } };
  const keep = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", oninput: typed, onchange: meant, onkeydown: enter });
  const pad = h("input", { type: "text", inputmode: "numeric", autocomplete: "off", class: "wb-hier-short", placeholder: "as is", oninput: typed, onchange: meant, onkeydown: enter });
  const samples = h("table", { class: "wb-hier-samples" });
  const element = h("div", { "data-field": "prefixes" }, wrongHere(),
    h("div", { class: "wb-hier-pair" }, field("keep", "Characters kept per level", keep, "4, 3, 2: three levels; the finest keeps four characters"),
      field("pad", "Pad with zeros to", pad, "Codes of different lengths are padded on the left")), samples);
  return {
    element,
    fill(form) { if (keep.value !== form.keep) keep.value = form.keep; if (pad.value !== form.pad) pad.value = form.pad; },
    read: () => ({ keep: keep.value, pad: pad.value }),
    about({ about }) {
      samples.replaceChildren(...(about.samples ?? []).map(row => h("tr", {}, row.map(cell => h("td", { title: cell }, h("code", {}, cell))))));
    },
  };
}

export function dateForm({ meant }) {
  const NAMES = ["day", "month", "quarter", "year", "decade"];
  const boxes = NAMES.map(name => h("input", { type: "checkbox", value: name, onchange: meant }));
  const notes = NAMES.map(() => h("small"));
  const element = h("fieldset", { "data-field": "dates", class: "wb-hier-dates" }, h("legend", {}, "One level for each"), wrongHere(),
    NAMES.map((name, i) => h("label", {}, boxes[i], " ", name, " ", notes[i])));
  return {
    element,
    fill(form) { boxes.forEach(box => { box.checked = form.levels.includes(box.value); }); },
    read: () => ({ levels: boxes.filter(box => box.checked).map(box => box.value) }),
    about({ about }) { NAMES.forEach((name, i) => { notes[i].textContent = about.groups ? `${count(about.groups[name])} of them` : ""; }); },
  };
}

const LARGEST_FILE = 8e6;

/** A hierarchy file, pasted or chosen. file(name, bytes) sends one. */
export function fileForm({ typed, meant, file, mark }) {
  let source = "";
  const text = h("textarea", { rows: 6, spellcheck: "false", wrap: "off", oninput: () => { source = ""; typed(); }, onchange: meant,
    placeholder: "leaf;level 1;level 2\n10115;101**;10***\n10117;101**;10***" });
  const choose = h("input", { type: "file", accept: ".csv,.txt,.tsv", class: "wb-hush", tabindex: -1, "aria-hidden": "true",
    onchange: async () => {
    const [chosen] = choose.files;
    if (chosen) await take(chosen);
    choose.value = "";
  } });
  async function take(chosen) {
    if (chosen.size <= LARGEST_FILE) file(chosen.name, await chosen.arrayBuffer());
    else mark("import", `${chosen.name} has ${count(Math.ceil(chosen.size / 1e6))} MB, but a hierarchy file may have at most 8 MB. Did you choose the data file?`);
  }
  const button = h("button", { onclick: () => choose.click() }, "Choose a file …");
  const named = h("span", { class: "wb-note" });
  const area = field("import", "Text of a hierarchy file: one row per value, with its group on each level (same format as ARX)", text);
  const notes = h("div", { class: "wb-note" });
  const element = h("div", {}, h("div", { class: "wb-row" }, button, choose, named), area, notes);
  element.addEventListener("dragover", event => event.preventDefault());
  element.addEventListener("drop", async event => {
    const [dropped] = event.dataTransfer.files;
    if (!dropped) return;
    event.preventDefault();
    await take(dropped);
  });
  return {
    element,
    fill(form) { source = form.source; if (text.value !== form.text) text.value = form.text; },
    read: () => ({ text: text.value, source }),
    about({ about }) { named.textContent = source ? `from ${source}` : ""; notes.textContent = (about.notes ?? []).join(" "); },
  };
}
