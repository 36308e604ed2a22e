// The controls above the disclosure table: the sensitive column, the threshold of risk, and the filter.

import { count, field, figures, figuresNextTo, fresh, h, throttled } from "../base/shared.js";
import { unbroken } from "./cells.js";
import { atRisk } from "./sorting.js";

/** The controls change state.filter and call `refilter`; other changes are requested from Python. */
export function controls({ state, mark, ask, refilter, clear, threshold }) {
  const small = { type: "text", inputmode: "decimal", size: 5, autocomplete: "off" };
  const column = h("select", { onchange: () => ask.now("sensitive", "sensitive", { value: column.value }) });
  const columnField = field("sensitive", "Sensitive column", column, "the column whose disclosure is shown");
  const kept = h("p", { class: "wb-note wb-kept" });
  const title = h("div", { class: "wb-disclosure-title" }, h("h3", {}, "Disclosure by class"), columnField, kept);

  const slider = h("input", { type: "range", min: 0, max: 1, step: 0.001, "aria-label": "threshold of records at risk" });
  const exact = h("input", { ...small, size: 7, "aria-label": "threshold of records at risk, exactly" });
  const usual = h("button", { class: "wb-quiet", title: "the default: the loss of the cheapest full disclosure" }, "Cheapest full disclosure");
  const riskText = h("p", { class: "wb-risk-text", role: "status" });
  const request = throttled(value => ask.now("threshold", "at_risk", { value }), 120);
  const ofRisk = value => { ask.soon("at_risk"); request(value); };
  slider.addEventListener("input", () => {
    const value = Number(slider.value);
    exact.value = figures(value);
    threshold(value);
    ofRisk(value);
  });
  exact.addEventListener("change", () => {
    const value = number(exact.value);
    if (Number.isNaN(value) || value < 0) return mark("at_risk", "Enter a loss of 0 or more, such as 0.25.");
    if (value !== null) threshold(value);
    ofRisk(value);
  });
  usual.addEventListener("click", () => { exact.focus(); ofRisk(null); }); // the button will be disabled
  const risk = h("div", { class: "wb-risk", "data-field": "at_risk" },
    h("label", { for: exact.id = fresh("risk") }, "At risk: loss of at least"), slider, exact, usual, riskText);

  const text = h("input", {
    type: "search", placeholder: "Filter by words in the values", "aria-label": "filter by words in the values",
    oninput: () => { state.filter.text = text.value; refilter(); },
  });
  const tick = (name, label) => {
    const box = h("input", { type: "checkbox", onchange: () => { state.filter[name] = box.checked; refilter(); } });
    return [box, h("label", { class: "wb-tick" }, box, label)];
  };
  const [onlyRisk, onlyRiskLabel] = tick("risk", "only at risk"), [only, onlyLabel] = tick("only", "only selected");
  const between = (name, label, none) => {
    const low = h("input", { ...small, "aria-label": `smallest ${name}`, placeholder: "from" });
    const high = h("input", { ...small, "aria-label": `largest ${name}`, placeholder: "to" });
    const changed = () => {
      const [a, b] = [number(low.value), number(high.value)];
      if (Number.isNaN(a) || Number.isNaN(b)) return mark(name, `Enter a number, such as ${name === "size" ? 20 : 0.25}.`);
      if (a !== null && b !== null && a > b) return mark(name, "The minimum is greater than the maximum.");
      mark(name, "");
      state.filter[name] = [a ?? none, b ?? Infinity];
      refilter();
    };
    for (const one of [low, high]) one.addEventListener("input", changed);
    const show = (/** @type {number[]} */ [a, b]) => { low.value = a > none ? a : ""; high.value = b < Infinity ? b : ""; mark(name, ""); };
    return { show, element: h("div", { class: "wb-between", "data-field": name }, h("span", {}, label), low, "–", high) };
  };
  const size = between("size", "size", 0), loss = between("loss", "loss", -Infinity);
  const none = h("button", {
    class: "wb-quiet", onclick: () => {
      clear();
      text.value = "";
      onlyRisk.checked = only.checked = false;
      size.show([0, Infinity]);
      loss.show([-Infinity, Infinity]);
    },
  }, "Clear");
  const shown = h("span", { class: "wb-note wb-shown", role: "status" });
  const filter = h("div", { class: "wb-filter", role: "search" },
    text, onlyRiskLabel, onlyLabel, size.element, loss.element, none, shown);

  return {
    title,
    element: h("div", {}, risk, filter),
    showData(data) {
      columnField.hidden = data.choices.length < 2;
      column.replaceChildren(...data.choices.map(name => h("option", { value: name }, name)));
      column.value = data.sensitive;
      kept.textContent = keptText(data);
      kept.title = kept.textContent;
      risk.hidden = loss.element.hidden = onlyRiskLabel.hidden = !data.loss;
      if (data.loss) { slider.max = data.loss.dearest; slider.step = data.loss.dearest / 500; }
    },
    sensitive(name) { column.value = name; },
    threshold(value, own) {
      slider.value = value;
      if (document.activeElement !== exact || own) exact.value = figures(value);
      usual.disabled = own;
    },
    risk(data, value) {
      if (!data?.loss) return;
      const found = atRisk(data, value);
      riskText.textContent = found.records
        ? `${count(found.records)} of ${count(data.records)} records (${unbroken(`${figures(100 * found.records / data.records)} %`)}) have such a `
          + `loss, in ${count(found.classes)} ${found.classes === 1 ? "class" : "classes"}.`
        : "No record has such a loss.";
      riskText.title = riskText.textContent;
    },
    range: loss.show,
    count(data, rows, selected) {
      let records = 0;
      for (const row of selected) records += data.columns.size[row] ?? 0;
      shown.textContent = `${count(rows.length)} of ${count(data.classes)} ${data.exact ? "buckets" : "classes"}; `
        + `${count(selected.size)} selected, ${count(records)} records`;
    },
  };
}

const number = text => (text.trim() === "" ? null : Number(text));

/** Describe the parameters that the release achieves, and why losses are undefined. */
function keptText(data) {
  const alone = one => data.achieved.filter(other => other.figure === one.figure).length === 1;
  const figuresOf = data.achieved.map(one => (data.asked
    ? `${one.figure} = ${figuresNextTo(one.value, one.limit)} (${one.name} requires ${one.bound} ${figures(one.limit)})`
    : `${one.figure} = ${figures(one.value)}${alone(one) ? "" : ` (${one.name})`}`));
  const kept = figuresOf.length ? `${data.asked ? "Achieved" : "No model was requested; achieved"}: ${figuresOf.join(", ")}.` : "";
  const note = data.note && `${data.note[0].toUpperCase()}${data.note.slice(1)}.`;
  return unbroken([note, kept].filter(Boolean).join(" "));
}
