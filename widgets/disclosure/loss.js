// Next to the table: the distribution of the records' losses, and each quasi-identifier's share of the risk.

import { aboutPerCent, count, figures, h } from "../base/shared.js";
import { mostMoved, share } from "./cells.js";
import { valuesOf } from "./sorting.js";

const BINS = 40, ENDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7];
const WIDTH = 280, LEFT = 34, RIGHT = 270, TOP = 16, FOOT = 146;

/** Records by loss, on a logarithmic scale; `range(low, high, done)` is called while a range is marked, (null) for none. */
export function lossChart({ range }) {
  const layers = { all: h("svg:path", { class: "wb-all" }), shown: h("svg:path", { class: "wb-in-class" }) };
  const lit = h("svg:path", { class: "wb-chosen-part" });
  const axis = h("svg:g"), risk = h("svg:g", { class: "wb-risk-line" });
  const brush = h("svg:rect", { class: "wb-brush", y: TOP, height: FOOT - TOP, visibility: "hidden" });
  const element = h("svg:svg", { class: "wb-losses", viewBox: `0 0 ${WIDTH} 176`, role: "img" },
    axis, layers.all, layers.shown, lit, risk, brush);
  let end = 1, from = null, heights = new Float64Array(0);
  const x = loss => LEFT + (RIGHT - LEFT) * Math.min(1, Math.max(0, loss / end));
  const bin = loss => Math.min(BINS - 1, Math.floor(loss / end * BINS));
  const edge = b => Number((b * end / BINS).toPrecision(6));

  function draw(data, rows, selected, threshold) {
    const { loss, size } = data.columns;
    const all = new Float64Array(BINS), shown = new Float64Array(BINS), chosen = new Float64Array(BINS);
    let worst = 0;
    for (const one of loss) if (one > worst) worst = one;
    end = ENDS.find(one => one >= worst) ?? 1;
    for (let row = 0; row < data.classes; row++) all[bin(loss[row])] += size[row];
    for (const row of rows) shown[bin(loss[row])] += size[row];
    for (const row of selected) if (row < data.classes) chosen[bin(loss[row])] += size[row];
    heights = all;
    const y = records => FOOT - (FOOT - TOP) * Math.log10(1 + records) / Math.log10(1 + data.records);
    const step = (RIGHT - LEFT) / BINS;
    const path = counts => [...counts].map((n, b) => (n
      ? `M${(LEFT + b * step + 0.5).toFixed(1)} ${FOOT}V${y(n).toFixed(1)}h${(step - 1).toFixed(1)}V${FOOT}z` : "")).join("");
    layers.all.setAttribute("d", path(all));
    layers.shown.setAttribute("d", path(shown));
    lit.setAttribute("d", path(chosen));
    axis.replaceChildren(...ticksOf(data.records).map(n => tickOf(n, y(n))), ...[0, 0.25, 0.5, 0.75, 1].map(part =>
      h("svg:text", { x: x(part * end), y: FOOT + 12, "text-anchor": "middle" }, figures(Number((part * end).toPrecision(3))))),
    h("svg:line", { x1: LEFT, x2: RIGHT, y1: FOOT, y2: FOOT, class: "wb-foot" }),
    h("svg:text", { x: RIGHT, y: FOOT + 25, "text-anchor": "end" }, "privacy loss   ← lower is better"));
    drawRisk(threshold);
    element.setAttribute("aria-label", `Records by privacy loss, from 0 to ${figures(worst)}: ${count(data.records)} in all`);
  }

  function drawRisk(threshold) {
    const beyond = threshold > end, at = x(threshold), late = at > (LEFT + RIGHT) / 2;
    const text = `at risk from ${figures(threshold)}${beyond ? " →" : ""}`;
    risk.replaceChildren(...[
      !beyond && h("svg:line", { x1: at, x2: at, y1: TOP - 4, y2: FOOT }),
      h("svg:text", { x: late ? at - 4 : at + 4, y: TOP - 6, "text-anchor": late ? "end" : "start" }, text),
    ].filter(Boolean));
  }

  /** @param {number[]} range */
  function show([low, high]) {
    const none = low === -Infinity && high === Infinity;
    const [a, b] = [x(low), x(high)];
    brush.setAttribute("visibility", none || low > end ? "hidden" : "visible");
    brush.setAttribute("x", a);
    brush.setAttribute("width", Math.max(2, b - a));
  }

  const at = event => {
    const box = element.getBoundingClientRect(), part = ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (RIGHT - LEFT);
    return Math.min(BINS - 1, Math.max(0, Math.floor(part * BINS)));
  };
  const span = event => [Math.min(from, at(event)), Math.max(from, at(event)) + 1].map(edge);
  element.addEventListener("pointerdown", event => {
    if (event.button || !heights.length) return;
    from = at(event);
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", event => { if (from !== null && at(event) !== from) range(...span(event), false); });
  element.addEventListener("pointerup", event => {
    if (from === null) return;
    if (at(event) === from && !heights[from]) range(null);
    else range(...span(event), true);
    from = null;
  });
  element.addEventListener("pointercancel", () => { from = null; });
  return { element, draw, show, risk: drawRisk };
}

const ticksOf = records => [1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7].filter(n => n <= records);

function tickOf(n, y) {
  const name = n >= 1e6 ? `${n / 1e6}M` : n >= 1000 ? `${n / 1000}k` : String(n);
  return h("svg:g", {}, h("svg:line", { x1: LEFT, x2: RIGHT, y1: y, y2: y, class: "wb-grid-line" }),
    h("svg:text", { x: LEFT - 5, y: y + 3.5, "text-anchor": "end" }, name));
}

/** Bars of the quasi-identifiers' shares of the risk, the largest first, or the reason why there are none. */
export function sharesList(shares) {
  if (shares.text) return [h("p", { class: "wb-note" }, shares.text)];
  const none = shares.each.every(one => !one.share);
  return shares.each.map(({ name, share, without }) => h("div", {
    class: "wb-share", role: "listitem",
    title: `${name}: the mean loss of the records falls from ${figures(shares.mean)} to ${figures(without)} without it`,
  }, h("span", { class: "wb-share-name" }, name),
  h("i", { class: "wb-gauge", "aria-hidden": "true" }, h("i", { style: `width: ${(100 * share).toFixed(1)}%` })),
  h("span", { class: "wb-number" }, none ? "0 %" : aboutPerCent(share))));
}

/** The values of a class compared with the whole table, those that differ most first. */
export function valuesList(data, row) {
  const worst = data.loss.worst[data.columns.worst[row]];
  const values = mostMoved(valuesOf(data, row), 5);
  const top = Math.max(...values.map(([, here, table]) => Math.max(here, table)));
  return values.map(([label, here, table]) => h("div", { class: "wb-share", role: "listitem" },
    h("span", { class: "wb-share-name", title: label }, label),
    h("i", { class: "wb-gauge", "aria-hidden": "true" },
      h("i", { class: label === data.loss.bars[worst.bar] && "wb-most", style: `width: ${(100 * here / top).toFixed(1)}%` }),
      h("b", { style: `left: ${(100 * table / top).toFixed(1)}%` })),
    h("span", { class: "wb-number" }, `${share(here)} % (${share(table)} %)`)));
}
