// The cells of the disclosure table: text, small bars, and gauges of the nearest limit.

import { count, figures, figuresNextTo, h, perCent } from "../base/shared.js";
import { NUMBERS, valuesOf } from "./sorting.js";

export function cell(data, field, row, threshold) {
  const own = { bars: barsCell, loss: lossCell, exposed: exposedCell, used: limitCell }[field.key];
  if (own) return own(data, row, threshold);
  const text = field.labels ? field.labels[field.by[row]] : count(field.by[row]);
  if (field.number) return h("div", { role: "gridcell", class: "wb-number" }, text);
  return h("div", { role: "gridcell", title: text }, h("span", { class: "wb-clamped" }, wholeNumbers(text)));
}

/** A label with line breaks anywhere except inside numbers. */
function wholeNumbers(text) {
  const parts = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(NUMBERS)) {
    parts.push(text.slice(from, index), h("span", { class: "wb-unbroken" }, found));
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
}

/** Keep numbers and their signs on one line: "13 %", "t = 0.3". */
export const unbroken = text => text.replace(/(\d) %/g, "$1\u00a0%").replace(/(\S) ([=≤≥<>→]) (?=\S)/g, "$1\u00a0$2\u00a0");

/** Bars of the class, with marks for the whole table; the most exposed value has another color. */
function barsCell(data, row) {
  const values = valuesOf(data, row), worst = data.loss.worst[data.columns.worst[row]];
  const width = 100, height = 28, step = width / values.length, gap = step > 4 ? 1 : 0;
  const top = Math.max(...values.map(([, here, table]) => Math.max(here, table)));
  const y = share => (height - share / top * (height - 1)).toFixed(1);
  const bar = v => `M${(v * step + gap / 2).toFixed(1)} ${height}V${y(values[v][1])}h${(step - gap).toFixed(1)}V${height}z`;
  const marks = values.map(([, , table], v) => `M${(v * step).toFixed(1)} ${y(table)}h${step.toFixed(1)}`).join("");
  const text = mostMoved(values, 4).map(([label, here, table]) => `${label} ${perCent(here)} (${perCent(table)})`).join(", ");
  return h("div", { role: "gridcell", title: `in the class (in the whole table): ${text}` },
    h("svg:svg", { viewBox: `0 0 ${width} ${height}`, height, preserveAspectRatio: "none", role: "img", "aria-label": text },
      h("svg:path", { class: "wb-in-class", d: values.map((_, v) => (values[v][1] && v !== worst.bar ? bar(v) : "")).join("") }),
      h("svg:path", { class: "wb-exposed", d: bar(worst.bar) }),
      h("svg:path", { class: "wb-in-table", d: marks })));
}

/** Return the values whose shares differ most, larger shares first among equals. */
export function mostMoved(values, most) {
  return [...values].sort((a, b) => Math.abs(b[1] - b[2]) - Math.abs(a[1] - a[2]) || b[1] - a[1]).slice(0, most);
}

function lossCell(data, row, threshold) {
  const loss = data.columns.loss[row], risk = loss >= threshold;
  return h("div", {
    role: "gridcell", class: `wb-number wb-loss-cell${risk ? " wb-at-risk" : ""}`,
    style: `--wb-part: ${Math.min(100, 100 * loss / data.loss.dearest).toFixed(1)}%`, title: risk ? "at risk" : null,
  }, risk && h("i", { role: "img", "aria-label": "at risk" }, "▲"), figures(loss));
}

function exposedCell(data, row) {
  const { label, prior } = data.loss.worst[data.columns.worst[row]], after = data.columns.posterior[row];
  return h("div", { role: "gridcell", class: "wb-two", title: `${label}: ${perCent(prior)} in the whole table, ${perCent(after)} in the class` },
    h("span", {}, label), h("span", { class: "wb-second" }, `${share(prior)} → ${share(after)} %`));
}

/** Format a share in percent without the sign. */
export const share = value => figures(Math.round(1000 * value) / 10);

function limitCell(data, row) {
  const { part, score, used, broken } = data.columns, { name, figure, bound, limit } = data.limits[part[row]];
  const text = `${figure} ${score[row] === Infinity ? "∞" : figuresNextTo(score[row], limit)} ${bound} ${figures(limit)}`;
  return h("div", {
    role: "gridcell", class: `wb-two wb-limit${broken[row] ? " wb-broken" : ""}`,
    title: `${name}: ${text}${broken[row] ? ", violated" : `, ${figures(100 * used[row])} % of the limit is used`}`,
  }, h("i", { class: "wb-gauge", "aria-hidden": "true" }, h("i", { style: `width: ${(100 * Math.min(1, used[row])).toFixed(0)}%` })),
  h("span", {}, broken[row] ? `✕ ${text}` : text));
}
